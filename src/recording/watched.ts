import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import type { ProviderError } from "../provider/ProviderError.ts"
import type { Response, StreamPart } from "../provider/request.ts"

/** A stream whose end is reported. A stream that its reader left counts as interrupted; a defect is not reported. */
export const watched = (
  stream: Stream.Stream<StreamPart, ProviderError>,
  told: {
    readonly completed: (response: Response) => Effect.Effect<void, ProviderError>
    readonly failed: (error: ProviderError) => Effect.Effect<void, ProviderError>
    readonly unended: Effect.Effect<void, ProviderError>
    readonly interrupted: (pieces: ReadonlyArray<string>) => Effect.Effect<void>
  }
): Stream.Stream<StreamPart, ProviderError> =>
  Stream.suspend(() => {
    const pieces: Array<string> = []
    let isTold = false
    return stream.pipe(
      Stream.tapError((error) => {
        isTold = true
        return told.failed(error)
      }),
      Stream.tap((part) => {
        if (part._tag === "Text") {
          pieces.push(part.delta)
          return Effect.void
        }
        isTold = true
        return told.completed(part.response)
      }),
      // a stream that ends before the whole answer is a failure to its reader
      Stream.concat(
        Stream.suspend(() => {
          if (isTold) return Stream.empty
          isTold = true
          return Stream.drain(Stream.fromEffect(told.unended))
        })
      ),
      Stream.onExit((exit) => {
        const isOver = isTold || (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause))
        return isOver ? Effect.void : told.interrupted(pieces)
      })
    )
  })
