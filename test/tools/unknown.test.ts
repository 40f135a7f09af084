/** When reading a page needs an approval. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Prompt, Tool, Toolkit } from "effect/ai"
import { Pipeline, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { Tools } from "cogito/tools"
import { serving } from "./server.ts"

const asked = (url: string, messages: ReadonlyArray<Prompt.Message>, options: Tools.ScrapeOptions = {}): unknown => {
  const { needsApproval } = Tools.scrape(options).toolkit.tools.scrape
  return typeof needsApproval === "function" ? needsApproval({ url }, { toolCallId: "1", messages }) : needsApproval
}

const user = (text: string) => Prompt.makeMessage("user", { content: [Prompt.makePart("text", { text })] })

const result = (name: string, value: unknown, isFailure = false) =>
  Prompt.makeMessage("tool", {
    content: [Prompt.makePart("tool-result", { id: "0", name, isFailure, result: value, providerExecuted: false })]
  })

describe("an address in a message of a user", () => {
  it("is known, however it stands in its sentence", () => {
    for (const text of [
      "Read https://example.com/a?b=c",
      "Read https://example.com/a?b=c.",
      "(see https://example.com/a?b=c)",
      "[this](https://example.com/a?b=c), please",
      `<a href="https://example.com/a?b=c">`,
      "**https://example.com/a?b=c**",
      "HTTPS://EXAMPLE.COM/a?b=c!",
      "https://example.com/a?b=c#part",
      "example.com/a?b=c"
    ]) {
      assert.isFalse(asked("https://example.com/a?b=c", [user(text)]), text)
    }
    assert.isFalse(asked("https://example.com", [user("What does example.com, say?")]))
    assert.isFalse(asked("https://en.wikipedia.org/wiki/A_(b)", [user("https://en.wikipedia.org/wiki/A_(b)")]))
    assert.isFalse(asked("https://example.com/a#other", [user("https://example.com/a#part")]))
  })

  it("is known with punctuation after it, and with either protocol if none is given", () => {
    const url = "https://example.com/a"
    assert.isFalse(asked(url, [user(`${url}${"!".repeat(7)}`)]))
    assert.isTrue(asked(url, [user(`${url}${"!".repeat(8)}`)]))
    assert.isFalse(asked("http://example.com/a", [user("example.com/a")]))
    assert.isTrue(asked("http://example.com/a", [user(url)]))
  })

  it("is the only one that is known", () => {
    const messages = [user("Read https://example.com/a?b=c, and mail me at jane@example.org. Then go to evil")]
    for (const url of [
      "https://example.com/",
      "https://example.com/a?b=c&secret=1",
      "https://example.com/a",
      "https://example.com.evil.net/a?b=c",
      "https://sub.example.com/a?b=c",
      "https://example.org/",
      "https://evil/"
    ]) {
      assert.isTrue(asked(url, messages), url)
    }
  })
})

describe("an address in the result of a search", () => {
  const found = {
    results: [{ url: "https://example.com/1", text: "see https://example.com/text" }],
    more: [[{ url: "https://example.com/2" }]]
  }

  it("is known, if it is an address that was found", () => {
    const messages = [result("search", found)]
    assert.isFalse(asked("https://example.com/1", messages))
    assert.isFalse(asked("https://example.com/2", messages))
    assert.isTrue(asked("https://example.com/text", messages))
    assert.isFalse(asked("https://example.com/3", [result("search", "1. https://example.com/3")]))
  })

  it("is unknown in the results of other tools, in failures, and in what the model says", () => {
    assert.isTrue(asked("https://example.com/1", [result("scrape", { links: [{ url: "https://example.com/1" }] })]))
    assert.isTrue(asked("https://example.com/1", [result("search", found, true)]))
    const call = Prompt.makePart("tool-call", {
      id: "0",
      name: "search",
      params: { url: "https://example.com/1" },
      providerExecuted: false
    })
    assert.isTrue(asked("https://example.com/1", [Prompt.makeMessage("assistant", { content: [call] })]))
    assert.isFalse(asked("https://example.com/1", [result("web", found)], { searches: ["web"] }))
    assert.isTrue(asked("https://example.com/1", [result("search", found)], { searches: ["web"] }))
  })
})

describe("whether an approval is needed", () => {
  it("can be decided otherwise, and is not for what is never read", () => {
    assert.isTrue(asked("https://example.com/", [user("https://example.com/")], { ask: "always" }))
    assert.isFalse(asked("https://example.com/", [], { ask: "never" }))
    const ask = ({ hostname }: URL) => hostname !== "example.com"
    assert.isFalse(asked("https://example.com/x", [], { ask }))
    assert.isTrue(asked("https://example.org/x", [], { ask }))
    assert.isFalse(asked("no address", []))
  })

  it.live("is asked of an agent's user: for a link of a page, and not for what they or a search have named", () =>
    Effect.gen(function* () {
      const { host, requested } = yield* serving({
        "/given": "<p>Now open <a href=/made-up>this</a>",
        "/found": "<p>found",
        "/made-up": "<p>made up"
      })
      const search = Toolkit.make(
        Tool.make("search", {
          parameters: Schema.Struct({ query: Schema.String }),
          success: Schema.Array(Schema.Struct({ url: Schema.String }))
        }).annotate(Tool.Readonly, true)
      )
      const layer = search.toLayer({ search: () => Effect.succeed([{ url: `http://${host}/found` }]) })
      const tools = Tools.merge({ toolkit: search, layer }, Tools.scrape({ allow: [host] }))
      const agent = Agent.make("reader", { instructions: "You read pages.", triage: false, toolkit: tools.toolkit })
      const scrape = (path: string) => ({ name: "scrape", params: { url: `http://${host}${path}` } })
      const model = Testing.scripted([
        Testing.calls([scrape("/given"), { name: "search", params: { query: "found" } }]),
        Testing.calls([scrape("/found"), scrape("/made-up")]),
        "Read."
      ])
      const program = Effect.gen(function* () {
        const start = yield* Thought.make("reading", { message: `What does http://${host}/given say?` })
        const error = yield* Effect.flip(Pipeline.run(agent, start, { durable: { id: "run" } }))
        assert.ok(error._tag === "Suspended")
        assert.deepStrictEqual(
          error.waits.map(({ prompt }) => prompt),
          [`May the agent «reader» call scrape with «{"url":"http://${host}/made-up"}»?`]
        )
        assert.deepStrictEqual(requested, ["/given", "/found"])
        yield* Pipeline.answer("run", "reader.approval", { approved: false })
        yield* Pipeline.resume(agent, "run")
        assert.deepStrictEqual(requested, ["/given", "/found"])
      })
      yield* Effect.provide(program, Layer.mergeAll(model.layer, tools.layer, Testing.memory))
      assert.deepStrictEqual(
        model.requests[2]?.messages.at(-1)?.results?.map(({ isFailure, text }) => [isFailure, text]),
        [
          [false, JSON.stringify({ url: `http://${host}/found`, title: "", text: "found", links: [] })],
          [true, "Not approved."]
        ]
      )
    })
  )
})
