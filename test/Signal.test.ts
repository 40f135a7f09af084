import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Pipeline, Primitive, Signal, Step, Synapse, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { answers, providerError, replies, start, ticket, triage, withModel } from "./pipeline/triage.ts"

const usage = { inputTokens: 10 }

/** Every signal of a run, and how it ended. */
const observed = <A, E, R>(run: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const signals: Array<Signal.Signal> = []
    const outcome = yield* Effect.exit(Signal.listen((signal) => signals.push(signal))(run))
    return { signals, outcome }
  })

const runTriage = Effect.flatMap(start, (thought) => Pipeline.run(triage, thought))

const brief = ({ _tag, path, ...rest }: Signal.Signal): string => {
  const what = "kind" in rest ? rest.kind : "key" in rest ? rest.key : "call" in rest ? rest.phase : ""
  return [path.join("/"), _tag, what].filter((part) => part !== "").join(" ")
}

describe("the signals of a run", () => {
  it.effect("tell in order what each step does", () =>
    Effect.gen(function* () {
      const { signals } = yield* observed(runTriage).pipe(withModel(Testing.scripted(answers, { usage })))
      const asked = (name: string, kind: string) => [
        `triage/${name} StepStarted ${kind}`,
        `triage/${name} CallStarted reason`,
        `triage/${name} CallCompleted reason`,
        `triage/${name} NoteAdded ${name}`,
        `triage/${name} NotesPublished`
      ]
      const stored = (name: string) => `triage/${name} NoteStored ${name}`
      assert.deepStrictEqual(signals.map(brief), [
        "ThoughtCreated",
        "NoteStored message",
        "triage StepStarted sequence",
        ...asked("ticket", "analyze"),
        stored("ticket"),
        "triage/ticket StepCompleted analyze",
        "triage/history StepStarted seek",
        "triage/history EmbeddingCompleted",
        "triage/history NotesFound",
        "triage/history NoteAdded history",
        "triage/history NoteStored history",
        "triage/history StepCompleted seek",
        ...asked("category", "categorize"),
        stored("category"),
        "triage/category StepCompleted categorize",
        ...asked("mood", "assess"),
        stored("mood"),
        "triage/mood StepCompleted assess",
        ...asked("escalate", "decide"),
        "triage/escalate CallStarted introspect",
        "triage/escalate CallCompleted introspect",
        "triage/escalate NoteAdded escalate_summary",
        "triage/escalate IntrospectionCompleted",
        "triage/escalate NotesPublished",
        stored("escalate"),
        "triage/escalate NoteStored escalate_summary",
        "triage/escalate StepCompleted decide",
        "triage StepCompleted sequence"
      ])
    })
  )

  it.effect("name the thought and count what there is to count", () =>
    Effect.gen(function* () {
      const slow = Effect.as(TestClock.adjust("3 seconds"), replies.ticket)
      const { outcome, signals } = yield* observed(
        Effect.flatMap(start, (thought) => Pipeline.run(ticket, thought))
      ).pipe(withModel(Testing.scripted([slow], { usage })))
      if (outcome._tag !== "Success") throw new Error("the run failed")
      const { id, traceId } = outcome.value
      const runId = signals[0]?.runId
      assert.match(runId ?? "", /^[0-9a-f-]{36}$/)
      const base = { runId, thoughtId: id, traceId, path: ["ticket"] }
      const called = { provider: "scripted", model: "script", call: "complete", phase: "reason" }
      const call = {
        ...called,
        sampling: { temperature: 0 },
        usage
      }
      const [message, { content, id: noteId }] = [outcome.value.note("message")!, outcome.value.note("ticket")!]
      const added = { key: "ticket", source: "analyze", seq: 2 }
      assert.deepStrictEqual<ReadonlyArray<unknown>>(signals, [
        { ...base, path: [], millis: 0, _tag: "ThoughtCreated" },
        {
          ...base,
          path: [],
          millis: 0,
          _tag: "NoteStored",
          noteId: message.id,
          key: "message",
          source: "user",
          seq: 1,
          step: ""
        },
        { ...base, millis: 0, _tag: "StepStarted", kind: "analyze", unpublished: 1 },
        { ...base, millis: 0, _tag: "CallStarted", ...called },
        { ...base, millis: 3000, _tag: "CallCompleted", ...call, durationMillis: 3000 },
        { ...base, millis: 3000, _tag: "NoteAdded", ...added, size: content.length, speculative: false },
        { ...base, millis: 3000, _tag: "NotesPublished", published: 2, unpublished: 0 },
        { ...base, millis: 3000, _tag: "NoteStored", noteId, ...added, step: "ticket" },
        { ...base, millis: 3000, _tag: "StepCompleted", kind: "analyze", durationMillis: 3000, notes: 2 }
      ])
    })
  )

  it.effect("announce a thought once", () =>
    Effect.gen(function* () {
      const again = Effect.gen(function* () {
        const done = yield* Pipeline.run(Pipeline.sequence("one", []), yield* start)
        yield* Pipeline.run(Pipeline.sequence("two", []), done)
      })
      const { signals } = yield* observed(again)
      assert.deepStrictEqual(signals.map(brief), [
        "ThoughtCreated",
        "NoteStored message",
        "one StepStarted sequence",
        "one StepCompleted sequence",
        "two StepStarted sequence",
        "two StepCompleted sequence"
      ])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect(
    "tell of the notes of branches that lose that they are tried, and only of the others that they are stored",
    () =>
      Effect.gen(function* () {
        const write = (key: string, millis: number) =>
          Step.make(key, { schema: Schema.String, run: Effect.as(Effect.sleep(millis), key) })
        const race = Pipeline.race("race", {
          slow: Pipeline.sequence("steps", [write("lost", 1), write("never", 100)]),
          quick: Pipeline.sequence("steps", [write("first", 2), write("second", 3)])
        })
        const beside = Pipeline.concurrent(
          "beside",
          { a: write("x", 20), b: write("y", 10) },
          { conflicts: "namespace" }
        )
        const step = Pipeline.sequence("all", [write("before", 0), race, beside])
        const { outcome, signals } = yield* observed(
          Effect.gen(function* () {
            const fiber = yield* Effect.forkChild(Effect.flatMap(start, (thought) => Pipeline.run(step, thought)))
            yield* TestClock.adjust("1 second")
            return yield* Fiber.join(fiber)
          })
        )
        if (outcome._tag !== "Success") throw new Error("the run failed")
        assert.deepStrictEqual(
          signals.flatMap((signal) => (signal._tag === "NoteAdded" ? [[signal.key, signal.speculative]] : [])),
          [
            ["before", false],
            ["lost", true],
            ["first", true],
            ["second", true],
            ["y", true],
            ["x", true]
          ]
        )
        assert.deepStrictEqual(
          signals.flatMap((signal) => (signal._tag === "NoteStored" ? [[signal.seq, signal.key, signal.noteId]] : [])),
          Thought.notes(outcome.value).map(({ id, key, seq }) => [seq, key, id])
        )
        assert.deepStrictEqual(
          signals.flatMap((signal) => (signal._tag === "NoteStored" ? [signal.step] : [])).slice(-2),
          ["all/beside/a/x", "all/beside/b/y"]
        )
      }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("tell of rejected answers and how many repairs are left", () =>
    Effect.gen(function* () {
      const step = Primitive.decide("go", { question: "Go on?", repairs: 2 })
      const { signals } = yield* observed(Effect.flatMap(start, (thought) => Pipeline.run(step, thought))).pipe(
        withModel(Testing.scripted(["no", { decision: 1 }, replies.escalate]))
      )
      assert.deepStrictEqual(
        signals.flatMap((signal) => (signal._tag === "AnswerRejected" ? [[signal.repairsLeft, signal.issues]] : [])),
        [
          [2, 1],
          [1, 3]
        ]
      )
      assert.strictEqual(signals.filter(({ _tag }) => _tag === "CallCompleted").length, 3)
    })
  )

  it.effect("tell of native decisions", () =>
    Effect.gen(function* () {
      const step = Primitive.decide("go", { question: "Go on?" })
      const model = Testing.scripted([], { decide: () => [{ _tag: "Predicate", name: "decision", probability: 1 }] })
      const { signals } = yield* observed(Effect.flatMap(start, (thought) => Pipeline.run(step, thought))).pipe(
        withModel(model)
      )
      assert.deepStrictEqual(signals.map(brief), [
        "ThoughtCreated",
        "NoteStored message",
        "go StepStarted decide",
        "go CallStarted reason",
        "go CallCompleted reason",
        "go NoteAdded go",
        "go NoteStored go",
        "go StepCompleted decide"
      ])
      const call = signals.find((signal) => signal._tag === "CallCompleted")
      assert.strictEqual(call?.call, "decide")
    })
  )
})

describe("a step that fails", () => {
  it.effect("is signalled with its error's tag, from the inside out, after the call's own failure", () =>
    Effect.gen(function* () {
      const { outcome, signals } = yield* observed(runTriage).pipe(
        withModel(Testing.scripted([replies.ticket, providerError("Overloaded", { inputTokens: 3 })]))
      )
      assert.strictEqual(outcome._tag, "Failure")
      assert.deepStrictEqual(signals.slice(-3).map(brief), [
        "triage/category CallFailed reason",
        "triage/category StepFailed categorize",
        "triage StepFailed sequence"
      ])
      const [call, step] = signals.slice(-3)
      assert.strictEqual(call?._tag === "CallFailed" && call.error, "Overloaded")
      assert.deepStrictEqual(call?._tag === "CallFailed" && call.usage, { inputTokens: 3 })
      assert.strictEqual(step?._tag === "StepFailed" && step.error, "ProviderError")
    })
  )

  const ends: ReadonlyArray<readonly [string, Effect.Effect<void, unknown>, string]> = [
    ["a tagged error", Effect.fail(providerError()), "ProviderError"],
    ["another error", Effect.fail("no"), "Error"],
    ["a defect", Effect.die(new TypeError("no")), "Defect"],
    ["an interruption", Effect.interrupt, "Interrupted"]
  ]
  it.effect.each(ends)("says how it ended: %s", ([, run, error]) =>
    Effect.gen(function* () {
      const step = Step.make("end", { run })
      const { signals } = yield* observed(Effect.flatMap(start, (thought) => Pipeline.run(step, thought)))
      const last = signals.at(-1)
      assert.strictEqual(last?._tag === "StepFailed" && last.error, error)
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("signals", () => {
  it.effect("hold no text of notes, prompts or answers", () =>
    Effect.gen(function* () {
      const step = Primitive.decide("go", { question: "canary-question?", introspect: true })
      const seek = Primitive.seek("found", { query: "canary-query" })
      const run = Effect.gen(function* () {
        yield* Pipeline.run(seek, yield* Thought.make("canary-intent", { message: "canary-earlier" }))
        const thought = yield* Thought.make("canary-intent", { message: "canary-note" })
        const all = Pipeline.sequence("all", [seek, step, Step.make("stop", { run: Effect.fail("canary-error") })])
        yield* Pipeline.run(all, thought)
      })
      const good = { decision: true, confidence: 1, reasoning: ["canary-reason"] }
      const { signals } = yield* observed(run).pipe(
        withModel(Testing.scripted(["canary-answer", good, "canary-summary"]))
      )
      assert.isAbove(signals.length, 15)
      assert.notInclude(JSON.stringify(signals), "canary")
    })
  )

  it.effect("of a synapse on its own name no run and no thought", () =>
    Effect.gen(function* () {
      const { signals } = yield* observed(
        Synapse.binary({ question: "Go on?" })("text").pipe(
          Effect.provide(Testing.scripted(["no", replies.escalate]).layer)
        )
      )
      assert.deepStrictEqual(
        signals.map(({ _tag, path, runId, thoughtId, traceId }) => [_tag, path, runId, thoughtId, traceId]),
        ["CallStarted", "CallCompleted", "AnswerRejected", "CallStarted", "CallCompleted"].map((tag) => [
          tag,
          [],
          undefined,
          undefined,
          undefined
        ])
      )
    })
  )
})

describe("listeners", () => {
  const step = Step.make("one", { schema: Schema.Finite, run: () => 1 })
  const run = Effect.flatMap(start, (thought) => Pipeline.run(step, thought))
  const tagsOf = (signals: ReadonlyArray<Signal.Signal>) => signals.map(({ _tag }) => _tag)
  const own: ReadonlyArray<Signal.Tag> = ["StepStarted", "NoteAdded", "NoteStored", "StepCompleted"]
  const all: ReadonlyArray<Signal.Tag> = ["ThoughtCreated", "NoteStored", ...own]

  it.effect("are all called, the outer ones first", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      yield* run.pipe(
        Signal.listen(({ _tag }) => order.push(`inner ${_tag}`)),
        Signal.listen(({ _tag }) => order.push(`outer ${_tag}`))
      )
      assert.deepStrictEqual(
        order,
        all.flatMap((tag) => [`outer ${tag}`, `inner ${tag}`])
      )
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("hear only the program that they were added to", () =>
    Effect.gen(function* () {
      const heard: Array<Signal.Signal> = []
      yield* run
      yield* Signal.listen((signal) => heard.push(signal))(run)
      yield* run
      assert.deepStrictEqual(tagsOf(heard), all)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("of a layer come besides those already there", () =>
    Effect.gen(function* () {
      const heard: Array<string> = []
      yield* run.pipe(
        Effect.provide(
          Signal.layer(
            () => heard.push("first"),
            () => heard.push("second")
          )
        ),
        Signal.listen(() => heard.push("outer"))
      )
      assert.deepStrictEqual(
        heard,
        all.flatMap(() => ["outer", "first", "second"])
      )
    }).pipe(Effect.provide(Testing.memory))
  )

  it("serve a promise too", async () => {
    const heard: Array<Signal.Signal> = []
    await Pipeline.runPromise(
      step,
      { intent: "one" },
      {
        layer: Layer.merge(
          Testing.memory,
          Signal.layer((signal) => heard.push(signal))
        )
      }
    )
    // the thought has no note of its own
    assert.deepStrictEqual(tagsOf(heard), ["ThoughtCreated", ...own])
  })
})
