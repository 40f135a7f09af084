/**
 * Finds what a sentence does in a message: it names a problem, asks for something, or only gives background (who
 * writes, how to reach them).
 */
import * as Effect from "effect/Effect"
import { negated } from "./evidence.ts"
import { type Mind, topTwo } from "./meaning.ts"

/** How near a sentence is to examples of each role. */
export interface Roles {
  readonly problem: number
  readonly request: number
  readonly background: number
}

const problem = [
  "It does not work.",
  "Something went wrong.",
  "I was charged twice.",
  "I cannot log in.",
  "It has been broken since yesterday.",
  "My order never arrived.",
  "The program shows an error.",
  "I have a problem."
]
const request = [
  "Please do this for me.",
  "I want my money back.",
  "Could you tell me how this works?",
  "I would like to have this feature.",
  "Where can I find it?",
  "Can you send me a new one?",
  "We need a solution."
]
const background = [
  "My name is Anna and I work for a company.",
  "Please reply to this e-mail address.",
  "I have been a customer for years.",
  "Thank you for your help.",
  "I look forward to your answer.",
  "We are a team of ten people.",
  "You can reach me by phone."
]

const backgroundMargin = 0.1

/** The roles of each sentence. */
export const rolesOf = (mind: Mind, sentences: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Roles>> =>
  Effect.map(mind.compare(sentences, [...problem, ...request, ...background]), (rows) =>
    rows.map((row) => ({
      problem: topTwo(row.slice(0, problem.length)),
      request: topTwo(row.slice(problem.length, problem.length + request.length)),
      background: topTwo(row.slice(problem.length + request.length))
    }))
  )

/** Whether a sentence clearly gives only background. */
const isBackground = (roles: Roles): boolean =>
  roles.background - Math.max(roles.problem, roles.request) > backgroundMargin

/**
 * The sentences that say more than background. If all are background, returns all of them. Negated ones stay:
 * "Nobody picks up the phone" is not a contact address.
 */
export const substance = (mind: Mind, sentences: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<string>> =>
  Effect.map(rolesOf(mind, sentences), (roles) => {
    const kept = sentences.filter((sentence, i) => {
      const own = roles[i]
      return negated(sentence) || (own !== undefined && !isBackground(own))
    })
    return kept.length === 0 ? sentences : kept
  })
