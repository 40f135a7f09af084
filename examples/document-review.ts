// Runs offline: the answers are scripted, because writing needs a language model. `npm run document-review`
/**
 * Review of a document by several reviewers at the same time, and a revision of it until it is good enough.
 *
 * `converge` runs the reviewers in parallel on the same document. No reviewer sees what another says, one may fail, and one
 * more call combines their findings into a single recommendation. `amplify` then revises the text, round by round, until a
 * check says that the criteria hold. To use a real model, replace the scripted provider; nothing else changes.
 */
import { Console, Effect, Layer, Schema } from "effect"
import { Note, Pipeline, Primitive, Provider, Thought } from "cogito"
import { Testing } from "cogito/testing"

// ------------------------------------------------------------------------------------------------------- the pipeline

/** What every review reads: the document, as somebody wrote it. */
const document = Note.handle("document", Schema.String)

const gaps = Primitive.analyze("gaps", {
  schema: Schema.Struct({
    missing: Schema.Array(Schema.String).annotate({
      description: "What a reader needs to know but the document does not say"
    })
  }),
  prompt: "Find what a reader needs to know but this document does not say."
})

const tone = Primitive.assess("tone", { question: "How will the document sound to the people it is meant for?" })

const binding = Primitive.decide("binding", { question: "Does the document promise anything that could be enforced?" })

const review = Primitive.converge("review", {
  branches: { gaps, tone, law: binding },
  prompt: "Say in at most three sentences what the author should change, the most important first.",
  minSuccesses: 2
})

const revised = Primitive.amplify("revised", {
  source: document,
  refine: Note.prompt`Revise the document as the review asks: ${Note.from(review, ({ synthesis }) => synthesis)}`,
  criteria: "It says when, where and whom to ask, in at most four sentences, and it does not threaten.",
  rounds: 3
})

const pipeline = Pipeline.sequence("document review", [review, revised])

// ------------------------------------------------------------------------------------------------------ the documents

const notice = `To all tenants. The water will be turned off. Anybody who has not filled a bucket by then has only
themselves to blame. We guarantee that the work will be finished on time.`

// -------------------------------------------------------------------------------------------------- the scripted model

const stated = { confidence: 0.9, reasoning: ["The text says so."] }
const drafts = [
  "Dear tenants, the water will be off for repairs on Tuesday from 9 to 12. Please fill a bucket, or else.",
  `Dear tenants, the water in house 4 will be off for repairs on Tuesday, 3 March, from about 9 to 12.
Please keep some water ready for that time. The caretaker, Ms Okafor, answers your questions at 555-0142.`
]

/** Answers each kind of request as a model would. The law review fails, as if its service were down. */
const answers = () => {
  let draft = 0
  return Testing.scripted(({ task }) => {
    if (task.kind === "analyze") return { missing: ["the date and the hours", "which house", "whom to ask"] }
    if (task.kind === "assess") {
      const scores = { positive: 0, negative: 0.8, neutral: 0.2 }
      return { overall: "negative", scores, emotions: ["anger"], ...stated }
    }
    if (task.kind === "decide") {
      const reason = { _tag: "Overloaded", message: "the service is down" } as const
      return Effect.fail(new Provider.ProviderError({ provider: "scripted", model: "script", reason }))
    }
    if (task.kind === "converge") return "Say when, where and whom to ask. Leave out the threat."
    if (task.questions.length === 0) return drafts[draft++]
    return draft < drafts.length
      ? { decision: false, confidence: 0.8, reasoning: ["It names nobody to ask.", '"Or else" is a threat.'] }
      : { decision: true, ...stated }
  })
}

// ------------------------------------------------------------------------------------------------------------ the run

/** Indents text from others as a block, so that it cannot look like our own output. Control characters are made visible. */
const block = (text: string): string => Note.visible(text).replaceAll(/^/gm, "  | ")

const line = (text: string): string => Note.visible(text, { oneLine: true })

const model = answers()

const program = Effect.gen(function* () {
  const done = yield* Pipeline.run(pipeline, yield* Thought.make("review a notice", { document: notice }))
  const { branches, synthesis } = done.get("review")
  const { completed, content, reasoning, rounds } = done.get("revised")

  yield* Console.log(`The document\n\n${block(notice)}\n\nThe reviews\n`)
  for (const { error, keys, name, outcome } of branches) {
    yield* Console.log(
      `  ${name.padEnd(6)} ${outcome === "success" ? `wrote ${keys.join(", ")}` : `failed: ${line(error ?? "")}`}`
    )
  }
  yield* Console.log(
    `\nTogether\n\n${block(synthesis)}\n\nThe revision, ${completed ? "good" : "given up"} after ${rounds} rounds`
  )
  yield* Console.log(`\n${block(content)}\n\n  last check: ${line(reasoning.join(" "))}\n`)
  yield* Console.log(
    `${model.requests.length} calls, ${Thought.notes(done).length} notes: ` +
      Thought.notes(done)
        .map(({ key, step }) => (step === "" ? key : `${key} (${step})`))
        .join(", ")
  )
})

await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(model.layer, Testing.memory))))
