/** Providers that are changed in one place, as whole subjects of the contract. */
import { extend, type ProviderError, type Request, type Response, type Shape, type StreamPart } from "cogito/Provider"
import type { Testing } from "cogito/testing"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

export interface Mutation {
  readonly name: string
  readonly make: (make: Testing.MakeProvider) => Testing.MakeProvider
}

/** With another provider in front of the same backend. */
export const onProvider = (name: string, change: (provider: Shape) => Shape): Mutation => ({
  name,
  make: (make) => (backend) =>
    Effect.map(make(backend), ({ provider, ...subject }) => ({ ...subject, provider: change(provider) }))
})

/** With another backend behind the same provider. */
export const onBackend = (
  name: string,
  change: (subject: Testing.ProviderSubject) => Partial<Testing.ProviderSubject>
): Mutation => ({
  name,
  make: (make) => (backend) => Effect.map(make(backend), (subject) => ({ ...subject, ...change(subject) }))
})

export type Way = "complete" | "stream"
export const ways: ReadonlyArray<Way> = ["complete", "stream"]

/** Calls in one of the two ways are sent with another request. */
export const onRequest = (way: Way, name: string, change: (request: Request) => Request): Mutation =>
  onProvider(`${way}: request ${name}`, (provider) =>
    extend(provider, { [way]: (request: Request) => provider[way](change(request)) })
  )

/** Whole answers are others. */
export const onWhole = (name: string, change: (response: Response) => Response): Mutation =>
  onProvider(`complete: ${name}`, (provider) =>
    extend(provider, { complete: (request) => Effect.map(provider.complete(request), change) })
  )

/** Streams have other parts, or end otherwise. `change` is given all parts, and the error if the stream fails. */
export const onParts = (
  name: string,
  change: (
    parts: ReadonlyArray<StreamPart>,
    error: ProviderError | undefined
  ) => ReadonlyArray<StreamPart | ProviderError>
): Mutation =>
  onProvider(`stream: ${name}`, (provider) =>
    extend(provider, {
      stream: (request) => {
        const read = Effect.gen(function* () {
          const parts: Array<StreamPart> = []
          const collected = Stream.runForEach(provider.stream(request), (part) => Effect.sync(() => parts.push(part)))
          const result = yield* Effect.result(collected)
          const error = Result.isFailure(result) ? result.failure : undefined
          return change(parts, error)
        })
        return Stream.unwrap(Effect.map(read, Stream.fromIterable)).pipe(
          Stream.mapEffect((part) => ("_tag" in part && part._tag !== "ProviderError" ? Effect.succeed(part) : part))
        )
      }
    })
  )
