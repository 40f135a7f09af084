import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Pipeline, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { Tools } from "cogito/tools"
import { called, failing, folder, on } from "./kit.ts"
import { serving } from "./server.ts"

describe("the tool that searches", () => {
  it.effect("gives what a function finds, within its limits", () =>
    Effect.gen(function* () {
      const limits: Array<number> = []
      const search = Tools.search({
        search: (query, limit) => {
          limits.push(limit)
          const one = { title: query, url: "https://example.com/", text: "x".repeat(50), other: "left out" }
          return Effect.succeed([one, one, one, one])
        },
        limit: 3,
        characters: 10
      })
      const expected = { title: "kites", url: "https://example.com/", text: "xxxxxxxxxx[… 40 more characters]" }
      assert.deepStrictEqual(yield* on(search)("search", { query: "kites" }), [expected, expected, expected])
      for (const limit of [2, 100, -1]) yield* on(search)("search", { query: "kites", limit })
      assert.deepStrictEqual(limits, [3, 2, 3, 1])
    })
  )

  it.effect("fails with what the function fails with", () =>
    Effect.gen(function* () {
      const words = (error: unknown) =>
        failing(on(Tools.search({ search: () => Effect.fail(error) }))("search", { query: "a" }))
      assert.strictEqual(yield* words(new Error("The quota is used up.")), "Failed: The quota is used up.")
      assert.strictEqual(yield* words("down"), "Failed: down")
      assert.strictEqual(yield* words({ status: 500 }), "Failed: It failed.")
    })
  )

  it.live("names pages that may be read, under a name of its own too", () =>
    Effect.gen(function* () {
      class Engine extends Context.Service<Engine, { readonly host: string }>()("Engine") {}
      const { host } = yield* serving({ "/kite": "<p>A kite costs 12 EUR." })
      const search = Tools.search({
        name: "web",
        search: (query) =>
          Effect.map(Engine, ({ host }) => [{ title: query, url: `http://${host}/${query}`, text: "A kite" }])
      })
      const tools = Tools.merge(search, Tools.scrape({ allow: [host], searches: ["web"] }))
      const agent = Agent.make("reader", { instructions: "You look things up.", triage: false, toolkit: tools.toolkit })
      const model = Testing.scripted([
        Testing.calls([{ name: "web", params: { query: "kite" } }]),
        Testing.calls([{ name: "scrape", params: { url: `http://${host}/kite` } }]),
        "12 EUR."
      ])
      const program = Effect.gen(function* () {
        const start = yield* Thought.make("price", { message: "What does a kite cost?" })
        const done = yield* Pipeline.run(agent, start, { durable: true })
        assert.strictEqual(done.get("answer"), "12 EUR.")
      })
      const live = Layer.provide(tools.layer, Layer.succeed(Engine, { host }))
      yield* Effect.provide(program, Layer.mergeAll(model.layer, live, Testing.memory))
      assert.include(model.requests[2]?.messages.at(-1)?.results?.[0]?.text, "A kite costs 12 EUR.")
    })
  )
})

describe("tools that are joined", () => {
  it("must have names of their own", () => {
    const search = Tools.search({ search: () => Effect.succeed([]) })
    assert.throws(() => Tools.merge(search, search), `Tools.merge got two tools with the name "search"`)
  })

  it.live("get others by a text before them, and stay what they are", () =>
    Effect.gen(function* () {
      const [docs, drafts] = [yield* folder, yield* folder]
      writeFileSync(join(docs, "a.md"), "docs")
      writeFileSync(join(drafts, "a.md"), "drafts")
      const tools = Tools.merge(
        Tools.prefixed("docs_", Tools.files({ root: docs })),
        Tools.files({ root: drafts }),
        Tools.prefixed("web_", Tools.scrape())
      )
      const agent = Agent.make("writer", { instructions: "You write.", triage: false, toolkit: tools.toolkit })
      const model = Testing.scripted([
        Testing.calls([
          { name: "docs_read_file", params: { path: "a.md" } },
          { name: "read_file", params: { path: "a.md" } },
          { name: "docs_remove_file", params: { path: "a.md" } },
          { name: "web_scrape", params: { url: "https://example.com/" } }
        ]),
        "Read."
      ])
      const program = Effect.gen(function* () {
        const start = yield* Thought.make("writing", { message: "Write" })
        const error = yield* Effect.flip(Pipeline.run(agent, start, { durable: true }))
        assert.ok(error._tag === "Suspended", String(error))
        assert.deepStrictEqual(
          error.waits.map(({ prompt }) => /call (\w+)/.exec(prompt)?.[1]),
          ["docs_remove_file", "web_scrape"]
        )
      })
      yield* Effect.provide(program, Layer.mergeAll(model.layer, tools.layer, Testing.memory))
      const call = (name: "docs_read_file" | "read_file") => called(tools.toolkit, name, { path: "a.md" })
      const texts = yield* Effect.provide(Effect.all([call("docs_read_file"), call("read_file")]), tools.layer)
      assert.deepStrictEqual(
        texts.map((text) => text.split("\n")[1]),
        ["docs", "drafts"]
      )
    })
  )
})
