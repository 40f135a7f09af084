/** Whole answers, decoded without trust in what the server sends. */
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { ProviderError, Reason, Usage } from "../Provider.ts"
import { parse } from "./decoding.ts"
import { type Endpoint, fail, named } from "./Endpoint.ts"
import { errorOf } from "./failure.ts"
import { limitsOf } from "./limits.ts"
import type { Body } from "./transport.ts"

/** How the answers of one kind of call are read. */
export interface Reading<A, B> {
  readonly decode: (body: unknown) => Option.Option<A>
  readonly usage: (body: unknown) => Usage
  /** A description of the expected answer, with advice. It follows "did not send". */
  readonly expected: string
  /** The result of an answer, or why the answer is invalid. */
  readonly take: (answer: A, endpoint: Endpoint) => B | Reason
}

const isReason = (taken: object): taken is Reason => "_tag" in taken

/** Reads the body of a successful response. A failure includes the tokens billed. */
export const readWhole = <A extends { readonly id?: string | null; readonly model?: string | null }, B extends object>(
  { decode, expected, take, usage: usageOf }: Reading<A, B>,
  answer: Body,
  endpoint: Endpoint
) => {
  const body = parse(answer.text)
  const usage = usageOf(body)
  const failed = (reason: Reason): Effect.Effect<never, ProviderError> =>
    Effect.fail(fail(endpoint, reason, { headers: answer.headers, usage }))
  const error = errorOf(body, answer, endpoint, usage)
  if (error !== undefined) return Effect.fail(error)
  const decoded = decode(body)
  if (decoded._tag === "None") {
    return failed({ _tag: "InvalidResponse", message: `${endpoint.host} did not send ${expected}` })
  }
  const taken = take(decoded.value, endpoint)
  if (isReason(taken)) return failed(taken)
  return Effect.succeed({
    ...taken,
    usage,
    ...named(decoded.value, endpoint),
    ...limitsOf(answer.headers, answer.received)
  })
}
