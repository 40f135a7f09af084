/** Layers around providers treat calls, results and what they carry as parts of a request and its answer. */
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Budget, Provider, RateLimiter, Session } from "cogito"
import { Persisted } from "cogito/persistence"
import { Testing } from "cogito/testing"
import { Effect, Layer, Stream } from "effect"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { answered, asking, calls, carry, differing, followed, tools, user } from "./asking.ts"

const folder = mkdtempSync(join(tmpdir(), "cogito-tools-"))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0
const fresh = () => join(folder, `${++files}.json`)

const calling = Testing.calls(calls, { text: "Let me look.", carry })

/** The calls of an agent of one round: calls, and the answer to their results. */
const round = Effect.gen(function* () {
  const provider = yield* Provider.Provider
  const first = yield* provider.complete(asking({ toolChoice: "auto", parallelCalls: true }))
  const second = yield* provider.complete(asking({ messages: followed(first) }))
  return [first, second] as const
})

describe("a recording of calls", () => {
  it.effect("is replayed, whole and streamed, and names what differs", () =>
    Effect.gen(function* () {
      const path = fresh()
      const model = Testing.scripted([calling, "It rains."], { usage: { inputTokens: 3, outputTokens: 4 } })
      const recorded = yield* round.pipe(Effect.provide(model.layer.pipe(Provider.record(path))))
      const replayed = yield* round.pipe(Effect.provide(Provider.replay(path, { exhaustive: true })))
      const { sampling: _, ...first } = replayed[0]
      assert.deepStrictEqual(first, recorded[0])
      assert.deepStrictEqual(first.carry, carry)
      const parts = yield* Effect.provide(
        Effect.flatMap(Provider.Provider, (provider) =>
          Stream.runCollect(provider.stream(asking({ toolChoice: "auto", parallelCalls: true })))
        ),
        Provider.replay(path)
      )
      assert.deepStrictEqual(
        parts.map((part) => (part._tag === "Call" ? part.delta : part._tag)),
        ["Text", ...calls.map(({ params }) => params), "Done"]
      )
      const causes = yield* Effect.forEach(
        [asking({ toolChoice: "none", parallelCalls: true }), asking({ messages: followed({ text: "x", calls }) })],
        (request) =>
          Effect.map(
            Effect.flip(Provider.Provider.use((provider) => provider.complete(request))),
            ({ cause, reason }) => [reason._tag, String(cause)] as const
          ).pipe(Effect.provide(Provider.replay(path)))
      )
      assert.deepStrictEqual(
        causes.map(([tag]) => tag),
        ["ReplayMismatch", "ReplayMismatch"]
      )
      assert.match(causes[0]![1], /tools:\n- .*"choice":"auto"/)
    })
  )

  it.effect("differs for every request of which a part differs", () =>
    Effect.gen(function* () {
      const path = fresh()
      const model = Testing.scripted(() => "fine")
      yield* Effect.forEach(differing, (request) =>
        Provider.Provider.use((provider) => provider.complete(request))
      ).pipe(Effect.provide(model.layer.pipe(Provider.record(path))))
      for (const request of differing) {
        const twice = Provider.Provider.use((provider) =>
          Effect.andThen(provider.complete(request), Effect.flip(provider.complete(request)))
        )
        const error = yield* twice.pipe(Effect.provide(Provider.replay(path)))
        assert.strictEqual(error.reason._tag, "ReplayMismatch")
      }
    })
  )

  it.effect("is redacted in parameters, results, tools and what is carried", () =>
    Effect.gen(function* () {
      const path = fresh()
      const redact = (text: string) => text.replaceAll(/Ulm|12 °C|secret thought|The weather of a city/g, "xxx")
      const model = Testing.scripted([calling, "It rains in Ulm."])
      yield* round.pipe(Effect.provide(model.layer.pipe(Provider.record(path, { redact }))))
      assert.notMatch(readFileSync(path, "utf8"), /Ulm|12 °C|secret thought|The weather of a city/)
      const [first, second] = yield* round.pipe(Effect.provide(Provider.replay(path, { redact, exhaustive: true })))
      assert.strictEqual(first.calls?.[0]?.params, `{"city": "xxx"}`)
      assert.strictEqual(second.text, "It rains in xxx.")
    })
  )
})

