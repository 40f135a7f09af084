/**
 * Decides closed questions over chat completions. The model is asked for one token, the letter of a label. The
 * probabilities are those of the tokens that it might have written there.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Reading, readWhole } from "../../http/answers.ts"
import { maybe } from "../../http/decoding.ts"
import { type Endpoint, fail } from "../../http/Endpoint.ts"
import type { Answer, DecideResponse, ProviderError, Question, Reason } from "../../Provider.ts"
import type { Client, Target } from "../api/client.ts"
import { toUsage } from "../api/usage.ts"
import { toMessages } from "../chat/messages.ts"
import { toLimit } from "../chat/request.ts"
import { answerOf, labelsOf, type Way } from "../../provider/decisions.ts"

/** OpenAI lists at most this many tokens, so a further label could never be seen. */
const mostTokens = 20
/** If the labels have less than this together, the model was about to write something else. */
const leastShare = 0.5

const letters = "ABCDEFGHIJKLMNOPQRST"

// -------------------------------------------------------------------------------------------------------- questions

const put = (question: Question): string => {
  const labels = labelsOf(question)
  if (labels === undefined) return `${question.question}\nAnswer with one word and nothing else: yes or no.`
  const lines = labels.map(
    ({ description, label }, i) => `${letters[i]}: ${label}${description ? ` - ${description}` : ""}`
  )
  return `${question.question}\n${lines.join("\n")}\nAnswer with the letter in front of your choice and nothing else.`
}

/** The tokens that stand for the answers, in the form in which they are compared. */
const tokensOf = (question: Question): ReadonlyArray<string> =>
  labelsOf(question)?.map((_, i) => letters[i] ?? "") ?? ["yes", "no"]

/**
 * A token without the marks of tokenizers for a space in front of it. Words become lower case, single letters stay as
 * they are.
 */
const toToken = (token: string): string => {
  const bare = token.replace(/^[\s\u2581\u0120]+|\s+$/g, "")
  return bare.length === 1 ? bare : bare.toLowerCase()
}

// ---------------------------------------------------------------------------------------------------------- answers

const Completion = Schema.Struct({
  id: maybe(Schema.String),
  model: maybe(Schema.String),
  choices: Schema.NonEmptyArray(
    Schema.Struct({
      finish_reason: maybe(Schema.String),
      message: maybe(Schema.Struct({ refusal: maybe(Schema.String) })),
      logprobs: maybe(
        Schema.Struct({
          content: maybe(
            Schema.Array(
              Schema.Struct({
                top_logprobs: maybe(Schema.Array(Schema.Struct({ token: Schema.String, logprob: Schema.Finite })))
              })
            )
          )
        })
      )
    })
  )
})

const decodeCompletion = Schema.decodeUnknownOption(Completion)

/**
 * The probability of each token, from the listed ones. A token that is not listed is at most as probable as the least
 * listed one, and all such tokens together have at most what the list leaves. Each gets the smaller of these bounds.
 */
const sharesOf = (
  tokens: ReadonlyArray<string>,
  listed: ReadonlyArray<{ readonly token: string; readonly logprob: number }>
): ReadonlyArray<number> | undefined => {
  const all = listed.map(({ logprob, token }) => ({ token: toToken(token), share: Math.min(1, Math.exp(logprob)) }))
  const found = tokens.map((token) => {
    const same = all.filter((one) => one.token === token)
    return same.length === 0 ? undefined : same.reduce((sum, { share }) => sum + share, 0)
  })
  if (found.reduce<number>((sum, share) => sum + (share ?? 0), 0) < leastShare) return undefined
  const left = Math.max(0, 1 - all.reduce((sum, { share }) => sum + share, 0))
  const missing = found.filter((share) => share === undefined).length
  const bound = Math.min(left / missing, ...all.map(({ share }) => share))
  return found.map((share) => share ?? bound)
}

const toAnswer = (question: Question, shares: ReadonlyArray<number>): Answer => {
  if (question._tag !== "Predicate") return answerOf(question, shares)
  const [yes = 0, no = 0] = shares
  return { _tag: "Predicate", name: question.name, probability: yes / (yes + no) }
}

const unsupported = (what: string): Reason => ({
  _tag: "Unsupported",
  message: `${what}: leave out the decisions option`
})

const taken = (answer: Answer) => ({ answers: [answer], probabilitiesFrom: "logprobs" as const })

const readingOf = (
  question: Question
): Reading<typeof Completion.Type, Pick<DecideResponse, "answers" | "probabilitiesFrom">> => ({
  decode: decodeCompletion,
  usage: toUsage,
  expected: "a chat completion with log-probabilities",
  take: ({ choices: [{ finish_reason, logprobs, message }] }, { host }) => {
    const { name } = question
    if (message?.refusal || finish_reason === "content_filter") {
      return taken({ _tag: "Refusal", name, message: `the model declined to answer ${name}` })
    }
    const listed = logprobs?.content?.[0]?.top_logprobs ?? []
    if (listed.length === 0) return unsupported(`${host} tells no log-probabilities of this model`)
    const shares = sharesOf(tokensOf(question), listed)
    return shares === undefined
      ? unsupported("the model does not begin its answer with a label, as models that reason first do not")
      : taken(toAnswer(question, shares))
  }
})

// ------------------------------------------------------------------------------------------------------------ calls

/** If log-probabilities are refused, this way of deciding is unsupported. Another way may still work. */
const refusedAs = (error: ProviderError, endpoint: Endpoint): ProviderError => {
  const { reason } = error
  if (reason._tag !== "InvalidRequest" || !/^(top_)?logprobs$/.test(reason.parameter ?? "")) return error
  return fail(endpoint, unsupported(`${endpoint.host} gives no log-probabilities of this model`), error)
}

export const logprobs = ({ ask, endpoint }: Client, target: Target): Way => ({
  mostQuestions: 1,
  mostLabels: mostTokens,
  ask: ({ messages, task }) => {
    const [question] = task.questions
    if (question === undefined) return Effect.succeed({ answers: [], usage: {} })
    return ask((client, signal) =>
      client.chat.completions.create(
        {
          model: target.model,
          messages: [...toMessages(messages, target), { role: "user", content: put(question) }],
          logprobs: true,
          top_logprobs: mostTokens,
          ...toLimit(1, target),
          ...(target.official && { store: false }),
          ...(target.cacheKey !== undefined && { prompt_cache_key: target.cacheKey })
        },
        { signal }
      )
    ).pipe(
      Effect.flatMap((answer) => readWhole(readingOf(question), answer, endpoint)),
      Effect.mapError((error) => refusedAs(error, endpoint))
    )
  }
})
