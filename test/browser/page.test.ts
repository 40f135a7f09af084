import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { join } from "node:path"
import { root } from "../../scripts/run.ts"
import { extract } from "../docs/fences.ts"
import { bundle } from "./bundle.ts"
import { missing, open } from "./chromium.ts"

// The page of docs/browser.md, opened in Chromium and used as a person uses it. Behind it is a server that answers as a
// model does.

const doc = readFileSync(join(root, "docs/browser.md"), "utf8")
const [program] = extract("docs/browser.md", doc)
const html = /```html\n([\s\S]*?)```/.exec(doc)?.[1]

/** Uses the page and reports what it shows. */
const user = `
const [form, output] = [document.querySelector("form"), document.querySelector("output")]
const report = (what) => fetch("/report", { method: "POST", body: JSON.stringify(what) })
addEventListener("securitypolicyviolation", (event) => report({ failed: "CSP: " + event.violatedDirective }))
addEventListener("error", (event) => report({ failed: String(event.message) }))
addEventListener("unhandledrejection", (event) => report({ failed: String(event.reason) }))
const until = async (check) => {
  while (!check()) await new Promise((next) => setTimeout(next, 10))
  return output.textContent
}
const submit = (text) => {
  form.querySelector("textarea").value = text
  form.requestSubmit()
}
const settled = () => until(() => !["", "…"].includes(output.textContent))
addEventListener("load", async () => {
  submit("I was charged twice for my invoice")
  const first = await settled()
  submit("Charged twice again!")
  const second = await settled()
  submit("This one never ends")
  await fetch("/waiting")
  form.querySelector("[name=stop]").click()
  const third = await settled()
  report({ shown: [first, second, third] })
})
`

/** Texts that mean the same have equal vectors. */
const vectorOf = (text: string): ReadonlyArray<number> =>
  Array.from({ length: 1536 }, (_, i) => (i === (/charged/i.test(text) ? 0 : 1) ? 1 : 0))

interface Call {
  readonly path: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: any
}

const csp = "default-src 'none'; script-src 'self'; connect-src 'self'"

const start = async (files: ReadonlyMap<string, string>, shown = `${html}<script src="user.js"></script>`) => {
  const calls: Array<Call> = []
  const report = Promise.withResolvers<any>()
  const [hanging, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? ""
    let text = ""
    for await (const part of request) text += String(part)
    const json = (value: unknown): unknown =>
      response.setHeader("content-type", "application/json").end(JSON.stringify(value))
    const file = path === "/user.js" ? user : files.get(path.slice(1))
    if (path === "/") {
      response.setHeader("content-security-policy", csp)
      response.setHeader("content-type", "text/html; charset=utf-8").end(shown)
    } else if (file !== undefined) {
      response.setHeader("content-type", "text/javascript; charset=utf-8").end(file)
    } else if (path === "/report") {
      report.resolve(JSON.parse(text))
      response.end()
    } else if (path === "/waiting") {
      await hanging.promise
      response.end()
    } else if (path.startsWith("/v1/")) {
      const body = JSON.parse(text)
      calls.push({ path, headers: request.headers, body })
      if (path === "/v1/embeddings") {
        const data = body.input.map((one: string, index: number) => ({ index, embedding: vectorOf(one) }))
        json({ object: "list", data, model: body.model, usage: { prompt_tokens: 1, total_tokens: 1 } })
      } else if (text.includes("never ends")) {
        response.once("close", closed.resolve)
        hanging.resolve()
      } else {
        const content = JSON.stringify({ decision: true, confidence: 0.9, reasoning: ["Money was taken."] })
        const choice = { index: 0, finish_reason: "stop", message: { role: "assistant", content } }
        const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
        json({ id: "1", object: "chat.completion", created: 1, model: body.model, choices: [choice], usage })
      }
    } else response.writeHead(404).end()
  }
  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const address = server.address()
  const port = address !== null && typeof address === "object" ? address.port : 0
  const browser = open(`http://127.0.0.1:${port}/`)
  const late = new Promise((_, fail) => setTimeout(() => fail(new Error(browser.output())), 50_000).unref())
  const close = async () => {
    await browser.close()
    server.closeAllConnections()
    server.close()
  }
  return { calls, closed: closed.promise, reported: Promise.race([report.promise, late]), close }
}

describe.skipIf(missing !== undefined)("the page of docs/browser.md in Chromium", () => {
  let page: Awaited<ReturnType<typeof start>>

  beforeAll(async () => {
    page = await start((await bundle(program?.code ?? "")).files)
  })
  afterAll(() => page.close())

  it("answers, finds earlier messages by meaning, and stops", async () => {
    const similar = "today; similar: I was charged twice for my invoice"
    assert.deepStrictEqual(await page.reported, { shown: ["today", similar, "stopped"] })
  })

  it("sends each message once, in a request without a key", () => {
    const chats = page.calls.filter(({ path }) => path === "/v1/chat/completions")
    assert.lengthOf(chats, 3)
    for (const { body, headers } of chats) {
      assert.strictEqual(headers["authorization"], "Bearer no-key")
      assert.strictEqual(body.model, "gpt-5-mini")
    }
    assert.lengthOf(JSON.stringify(chats[1]?.body).split("Charged twice again!"), 2)
  })

  it("closes the connection of a call that was stopped", async () => {
    assert.isUndefined(await page.closed)
  })
})

const refused = `
import { Effect } from "effect"
import { Anthropic } from "cogito/anthropic"
import { OpenAi } from "cogito/openai"

const options = { model: "large", apiKey: "sk-canary" }
const made = Effect.all([OpenAi.make(options), Anthropic.make(options)].map(Effect.flip))
const errors = await Effect.runPromise(made)
await fetch("/report", { method: "POST", body: JSON.stringify(errors.map(({ message }) => message)) })
`

describe.skipIf(missing !== undefined)("a page with a vendor's own address in Chromium", () => {
  it("is refused, because everybody could read the key", async () => {
    const { files } = await bundle(refused)
    const page = await start(files, '<script type="module" src="main.js"></script>')
    try {
      const messages = (await page.reported) as ReadonlyArray<string>
      assert.lengthOf(messages, 2)
      for (const message of messages) {
        assert.include(message, "in a browser, set baseUrl to a server of your own that adds the key")
        assert.notInclude(message, "sk-canary")
      }
    } finally {
      await page.close()
    }
  })
})

describe("a bundle for browsers", () => {
  const specifiers = [
    "cogito",
    "cogito/openai",
    "cogito/anthropic",
    "cogito/effect-ai",
    "cogito/tokenizer",
    "cogito/report"
  ]

  it.each(specifiers)("of %s imports nothing that a browser lacks", async (specifier) => {
    const { imported } = await bundle(`export * from "${specifier}"`)
    assert.deepStrictEqual(imported, [])
  })

  it("of cogito/local contains some, as the page says", async () => {
    const { imported } = await bundle(`export * from "cogito/local"`)
    assert.include(imported, "node:fs/promises")
  })
})
