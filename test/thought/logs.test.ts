import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Pipeline, Primitive, Provider, Session, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"

const urgent = Primitive.decide("urgent", { question: "Is it urgent?" })
const broken = Step.make("broken", { run: Effect.fail({ _tag: "Broken" } as const) })
const pipeline = Pipeline.sequence("support", [Step.enrich(broken), urgent])

const reply = { decision: true, confidence: 0.9, reasoning: ["It is down."] }

describe("Thought.logs", () => {
  it.effect("has one line for each note of a thought, in their order", () =>
    Effect.gen(function* () {
      let thought: Thought.Thought<any> = yield* Thought.make("test", { message: "Hello\n  there" })
      thought = yield* Thought.append(thought, "page", { content: `{"a":1}`, source: "web" })
      thought = yield* Thought.append(thought, "page", "x".repeat(500))
      thought = yield* Thought.append(thought, "odd", "a\u001b[31mb")
      const [first, second, third, last, ...more] = Thought.logs(thought)
      assert.deepStrictEqual([first, second, more], ["message: Hello there", `page: {"a":1}`, []])
      assert.strictEqual(third, `page: ${"x".repeat(197)}...`)
      assert.strictEqual(last, "odd: a[U+001B][31mb")
    })
  )

  it.effect("has the text of a note that is no object, or not what triage and a question answer", () =>
    Effect.gen(function* () {
      let thought: Thought.Thought<any> = yield* Thought.make("test")
      const add = (content: string, source: "step" | "triage") =>
        Effect.map(Thought.append(thought, "note", { content, source }), (next) => (thought = next))
      const sure = `"confidence":0.876,"confidenceFrom":"model"`
      const each: ReadonlyArray<readonly [content: string, line: string, triage?: string]> = [
        ["null", "null"],
        ["5", "5"],
        [`["a"]`, `["a"]`],
        [`"a"`, `"a"`],
        [`{"a":`, `{"a":`],
        [` {"a":"b",${sure}}`, `{"a":"b",${sure}}`],
        [`{"a":"b",${sure}}`, "b (0.88)"],
        [`{"a":true,"reasoning":["c"],"distribution":{"d":1},${sure}}`, "yes (0.88)"],
        [`{"a":false,${sure}}`, "no (0.88)"],
        [`{"a":[1,2],${sure}}`, "[1,2] (0.88)"],
        [`{"a":1,"b":2,${sure}}`, `{"a":1,"b":2} (0.88)`],
        [`{${sure}}`, `{${sure}}`],
        [`{"a":"b","confidence":1}`, `{"a":"b","confidence":1}`],
        [`{"a":"b","confidence":"1","confidenceFrom":"model"}`, `{"a":"b","confidence":"1","confidenceFrom":"model"}`],
        [`{"safe":false,"mode":"fast"}`, `{"safe":false,"mode":"fast"}`, "not safe"],
        [`{"safe":true}`, `{"safe":true}`, "safe"],
        [`{"safe":true,"mode":"fast","tools":[]}`, `{"safe":true,"mode":"fast","tools":[]}`, "safe, fast, tools: none"],
        [`{"safe":true,"tools":["a","b"]}`, `{"safe":true,"tools":["a","b"]}`, "safe, tools: a, b"],
        [`{"safe":true,"mode":1,"tools":"a"}`, `{"safe":true,"mode":1,"tools":"a"}`, "safe"],
        [`{"safe":"yes"}`, `{"safe":"yes"}`]
      ]
      for (const [content] of each) yield* add(content, "step")
      for (const [content, , triage] of each)
        if (triage !== undefined || content === "null") yield* add(content, "triage")
      assert.deepStrictEqual(Thought.logs(thought), [
        ...each.map(([, line]) => `note: ${line}`),
        "note: null",
        ...each.flatMap(([, , triage]) => (triage === undefined ? [] : [`note: ${triage}`]))
      ])
    })
  )

  it.effect("says what the conversation has besides notes, and what it has in short only", () =>
    Effect.gen(function* () {
      const made = yield* Thought.make("test", { a: "one", b: "two", c: "three" })
      const [a, b] = Thought.notes(made).map(({ id }) => id)
      const session = Session.empty.pipe(
        Session.append(
          { role: "user", kind: "summary", text: "They count.", covers: [a ?? "", b ?? ""] },
          { role: "assistant", text: "I am\nthinking." },
          { role: "user", text: "Hm?" },
          { role: "user", kind: "omission", text: "One was left out.", covers: [b ?? ""] },
          { role: "user", text: "three", carries: [made.note("c")?.id ?? ""] }
        )
      )
      assert.deepStrictEqual(Thought.logs(Thought.withSession(made, session)), [
        "a: one",
        "b: two",
        "conversation: 2 notes in a summary",
        "conversation: I am thinking.",
        "conversation: 1 note left out",
        "c: three"
      ])
    })
  )

  it.effect("says what a thought alone does not know", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test", { message: "Hello" })
      assert.deepStrictEqual(Thought.logs(thought, { mode: "errors" }), [
        "A thought does not keep the failures of steps and of calls of models: pass `signals` or `run`."
      ])
      assert.deepStrictEqual(Thought.logs(thought, { mode: "performance" }), [
        "1 note, 0 ms from the first to the last.",
        "A thought does not keep how long steps and calls took, nor what each call used: pass `signals` or `run`."
      ])
    })
  )

  it.effect("adds what signals and the rows of a run know", () => {
    const model = Testing.scripted([reply], { usage: { inputTokens: 40, outputTokens: 12 } })
    const signals: Array<Signal.Signal> = []
    return Effect.gen(function* () {
      const thought = yield* Thought.make("test", { message: "The shop is down!" })
      const done = yield* Pipeline.run(pipeline, thought, { durable: { id: "run" } }).pipe(
        Signal.listen((signal) => signals.push(signal))
      )
      assert.deepStrictEqual(Thought.logs(done), ["message: The shop is down!", "urgent: yes (0.9)"])
      assert.include(
        Thought.logs(done, { signals }),
        "support/enrich(broken): goes on without broken, which failed with Broken"
      )

      const timed = Thought.logs(done, { mode: "performance", signals })
      assert.match(timed[2] ?? "", /^support\/urgent: complete, scripted, \S+, \d+ ms, 40 tokens in, 12 out, 0 USD$/)
      assert.match(timed.at(-1) ?? "", /^Total: \d steps, 1 model call, 40 tokens in, 12 out, 0 USD$/)
      // a call that was taken from the ledger is not made again
      const replayed = signals.map((signal) =>
        signal._tag === "CallCompleted" ? { ...signal, replayed: true as const } : signal
      )
      const again = Thought.logs(done, { mode: "performance", signals: replayed })
      assert.match(again.at(-1) ?? "", /^Total: \d steps, 0 model calls/)
      assert.include(
        Thought.logs(done, { mode: "errors", signals }),
        "support/enrich(broken)/broken: step failed with Broken"
      )

      const { ledger } = yield* Memory.Memory
      const run = yield* ledger.load("run")
      assert.isDefined(run)
      const rows = Thought.logs(done, { mode: "performance", run })
      assert.match(rows.join("\n"), /urgent #\d: complete, scripted, \S+, answered, \d+ ms, 40 tokens in, 12 out/)
      assert.match(rows.at(-1) ?? "", /^Total: \d steps, 1 model call, 40 tokens in, 12 out, 0 USD$/)
      const failed = Thought.logs(done, { mode: "errors", run })
      assert.isAbove(failed.length, 0)
      assert.isTrue(failed.every((line) => line.includes("broken")))
    }).pipe(Effect.provide(Layer.merge(model.layer, Testing.memory)))
  })

  it.effect("has a call that failed once, from the rows of the run or else from signals", () => {
    const failure = new Provider.ProviderError({
      provider: "own",
      model: "m",
      reason: { _tag: "Refused", message: "no" }
    })
    const model = Testing.scripted([Effect.fail(failure)])
    const signals: Array<Signal.Signal> = []
    return Effect.gen(function* () {
      const thought = yield* Thought.make("test", { message: "The shop is down!" })
      yield* Pipeline.run(urgent, thought, { durable: { id: "run" } }).pipe(
        Signal.listen((signal) => signals.push(signal)),
        Effect.flip
      )
      const { ledger } = yield* Memory.Memory
      const run = yield* ledger.load("run")
      assert.isDefined(run)
      const linesOf = (recorded: { readonly run?: typeof run; readonly signals?: typeof signals }) =>
        Thought.logs(thought, { mode: "errors", ...recorded }).filter((line) => line.includes("complete"))
      const [line, ...more] = linesOf({ run })
      assert.match(line ?? "", /^\/urgent #0: complete, .* failed$/)
      assert.deepStrictEqual(more, [])
      assert.deepStrictEqual(linesOf({ run, signals }), [line])
      assert.lengthOf(linesOf({ signals }), 1)
    }).pipe(Effect.provide(Layer.merge(model.layer, Testing.memory)))
  })

  it.effect("has what calls waited for, and which steps timed out, also beside the rows of a run", () => {
    const signals: Array<Signal.Signal> = []
    return Effect.gen(function* () {
      const note = Step.make("note", { schema: Schema.String, run: Effect.succeed("done") })
      const done = yield* Pipeline.run(note, yield* Thought.make("test"), { durable: { id: "run" } }).pipe(
        Signal.listen((signal) => signals.push(signal))
      )
      const one = signals[0]!
      const waits: ReadonlyArray<Signal.Signal> = [
        { ...one, path: ["support", "note"], _tag: "Throttled", waitMillis: 1500 },
        { ...one, path: [], _tag: "Throttled", waitMillis: undefined },
        { ...one, path: ["support"], _tag: "TimedOut", limitMillis: 999 }
      ]
      const { ledger } = yield* Memory.Memory
      const run = yield* ledger.load("run")
      assert.isDefined(run)
      const lines = [
        "support/note: waited 1.5 s for a limit",
        "waited for a limit",
        "support: timed out after 999 ms",
        ...Thought.logs(done, { mode: "performance", run })
      ]
      assert.deepStrictEqual(Thought.logs(done, { mode: "performance", run, signals: waits }), lines)
      assert.deepStrictEqual(Thought.logs(done, { mode: "performance", run, signals: [...signals, ...waits] }), lines)
      assert.deepStrictEqual(Thought.logs(done, { mode: "performance", signals: waits }), [
        ...lines.slice(0, 3),
        "Total: 0 steps, 0 model calls"
      ])
    }).pipe(Effect.provide(Testing.memory))
  })

  it.effect("has questions of a run and their answers", () =>
    Effect.gen(function* () {
      const pay = Primitive.approve("pay", { prompt: "Pay 90 EUR?" })
      const thought = yield* Thought.make("test", { message: "Pay" })
      yield* TestClock.adjust("1 minute")
      yield* Effect.flip(Pipeline.run(pay, thought, { durable: { id: "run" } }))
      yield* TestClock.adjust("1 minute")
      yield* Pipeline.answer("run", "pay", { approved: true }, { by: "jane" })
      yield* TestClock.adjust("1 minute")
      const done = yield* Pipeline.resume(pay, "run")
      const { ledger } = yield* Memory.Memory
      const run = yield* ledger.load("run")
      assert.isDefined(run)
      const lines = Thought.logs(done, { run })
      assert.deepStrictEqual(lines, [
        "message: Pay",
        "pay: asks Pay 90 EUR?",
        `pay: answered by jane with {"approved":true}`,
        `pay: {"approved":true,"by":"jane"}`
      ])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("refuses a mode that it does not have", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test")
      const mode = "all" as "flow"
      assert.throws(() => Thought.logs(thought, { mode }), 'needs "flow", "performance" or "errors" as the option mode')
    })
  )
})
