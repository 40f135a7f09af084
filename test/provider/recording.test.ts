import { assert, describe, it } from "@effect/vitest"
import { Budget, Pipeline, Primitive, Provider, Synapse, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Duration, Effect, Fiber, Layer, Option, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inspect } from "node:util"
import { afterAll } from "vitest"

const folder = mkdtempSync(join(tmpdir(), "cogito-recording-"))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0
const fresh = () => join(folder, `${++files}`, "run.json")

const Ticket = Schema.Struct({ customer: Schema.String, issue: Schema.String })
const triageOf = (question: string) =>
  Pipeline.sequence("triage", [
    Primitive.analyze("ticket", { schema: Ticket, prompt: "Extract the customer and the issue" }),
    Primitive.seek("history", { query: "refund", limit: 3 }),
    Primitive.categorize("category", { question: "Which?", categories: ["billing", "technical"] }),
    Primitive.decide("escalate", { question, introspect: true })
  ])
const triage = triageOf("Should a senior agent take it?")
const answers = [
  { customer: "Ada", issue: 'a "double" charge\nof two lines' },
  { primary: "billing", confidence: 0.8, reasoning: ["a charge"] },
  { decision: true, confidence: 0.9, reasoning: ["twice"] },
  "It matters."
]

const run = (step: typeof triage, message = "Ada here. I was charged twice!") =>
  Effect.gen(function* () {
    const thought = yield* Thought.make("triage", { message })
    // notes of another thought for seek to find: their ids are in the prompts
    yield* Pipeline.run(Pipeline.sequence("none", []), yield* Thought.make("before", { old: "a refund of last year" }))
    return yield* Pipeline.run(step, thought)
  }).pipe(Effect.provide(Testing.memory))

const recordRun = (path: string, options: NonNullable<Parameters<typeof Provider.record>[1]> = {}) => {
  const model = Testing.scripted(answers, { usage: { inputTokens: 10, outputTokens: 5 }, name: "house", model: "m-1" })
  return Effect.as(run(triage).pipe(Effect.provide(model.layer.pipe(Provider.record(path, options)))), model)
}

const contents = (thought: Thought.Thought<any>) => Thought.current(thought).map(({ content, key }) => [key, content])
// ids differ from run to run
const withoutIds = (value: unknown) => JSON.stringify(value).replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, "id")
const causeOf = (error: unknown): Provider.ProviderError => {
  const cause = error instanceof Pipeline.PipelineError ? (error.cause as unknown) : error
  return cause instanceof Provider.ProviderError ? cause : assert.fail(`no provider error: ${String(error)}`)
}

