import { assert, describe, it } from "@effect/vitest"
import { Data, Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Note, Pipeline, Primitive, Session, Step, Thought } from "cogito"
import { Report } from "cogito/report"
import { Testing } from "cogito/testing"

const message = Note.handle("message", Schema.String)
const urgent = Primitive.decide("urgent", { question: "Is it urgent?" })
const gist = Primitive.analyze("gist", {
  schema: Schema.Struct({ gist: Schema.String }),
  prompt: Note.from(message, () => "Say it in short.")
})
const pipeline = Pipeline.sequence("mail", [
  urgent,
  Step.make("noted", { run: Note.from(message, () => undefined) }).pipe(
    Step.when("is long", (thought) => thought.length > 100, Primitive.reflect("long"))
  ),
  gist
])
const answers = [{ decision: true, confidence: 0.9, reasoning: ["It is down."] }, { gist: "It is down." }]

class TillClosed extends Data.TaggedError("TillClosed") {
  override readonly message = "The till is closed."
}

const withModel = (replies: Parameters<typeof Testing.scripted>[0]) =>
  Effect.provide(Layer.merge(Testing.scripted(replies).layer, Testing.memory))

const start = Thought.make("triage", { message: "The shop is down!" }, { traceId: "mail-1", taskId: "mails" })

