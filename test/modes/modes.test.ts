/** Which mode a provider takes, and how `auto` gets its answers. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Budget, Provider } from "cogito"
import { Anthropic } from "cogito/anthropic"
import { OpenAi } from "cogito/openai"
import { completion } from "../faults/chat.ts"
import { key } from "../faults/clean.ts"
import { asking, streaming, system, talking, user } from "./kit.ts"
import { making } from "./making.ts"
import { type Script, serveModes } from "./server.ts"

const counting = { model: (view: ReadonlyArray<string>) => `${view.length}: ${view.at(-1) ?? ""}` }

const failing = (layer: Layer.Layer<Provider.Provider, Provider.ProviderError>) =>
  Effect.flip(Effect.provide(Provider.Provider, layer))

describe("a mode that is not possible", () => {
  it.effect("is refused when the layer is built, with what to do instead", () =>
    Effect.gen(function* () {
      const anthropic = yield* failing(Anthropic.layer({ model: "claude-opus-5", apiKey: key, mode: "resume" }))
      assert.strictEqual(anthropic.reason._tag, "Unsupported")
      assert.include(anthropic.message, "anthropic")
      assert.match(anthropic.message, /use "auto" or "replay"/)

      const chat = yield* failing(OpenAi.layer({ model: "gpt-5", apiKey: key, api: "chat", mode: "resume" }))
      assert.strictEqual(chat.reason._tag, "Unsupported")
      assert.match(chat.message, /chat completions.*api: "responses".*use "auto" or "replay"/)

      const mode = "fast" as Parameters<typeof OpenAi.layer>[0]["mode"] & string
      for (const layer of [
        OpenAi.layer({ model: "gpt-5", apiKey: key, mode }),
        Anthropic.layer({ model: "claude-opus-5", apiKey: key, mode })
      ]) {
        const error = yield* failing(layer)
        assert.deepInclude(error.reason, { _tag: "InvalidRequest", parameter: "mode" })
        assert.include(error.message, `"resume", "replay" or "auto", not "fast"`)
      }
    })
  )

  it.live("is replay for auto: over HTTP, without an attempt to open a socket", () =>
    Effect.gen(function* () {
      const message = {
        id: "m",
        type: "message",
        role: "assistant",
        model: "m",
        content: [{ type: "text", text: "well" }],
        stop_reason: "end_turn",
        usage: { input_tokens: 1, output_tokens: 1 }
      }
      const asked: Array<string> = []
      const server = createServer((request, response) => {
        asked.push(request.url ?? "")
        response.setHeader("content-type", "application/json")
        response.end(JSON.stringify(asked.length === 1 ? message : completion("well")))
      })
      server.on("upgrade", (_, socket) => {
        asked.push("upgrade")
        socket.destroy()
      })
      yield* Effect.acquireRelease(
        Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
        () => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
      )
      const { port } = server.address() as AddressInfo
      const baseUrl = `http://127.0.0.1:${port}`
      for (const layer of [
        Anthropic.layer({ model: "claude-opus-5", apiKey: key, baseUrl, mode: "auto" }),
        OpenAi.layer({ model: "gpt-5", apiKey: key, baseUrl, api: "chat", mode: "auto" })
      ]) {
        const { text } = yield* Effect.provide(
          Effect.flatMap(Provider.Provider, ({ complete }) => complete(asking([user("one")]))),
          layer
        )
        assert.strictEqual(text, "well")
      }
      assert.deepStrictEqual(asked, ["/v1/messages", "/chat/completions"])
    }).pipe(Effect.scoped)
  )

  it("throws for connections out of range", () => {
    assert.throws(
      () => OpenAi.make({ model: "gpt-5", apiKey: key, connections: { most: 0 } }),
      /connections.most, not 0/
    )
    assert.throws(() => OpenAi.make({ model: "gpt-5", apiKey: key, connections: { idle: 0 } }), /connections.idle/)
  })
})

/** The texts of a conversation of three turns, in a mode. */
const conversation = (script: Omit<Script, "model">, mode: "resume" | "replay" | "auto") =>
  Effect.gen(function* () {
    const server = yield* serveModes({ ...counting, ...script })
    const provider = yield* making(server.baseUrl, { mode })
    const { answers } = yield* talking(provider, ["one", "two", "three"])
    return { server, texts: answers.map(({ text }) => text), sent: answers.map(({ sent }) => sent?.what) }
  })

const texts = ["2: user: one", "4: user: two", "6: user: three"]

describe("replay", () => {
  it.live("sends all of the conversation over HTTP, and says so", () =>
    Effect.gen(function* () {
      const found = yield* conversation({}, "replay")
      assert.deepStrictEqual(found.texts, texts)
      assert.deepStrictEqual(found.sent, ["all", "all", "all"])
      assert.strictEqual(found.server.dials(), 0)
      const inputs = found.server.requests.map(({ body }) => body["input"])
      for (const [i, input] of inputs.entries()) {
        const before = inputs[i - 1] ?? []
        assert.deepStrictEqual(input.slice(0, before.length), before)
      }
      const provider = yield* making(found.server.baseUrl, { mode: "replay" })
      const { deltas, response } = yield* streaming(provider, asking([system, user("one")]))
      assert.deepStrictEqual([deltas.join(""), response.text], [texts[0], texts[0]])
      const once = yield* provider.complete(asking([system, user("one")]))
      assert.isAbove(once.sent?.tokens ?? 0, 0)
      assert.deepStrictEqual(response.sent, { tokens: once.sent?.tokens, what: "all" })
    }).pipe(Effect.scoped)
  )
})