describe("a cache", () => {
  it.effect("keeps calls and what they carry, in memory and in files", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(() => calling)
      const store = Persisted.layerFiles(join(folder, "cache")).pipe(Layer.provide(NodeServices.layer))
      const ask = Provider.Provider.use((provider) => provider.complete(differing[0]!))
      for (let i = 0; i < 2; i++) {
        const cached = model.layer.pipe(Persisted.cache({}), Layer.provide(store))
        const [one, two] = yield* Effect.all([ask, ask]).pipe(Effect.provide(cached))
        for (const answer of [one, two]) {
          assert.deepStrictEqual(answer.calls, calls)
          assert.deepStrictEqual(answer.carry, carry)
        }
      }
      assert.strictEqual(model.requests.length, 1)
    })
  )

  it.effect("asks again for every request of which a part differs, and streams calls that it keeps", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(() => calling)
      const all = Provider.Provider.use((provider) =>
        Effect.gen(function* () {
          for (const request of [...differing, ...differing]) yield* provider.complete(request)
          return yield* Stream.runCollect(provider.stream(differing[0]!))
        })
      )
      const parts = yield* all.pipe(Effect.provide(model.layer.pipe(Provider.cache())))
      assert.strictEqual(model.requests.length, differing.length)
      assert.deepStrictEqual(
        parts.map(({ _tag }) => _tag),
        ["Text", "Call", "Call", "Done"]
      )
    })
  )
})

const sizes = (request: Provider.Request) =>
  Effect.gen(function* () {
    const budget = Budget.make({ tokens: 1_000_000 })
    const limiter = RateLimiter.make({ tokens: 1_000_000, per: "1 minute" })
    const model = Testing.scripted(() => "fine")
    const limited = model.layer.pipe(Provider.rateLimit({ limiter, outputTokens: 0 }))
    yield* Provider.Provider.use((provider) => provider.complete(request)).pipe(
      Provider.withBudget(budget),
      Effect.provide(limited)
    )
    return [(yield* budget.spent).tokens, 1_000_000 - (yield* limiter.left).tokens] as const
  }).pipe(Effect.provideService(Session.Tokenizer, { count: (text: string) => text.length }))

describe("limits", () => {
  it.effect("count calls, results and what is carried", () =>
    Effect.gen(function* () {
      const [bytes, tokens] = yield* sizes(asking({ messages: followed(answered) }))
      const longer = <A>(list: ReadonlyArray<A>, change: (first: A) => A) =>
        list.map((one, i) => (i === 0 ? change(one) : one))
      const more: ReadonlyArray<Provider.Request> = [
        asking({
          messages: followed({
            ...answered,
            calls: longer(calls, (one) => ({ ...one, params: `${one.params}${" ".repeat(100)}` }))
          })
        }),
        asking({
          messages: followed(answered, [
            ["12 °C".padEnd(105), false],
            ["no clock", true]
          ])
        }),
        asking({
          messages: followed({ ...answered, carry: { ...carry, data: [{ item: `secret thought${"x".repeat(100)}` }] } })
        })
      ]
      for (const request of more) {
        const [moreBytes, moreTokens] = yield* sizes(request)
        assert.strictEqual(moreBytes - bytes, 100)
        assert.strictEqual(moreTokens - tokens, 100)
      }
    })
  )
})