describe("Report.collect", () => {
  it.effect("has the thought, its notes and its conversation", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 second")
      const done = yield* Pipeline.run(pipeline, yield* start)
      const report = yield* Report.collect({ traceId: "mail-1" })
      assert.deepStrictEqual(report, JSON.parse(JSON.stringify(report)))
      assert.deepStrictEqual(report.focus, { thoughtId: done.id })
      const [thought] = report.thoughts
      assert.deepInclude(thought, { id: done.id, traceId: "mail-1", taskId: "mails", intent: "triage" })
      assert.strictEqual(thought?.createdMillis, 1000)
      assert.deepStrictEqual(thought?.notes, [0, 1, 2])
      const [first, second, third] = report.notes
      for (const { thoughtId } of report.notes) assert.strictEqual(thoughtId, done.id)
      assert.deepInclude(first, { key: "message", content: "The shop is down!", source: "user", trust: "untrusted" })
      assert.deepInclude(second, { key: "urgent", step: "mail/urgent", derivedFrom: [first!.id] })
      assert.deepStrictEqual(
        thought?.entries.map(({ carries, role }) => [role, carries]),
        [
          ["user", [first!.id]],
          ["assistant", [second!.id]],
          ["user", []],
          ["assistant", [third!.id]]
        ]
      )
      assert.deepStrictEqual(report.runs, [])
    }).pipe(withModel(answers))
  )

  it.effect("of a run is about the run, and the thought that it has come to", () =>
    Effect.gen(function* () {
      const first = yield* Pipeline.run(urgent, yield* start, { durable: { id: "run-1" } })
      yield* Pipeline.run(gist, first, { durable: { id: "run-2" } })
      const report = yield* Report.collect({ runId: "run-1" })
      assert.deepStrictEqual(report.focus, { thoughtId: first.id, runId: "run-1" })
      assert.deepStrictEqual(report.runs.map(({ id }) => id).toSorted(), ["run-1", "run-2"])
      assert.strictEqual((yield* Report.collect({ runId: "run-2" })).focus.runId, "run-2")
      const error = yield* Effect.flip(Report.collect({ runId: "run-3" }))
      assert.strictEqual(error.reason._tag, "NotFound")
      assert.strictEqual(error.message, 'There is no run "run-3" in this scope.')
    }).pipe(withModel(answers))
  )

  it("refuses what names neither a thought nor a run", () => {
    const wrong: any = { id: "run-1" }
    assert.throws(
      () => Report.collect(wrong),
      /with its traceId, or with the runId of a durable run, as its first argument/
    )
  })

  it.effect("has the steps, calls and outline of durable runs, and what was sent where answers are kept", () =>
    Effect.gen(function* () {
      yield* Pipeline.run(pipeline, yield* start, { durable: { id: "run-1", keep: "answers" } })
      const report = yield* Report.collect({ traceId: "mail-1" })
      const [run] = report.runs
      assert.strictEqual(report.focus.runId, "run-1")
      assert.deepInclude(run, { id: "run-1", status: "completed", pipeline: "mail", keep: "answers", endSeq: 3 })
      assert.include(
        run?.steps.map(({ path, outcome }) => `${path.join("/")} ${outcome}`) ?? [],
        "mail/urgent completed"
      )
      const asked = run?.calls.filter(({ kind }) => kind === "complete") ?? []
      assert.deepStrictEqual(
        asked.map(({ path }) => path),
        [
          ["mail", "urgent"],
          ["mail", "gist"]
        ]
      )
      const sent = asked.map((call) => call.sent?.map((at) => report.messages[at]?.text ?? "") ?? [])
      assert.include(sent[0]?.at(-1), "Is it urgent?")
      // the second request begins with the instructions of the first one, which are kept once
      assert.strictEqual(sent[1]?.[0], sent[0]?.[0])
      assert.strictEqual(asked[1]?.sent?.[0], asked[0]?.sent?.[0])
      assert.strictEqual(new Set(report.messages.map(({ text }) => text)).size, report.messages.length)
      assert.deepStrictEqual(JSON.parse(asked[1]?.answer ?? ""), answers[1])
      assert.deepStrictEqual(run?.outline?.children.map(({ kind, name }) => `${name} ${kind}`).at(-1), "gist analyze")
    }).pipe(withModel(answers))
  )

  it.effect("has the sampling that a call was sent with, if any", () =>
    Effect.gen(function* () {
      const careful = Primitive.decide("careful", {
        question: "Is it urgent?",
        sampling: { temperature: 0, maxTokens: 50 }
      })
      yield* Pipeline.run(Pipeline.sequence("mail", [urgent, careful]), yield* start, {
        durable: { id: "run-1", keep: "answers" }
      })
      const report = yield* Report.collect({ runId: "run-1" })
      const calls = report.runs[0]?.calls.filter(({ kind }) => kind === "complete") ?? []
      assert.deepStrictEqual(
        calls.map(({ sampling }) => sampling),
        [undefined, "temperature 0, maxTokens 50"]
      )
    }).pipe(withModel([answers[0]!, answers[0]!]))
  )

  it.effect("has messages of one text apart that have different roles", () =>
    Effect.gen(function* () {
      const thought = yield* start
      const talk = Session.append(
        thought.session,
        { role: "user", text: "Go on." },
        { role: "assistant", text: "Go on." },
        { role: "user", text: "Go on." }
      )
      yield* Pipeline.run(urgent, Thought.withSession(thought, talk), { durable: { id: "run-1", keep: "answers" } })
      const report = yield* Report.collect({ runId: "run-1" })
      const call = report.runs[0]?.calls.find(({ kind }) => kind === "complete")
      const sent = call?.sent?.map((at) => report.messages[at]) ?? []
      assert.deepStrictEqual(
        sent.filter((message) => message?.text === "Go on.").map((message) => message?.role),
        ["user", "assistant", "user"]
      )
      assert.lengthOf(report.messages, new Set(call?.sent).size)
    }).pipe(withModel(answers))
  )

  it.effect("says why a run failed, and what it waits for", () =>
    Effect.gen(function* () {
      const asks = Pipeline.sequence("refund", [
        Pipeline.waitFor("approved", { schema: Schema.Boolean, prompt: "Refund 49.90 EUR?" })
      ])
      yield* Effect.flip(Pipeline.run(asks, yield* Thought.make("refund"), { durable: { id: "waits" } }))
      const failing = Step.make("fails", { run: () => Effect.fail(new TillClosed()) })
      yield* Effect.flip(Pipeline.run(failing, yield* Thought.make("fail"), { durable: { id: "fails" } }))
      const waits = yield* reportOfRun("waits")
      assert.deepInclude(waits.runs[0], { status: "waiting" })
      assert.deepInclude(waits.runs[0]?.waits[0], { key: "approved", prompt: "Refund 49.90 EUR?" })
      yield* TestClock.adjust("3 seconds")
      yield* Pipeline.answer("waits", "approved", true, { by: "ann" })
      const answered = (yield* reportOfRun("waits")).runs[0]?.waits[0]
      assert.deepInclude(answered, { frame: "/refund/approved", path: ["refund", "approved"] })
      assert.deepInclude(answered, { answer: '{"value":true}', answeredBy: "ann", answeredMillis: 3000 })
      const fails = yield* reportOfRun("fails")
      assert.deepInclude(fails.runs[0], { status: "failed", error: "TillClosed" })
      assert.deepInclude(fails.runs[0]?.calls[0], { state: "failed", failure: "TillClosed. The till is closed." })
    }).pipe(withModel([]))
  )

  it.effect("keeps redacted notes redacted, in requests and answers too", () =>
    Effect.gen(function* () {
      const done = yield* Pipeline.run(pipeline, yield* start, { durable: { keep: "answers" } })
      yield* Effect.flatMap(Memory.Memory, (memory) => memory.redact(done.note("message")!))
      const report = yield* Report.collect(done.id)
      assert.isNumber(report.notes[0]?.redactedMillis)
      const text = JSON.stringify(report)
      for (const word of ["The shop", "It is down"]) assert.notInclude(text, word)
      assert.notInclude(Report.html(report), "The shop")
    }).pipe(withModel(answers))
  )

  it.effect("has forks and repetitions, and a limit", () =>
    Effect.gen(function* () {
      yield* Pipeline.run(pipeline, yield* start, { durable: { id: "run-1", keep: "answers" } })
      const again = yield* Pipeline.rerun(pipeline, "run-1", { id: "run-2", from: "gist" })
      const report = yield* Report.collect(again.thought.id)
      assert.deepStrictEqual(
        report.thoughts.map(({ relation }) => relation),
        ["focus", "ancestor"]
      )
      assert.deepStrictEqual(report.focus.runId, "run-2")
      assert.deepStrictEqual(report.runs[0]?.parent, { runId: "run-1", relation: "rerun", from: "gist" })
      assert.deepStrictEqual(report.leftOut, { thoughts: false, runs: false })
      const first = yield* Report.collect({ traceId: "mail-1" })
      assert.deepStrictEqual(
        first.thoughts.map(({ relation }) => relation),
        ["focus", "descendant"]
      )
      assert.strictEqual(first.focus.runId, "run-1")
      // the option names another run than the one that the report is looked up by
      const other = yield* Report.collect({ runId: "run-1" }, { runId: "run-2" })
      assert.strictEqual(other.focus.runId, "run-2")
      // as many as the limit are all
      const all = yield* Report.collect({ traceId: "mail-1" }, { limit: 2 })
      assert.deepStrictEqual([all.thoughts.length, all.runs.length], [2, 2])
      assert.deepStrictEqual(all.leftOut, { thoughts: false, runs: false })
      const cut = yield* Report.collect({ traceId: "mail-1" }, { limit: 1 })
      assert.lengthOf(cut.thoughts, 1)
      assert.lengthOf(cut.runs, 1)
      assert.deepStrictEqual(cut.leftOut, { thoughts: true, runs: true })
    }).pipe(withModel([...answers, { gist: "Down again." }]))
  )

  it.effect("has the run of its thought, however many newer runs began there", () =>
    Effect.gen(function* () {
      const done = yield* Pipeline.run(urgent, yield* start, { durable: { id: "run-1", keep: "answers" } })
      for (const text of ["one", "two", "three", "four"]) {
        yield* TestClock.adjust("1 second")
        yield* Pipeline.rerun(urgent, "run-1", { id: `again-${text}`, notes: { message: text } })
      }
      for (const ref of [done.id, { traceId: "mail-1" }]) {
        const report = yield* Report.collect(ref, { limit: 2 })
        assert.deepStrictEqual(report.focus, { thoughtId: done.id, runId: "run-1" })
        // the newest first
        assert.deepStrictEqual(
          report.runs.map(({ id }) => id),
          ["again-four", "run-1"]
        )
        assert.isTrue(report.leftOut.runs)
      }
      const one = yield* Report.collect(done.id, { limit: 1 })
      assert.deepStrictEqual(
        one.runs.map(({ id }) => id),
        ["run-1"]
      )
    }).pipe(withModel(Array.from({ length: 5 }, () => answers[0]!)))
  )

  it.effect("is about the thought at the end of a run, even if that is a fork", () =>
    Effect.gen(function* () {
      const forgetful = Pipeline.sequence("forgetful", [Primitive.forget("without", { drop: ["message"] })])
      const begun = yield* start
      const done = yield* Pipeline.run(forgetful, begun, { durable: { id: "run-1" } })
      assert.notStrictEqual(done.id, begun.id)
      const report = yield* Report.collect({ runId: "run-1" })
      assert.deepStrictEqual(report.focus, { thoughtId: done.id, runId: "run-1" })
    }).pipe(withModel([]))
  )

  it.effect("has the other forks of the thought that a thought was forked from, and theirs", () =>
    Effect.gen(function* () {
      const fork = (of: Thought.Thought<any>) => Effect.flatMap(Thought.fork(of), Memory.commit)
      const root = yield* Memory.commit(yield* start)
      const [own, other] = [yield* fork(root), yield* fork(root)]
      const [below, beside] = [yield* fork(own), yield* fork(other)]
      const related = Effect.fnUntraced(function* (id: string, limit: number) {
        const { leftOut, thoughts } = yield* Report.collect(id, { limit })
        return [thoughts.map((one) => [one.id, one.relation]), leftOut.thoughts]
      })
      const all = [
        [own.id, "focus"],
        [root.id, "ancestor"],
        [below.id, "descendant"],
        [other.id, "sibling"],
        [beside.id, "sibling"]
      ]
      assert.deepStrictEqual(yield* related(own.id, 5), [all, false])
      assert.deepStrictEqual(yield* related(own.id, 4), [all.slice(0, 4), true])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("keeps the nearest ancestors where there are more than the limit", () =>
    Effect.gen(function* () {
      let thought = yield* start
      const ids: Array<string> = []
      for (let forks = 0; forks < 4; forks++) {
        const stored = yield* Memory.commit(thought)
        ids.push(stored.id)
        thought = yield* Thought.fork(stored)
      }
      const { id } = yield* Memory.commit(thought)
      const cut = yield* Report.collect(id, { limit: 3 })
      assert.sameMembers(
        cut.thoughts.map((one) => one.id),
        [id, ...ids.slice(-2)]
      )
      assert.isTrue(cut.leftOut.thoughts)
      const all = yield* Report.collect(id, { limit: 5 })
      assert.sameMembers(
        all.thoughts.map((one) => one.id),
        [id, ...ids]
      )
      assert.isFalse(all.leftOut.thoughts)
      assert.lengthOf((yield* Report.collect(id, { limit: 1 })).thoughts, 1)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("refuses a limit that the command refuses too", () =>
    Effect.gen(function* () {
      const { id } = yield* start
      for (const limit of [0, -1, 1.5, 501, Number.NaN]) {
        const { reason } = yield* Effect.flip(Report.collect(id, { limit }))
        assert.strictEqual(reason._tag, "Query")
        assert.strictEqual(reason.message, "The limit of a report must be a whole number from 1 to 500.")
      }
    }).pipe(withModel([]))
  )

  it.effect("fails for a thought that is not stored", () =>
    Effect.gen(function* () {
      const { reason } = yield* Effect.flip(Report.collect({ traceId: "other" }))
      assert.strictEqual(reason._tag, "NotFound")
    }).pipe(withModel([]))
  )
})

const reportOfRun = (runId: string) =>
  Effect.gen(function* () {
    const run = (yield* Pipeline.runs()).find(({ id }) => id === runId)!
    return yield* Report.collect((run.end ?? run.start).thoughtId, { runId })
  })
