import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import type { ProviderError } from "../provider/ProviderError.ts"
import type { Response, StreamPart } from "../provider/request.ts"

/** A stream whose end is reported. A stream that its reader left counts as interrupted; a defect is not reported. */
export const watched = (
  stream: Stream.Stream<StreamPart, ProviderError>,
  report: {
    readonly completed: (response: Response) => Effect.Effect<void, ProviderError>
    readonly failed: (error: ProviderError) => Effect.Effect<void, ProviderError>
    readonly unended: Effect.Effect<void, ProviderError>
    readonly interrupted: (pieces: ReadonlyArray<string>) => Effect.Effect<void>
  }
): Stream.Stream<StreamPart, ProviderError> =>
  Stream.suspend(() => {
    const pieces: Array<string> = []
    let isReported = false
    return stream.pipe(
      Stream.tapError((error) => {
        isReported = true
        return report.failed(error)
      }),
      Stream.tap((part) => {
        if (part._tag === "Text") pieces.push(part.delta)
        if (part._tag !== "Done") return Effect.void
        isReported = true
        return report.completed(part.response)
      }),
      // a stream that ends before the whole answer is a failure to its reader
      Stream.concat(
        Stream.suspend(() => {
          if (isReported) return Stream.empty
          isReported = true
          return Stream.drain(Stream.fromEffect(report.unended))
        })
      ),
      Stream.onExit((exit) => {
        const isOver = isReported || (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause))
        return isOver ? Effect.void : report.interrupted(pieces)
      })
    )
  })
