/** Exports and imports of a store without an embedder. The next memory on the store embeds imported notes. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createReadStream } from "node:fs"
import type { Readable } from "node:stream"
import type { Store } from "../../Store.ts"
import { makeLifecycle } from "../../memory/archive/lifecycle.ts"
import { CommandError } from "../console/failure.ts"

export const archiveOf = (store: Store, scope: string) => makeLifecycle(store, Effect.succeed(scope), () => {})

/** The pieces of a stream. Unlike the stream's own iterator, this one can be closed while it waits for more. */
const piecesOf = (readable: Readable): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => {
    const pieces: AsyncIterator<Uint8Array> = readable[Symbol.asyncIterator]()
    return {
      next: () => pieces.next(),
      return: () => {
        readable.destroy()
        return Promise.resolve({ done: true, value: undefined })
      }
    }
  }
})

/** The lines of a file, or of the standard input. */
export const linesOf = (file: string | undefined): Stream.Stream<string, CommandError> =>
  Stream.suspend(() =>
    Stream.fromAsyncIterable<Uint8Array, CommandError>(
      piecesOf(file === undefined ? process.stdin : createReadStream(file)),
      (cause) => new CommandError({ message: "The archive cannot be read: check the file's name and rights.", cause })
    )
  ).pipe(Stream.decodeText, Stream.splitLines)
