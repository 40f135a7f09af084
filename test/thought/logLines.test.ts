/** Single lines of logs, of notes, signals and rows that are made by hand. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
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

const about = { runId: "run", thoughtId: "t", traceId: "t", path: ["a"], millis } as const

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

  it.effect("is a refusal only if triage wrote it", () =>
    Effect.gen(function* () {
      const verdict = (source: string, content: string) => ({ content, source })
      const unsafe = JSON.stringify({ safe: false, mode: "fast" })
      const notes = { a: verdict("triage", unsafe), b: verdict("decide", "not safe"), c: verdict("triage", "not safe") }
      assert.deepStrictEqual(errors(yield* Thought.make("test", notes), []), [
        "a: the message was judged not safe",
        "c: the message was judged not safe"
      ])
    })
  )

  it.effect("reports a failed tool only if it is the result of a call", () =>
    Effect.gen(function* () {
      const result = (metadata: Readonly<Record<string, string>>) => ({
        content: "No such\n file.",
        metadata: { tool: "read", ...metadata }
      })
      const thought = yield* Thought.make("test", {
        a: result({ tool_result: "1", tool_failed: "true" }),
        b: result({ tool_result: "2" }),
        c: result({ tool_result: "3", tool_failed: "false" }),
        d: result({ tool_failed: "true" }),
        e: result({ tool_call: "1", tool_failed: "true" })
      })
      assert.deepStrictEqual(errors(thought, []), ["a: read failed: No such file."])
    })
  )

  it.effect("of calls has its place among signals by its time, and a caller whose name has dots", () =>
    Effect.gen(function* () {
      let thought: Thought.Thought<any> = yield* Thought.make("test", { message: "Hello" })
      yield* TestClock.adjust(10)
      const metadata = { tool_call: "1", tool: "t" }
      thought = yield* Thought.append(thought, "team.guide.t", { content: "{}", source: "agent", metadata })
      const routed = (at: number, route: string): Signal.Signal => ({ ...about, _tag: "Routed", route, millis: at })
      assert.deepStrictEqual(Thought.logs(thought, { signals: [routed(5, "before"), routed(15, "after")] }), [
        "message: Hello",
        "a: takes before",
        "team.guide: calls t",
        "a: takes after"
      ])
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
      const signals: ReadonlyArray<Signal.Signal> = [
        { ...about, _tag: "Waiting", key: "ok" },
        { ...about, _tag: "Won", branch: "b", millis: millis + 5 }
      ]
      const waits = [{ ...wait, answeredMillis: millis + 10 }]
      assert.deepStrictEqual(Thought.logs(thought, { signals, run: { ...run([]), waits } }), [
        "ok: asks May we?",
        "a: b won",
        "ok: nobody answered in time"
      ])
    })
  )

  it.effect("has the kind of a step that has ended, and how", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test")
      const signals: ReadonlyArray<Signal.Signal> = [
        { ...about, _tag: "StepCompleted", kind: "decide", durationMillis: 20, notes: 1 },
        { ...about, _tag: "StepFailed", kind: "retry", durationMillis: 30, error: "Broken" }
      ]
      assert.deepStrictEqual(Thought.logs(thought, { mode: "performance", signals }).slice(0, -1), [
        "a: decide, 20 ms",
        "a: retry, failed with Broken, 30 ms"
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

  it.effect("comes after its step and before the steps inside, if they began at the same time", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test")
      const given = run([call({ usage: { inputTokens: 5 } })], [step("/a/b"), step("/a")])
      const lines = Thought.logs(thought, { mode: "performance", run: given })
      assert.deepStrictEqual(
        lines.slice(0, -1).map((line) => line.split(":")[0]),
        ["/a", "/a #1", "/a/b"]
      )
    })
  )

  it.effect("says of a call without a known outcome what it has used at most, if that is known", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test")
      const usage = { inputTokens: 5, outputTokens: 6 }
      const open = { state: "begun", endedMillis: undefined } as const
      const begun = "/a #1: complete, house, m-1, begun"
      assert.deepStrictEqual(performance(thought, [call({ ...open, usage })]), [
        `${begun}, at most 5 tokens in, 6 out`,
        "Total: 0 steps, 1 model call, + at most 5 tokens in, 6 out of 1 call without a known outcome"
      ])
      assert.deepStrictEqual(performance(thought, [call(open)]), [begun, "Total: 0 steps, 1 model call"])
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
          call({ n: 4, state: "interrupted", kind: "search", provider: undefined, model: undefined }),
          call({ n: 5 })
        ]),
        [
          "/a #1: complete, house, m-1 failed",
          "/a #2: complete, house, m-1 failed after 2 attempts",
          "/a #3: complete, house, m-1 was interrupted, and its outcome is not known",
          "/a #4: search was interrupted, and its outcome is not known"
        ]
      )
    })
  )
})

describe("a line of a step that failed", () => {
  it.effect("names its error, or an unknown one after a redaction, and comes before the end of the run", () =>
    Effect.gen(function* () {
      const steps = [
        step("/a/b", { outcome: "failed", error: "Timeout" }),
        step("/a/c", { outcome: "failed", kind: "decide" }),
        step("/a/d", { outcome: "interrupted" }),
        step("/a/e", { outcome: "waiting" }),
        step("/a")
      ]
      const given = { ...run([], steps), run: { ...row, error: "PipelineError" } }
      assert.deepStrictEqual(Thought.logs(yield* Thought.make("test"), { mode: "errors", run: given }), [
        "/a/b: step failed with Timeout",
        "/a/c: decide failed with an unknown error",
        "The run run failed with PipelineError."
      ])
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
    // a run that waits is only at its questions
    const wait = { frame: "/ask", answeredMillis: undefined } as Store.Ledger.WaitRow
    const begun = call({ frame: "/b", state: "begun" })
    const waits = [wait, { ...wait, frame: "/done", answeredMillis: millis }]
    assert.deepStrictEqual(placesOf({ ...sketch("waiting", [begun]), waits }), ["/ask"])
    assert.deepStrictEqual(placesOf({ ...sketch("running", [begun]), waits }), ["/b", "/ask"])
  })
})