describe("a recording", () => {
  it.effect("repeats the same run, in any process, with other ids", () =>
    Effect.gen(function* () {
      const path = fresh()
      yield* recordRun(path)
      const first = yield* run(triage).pipe(Effect.provide(Provider.replay(path, { exhaustive: true })))
      const second = yield* run(triage).pipe(Effect.provide(Provider.replay(path, { exhaustive: true })))
      assert.notStrictEqual(first.id, second.id)
      assert.deepStrictEqual(withoutIds(contents(first)), withoutIds(contents(second)))
      assert.strictEqual(first.get("escalate").decision, true)
      assert.deepStrictEqual(first.note("escalate")?.metadata["provider"], "house")
      assert.deepStrictEqual(first.session.usage, second.session.usage)
    })
  )

  it.effect("is the same file from run to run, readable, with a conversation in it once", () =>
    Effect.gen(function* () {
      const [one, two] = [fresh(), fresh()]
      yield* recordRun(one)
      yield* recordRun(two)
      const text = readFileSync(one, "utf8")
      assert.strictEqual(text, readFileSync(two, "utf8"))
      const { calls, source } = JSON.parse(text)
      assert.strictEqual(source, "recorded")
      assert.deepStrictEqual(
        calls.map(({ call, kind }: any) => [call, kind]),
        [
          [1, "analyze"],
          [2, "categorize"],
          [3, "decide"],
          [4, "introspect"]
        ]
      )
      assert.strictEqual(text.split("Ada here. I was charged twice!").length - 1, 1)
      assert.deepStrictEqual(calls[3].begins, { like: 3, messages: calls[2].begins.messages + 2 })
      assert.isBelow(
        text.split("\n").reduce((most, line) => Math.max(most, line.length), 0),
        600
      )
      assert.deepStrictEqual(calls[0].wish, {})
      assert.deepStrictEqual(calls[0].answer.sampling, { temperature: 0 })
      assert.deepStrictEqual(calls[0].answer.usage, { inputTokens: 10, outputTokens: 5 })
    })
  )

  it.effect("is a whole document after every call, even if the program is killed", () =>
    Effect.gen(function* () {
      const path = fresh()
      const lengths: Array<number> = []
      const model = Testing.scripted(() => {
        lengths.push(JSON.parse(readFileSync(path, "utf8")).calls.length)
        return { decision: true, confidence: 1, reasoning: ["é\u{1f600}"] }
      })
      const ask = Synapse.binary({ question: "Is it?" })
      yield* Effect.forEach(["one", "two \u{1f600}", "three"], ask).pipe(
        Effect.provide(model.layer.pipe(Provider.record(path)))
      )
      assert.deepStrictEqual(lengths, [0, 1, 2])
      assert.strictEqual(JSON.parse(readFileSync(path, "utf8")).calls.length, 3)
    })
  )

  it.effect("has failures, which fail again with all that is known", () =>
    Effect.gen(function* () {
      const path = fresh()
      const error = new Provider.ProviderError({
        provider: "house",
        model: "m-1",
        reason: { _tag: "RateLimited", message: "slow down", retryAfter: Duration.seconds(3) },
        usage: { inputTokens: 7 }
      })
      const ask = Synapse.binary({ question: "Is it?" })
      const model = Testing.scripted([Effect.fail(error), { decision: false, confidence: 1, reasoning: ["no"] }])
      const both = Effect.all([Effect.flip(ask("text")), ask("text")])
      yield* both.pipe(Effect.provide(model.layer.pipe(Provider.record(path))))
      const [failure, answer] = yield* both.pipe(Effect.provide(Provider.replay(path, { exhaustive: true })))
      assert.deepStrictEqual(causeOf(failure).reason, error.reason)
      assert.deepStrictEqual(causeOf(failure).usage, { inputTokens: 7 })
      assert.isFalse(answer.decision)
    })
  )

  it.effect("has failures under the name of the provider that failed, even behind a fallback", () =>
    Effect.gen(function* () {
      const path = fresh()
      const down = (provider: string, model: string) =>
        Testing.scripted(
          [
            Effect.fail(
              new Provider.ProviderError({ provider, model, reason: { _tag: "Overloaded", message: "busy" } })
            )
          ],
          { name: provider, model }
        ).layer
      const both = Provider.fallback([down("house", "m-1"), down("annex", "b-1")])
      const ask = Effect.map(Effect.flip(Synapse.binary({ question: "Is it?" })("text")), causeOf)
      const first = yield* ask.pipe(Effect.provide(both.pipe(Provider.record(path))))
      assert.deepStrictEqual([first.provider, first.model], ["annex", "b-1"])
      const again = yield* ask.pipe(Effect.provide(Provider.replay(path, { exhaustive: true })))
      assert.deepStrictEqual([again.provider, again.model, again.message], [first.provider, first.model, first.message])
    })
  )

  it.effect("has native decisions with their questions, and streams", () =>
    Effect.gen(function* () {
      const path = fresh()
      const model = Testing.scripted(["plain words"], {
        decide: () => [{ _tag: "Predicate", name: "decision", probability: 0.8 }]
      })
      const ask = Synapse.binary({ question: "Is it?" })
      const program = Effect.gen(function* () {
        const decided = yield* ask("text")
        const provider = yield* Provider.Provider
        const request: Provider.Request = {
          messages: [{ role: "user", text: "Say it" }],
          task: { kind: "say", instruction: "Say it", questions: [], context: [] },
          phase: "reason",
          sampling: {}
        }
        const parts = yield* Stream.runCollect(provider.stream(request))
        return { decided, parts }
      })
      const before = yield* program.pipe(Effect.provide(model.layer.pipe(Provider.record(path))))
      const after = yield* program.pipe(Effect.provide(Provider.replay(path, { exhaustive: true })))
      assert.deepStrictEqual(after.decided, before.decided)
      assert.deepStrictEqual(after.parts[0], before.parts[0])
      const last = after.parts.at(-1)
      assert.strictEqual(last?._tag === "Done" && last.response.text, "plain words")
      assert.strictEqual(after.decided.confidenceFrom, "measured")
      assert.include(readFileSync(path, "utf8"), "Is it?")
    })
  )

  it.effect("keeps what the model costs, so that a budget of money holds in a replay too", () =>
    Effect.gen(function* () {
      const path = fresh()
      const prices = { input: 1, output: 2, asOf: "2026-11-01" }
      const model = Testing.scripted([{ decision: true, confidence: 1, reasoning: ["yes"] }], {
        capabilities: { prices },
        usage: { inputTokens: 1_000_000, outputTokens: 500_000 }
      })
      const ask = Synapse.binary({ question: "Is it?" })("text")
      yield* ask.pipe(Effect.provide(model.layer.pipe(Provider.record(path))))
      const budget = Budget.make({ usd: 5 })
      yield* ask.pipe(Provider.withBudget(budget), Effect.provide(Provider.replay(path)))
      assert.strictEqual((yield* budget.spent).usd, 2)
    })
  )

  it.effect("keeps every character of a text, including unusual line breaks", () =>
    Effect.gen(function* () {
      const path = fresh()
      const odd = "one\u2028two\u2029three\r\nfour\u0085five\vsix\ud800\0"
      const ask = Synapse.extract(Schema.Struct({ said: Schema.String }), { prompt: `Now ${odd} then` })(odd)
      const model = Testing.scripted([{ said: odd }])
      const before = yield* ask.pipe(Effect.provide(model.layer.pipe(Provider.record(path))))
      const after = yield* ask.pipe(Effect.provide(Provider.replay(path, { exhaustive: true })))
      assert.deepStrictEqual([before.said, after.said], [odd, odd])
    })
  )

  it.effect("redacts native answers and failures as well", () =>
    Effect.gen(function* () {
      const path = fresh()
      const error = new Provider.ProviderError({
        provider: "house",
        model: "m",
        reason: { _tag: "Refused", message: "SECRET may not" }
      })
      let calls = 0
      const model = Testing.scripted([], {
        decide: () =>
          ++calls === 1
            ? [{ _tag: "Predicate", name: "decision", probability: 1, reasons: ["SECRET said so"] }]
            : calls === 2
              ? [{ _tag: "Refusal", name: "decision", message: "not for SECRET" }]
              : Effect.fail(error)
      })
      const redact = (text: string) => text.replaceAll("SECRET", "somebody")
      const ask = Effect.exit(Synapse.binary({ question: "Is it?" })("about SECRET"))
      yield* Effect.all([ask, ask, ask]).pipe(Effect.provide(model.layer.pipe(Provider.record(path, { redact }))))
      const text = readFileSync(path, "utf8")
      assert.notInclude(text, "SECRET")
      assert.strictEqual(JSON.parse(text).calls.length, 3)
    })
  )

  it.effect("of a provider that decides and writes is replayed in the same order of ways", () =>
    Effect.gen(function* () {
      const path = fresh()
      const down = new Provider.ProviderError({
        provider: "decider",
        model: "d",
        reason: { _tag: "Overloaded", message: "busy" }
      })
      const decider = Testing.scripted([], { decide: () => Effect.fail(down) })
      const text = Testing.scripted([{ decision: true, confidence: 0.7, reasoning: ["so"] }])
      const both = Provider.combine({ decide: decider.layer, complete: text.layer, order: ["native", "text"] })
      const ask = Synapse.binary({ question: "Is it?" })("text")
      const before = yield* ask.pipe(Effect.provide(both.pipe(Provider.record(path))))
      const after = yield* ask.pipe(Effect.provide(Provider.replay(path, { exhaustive: true })))
      assert.deepStrictEqual(after, before)
    })
  )

  it.effect("of a provider that learned is replayed, with what was sent", () =>
    Effect.gen(function* () {
      const path = fresh()
      const answer = JSON.stringify({ decision: true, confidence: 1, reasoning: ["so"] })
      const stubborn = Provider.learning({
        name: "house",
        model: "m",
        capabilities: { temperature: "free", efforts: ["low"], structuredOutput: "none", seed: false },
        complete: ({ sampling }) =>
          sampling.temperature === undefined
            ? Effect.succeed({ text: answer, usage: {} })
            : Effect.fail(
                new Provider.ProviderError({
                  provider: "house",
                  model: "m",
                  reason: { _tag: "InvalidRequest", message: "no", parameter: "temperature" }
                })
              ),
        stream: () => Stream.empty
      })
      const steps = Pipeline.sequence("two", [
        Primitive.decide("one", { question: "One?" }),
        Primitive.decide("two", { question: "Two?" })
      ])
      const go = Effect.flatMap(Thought.make("t", { a: "b" }), (thought) => Pipeline.run(steps, thought))
      const layer = Layer.succeed(Provider.Provider, stubborn)
      const sent = (thought: Thought.Thought<any>) =>
        ["one", "two"].map((key) => {
          const { effort, temperature } = thought.note(key)?.metadata ?? {}
          return { effort, temperature }
        })
      const before = yield* go.pipe(Effect.provide(layer.pipe(Provider.record(path))))
      const after = yield* go.pipe(Effect.provide(Provider.replay(path, { exhaustive: true })))
      assert.deepStrictEqual(sent(before), [
        { effort: "low", temperature: undefined },
        { effort: "low", temperature: undefined }
      ])
      assert.deepStrictEqual(sent(after), sent(before))
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("has interrupted calls, which do not end until they are interrupted again", () =>
    Effect.gen(function* () {
      const path = fresh()
      let calls = 0
      const answer = { decision: true, confidence: 1, reasoning: ["so"] }
      const model = Testing.scripted(() => (++calls === 1 ? Effect.never : answer))
      const ask = Synapse.binary({ question: "Is it?" })("text")
      const both = Effect.gen(function* () {
        const waiting = yield* Effect.forkChild(Effect.timeoutOption(ask, "30 seconds"))
        yield* TestClock.adjust("30 seconds")
        return [yield* Fiber.join(waiting), yield* ask] as const
      })
      const [none, decided] = yield* both.pipe(Effect.provide(model.layer.pipe(Provider.record(path))))
      assert.isTrue(Option.isNone(none) && decided.decision)
      const [again, after] = yield* both.pipe(Effect.provide(Provider.replay(path, { exhaustive: true })))
      assert.isTrue(Option.isNone(again) && after.decision)
    })
  )

  it.effect("has the pieces of an abandoned stream, and repeats them", () =>
    Effect.gen(function* () {
      const path = fresh()
      const long = { decision: true, confidence: 1, reasoning: ["so ".repeat(500), "and the end"] }
      const model = Testing.scripted([long], { pieceLength: 5 })
      // who has seen what it wanted to see does not wait for the rest
      const known = Synapse.stream(Synapse.binary({ question: "Is it?" }), "text").pipe(
        Stream.filter((part) => part._tag === "Partial" && part.partial.decision?.state === "done"),
        Stream.take(1),
        Stream.runCollect
      )
      const before = yield* known.pipe(Effect.provide(model.layer.pipe(Provider.record(path))))
      const [call] = JSON.parse(readFileSync(path, "utf8")).calls
      assert.isTrue(call.interrupted)
      assert.isTrue(call.answer.text[0].startsWith('{"decision":true'))
      assert.notInclude(call.answer.text[0], "and the end")
      const after = yield* known.pipe(Effect.provide(Provider.replay(path, { exhaustive: true })))
      assert.deepStrictEqual(
        after.map((part) => part._tag === "Partial" && part.partial.decision),
        before.map((part) => part._tag === "Partial" && part.partial.decision)
      )
    })
  )

  it.effect("of a stream that was left after some pieces repeats as many", () =>
    Effect.gen(function* () {
      const path = fresh()
      const model = Testing.scripted(["one two three four five"], { pieceLength: 4 })
      const request: Provider.Request = {
        messages: [{ role: "user", text: "Count" }],
        task: { kind: "count", instruction: "Count", questions: [], context: [] },
        phase: "reason",
        sampling: {}
      }
      const some = Effect.flatMap(Provider.Provider, (provider) =>
        Stream.runCollect(Stream.take(provider.stream(request), 3))
      )
      const before = yield* some.pipe(Effect.provide(model.layer.pipe(Provider.record(path))))
      assert.lengthOf(before, 3)
      assert.deepStrictEqual(yield* some.pipe(Effect.provide(Provider.replay(path))), before)
      // what is left over after the pieces is one more
      const recorded = JSON.parse(readFileSync(path, "utf8"))
      const [call] = recorded.calls
      assert.deepStrictEqual(call.pieces, [4, 4, 4])
      for (const [pieces, expected] of [
        [[4], ["one ", "two thre"]],
        [
          [2, 5],
          ["on", "e two", " thre"]
        ],
        [
          [5, 7],
          ["one t", "wo thre"]
        ],
        [undefined, ["one two thre"]]
      ] as const) {
        writeFileSync(path, JSON.stringify({ ...recorded, calls: [{ ...call, pieces }] }))
        const deltas: Array<string> = []
        const read = Effect.flatMap(Provider.Provider, ({ stream }) =>
          Stream.runForEach(stream(request), (part) =>
            Effect.sync(() => void deltas.push(part._tag === "Text" ? part.delta : part._tag))
          )
        )
        const reading = yield* Effect.forkChild(
          Effect.timeoutOption(Effect.provide(read, Provider.replay(path)), "1 second")
        )
        yield* TestClock.adjust("1 second")
        assert.isTrue(Option.isNone(yield* Fiber.join(reading)))
        assert.deepStrictEqual(deltas, [...expected])
      }
    })
  )

  it.effect("of a stream that ends without its last piece fails in a replay, and a defect is not recorded", () =>
    Effect.gen(function* () {
      const text = Stream.make<[Provider.StreamPart]>({ _tag: "Text", delta: "{" })
      const ends = [
        [text, Stream.empty],
        // without any piece as well
        [Stream.empty, Stream.empty],
        [text, Stream.die(new Error("boom"))]
      ] as const
      for (const [i, [text, end]] of ends.entries()) {
        const path = fresh()
        const layer = Provider.layer({
          name: "house",
          model: "m",
          complete: () => Effect.never,
          stream: () => Stream.concat(text, end)
        })
        const ask = Stream.runDrain(Synapse.stream(Synapse.binary({ question: "Is it?" }), "text"))
        const exit = yield* Effect.exit(ask.pipe(Effect.provide(layer.pipe(Provider.record(path)))))
        const error = yield* Effect.exit(ask.pipe(Effect.provide(Provider.replay(path))))
        assert.include(String(exit), i < 2 ? "stream ended before" : "boom")
        assert.include(String(error), i < 2 ? "stream ended before" : "recorded calls have been made")
      }
    })
  )

  it.effect("with an unknown field is refused, as it may be a typo", () =>
    Effect.gen(function* () {
      const path = fresh()
      yield* recordRun(path)
      writeFileSync(path, readFileSync(path, "utf8").replace('"messages"', '"mesages"'))
      const error = yield* Effect.flip(Effect.provide(Provider.Provider, Provider.replay(path)))
      assert.include(error.message, "it is no recording, as calls.0.mesages is invalid")
    })
  )

  it.effect("that has no form for a value says so, and the call fails", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([], {
        decide: () => [{ _tag: "Predicate", name: "decision", probability: 2 }]
      })
      const error = yield* Synapse.binary({ question: "Is it?" })("text").pipe(
        Effect.provide(model.layer.pipe(Provider.record(fresh()))),
        Effect.flip
      )
      const { reason } = causeOf(error)
      assert.strictEqual(reason._tag, "Unsupported")
      assert.include(reason.message, "call 1 has a value that cannot be recorded")
    })
  )

  it.effect("refuses a redaction that returns no text", () =>
    Effect.gen(function* () {
      const path = fresh()
      const model = Testing.scripted([{ decision: true, confidence: 1, reasoning: ["so"] }])
      const layer = model.layer.pipe(Provider.record(path, { redact: (() => undefined) as never }))
      const exit = yield* Effect.exit(Effect.provide(Synapse.binary({ question: "Why?" })("text"), layer))
      assert.match(String(exit), /The option redact of Provider\.record must return a string, but returned nothing\./)
    })
  )

  it.effect("is redacted by its option, and found again with the same redaction", () =>
    Effect.gen(function* () {
      const path = fresh()
      const redact = (text: string) => text.replaceAll(/Ada|billing/g, "somebody")
      yield* recordRun(path, { redact })
      assert.notMatch(readFileSync(path, "utf8"), /Ada|billing/)
      const model = Provider.replay(path, { redact })
      const error = yield* run(triageOf("Other?")).pipe(Effect.provide(model), Effect.flip)
      assert.strictEqual(causeOf(error).reason._tag, "ReplayMismatch")
    })
  )

  it.effect("is redacted in the keys of an answer's form too", () =>
    Effect.gen(function* () {
      const path = fresh()
      const redact = (text: string) => text.replaceAll("Ada", "somebody")
      const extract = Synapse.extract(Schema.Struct({ phoneOfAda: Schema.String }), { prompt: "Extract" })("text")
      const model = Testing.scripted([{ phoneOfAda: "1" }])
      yield* extract.pipe(Effect.provide(model.layer.pipe(Provider.record(path, { redact }))))
      const text = readFileSync(path, "utf8")
      assert.notInclude(text, "Ada")
      assert.deepStrictEqual(Object.keys(JSON.parse(text).calls[0].output.schema.properties), ["phoneOfsomebody"])
    })
  )

  it.effect("that is redacted gives a stream that was left in the same pieces, redacted", () =>
    Effect.gen(function* () {
      const path = fresh()
      const redact = (text: string) => text.replaceAll("Ada", "somebody")
      const model = Testing.scripted(["Ada two three four"], { pieceLength: 4 })
      const request: Provider.Request = {
        messages: [{ role: "user", text: "Count" }],
        task: { kind: "count", instruction: "Count", questions: [], context: [] },
        phase: "reason",
        sampling: {}
      }
      const some = Effect.flatMap(Provider.Provider, (provider) =>
        Stream.runCollect(Stream.take(provider.stream(request), 3))
      )
      yield* some.pipe(Effect.provide(model.layer.pipe(Provider.record(path, { redact }))))
      const again = yield* some.pipe(Effect.provide(Provider.replay(path, { redact })))
      assert.deepStrictEqual(
        again.map((part) => part._tag === "Text" && part.delta),
        ["somebody ", "two ", "thre"]
      )
    })
  )

  it.effect("has no key and no header, whatever a provider contains", () =>
    Effect.gen(function* () {
      const path = fresh()
      const { OpenAi } = yield* Effect.promise(() => import("cogito/openai"))
      const failing: typeof fetch = () => Promise.resolve(new Response("no", { status: 401 }))
      const layer = OpenAi.layer({
        model: "gpt-5-mini",
        apiKey: "sk-canary-42",
        headers: { "x-secret": "canary-header" },
        fetch: failing
      })
      yield* Synapse.binary({ question: "Is it?" })("text").pipe(
        Effect.provide(layer.pipe(Provider.record(path))),
        Effect.flip
      )
      assert.notInclude(readFileSync(path, "utf8"), "canary")
      assert.strictEqual(JSON.parse(readFileSync(path, "utf8")).calls.length, 1)
    })
  )

  it.effect("that cannot be written fails when the layer is built", () =>
    Effect.gen(function* () {
      const blocked = join(folder, "blocked")
      writeFileSync(blocked, "")
      const layer = Testing.scripted([]).layer.pipe(Provider.record(join(blocked, "run.json")))
      const error = yield* Effect.flip(Effect.provide(Provider.Provider, layer))
      assert.strictEqual(error.reason._tag, "Unsupported")
      assert.include(error.message, "blocked")
    })
  )
})

describe("a strict replay", () => {
  it.effect("names the first call that differs, and shows where its prompt does", () =>
    Effect.gen(function* () {
      const path = fresh()
      yield* recordRun(path)
      const error = yield* run(triageOf("Should nobody take it?")).pipe(
        Effect.provide(Provider.replay(path)),
        Effect.flip
      )
      const { cause, message, reason } = causeOf(error)
      assert.deepInclude(reason, { _tag: "ReplayMismatch", call: 3 })
      assert.include(message, "call 3 (decide)")
      assert.notInclude(message, "senior")
      const difference = cause instanceof Provider.ReplayDifference ? cause.message : assert.fail("no difference")
      assert.include(difference, "- Should a senior agent take it?")
      assert.include(difference, "+ Should nobody take it?")
      assert.notInclude(difference, "charged twice")
      assert.include(inspect(error, { depth: 9 }), "+ Should nobody take it?")
    })
  )

  it.effect("refuses a call after the last, another sampling, another form and another conversation", () =>
    Effect.gen(function* () {
      const path = fresh()
      const ask = Synapse.binary({ question: "Is it?" })
      const layer = Testing.scripted([{ decision: true, confidence: 1, reasoning: ["yes"] }]).layer
      yield* ask("text").pipe(Effect.provide(layer.pipe(Provider.record(path))))
      const differing = [
        [ask("other text"), "other text"],
        [ask({ subject: "text", sampling: { seed: 1 } }), "sampling"],
        [Synapse.extract(Schema.Struct({ a: Schema.Int }), { prompt: "Extract" })("text"), "schema"]
      ] as const
      for (const [call, expected] of differing) {
        const error = yield* Effect.flip(
          Effect.provide(call as Effect.Effect<unknown, unknown, Provider.Provider>, Provider.replay(path))
        )
        const { cause, reason } = causeOf(error)
        assert.deepInclude(reason, { _tag: "ReplayMismatch", call: 1 })
        assert.include(String(cause), expected)
      }
      const twice = Effect.andThen(ask("text"), ask("text"))
      const late = causeOf(yield* Effect.flip(Effect.provide(twice, Provider.replay(path))))
      assert.deepInclude(late.reason, { _tag: "ReplayMismatch", call: 2 })
      assert.isFalse(late.isRetryable)
    })
  )

  it.effect("accepts branches in any order", () =>
    Effect.gen(function* () {
      const path = fresh()
      const ask = Synapse.extract(Schema.Struct({ echo: Schema.String }), { prompt: "Echo" })
      const model = Testing.scripted(({ task }) => ({ echo: task.input ?? "" }))
      const texts = ["a", "b", "c", "d", "b"]
      yield* Effect.forEach(texts, (text) => ask(text)).pipe(Effect.provide(model.layer.pipe(Provider.record(path))))
      const again = yield* Effect.forEach(texts.toReversed(), (text) => ask(text), { concurrency: "unbounded" }).pipe(
        Effect.provide(Provider.replay(path, { exhaustive: true }))
      )
      assert.deepStrictEqual(
        again.map(({ echo }) => echo),
        texts.toReversed()
      )
    })
  )

  it.effect("that is exhaustive does not let calls be left out", () =>
    Effect.gen(function* () {
      const path = fresh()
      yield* recordRun(path)
      const exit = yield* Effect.exit(
        Effect.provide(Effect.void, Layer.fresh(Provider.replay(path, { exhaustive: true })))
      )
      assert.include(String(exit), "4 recorded calls were not made, the first is call 1 (analyze)")
    })
  )

  const broken: ReadonlyArray<readonly [string, string, string]> = [
    ["no JSON", "{", "not the JSON of a recording"],
    ["something else", "{}", "cogito"],
    ["another version", `{"cogito":"recording","version":2}`, "version"]
  ]
  it.effect.each(broken)("of a file that is %s says so", ([, text, expected]) =>
    Effect.gen(function* () {
      const path = join(folder, `broken-${++files}.json`)
      writeFileSync(path, text)
      const error = yield* Effect.flip(Effect.provide(Provider.Provider, Provider.replay(path)))
      assert.strictEqual(error.reason._tag, "Unsupported")
      assert.include(error.message, expected)
    })
  )

  it.effect("of a missing file, or of a file with a missing reference, says so", () =>
    Effect.gen(function* () {
      const missing = yield* Effect.flip(Effect.provide(Provider.Provider, Provider.replay(join(folder, "none.json"))))
      assert.include(missing.message, "ENOENT")
      const path = fresh()
      yield* recordRun(path)
      const text = readFileSync(path, "utf8")
      writeFileSync(path, text.replace(`"like": 1`, `"like": 9`))
      const error = yield* Effect.flip(Effect.provide(Provider.Provider, Provider.replay(path)))
      assert.match(error.message, /call \d (refers to messages of a call|refers to the output schema of a call)/)
    })
  )
})

describe("a recording written by hand", () => {
  it.effect("matches any value that its calls leave out, even only the output form", () =>
    Effect.gen(function* () {
      const path = fresh()
      const ask = Synapse.binary({ question: "Is it?" })("text")
      const layer = Testing.scripted([{ decision: true, confidence: 1, reasoning: ["yes"] }]).layer
      yield* ask.pipe(Effect.provide(layer.pipe(Provider.record(path))))
      const document = JSON.parse(readFileSync(path, "utf8"))
      delete document.calls[0].output
      writeFileSync(path, JSON.stringify({ ...document, source: "scripted" }))
      assert.isTrue((yield* ask.pipe(Effect.provide(Provider.replay(path)))).decision)
    })
  )

  it.effect("gives a call that leaves out the tools once, to a request with tools or without", () =>
    Effect.gen(function* () {
      const path = fresh()
      const answer = { decision: true, confidence: 1, reasoning: ["yes"] }
      const model = Testing.scripted([answer])
      const ask = Synapse.binary({ question: "Is it?" })("text")
      yield* ask.pipe(Effect.provide(model.layer.pipe(Provider.record(path))))
      const document = JSON.parse(readFileSync(path, "utf8"))
      writeFileSync(path, JSON.stringify({ ...document, source: "scripted" }))
      const request = model.requests[0] ?? assert.fail("nothing was asked")
      const tools = [{ name: "look", description: "Looks", parameters: { type: "object", properties: {} } }]
      yield* Effect.gen(function* () {
        const { complete } = yield* Provider.Provider
        assert.deepStrictEqual(JSON.parse((yield* complete({ ...request, tools })).text), answer)
        const { reason } = causeOf(yield* Effect.flip(complete(request)))
        assert.strictEqual(reason._tag, "ReplayMismatch")
      }).pipe(Effect.provide(Provider.replay(path)))
    })
  )

  it.effect("answers calls of a kind in order, whatever they contain", () =>
    Effect.gen(function* () {
      const path = join(folder, "scripted.json")
      const call = (number: number, decision: boolean) => ({
        call: number,
        kind: "binary",
        asked: "text",
        answer: { json: { decision, confidence: 0.9, reasoning: ["so"] } }
      })
      writeFileSync(
        path,
        JSON.stringify({
          cogito: "recording",
          version: 1,
          source: "scripted",
          provider: "house",
          model: "m",
          capabilities: { temperature: "free", efforts: [], structuredOutput: "none", seed: false },
          decides: false,
          calls: [call(1, true), call(2, false)]
        })
      )
      const ask = Synapse.binary({ question: "Is it?" })
      const values = yield* Effect.forEach(["x", "y"], ask).pipe(Effect.provide(Provider.replay(path)))
      assert.deepStrictEqual(
        values.map(({ decision }) => decision),
        [true, false]
      )
    })
  )
})
