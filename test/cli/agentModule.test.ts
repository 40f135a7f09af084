/** `cogito agent` before anything is said: its module, its flags, and which model answers. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { root } from "../../scripts/run.ts"
import { prefill } from "../pglite/prefilled.ts"
import { cogito, type Ended, spawned } from "./cogito.ts"
import { keepOpen } from "./keptOpen.ts"

const folder = mkdtempSync(join(tmpdir(), "cogito-agent-module-"))
const at = (name: string) => join(folder, name)
const desk = join(import.meta.dirname, "desk.ts")
const noKeys = { OPENAI_API_KEY: "", ANTHROPIC_API_KEY: "", OPENAI_BASE_URL: "", ANTHROPIC_BASE_URL: "" }

beforeAll(() => prefill(at("memory")), 120_000)
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
keepOpen()

const agent = (
  args: ReadonlyArray<string>,
  { env = {}, input = "" }: { readonly env?: Readonly<Record<string, string>>; readonly input?: string } = {}
): Promise<Ended> =>
  cogito([...args, "--data-dir", at("memory")], { command: "agent", env: { ...noKeys, ...env }, input })

const inSource = (file: string) => JSON.stringify(pathToFileURL(join(root, "src", file)).href)

/** A module with this code, which has Agent, Effect, Layer, Schema, Tool and Toolkit. */
const module = (name: string, code: string): string => {
  const effect = pathToFileURL(join(root, "node_modules", "effect", "dist")).href
  writeFileSync(
    at(name),
    [
      `import { Agent } from ${inSource("agent/index.ts")}`,
      `import { Effect, Layer, Schema } from "${effect}/index.js"`,
      `import { Tool, Toolkit } from "${effect}/ai/index.js"`,
      `const tool = Tool.make("order", { parameters: Schema.Struct({ n: Schema.Int }), success: Schema.String })`,
      `const toolkit = Toolkit.make(tool)`,
      `const agent = Agent.make("shop", { instructions: "You sell.", toolkit })`,
      code
    ].join("\n")
  )
  return at(name)
}

