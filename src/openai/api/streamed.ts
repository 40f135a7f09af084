/** Streams of events as streams of an answer's pieces, which succeed only when the last event has come. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Endpoint, fail } from "../../http/Endpoint.ts"
import { requestIdOf, type ServerEvent } from "../../http/transport.ts"
import type { ProviderError, Reason, StreamPart, Usage } from "../../Provider.ts"
import { errorAfter } from "../../provider/spent.ts"
import { limitsOf } from "./limits.ts"

/** What an event of a stream means. Nothing comes after `Done` and `Failed`. */
export type Step = { readonly _tag: "Nothing" } | StreamPart | { readonly _tag: "Failed"; readonly reason: Reason }

export const nothing: Step = { _tag: "Nothing" }

/** Reads the events of one stream, in their order. */
export interface Reader {
  readonly take: (event: ServerEvent, now: number) => Step
  /** What is known to be billed so far. */
  readonly usage: () => Usage
}

/** The end of a stream that broke off. */
const cut = ({ host }: Endpoint): Step => ({
  _tag: "Failed",
  reason: { _tag: "Truncated", message: `the stream of ${host} ended before the answer was complete: try again` }
})

const isEnd = ({ _tag }: Step): boolean => _tag === "Done" || _tag === "Failed"

export const streamed = (
  events: Stream.Stream<ServerEvent, ProviderError>,
  endpoint: Endpoint,
  read: () => Reader
): Stream.Stream<StreamPart, ProviderError> =>
  Stream.suspend(() => {
    const reader = read()
    let headers: Headers | undefined
    const toPart = (step: Step): Effect.Effect<StreamPart | undefined, ProviderError> => {
      switch (step._tag) {
        case "Nothing":
          return Effect.undefined
        case "Failed":
          return Effect.fail(fail(endpoint, step.reason, { requestId: headers && requestIdOf(headers) }))
        case "Done":
          return Effect.succeed({ ...step, response: { ...step.response, ...(headers && limitsOf(headers)) } })
        default:
          return Effect.succeed(step)
      }
    }
    return events.pipe(
      Stream.mapEffect((event) =>
        Effect.clockWith((clock) =>
          Effect.sync(() => {
            headers = event.headers
            return reader.take(event, clock.currentTimeMillisUnsafe())
          })
        )
      ),
      Stream.concat(Stream.sync(() => cut(endpoint))),
      Stream.takeUntil(isEnd),
      Stream.mapEffect(toPart),
      Stream.filter((part) => part !== undefined),
      Stream.mapError((error) => errorAfter(error, reader.usage()))
    )
  })
