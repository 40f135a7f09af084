/** Reports for tests of the page. */
import { Data, Effect, Layer, Schema } from "effect"
import { Note, Pipeline, Primitive, Step, Thought } from "../../src/index.ts"
import { Report } from "../../src/report/index.ts"
import { Testing } from "../../src/testing/index.ts"

class TillClosed extends Data.TaggedError("TillClosed") {
  override readonly message = "The till is closed until 9 am."
}

const message = Note.handle("message", Schema.String)
const decide = (key: string) => Primitive.decide(key, { question: `Is it ${key}?` })

const model = Testing.scripted(() => ({ decision: true, confidence: 0.9, reasoning: ["It is down."] }))
const provided = Effect.provide(Layer.merge(model.layer, Testing.memory))

const begin = (text = "The shop is down!") => Thought.make("answer the mail", { message: text }, { traceId: "mail-1" })

/** A run that fails in one of its steps, after a choice. */
export const failed: Effect.Effect<Report.RunReport, unknown> = Effect.gen(function* () {
  const pays = Step.make("pays", { run: Note.from(message, () => Effect.fail(new TillClosed())) })
  const pipeline = Pipeline.sequence("mail", [
    decide("urgent"),
    Pipeline.switch("way", {
      on: Note.from(decide("urgent"), ({ decision }) => (decision ? "refund" : "reply")),
      branches: { refund: Pipeline.sequence("refund", [pays]), reply: decide("polite") }
    })
  ])
  const { id } = yield* Effect.tap(begin(), (thought) =>
    Effect.exit(Pipeline.run(pipeline, thought, { durable: { id: "run-1" } }))
  )
  return yield* Report.collect(id)
}).pipe(provided)

/** A run that waits for a person. */
export const waiting: Effect.Effect<Report.RunReport, unknown> = Effect.gen(function* () {
  const pipeline = Pipeline.sequence("mail", [
    decide("urgent"),
    Primitive.approve("approved", { prompt: "May we refund 49.90 EUR to Dana?" })
  ])
  const thought = yield* begin()
  yield* Effect.exit(Pipeline.run(pipeline, thought, { durable: { id: "run-1" } }))
  return yield* Report.collect(thought.id)
}).pipe(provided)

/** A run that waits although its question was answered: nobody has resumed it yet. */
export const answered: Effect.Effect<Report.RunReport, unknown> = Effect.gen(function* () {
  const thought = yield* begin()
  const approved = Primitive.approve("approved", { prompt: "May we refund 49.90 EUR to Dana?" })
  yield* Effect.exit(Pipeline.run(approved, thought, { durable: { id: "run-1" } }))
  yield* Pipeline.answer("run-1", "approved", { approved: true })
  return yield* Report.collect(thought.id)
}).pipe(provided)

/** A run whose questions the model answers natively, without a message in the conversation. */
export const native: Effect.Effect<Report.RunReport, unknown> = Effect.gen(function* () {
  const steps = Pipeline.sequence("mail", [decide("urgent"), decide("angry")])
  yield* Pipeline.run(steps, yield* begin(), { durable: { id: "run-1", keep: "answers" } })
  return yield* Report.collect({ runId: "run-1" })
}).pipe(
  Effect.provide(
    Layer.merge(
      Testing.scripted([], { decide: () => [{ _tag: "Predicate", name: "decision", probability: 0.9 }] }).layer,
      Testing.memory
    )
  )
)

/** A run that is not durable. */
export const notDurable: Effect.Effect<Report.RunReport, unknown> = Effect.gen(function* () {
  const done = yield* Pipeline.run(Pipeline.sequence("mail", [decide("urgent"), decide("angry")]), yield* begin())
  return yield* Report.collect(done.id)
}).pipe(provided)

export const hostileTexts = [
  "<script>window.hacked = 1</script>",
  "</script><script>window.hacked = 2</script>",
  `<img src="x" onerror="window.hacked = 3">`,
  `<svg onload="window.hacked = 4"><a href="javascript:window.hacked = 5">x</a>`,
  "<!--<script>window.hacked = 6//-->",
  "]]>\u2028window.hacked = 7\u2029",
  "safe\u202etxet desrever\u202c \u2066isolated\u2069",
  `<note 1 key="message">\n<b onmouseover="window.hacked = 8">x</b>\n</note 1>`,
  `<link rel="stylesheet" href="https://example.com/x.css"><iframe src="https://example.com"></iframe>`
]

/** Notes, keys, questions and an intent that try to be more than texts. */
export const hostile: Effect.Effect<Report.RunReport, unknown> = Effect.gen(function* () {
  const name = `<img src=x onerror="window.hacked = 9">`
  const notes = Object.fromEntries(hostileTexts.map((text, at) => [`${name.slice(0, 30)}${at}`, text]))
  const thought = yield* Thought.make(`</title>${hostileTexts[1]}`, notes, { traceId: `<b>${hostileTexts[0]}</b>` })
  const pipeline = Pipeline.sequence(name, [
    Primitive.decide("urgent", { question: `Is it ${hostileTexts[1]}?` }),
    Primitive.approve("approved", { prompt: hostileTexts[2]! })
  ])
  yield* Effect.exit(Pipeline.run(pipeline, thought, { durable: { id: hostileTexts[0]!, keep: "answers" } }))
  return yield* Report.collect(thought.id)
}).pipe(provided)

const words =
  "invoice refund parcel login password crash update delivery kettle toaster courier plan price order".split(" ")

/** A report with many notes, of some 300 characters each. */
export const many = (count: number): Effect.Effect<Report.RunReport, unknown> =>
  Effect.map(notDurable, (report) => {
    const [first] = report.notes
    const [thought] = report.thoughts
    const text = (at: number) => Array.from({ length: 45 }, (_, i) => words[(at * 7 + i * i) % words.length]).join(" ")
    const notes = Array.from({ length: count }, (_, at) => ({
      ...first!,
      id: `01a218f4-21cd-7816-9bd7-${at.toString(16).padStart(12, "0")}`,
      seq: at + 1,
      key: `note-${at}`,
      content: at === 7654 ? `${text(at)} Kilimanjaro` : text(at)
    }))
    return { ...report, notes, thoughts: [{ ...thought!, notes: notes.map((_, at) => at) }] }
  })
