/** A store's exports and imports, which need no embedder: what is imported is embedded by the next memory on the store. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { createReadStream } from "node:fs"
import type { Readable } from "node:stream"
import type { Store } from "../../Store.ts"
import { makeLifecycle } from "../../memory/archive/lifecycle.ts"
import { CommandError } from "../console/failure.ts"

export const archiveOf = (store: Store, scope: string) => makeLifecycle(store, Effect.succeed(scope), () => {})

/** What a stream gives. Its own iterator would wait for more before it can be closed. */
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
