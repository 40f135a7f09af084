/** What steps use to make calls. Constructors of providers are in another file, as steps do not need them. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ProviderError } from "./ProviderError.ts"
import type { DecideRequest, DecideResponse, Request, Response } from "./request.ts"
import type { Shape } from "./Shape.ts"

/**
 * The provider in use.
 *
 * @category services
 */
export class Provider extends Context.Service<Provider, Shape>()("cogito/Provider") {}

/**
 * The id of the thought that a call is made for, if there is one. It is no part of the request, so it is not in keys of caches
 * and recordings, and a hint only: what a connection already has is found by the contents of messages.
 */
export const Conversation = Context.Reference<string | undefined>("cogito/Conversation", {
  defaultValue: () => undefined
})

type Through<Q, A> = (
  provider: Shape,
  request: Q,
  call: Effect.Effect<A, ProviderError>
) => Effect.Effect<A, ProviderError>

/** How a durable run records the calls of models. Other runs make them as they are. */
export interface Remembering {
  /** The outcome of an earlier execution, or that of the call, which is recorded. */
  readonly complete: Through<Request, Response>
  readonly decide: Through<DecideRequest, DecideResponse>
  /** Answers with which their question has failed, although the calls have not: a failed run that is resumed asks it again. */
  readonly unusable: (answers: ReadonlyArray<object>) => Effect.Effect<void>
  /** Whether an answer or an error is that of an earlier execution. */
  readonly isReplayed: (outcome: object) => boolean
}

export const Remembering = Context.Reference<Remembering | undefined>("cogito/Remembering", {
  defaultValue: () => undefined
})

/** How to forget answers that a cache keeps, by their usage: layers copy answers, but pass the usage on. */
export const forgetting = new WeakMap<Response["usage"], Effect.Effect<void>>()

/** The usage in place of that of an answer, which can be forgotten by either. */
export const inPlaceOf = (before: Response["usage"], usage: Response["usage"]): Response["usage"] => {
  const forget = forgetting.get(before)
  if (forget !== undefined) forgetting.set(usage, forget)
  return usage
}
