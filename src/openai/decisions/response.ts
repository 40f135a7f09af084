/** Answers of a decisions call, each checked against its question. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Endpoint, fail, named } from "../../http/Endpoint.ts"
import { type Body, requestIdOf } from "../../http/transport.ts"
import type { Answer, DecideResponse, ProviderError, Question } from "../../Provider.ts"
import { maybe, parse } from "../api/decoding.ts"
import { errorOf } from "../api/failure.ts"
import { limitsOf } from "../api/limits.ts"
import { toUsage } from "../responses/response.ts"
import { answerOf, labelsOf } from "./questions.ts"

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

/** How far from 1 the sum of probabilities may be. */
const tolerance = 0.02

/** The probability of each label, in their order; nothing where they are no distribution over these labels. */
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

/** The answer to a question; nothing where it is of another form. */
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

/** Decodes the body of an answer with a good status. */
export const decode = (
  { headers, text }: Body,
  questions: ReadonlyArray<Question>,
  endpoint: Endpoint,
  now: number
): Effect.Effect<DecideResponse, ProviderError> => {
  const body = parse(text)
  const usage = toUsage(body)
  const error = errorOf(body, headers, endpoint, now, usage)
  if (error !== undefined) return Effect.fail(error)
  const invalid = (message: string) =>
    Effect.fail(fail(endpoint, { _tag: "InvalidResponse", message }, { requestId: requestIdOf(headers), usage }))
  const decision = decodeDecision(body)
  if (Option.isNone(decision)) {
    return invalid(`${endpoint.host} sent something else than decisions: check baseUrl and the decisions option`)
  }
  const { answers: given, model } = decision.value
  if (given.length !== questions.length) {
    return invalid(`${endpoint.host} gave ${given.length} answers to ${questions.length} questions`)
  }
  const answers = questions.flatMap((question, i) => {
    const one = given[i]
    return (one && toAnswer(question, one)) ?? []
  })
  return answers.length === questions.length
    ? Effect.succeed({ answers, usage, ...named({ model }, endpoint), ...limitsOf(headers) })
    : invalid(`${endpoint.host} gave an answer that is none to its question, or no distribution`)
}
