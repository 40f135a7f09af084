/** How a durable run records the calls of models. Other runs make them as they are. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ProviderError } from "./ProviderError.ts"
import type { DecideRequest, DecideResponse, Request, Response } from "./request.ts"
import type { Shape } from "./Shape.ts"

type Through<Q, A> = (
  provider: Shape,
  request: Q,
  call: Effect.Effect<A, ProviderError>
) => Effect.Effect<A, ProviderError>

export interface Remembering {
  /** The outcome of an earlier execution, or that of the call, which is recorded. */
  readonly complete: Through<Request, Response>
  readonly decide: Through<DecideRequest, DecideResponse>
  /** Whether an answer or an error is that of an earlier execution. */
  readonly isReplayed: (outcome: object) => boolean
}

export const Remembering = Context.Reference<Remembering | undefined>("cogito/Remembering", {
  defaultValue: () => undefined
})
