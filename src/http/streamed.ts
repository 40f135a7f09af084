/** Turns streams of server events into the pieces of an answer. They succeed only after the last event has arrived. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { errorAfter } from "../provider/spent.ts"
import type { ProviderError, Reason, StreamPart, Usage } from "../Provider.ts"
import { type Endpoint, fail } from "./Endpoint.ts"
import { limitsOf } from "./limits.ts"
import type { ServerEvent } from "./transport.ts"

/** The meaning of an event: one part, several, or none. Nothing follows `Done` and `Failed`. */
export type Step =
  | { readonly _tag: "Nothing" }
  | StreamPart
  | { readonly _tag: "Parts"; readonly parts: ReadonlyArray<StreamPart> }
  | { readonly _tag: "Failed"; readonly reason: Reason; readonly requestId?: unknown }

export const nothing: Step = { _tag: "Nothing" }

/** Several parts, or one, or none. */
export const several = (parts: ReadonlyArray<StreamPart>): Step =>
  parts.length === 0 ? nothing : { _tag: "Parts", parts }

const isLast = (step: Step): boolean =>
  step._tag === "Done" || step._tag === "Failed" || (step._tag === "Parts" && step.parts.at(-1)?._tag === "Done")

export const failed = (reason: Reason): Step => ({ _tag: "Failed", reason })

/** A stream with an event that the API does not allow there. `what` describes it, after the host's name. */
export const garbled = ({ host }: Endpoint, what: string): Step =>
  failed({ _tag: "InvalidResponse", message: `${host} sent ${what}` })

/** The end of a stream that was interrupted. */
const cut = ({ host }: Endpoint): Step =>
  failed({ _tag: "Truncated", message: `the stream of ${host} ended before the answer was complete: try again` })

/** Reads the events of one stream, in order. */
export interface Reader {
  readonly take: (event: ServerEvent) => Step
  /** The tokens known to be billed so far. */
  readonly usage: () => Usage
}

/**
 * The pieces of an answer, and at the end the whole answer with the rate limits.
 *
 * Fails with `Truncated` if the events end before the answer does. Every failure includes the tokens billed until then.
 */
export const streamed = (
  events: Stream.Stream<ServerEvent, ProviderError>,
  endpoint: Endpoint,
  read: () => Reader
): Stream.Stream<StreamPart, ProviderError> =>
  Stream.suspend(() => {
    const reader = read()
    let last: ServerEvent | undefined
    const limited = (part: StreamPart): StreamPart => {
      const limits = part._tag === "Done" && last ? limitsOf(last.headers, last.received) : {}
      return part._tag === "Done" ? { ...part, response: { ...part.response, ...limits } } : part
    }
    const toParts = (step: Step): Effect.Effect<ReadonlyArray<StreamPart>, ProviderError> => {
      switch (step._tag) {
        case "Nothing":
          return Effect.succeed([])
        case "Failed":
          return Effect.fail(fail(endpoint, step.reason, { headers: last?.headers, requestId: step.requestId }))
        case "Parts":
          return Effect.succeed(step.parts.map(limited))
        default:
          return Effect.succeed([limited(step)])
      }
    }
    return events.pipe(
      Stream.mapEffect((event) => Effect.sync(() => reader.take((last = event)))),
      Stream.concat(Stream.sync(() => cut(endpoint))),
      Stream.takeUntil(isLast),
      Stream.mapEffect(toParts),
      Stream.flattenIterable,
      Stream.mapError((error) => errorAfter(error, reader.usage()))
    )
  })
