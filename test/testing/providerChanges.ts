/** Providers with one change each. */
import { extend, type ProviderError, type Request, type Response, type Shape, type StreamPart } from "cogito/Provider"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"

export interface Mutant {
  readonly name: string
  readonly mutate: (provider: Shape) => Shape
}

export type Parts = Stream.Stream<StreamPart, ProviderError>

/** With other requests than were made. */
export const onRequest = (change: (request: Request) => Request) => (provider: Shape) =>
  extend(provider, {
    complete: (request) => provider.complete(change(request)),
    stream: (request) => provider.stream(change(request))
  })

/** With whole answers, and streams, that end otherwise. */
export const onEnd =
  (change: {
    readonly complete?: (call: Effect.Effect<Response, ProviderError>, request: Request) => typeof call
    readonly stream?: (parts: Parts, request: Request) => Parts
  }) =>
  (provider: Shape) =>
    extend(provider, {
      complete: (request) => change.complete?.(provider.complete(request), request) ?? provider.complete(request),
      stream: (request) => change.stream?.(provider.stream(request), request) ?? provider.stream(request)
    })
