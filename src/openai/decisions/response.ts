/** Reads the answers of a decisions call, and checks each against its question. */
import * as Schema from "effect/Schema"
import type { Reading } from "../../http/answers.ts"
import { maybe } from "../../http/decoding.ts"
import type { Answer, Question } from "../../Provider.ts"
import { toUsage } from "../api/usage.ts"
import { answerOf, labelsOf } from "../../provider/decisions.ts"

const Probability = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

const Given = Schema.Union([
  Schema.Struct({ type: Schema.Literal("refusal"), name: Schema.String }),
  Schema.Struct({ type: Schema.Literal("predicate"), name: Schema.String, probability: Probability }),
  Schema.Struct({
    type: Schema.Literal("choice"),
    name: Schema.String,
    choice: Schema.String,
    probabilities: Schema.Array(Schema.Struct({ value: Schema.String, probability: Probability }))
  }),
  Schema.Struct({
    type: Schema.Literal("score"),
    name: Schema.String,
    probabilities: Schema.Array(Schema.Struct({ label: Schema.String, probability: Probability }))
  })
])

const Decision = Schema.Struct({ model: maybe(Schema.String), answers: Schema.Array(Given) })

const decodeDecision = Schema.decodeUnknownOption(Decision)

/** How far the sum of probabilities may be from 1. */
const tolerance = 0.02

/** The probability of each label, in order. Undefined if they are no distribution over these labels. */
const ordered = (
  question: Question,
  given: ReadonlyArray<{ readonly label: string; readonly probability: number }>
): ReadonlyArray<number> | undefined => {
  const labels = labelsOf(question) ?? []
  const byLabel = new Map(given.map(({ label, probability }) => [label, probability]))
  const probabilities = labels.flatMap(({ label }) => byLabel.get(label) ?? [])
  const sum = probabilities.reduce((a, b) => a + b, 0)
  const fits = given.length === labels.length && probabilities.length === labels.length
  return fits && Math.abs(sum - 1) <= tolerance ? probabilities : undefined
}

/** The answer to a question. Undefined if it has another form. */
const toAnswer = (question: Question, given: typeof Given.Type): Answer | undefined => {
  const { name } = question
  if (given.name !== name) return undefined
  if (given.type === "refusal") return { _tag: "Refusal", name, message: `the model declined to answer ${name}` }
  if (question._tag === "Predicate") {
    return given.type === "predicate" ? { _tag: "Predicate", name, probability: given.probability } : undefined
  }
  if (question._tag === "Choice" && given.type === "choice") {
    const probabilities = ordered(
      question,
      given.probabilities.map(({ probability, value }) => ({ label: value, probability }))
    )
    const isLabel = question.labels.some(({ label }) => label === given.choice)
    return probabilities && isLabel ? answerOf(question, probabilities, given.choice) : undefined
  }
  if (question._tag === "Score" && given.type === "score") {
    const probabilities = ordered(question, given.probabilities)
    return probabilities && answerOf(question, probabilities)
  }
  return undefined
}

/** How the answers to these questions are read. */
export const readingOf = (
  questions: ReadonlyArray<Question>
): Reading<typeof Decision.Type, { readonly answers: ReadonlyArray<Answer> }> => ({
  decode: decodeDecision,
  usage: toUsage,
  expected: "decisions: check baseUrl and the decisions option",
  take: ({ answers: given }, { host }) => {
    const answers = questions.flatMap((question, i) => {
      const one = given[i]
      return (one && toAnswer(question, one)) ?? []
    })
    if (given.length === questions.length && answers.length === questions.length) return { answers }
    const message =
      given.length === questions.length
        ? `${host} gave an answer that does not fit its question, or no distribution`
        : `${host} gave ${given.length} answers to ${questions.length} questions`
    return { _tag: "InvalidResponse", message }
  }
})