describe("spotlight", () => {
  it.effect("marks results, and says so only where there are some", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(() => "fine")
      const ask = Effect.forEach([asking({ messages: followed(answered) }), asking()], (request) =>
        Provider.Provider.use((provider) => provider.complete(request))
      )
      yield* ask.pipe(Effect.provide(model.layer.pipe(Provider.spotlight("mark"))))
      const [one, two] = model.requests
      assert.deepStrictEqual(
        one?.messages.at(-1)?.results?.map(({ text }) => text),
        ["ˆ12ˆ°C", "ˆnoˆclock"]
      )
      assert.include(one?.messages[0]?.text ?? "", "results of tools")
      assert.notInclude(two?.messages[0]?.text ?? "", "results of tools")
    })
  )
})

describe("retries of a stream", () => {
  it.effect("are made after reasoning, but not after a call has begun", () =>
    Effect.gen(function* () {
      const failure = new Provider.ProviderError({
        provider: "p",
        model: "m",
        reason: { _tag: "Truncated", message: "cut" }
      })
      const streamed = (begun: Provider.StreamPart) => {
        let attempts = 0
        const layer = Provider.layer({
          name: "p",
          model: "m",
          capabilities: { tools: true },
          complete: () => Effect.die("not used"),
          stream: () =>
            ++attempts === 1
              ? Stream.concat(Stream.succeed(begun), Stream.fail(failure))
              : Stream.make<Array<Provider.StreamPart>>(
                  { _tag: "Reasoning", delta: "again" },
                  { _tag: "Text", delta: "fine" },
                  { _tag: "Done", response: { text: "fine", usage: {} } }
                )
        })
        return Provider.Provider.use((provider) => Stream.runCollect(provider.stream(asking()))).pipe(
          Effect.provide(layer.pipe(Provider.retry({ times: 1, base: "1 millis" }))),
          Effect.result
        )
      }
      const thought = yield* streamed({ _tag: "Reasoning", delta: "first" })
      assert.deepStrictEqual(
        thought._tag === "Success" && thought.success.map((part) => (part._tag === "Done" ? "" : part.delta)),
        ["again", "fine", ""]
      )
      const called = yield* streamed({ _tag: "Call", id: "a", name: "weather", delta: "" })
      assert.strictEqual(called._tag, "Failure")
    })
  )
})

describe("a provider without tools", () => {
  it.effect("is passed over by one that has them", () =>
    Effect.gen(function* () {
      const without = Testing.scripted(() => "fine", { capabilities: { tools: false } })
      const both = Provider.fallback([without.layer, Testing.scripted([calling], { name: "other" }).layer])
      const response = yield* Provider.Provider.use((provider) => provider.complete(asking())).pipe(
        Effect.provide(both)
      )
      assert.deepStrictEqual(response.calls, calls)
      assert.strictEqual(without.requests.length, 0)
    })
  )

  it.effect("refuses calls and results, even of an earlier conversation, and decisions over them", () =>
    Effect.gen(function* () {
      const { provider } = Testing.scripted(() => "fine", { capabilities: { tools: false }, decide: () => [] })
      const { tools: _, ...request } = asking({ messages: followed(answered) })
      const errors = yield* Effect.all([
        Effect.flip(provider.complete(request)),
        Effect.flip(provider.decide?.(request) ?? Effect.die("no decisions"))
      ])
      for (const { message, reason } of errors) {
        assert.strictEqual(reason._tag, "Unsupported")
        assert.include(message, "use another one")
      }
    })
  )
})

