/** Single lines of logs, of notes, signals and rows that are made by hand. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Provider, Session, type Signal, type Store, Thought } from "cogito"
import { placesOf } from "../../src/logs/totals.ts"

const millis = 1_000_000
const at = { frame: "/a", epoch: 1, startedMillis: millis, endedMillis: millis + 20 }

const call = (more: Partial<Store.Ledger.CallRow>): Store.Ledger.CallRow => ({
  ...at,
  n: 1,
  kind: "complete",
  attempt: 1,
  hash: "",
  parts: {},
  state: "answered",
  request: undefined,
  response: undefined,
  provider: "house",
  model: "m-1",
  usage: undefined,
  usd: undefined,
  ...more
})

const step = (frame: string, more: Partial<Store.Ledger.StepRow> = {}): Store.Ledger.StepRow => ({
  ...at,
  frame,
  kind: "step",
  outcome: "completed",
  position: undefined,
  error: undefined,
  ...more
})

const row: Store.Ledger.RunRow = {
  id: "run",
  seed: "",
  pipeline: "p",
  fingerprint: "",
  outline: "",
  start: { thoughtId: "t", seq: 0, version: 0, nextIndex: 0, usage: undefined },
  startHash: "",
  fork: false,
  parent: undefined,
  keep: "answers",
  onInterrupted: undefined,
  createdMillis: millis,
  status: "failed",
  owner: undefined,
  epoch: 1,
  leaseUntilMillis: undefined,
  end: undefined,
  error: undefined,
  endedMillis: undefined
}

const run = (calls: ReadonlyArray<Store.Ledger.CallRow>, steps: ReadonlyArray<Store.Ledger.StepRow> = []) => ({
  run: row,
  calls,
  steps,
  waits: []
})

const errors = (thought: Thought.Thought, calls: ReadonlyArray<Store.Ledger.CallRow>) =>
  Thought.logs(thought, { mode: "errors", run: run(calls) })

const performance = (thought: Thought.Thought, calls: ReadonlyArray<Store.Ledger.CallRow>) =>
  Thought.logs(thought, { mode: "performance", run: run(calls) })

describe("a line of a note", () => {
  it.effect("has the verdict of triage, and the decision of an answer", () =>
    Effect.gen(function* () {
      const line = (source: string, value: unknown) =>
        Effect.map(
          Thought.make("test", { note: { content: JSON.stringify(value), source } }),
          (thought) => Thought.logs(thought)[0]
        )
      const triage = (value: unknown) => line("triage", value)
      assert.strictEqual(yield* triage({ safe: true, mode: "fast", tools: [] }), "note: safe, fast, tools: none")
      assert.strictEqual(
        yield* triage({ safe: true, mode: "deep", tools: ["a", "b"] }),
        "note: safe, deep, tools: a, b"
      )
      assert.strictEqual(yield* triage({ safe: true, mode: "deep" }), "note: safe, deep")
      assert.strictEqual(yield* triage({ safe: false, mode: "fast" }), "note: not safe")
      const sure = { confidence: 0.876, confidenceFrom: "model", reasoning: ["so"] }
      assert.strictEqual(yield* line("decide", { decision: false, ...sure }), "note: no (0.88)")
      assert.strictEqual(yield* line("categorize", { primary: "b", ...sure, distribution: { b: 1 } }), "note: b (0.88)")
      assert.strictEqual(
        yield* line("x", { a: 1, b: [2], confidence: 1, confidenceFrom: "model" }),
        `note: {"a":1,"b":[2]} (1)`
      )
      assert.strictEqual(yield* line("x", { decision: true, confidence: 1 }), `note: {"decision":true,"confidence":1}`)
    })
  )

  it.effect("of calls comes before what a model wrote after them, and has those of one round together", () =>
    Effect.gen(function* () {
      let thought: Thought.Thought<any> = yield* Thought.make("test", { message: "Hello" })
      for (const [id, round] of ["1", "1", "1", "2"].entries()) {
        const metadata = { tool_call: String(id), tool: `t${id}`, tool_round: round }
        thought = yield* Thought.append(thought, "guide.t", { content: "{}", source: "agent", metadata })
      }
      const calls = Thought.notes(thought).slice(1)
      const session = Session.append(
        thought.session,
        { role: "assistant", text: "calls", carries: calls.slice(0, 2).map(({ id }) => id) },
        { role: "assistant", text: "Wait." }
      )
      assert.deepStrictEqual(Thought.logs(Thought.withSession(thought, session)), [
        "message: Hello",
        "guide, round 1: calls t0, t1",
        "conversation: Wait.",
        "guide, round 1: calls t2",
        "guide, round 2: calls t3"
      ])
    })
  )
})

describe("a line of a signal", () => {
  const about = { runId: "run", thoughtId: "t", traceId: "t", path: ["a"], millis } as const
  const events: ReadonlyArray<readonly [string, Signal.Signal]> = [
    ["a: takes next", { ...about, _tag: "Routed", route: "next" }],
    ["a: takes no step", { ...about, _tag: "Routed", route: undefined }],
    [
      "a: attempt 2 failed with Overloaded, the next one after 1.5 s",
      { ...about, _tag: "AttemptFailed", attempt: 2, error: "Overloaded", waitMillis: 1500 }
    ],
    [
      "a: goes on without b, which failed with Broken",
      { ...about, _tag: "FailureIgnored", step: "b", error: "Broken" }
    ],
    ["a: b won", { ...about, _tag: "Won", branch: "b" }],
    ["a: seek found 1 note", { ...about, _tag: "NotesFound", search: "seek", matches: 1, pending: 0 }],
    ["a: waits for an answer to ok", { ...about, _tag: "Waiting", key: "ok" }],
    ["a: goes on in the background as t-2", { ...about, _tag: "Dispatched", backgroundId: "t-2" }]
  ]

  it.effect.each(events)("says what happened: %s", ([line, signal]) =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test")
      assert.deepStrictEqual(Thought.logs(thought, { signals: [signal] }), [line])
    })
  )

  it.effect("about a question gives way to the row of the question, which may have come too late", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test")
      const wait: Store.Ledger.WaitRow = {
        runId: "run",
        thoughtId: "t",
        frame: "/a",
        key: "ok",
        prompt: "May we?",
        schema: {},
        bound: "",
        createdMillis: millis,
        dueMillis: millis,
        answer: `{"late":true}`,
        answeredBy: undefined,
        answeredMillis: millis
      }
      const signals: ReadonlyArray<Signal.Signal> = [{ ...about, _tag: "Waiting", key: "ok" }]
      assert.deepStrictEqual(Thought.logs(thought, { signals, run: { ...run([]), waits: [wait] } }), [
        "ok: asks May we?",
        "ok: nobody answered in time"
      ])
    })
  )
})

describe("a line of a call", () => {
  const usages: ReadonlyArray<readonly [Provider.Usage, number | undefined, string]> = [
    [{}, undefined, "tokens unknown"],
    [{ reasoningTokens: 3 }, undefined, "tokens unknown"],
    [{ outputTokens: 5 }, undefined, "? tokens in, 5 out"],
    [{ inputTokens: 5 }, 0.25, "5 tokens in, ? out, 0.25 USD"],
    [{}, 0.1 + 0.2, "0.3 USD"]
  ]

  it.effect("says what is known of its tokens and its money", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test")
      for (const [usage, usd, words] of usages) {
        const signal: Signal.Signal = {
          _tag: "CallCompleted",
          provider: "house",
          model: "m-1",
          call: "complete",
          phase: "reason",
          sampling: {},
          usage,
          ...(usd === undefined ? {} : { usd }),
          durationMillis: 1500,
          runId: undefined,
          thoughtId: undefined,
          traceId: undefined,
          path: ["a"],
          millis
        }
        const [line] = Thought.logs(thought, { mode: "performance", signals: [signal] })
        assert.strictEqual(line, `a: complete, house, m-1, 1.5 s, ${words}`)
        const [stored] = performance(thought, [call({ usage, usd })])
        assert.strictEqual(
          stored,
          `/a #1: complete, house, m-1, answered, 20 ms${words === "tokens unknown" ? "" : `, ${words}`}`
        )
      }
    })
  )

  it.effect("says that tokens are unknown only where a model has answered", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test")
      const lines = performance(thought, [
        call({}),
        call({ n: 2, kind: "decide", state: "failed" }),
        call({ n: 3, kind: "decision", provider: undefined, model: undefined }),
        call({ n: 4, kind: "effect", provider: undefined, model: undefined })
      ])
      assert.deepStrictEqual(lines.slice(0, -1), [
        "/a #1: complete, house, m-1, answered, 20 ms, tokens unknown",
        "/a #2: decide, house, m-1, failed, 20 ms",
        "/a #3: decision, answered, 20 ms",
        "/a #4: effect, answered, 20 ms"
      ])
    })
  )

  it.effect("that failed says after how many attempts, if there was more than one", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test")
      assert.deepStrictEqual(
        errors(thought, [
          call({ state: "failed" }),
          call({ n: 2, state: "failed", attempt: 2 }),
          call({ n: 3, state: "interrupted", attempt: 3 }),
          call({ n: 4 })
        ]),
        [
          "/a #1: complete, house, m-1 failed",
          "/a #2: complete, house, m-1 failed after 2 attempts",
          "/a #3: complete, house, m-1 was interrupted, and its outcome is not known"
        ]
      )
    })
  )
})

describe("the places of a run that has stopped", () => {
  const sketch = (status: Store.Ledger.RunStatus, calls: ReadonlyArray<Store.Ledger.CallRow> = []) => ({
    ...run(calls, [
      step("/a", { endedMillis: millis + 30 }),
      step("/b", { endedMillis: millis + 10 }),
      step("/c", { kind: "commit", endedMillis: millis + 90 })
    ]),
    run: { ...row, status }
  })

  it("are those of calls of its last execution that have not ended, or of the step that has ended last", () => {
    const placed = (...given: Parameters<typeof sketch>) => placesOf(sketch(...given))
    assert.deepStrictEqual(placed("failed"), ["/a"])
    assert.deepStrictEqual(placed("failed", [call({ frame: "/b", state: "begun" })]), ["/b"])
    assert.deepStrictEqual(placed("failed", [call({ frame: "/b", state: "begun", epoch: 0 })]), ["/a"])
    assert.deepStrictEqual(placed("completed"), [])
  })
})
