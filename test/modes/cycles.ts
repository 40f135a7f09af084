/** Conversations of so many cycles, for what they send. */
import { Effect } from "effect"
import { Session } from "cogito"
import { system, talking } from "./kit.ts"
import { making } from "./making.ts"
import { serveModes } from "./server.ts"

/** A text of so many tokens by the estimate of the library. */
export const sized = (tokens: number): string => "abcd".repeat(tokens)

/** How large the parts of a conversation are, in tokens: the query, an answer of the model, and what is said to that. */
export interface Sizes {
  readonly query: number
  readonly a: number
  readonly r: number
}

/** What a conversation begins with. */
export const baseOf = ({ query }: Sizes): number => Session.estimateTokens(system.text) + query

/** Has a conversation of `n` cycles with a server of this machine, and adds up what both sides count. */
export const cycles = (mode: "resume" | "replay", n: number, sizes: Sizes) =>
  Effect.gen(function* () {
    const server = yield* serveModes({ model: () => sized(sizes.a) })
    const provider = yield* making(server.baseUrl, { mode })
    const texts = [sized(sizes.query), ...Array.from({ length: n }, () => sized(sizes.r))]
    const { answers } = yield* talking(provider, texts)
    const total = <A>(all: ReadonlyArray<A>, pick: (one: A) => number | undefined) =>
      all.reduce((sum, one) => sum + (pick(one) ?? Number.NaN), 0)
    return {
      /** Tokens that the server has received. */
      received: total(server.requests, ({ sent }) => sent),
      bytes: total(server.requests, ({ bytes }) => bytes),
      /** Tokens that the model has read, as the server counts them. */
      read: total(server.requests, ({ processed }) => processed),
      /** What the answers say of both. */
      reported: total(answers, ({ sent }) => sent?.tokens),
      processed: total(answers, ({ usage }) => usage.inputTokens),
      each: server.requests.map(({ sent }) => sent),
      eachBytes: server.requests.map(({ bytes }) => bytes),
      sockets: server.opened(),
      count: server.requests.length
    }
  }).pipe(Effect.scoped)