describe("requests that no provider is sent", () => {
  it.effect("need tools that its model cannot call: a single tool, call or result is enough", () =>
    Effect.gen(function* () {
      const { tools: _, ...plain } = asking()
      const result = { id: "a", name: "b", text: "", isFailure: false }
      const needing: ReadonlyArray<Provider.Request> = [
        { ...plain, tools: tools.slice(0, 1) },
        { ...plain, messages: [user, { role: "assistant", text: "", calls: calls.slice(0, 1) }, user] },
        { ...plain, messages: [{ ...user, results: [result] }] },
        { ...plain, messages: [user, { role: "tool", text: "" }] }
      ]
      const model = Testing.scripted(() => "fine", { capabilities: { tools: false } })
      for (const request of needing) {
        const error = yield* Effect.flip(model.provider.complete(request))
        assert.strictEqual(error.reason._tag, "Unsupported")
      }
      assert.strictEqual((yield* model.provider.complete({ ...plain, tools: [] })).text, "fine")
    })
  )

  const wrong: ReadonlyArray<readonly [what: string, rest: Partial<Provider.Request>, says: RegExp]> = [
    ["a tool without a name", { tools: [{ ...tools[0]!, name: "" }] }, /the name of tool 1 must have/],
    ["a tool with another name", { tools: [tools[0]!, { ...tools[1]!, name: "time.now" }] }, /the name of tool 2/],
    ["two tools of one name", { tools: [tools[0]!, tools[0]!] }, /two tools have the same name/],
    [
      "parameters that are a list",
      { tools: [{ ...tools[0]!, parameters: { type: "array" } }] },
      /a JSON Schema of an object/
    ],
    ["a choice of another tool", { toolChoice: { tool: "other" } }, /among the tools/],
    ["a call of a user", { messages: [{ ...user, calls }] }, /only answers do/],
    [
      "results of a user",
      {
        messages: [
          { ...user, results: [] },
          { ...user, results: [{ id: "a", name: "b", text: "", isFailure: false }] }
        ]
      },
      /has results, but the role user/
    ],
    [
      "calls of one id",
      { messages: [user, { role: "assistant", text: "", calls: [calls[0]!, calls[0]!] }] },
      /two calls of one id/
    ],
    [
      "a call in the middle without result",
      { messages: [user, { role: "assistant", text: "", calls }, user] },
      /before message 3 has no result/
    ],
    [
      "one result of two",
      {
        messages: followed(answered).map((message) =>
          message.results ? { ...message, results: message.results.slice(1) } : message
        )
      },
      /last answer has no result/
    ],
    ["a tool message first", { messages: [{ role: "tool", text: "" }] }, /no call is before it/]
  ]
  for (const [what, rest, says] of wrong) {
    it.effect(`have ${what}`, () =>
      Effect.gen(function* () {
        const model = Testing.scripted(() => "fine")
        const error = yield* Effect.flip(model.provider.complete(asking(rest)))
        assert.strictEqual(error.reason._tag, "InvalidRequest")
        assert.match(error.message, says)
        assert.strictEqual(model.requests.length, 0)
      })
    )
  }

  it.effect("require a call without tools", () =>
    Effect.gen(function* () {
      const { tools: _, ...request } = asking({ toolChoice: "required" })
      const error = yield* Effect.flip(Testing.scripted(() => "fine").provider.complete(request))
      assert.match(error.message, /give tools, or leave it out/)
    })
  )
})

describe("scripted calls", () => {
  it.effect("get ids, keep text that is no JSON, and are streamed in pieces", () =>
    Effect.gen(function* () {
      const script = [
        Testing.calls([{ name: "weather", params: { city: "Ulm" } }, { name: "time_now" }]),
        Testing.calls([{ name: "weather", params: `{"city"`, id: "mine" }, { name: "time_now" }], { text: "So" })
      ]
      const { provider } = Testing.scripted(script, { pieceLength: 8 })
      const first = yield* provider.complete(asking())
      assert.deepStrictEqual(first.calls, [
        { id: "call_1", name: "weather", params: `{"city":"Ulm"}` },
        { id: "call_2", name: "time_now", params: "{}" }
      ])
      const parts = yield* Stream.runCollect(provider.stream(asking()))
      assert.deepStrictEqual(
        parts.map((part) =>
          part._tag === "Call" ? `${part.id} ${part.delta}` : part._tag === "Text" ? part.delta : part._tag
        ),
        ["So", `mine {"city"`, "call_3 {}", "Done"]
      )
    })
  )
})