describe("the module of cogito agent", { timeout: 180_000 }, () => {
  const cases: ReadonlyArray<readonly [what: string, code: string, message: RegExp]> = [
    [
      "has no default export",
      "export { agent }",
      /has no object as its default export: it needs export default \{ agent, layer \}\./
    ],
    ["exports no agent", "export default { layer: Layer.empty }", /exports no agent/],
    [
      "exports something else as an agent",
      "export default { agent: toolkit }",
      /exports an `agent` that is not an agent: make it with Agent\.make/
    ],
    [
      "exports a step that only has a toolkit",
      `import { Step } from ${inSource("index.ts")}
      const step = Step.make("shop", { run: () => Effect.void })
      export default { agent: Object.assign(step, { toolkit }) }`,
      /exports an `agent` that is not an agent: make it with Agent\.make/
    ],
    ["exports something else as a layer", "export default { agent, layer: {} }", /exports a layer that is no Layer/],
    [
      "lacks a handler",
      "export default { agent, layer: Layer.empty }",
      /has no handler of "order": add toolkit\.toLayer/
    ],
    [
      "has a layer that fails",
      `export default { agent, layer: Layer.effectDiscard(Effect.fail(new Error("no key"))) }`,
      /The layer of .* has failed: no key/
    ],
    ["throws", `throw new Error("broken")`, /cannot be loaded: broken/],
    [
      "throws what a terminal obeys",
      String.raw`throw new Error("red \u001b[31m")`,
      /cannot be loaded: red \[U\+001B\]\[31m/
    ]
  ]
  for (const [i, [what, code, message]] of cases.entries()) {
    it(`is refused in one line if it ${what}`, async () => {
      const ended = await agent([module(`wrong${i}.ts`, code)], { input: "hello\n" })
      assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
      const lines = ended.stderr
        .trimEnd()
        .split("\n")
        .filter((line) => !line.includes("offline model"))
      assert.lengthOf(lines, 1)
      assert.match(lines[0] ?? "", message)
    })
  }

  it("is refused if it does not exist, or does not go with the flags", async () => {
    const missing = await agent([at("nowhere.ts")])
    assert.strictEqual(missing.code, 1)
    assert.match(missing.stderr, /^cogito: The module .*nowhere\.ts cannot be loaded: there is no such file\.\n$/)
    for (const [args, message] of [
      [[desk, "--instructions", "x"], "--instructions and --name are for the plain assistant"],
      [[desk, "--name", "x"], "--instructions and --name are for the plain assistant"],
      [[desk, "--name", "x", "--instructions", "x"], "--instructions and --name are for the plain assistant"],
      [["--instructions", " "], "--instructions is empty"],
      [["--debug", "state,nothing"], "--debug is all, or a list of state, context, requests"],
      [["--debug", "all,state"], "--debug is all, or a list of state, context, requests"],
      [["--debug", ","], "--debug is all, or a list of state, context, requests"],
      [["--model", "m"], "--model needs a model behind a key"]
    ] as const) {
      const ended = await agent(args)
      assert.strictEqual(ended.code, 2, ended.stderr)
      assert.include(ended.stderr, message)
    }
  })

  it("is not looked at where the memory is named wrongly, on the command line or in the environment", async () => {
    const url = "mysql://a:hunter2@b/x"
    const refused = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
      cogito([at("nowhere.ts"), ...args], { command: "agent", env: { ...noKeys, ...env } })
    for (const [ended, line] of [
      [await refused(["--database-url", url], {}), /^cogito: --database-url is not a URL of the form [^\n]*\n$/],
      [
        await refused([], { DATABASE_URL: url }),
        /^cogito: The variable DATABASE_URL is not a URL of the form [^\n]*\n$/
      ],
      [
        await refused(["--database-url", url, "--data-dir", "a"], {}),
        /^cogito: Name one memory: [^\n]*, not both\.\n$/
      ],
      [await refused(["--database-url", "postgres://a@127.0.0.1:1/x"], {}), /^cogito: [^\n]* --scope\.\n$/]
    ] as const) {
      assert.deepStrictEqual([ended.code, ended.stdout], [2, ""])
      assert.match(ended.stderr, line)
      assert.notInclude(ended.stderr, "hunter2")
    }
  })

  it("may need notes that a chat does not write: the message fails, and names them", async () => {
    const code = `
      import { Note } from ${inSource("index.ts")}
      import { Testing } from ${inSource("testing/index.ts")}
      const customer = Note.handle("customer", Schema.String)
      const reader = Agent.make("reader", { instructions: Note.prompt\`You serve \${customer}.\`, toolkit: Toolkit.empty, triage: false })
      export default { agent: reader, layer: Testing.scripted([]).layer }`
    const ended = await agent([module("reading.ts", code)], { input: "hello\n" })
    assert.strictEqual(ended.code, 1)
    assert.match(ended.stderr, /customer/)
  })

  it("may have tools that use the memory", async () => {
    const code = `
      import { Memory } from ${inSource("index.ts")}
      import { Testing } from ${inSource("testing/index.ts")}
      const plain = Agent.make("shop", { instructions: "You sell.", toolkit, triage: false })
      const handlers = Layer.unwrap(Effect.map(Memory.Memory, (memory) => toolkit.toLayer({
        order: () => Effect.map(Effect.orDie(memory.thoughts({ limit: 1 })), (all) => \`\${all.length} thought\`) })))
      const model = Testing.scripted([Testing.calls([{ name: "order", params: { n: 1 } }]), "Done."])
      export default { agent: plain, layer: Layer.merge(handlers, model.layer) }`
    const ended = await agent([module("remembering.ts", code)], { input: "hello\n" })
    assert.strictEqual(ended.stdout, `[call] order {"n":1}\n[result] order "1 thought"\nDone.\n`, ended.stderr)
  })

  it("needs no layer if the agent has no tools and the command provides the model", async () => {
    const code = `
      const plain = Agent.make("shop", { instructions: "You sell.", toolkit: Toolkit.empty, triage: false })
      export default { agent: plain }`
    const ended = await agent([module("bare.ts", code), "--provider", "local"], { input: "The kite is red.\n" })
    assert.strictEqual(ended.code, 0, ended.stderr)
    assert.include(ended.stderr, "cogito: the offline model of cogito/local answers.")
    assert.strictEqual(ended.stdout, "The kite is red.\n")
  })

  it("may provide an embedder, which its tools use to search", async () => {
    const code = `
      import { Memory } from ${inSource("index.ts")}
      import { Testing } from ${inSource("testing/index.ts")}
      const plain = Agent.make("shop", { instructions: "You sell.", toolkit, triage: false })
      const handlers = toolkit.toLayer({
        order: () => Effect.map(Effect.orDie(Memory.search("kite")), ({ arms }) => \`by meaning: \${arms.vector}\`) })
      const model = Testing.scripted([Testing.calls([{ name: "order", params: { n: 1 } }]), "Done."])
      export default { agent: plain, layer: Layer.mergeAll(handlers, model.layer, Testing.embedder) }`
    const path = module("embedding.ts", code)
    await prefill(at("embedded"))
    const ended = await cogito([path, "--data-dir", at("embedded")], {
      command: "agent",
      env: noKeys,
      input: "hello\n"
    })
    assert.strictEqual(ended.code, 0, ended.stderr)
    assert.notInclude(ended.stdout, "by meaning: none")
    assert.match(ended.stdout, /^\[result\] order "by meaning: \w+"$/m)
  })

  it("may log, which goes to the standard error: the standard output is the conversation's", async () => {
    const code = `
      import { Testing } from ${inSource("testing/index.ts")}
      const plain = Agent.make("shop", { instructions: "You sell.", toolkit, triage: false })
      const handlers = toolkit.toLayer({ order: () => Effect.as(Effect.log("looked up"), "a kite") })
      const model = Testing.scripted([Testing.calls([{ name: "order", params: { n: 1 } }]), "Done."])
      const started = Layer.effectDiscard(Effect.log("layer built"))
      export default { agent: plain, layer: Layer.mergeAll(handlers, model.layer, started) }`
    const ended = await spawned([module("logging.ts", code), "--data-dir", at("memory")], {
      command: "agent",
      env: noKeys,
      input: "hello\n"
    })
    assert.strictEqual(ended.code, 0, ended.stderr)
    assert.strictEqual(ended.stdout, `[call] order {"n":1}\n[result] order "a kite"\nDone.\n`)
    assert.match(ended.stderr, /looked up/)
    assert.match(ended.stderr, /layer built/)
  })

  it("says so if nothing is left to wait for while it loads, or while its layer is built", async () => {
    const model = `const plain = Agent.make("shop", { instructions: "You sell.", toolkit: Toolkit.empty, triage: false })`
    const never = `${model}; export default { agent: plain, layer: Layer.effectDiscard(Effect.never) }`
    const cases = [
      [module("waiting.ts", "await new Promise(() => {})"), "cannot be loaded: it awaits something at its top level"],
      [module("layer.ts", never), `The layer of "${at("layer.ts")}" has failed: it waits for something`]
    ] as const
    for (const [file, said] of cases) {
      const ended = await spawned([file, "--data-dir", at("memory")], {
        command: "agent",
        env: noKeys,
        input: "hello\n"
      })
      assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
      assert.match(ended.stderr, /^cogito: [^\n]* that never happens\.\n$/)
      assert.include(ended.stderr, said)
    }
  })

  it("resumes only sessions that exist", async () => {
    const ended = await agent([desk, "--resume", "01981f5e-0000-7000-8000-000000000001"])
    assert.deepStrictEqual([ended.code, ended.stdout], [1, ""])
    assert.match(ended.stderr, /^cogito: .*01981f5e-0000-7000-8000-000000000001.*\n$/)
    const nowhere = await cogito([desk, "--resume", "x", "--data-dir", at("none")], { command: "agent", env: noKeys })
    assert.strictEqual(nowhere.code, 1)
    assert.include(nowhere.stderr, "The folder holds no memory")
    assert.isFalse(existsSync(at("none")))
  })
})

describe("the model of cogito agent", { timeout: 180_000 }, () => {
  const offline = "Neither OPENAI_API_KEY nor ANTHROPIC_API_KEY is set: the offline model of cogito/local answers."

  it("is offline without a key, which it says, and a folder that is missing is made", async () => {
    const place = ["--data-dir", at("new")]
    const input = "Good morning. My kite came with a broken string. I would like another one.\n"
    // a blank key counts as not set
    const ended = await cogito(place, { command: "agent", env: { ...noKeys, OPENAI_API_KEY: " \t" }, input })
    assert.strictEqual(ended.code, 0, ended.stderr)
    assert.include(ended.stderr, offline)
    assert.isNotEmpty(ended.stdout.trim())
    for (const sentence of ended.stdout.trim().split(/(?<=\.) /)) assert.include(input, sentence)
    const notices = await cogito([desk, ...place], { command: "agent", env: noKeys })
    assert.notInclude(notices.stderr, "offline", "the module has a provider")
  })

  it("is the one whose key is set, and is sent the instructions", async () => {
    const bodies: Array<any> = []
    const server = createServer((request, response) => {
      let body = ""
      request.on("data", (piece) => (body += piece))
      request.on("end", () => {
        bodies.push({ path: request.url, key: request.headers.authorization, ...JSON.parse(body) })
        response.setHeader("content-type", "application/json")
        const content = body.includes('"safe"') ? `{"safe":true,"mode":"fast","answer":"Four."}` : "Four."
        response.end(
          JSON.stringify({
            id: "1",
            object: "chat.completion",
            created: 1,
            model: "m",
            choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }]
          })
        )
      })
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    const port = typeof address === "object" ? address?.port : undefined
    try {
      const env = { OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` }
      const args = ["--model", "m", "--instructions", "You count.", "--name", "counter", "--debug", "all"]
      const ended = await agent(args, { env, input: "What is 2+2?\n" })
      assert.deepStrictEqual([ended.code, ended.stdout], [0, "Four.\n"], ended.stderr)
      assert.deepInclude(bodies[0], { path: "/v1/chat/completions", key: "Bearer sk-test", model: "m" })
      assert.include(JSON.stringify(bodies), "What is 2+2?")
      assert.notInclude(ended.stderr, "sk-test")
      const goOn = new RegExp(
        `Session (\\S+)\\. Go on with: npx cogito agent --model m --name counter --instructions 'You count\\.' --resume \\1 --data-dir ${at("memory")}\n$`
      )
      assert.match(ended.stderr, goOn)
    } finally {
      server.close()
    }
  })
})