describe("auto", () => {
  it.live("resumes where it can", () =>
    Effect.gen(function* () {
      const found = yield* conversation({}, "auto")
      assert.deepStrictEqual(found.texts, texts)
      assert.deepStrictEqual(found.sent, ["all", "rest", "rest"])
      assert.isTrue(found.server.requests.every(({ over }) => over === "socket"))
    }).pipe(Effect.scoped)
  )

  it.live("replays where no socket opens, and does not try again at once", () =>
    Effect.gen(function* () {
      for (const status of [404, 401, 500]) {
        const found = yield* conversation({ refuse: () => ({ status }) }, "auto")
        assert.deepStrictEqual(found.texts, texts)
        assert.deepStrictEqual(found.sent, ["all", "all", "all"])
        assert.isTrue(found.server.requests.every(({ over }) => over === "http"))
        assert.isAtMost(found.server.dials(), status === 401 ? 2 : 1)
      }
    }).pipe(Effect.scoped)
  )

  it.live("finishes a call over HTTP whose socket dies, and opens another one for the next", () =>
    Effect.gen(function* () {
      for (const after of [0, 1, 5, 100]) {
        const found = yield* conversation(
          { fault: (count) => (count === 2 ? { _tag: "Cut", after } : undefined) },
          "auto"
        )
        assert.deepStrictEqual(found.texts, texts)
        const isWhole = after === 100
        // a socket that was open before may have been closed long ago, so the call is made again over a new one
        const ways =
          after === 0 || isWhole ? ["socket", "socket", "socket", "socket"] : ["socket", "socket", "http", "socket"]
        assert.deepStrictEqual(
          found.server.requests.map(({ over }) => over),
          isWhole ? ways.slice(1) : ways,
          `cut after ${after}`
        )
        assert.strictEqual(found.server.opened(), 2)
      }
    }).pipe(Effect.scoped)
  )

  it.live("streams what it gets over HTTP, if nothing has come before", () =>
    Effect.gen(function* () {
      const server = yield* serveModes({ ...counting, fault: () => ({ _tag: "Cut", after: 3 }) })
      const provider = yield* making(server.baseUrl, { mode: "auto" })
      const { deltas, response } = yield* streaming(provider, asking([system, user("one")]))
      assert.strictEqual(deltas.join(""), response.text)
      assert.strictEqual(response.text, texts[0])
      assert.strictEqual(response.sent?.what, "again")
      assert.deepStrictEqual(
        server.requests.map(({ over }) => over),
        ["socket", "http"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("makes calls over HTTP while all sockets are busy", () =>
    Effect.gen(function* () {
      const server = yield* serveModes(counting)
      const provider = yield* making(server.baseUrl, { mode: "auto", connections: { most: 1 } })
      const all = yield* Effect.forEach(["a", "b", "c"], (name) => talking(provider, [name]), { concurrency: 3 })
      assert.deepStrictEqual(
        all.map(({ answers }) => answers[0]?.text),
        ["2: user: a", "2: user: b", "2: user: c"]
      )
      assert.deepStrictEqual(server.requests.map(({ over }) => over).toSorted(), ["http", "http", "socket"])
    }).pipe(Effect.scoped)
  )

  it.live("leaves errors of the model as they are", () =>
    Effect.gen(function* () {
      const server = yield* serveModes({
        ...counting,
        fault: () => ({ _tag: "Error", code: "rate_limit_exceeded", status: 429 })
      })
      const provider = yield* making(server.baseUrl, { mode: "auto" })
      const error = yield* Effect.flip(provider.complete(asking([system, user("one")])))
      assert.strictEqual(error.reason._tag, "RateLimited")
      assert.lengthOf(server.requests, 1)
    }).pipe(Effect.scoped)
  )

  it.live("limits an answer to the tokens left in a budget, over sockets and over HTTP", () =>
    Effect.gen(function* () {
      for (const [script, over] of [
        [{}, "socket"],
        [{ refuse: () => ({ status: 404 }) }, "http"]
      ] as const) {
        const server = yield* serveModes({ model: () => "yes", ...script })
        const provider = yield* making(server.baseUrl, { mode: "auto" })
        const call = provider.complete(asking([user("one")]))
        yield* call
        yield* Provider.withBudget({ tokens: 300 })(call)
        const [free, bound] = server.requests.map(({ body }) => body["max_output_tokens"] as number | undefined)
        assert.deepStrictEqual(
          server.requests.map((request) => request.over),
          [over, over]
        )
        assert.isUndefined(free)
        assert.isAtLeast(bound ?? 0, 100)
        assert.isAtMost(bound ?? 0, 300)
      }
    }).pipe(Effect.scoped)
  )

  it.live("counts an answer that was cut off in budgets, as it may have been billed", () =>
    Effect.gen(function* () {
      const server = yield* serveModes({ ...counting, fault: () => ({ _tag: "Cut", after: 3 }) })
      const provider = yield* making(server.baseUrl, { mode: "auto" })
      const budget = Budget.make({ tokens: 100_000 })
      const request = asking([system, user("one")], { sampling: { maxTokens: 1000 } })
      const { usage } = yield* Provider.withBudget(budget)(provider.complete(request))
      const { calls, tokens } = yield* budget.spent
      assert.strictEqual(calls, 2)
      assert.isAbove(tokens, 1000 + (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0))
    }).pipe(Effect.scoped)
  )
})
