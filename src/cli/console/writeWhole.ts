/** Writing a file whole or not at all. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import { type FileHandle, open, realpath, rename, rm, stat } from "node:fs/promises"
import { constants } from "node:fs"
import { CommandError } from "./failure.ts"

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "unknown error"

const files = <A>(run: () => Promise<A>): Effect.Effect<A, CommandError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new CommandError({
        message: `The file cannot be written (${codeOf(cause)}): check its folder, rights and space.`,
        cause
      })
  })

/** Opens a named pipe for writing once it has a reader. The system itself would wait for one in a way that nothing can end. */
const openPipe = (path: string): Effect.Effect<FileHandle, CommandError> =>
  Effect.retry(
    files(() => open(path, constants.O_WRONLY | constants.O_NONBLOCK)),
    { schedule: Schedule.spaced("100 millis"), while: ({ cause }) => codeOf(cause) === "ENXIO" }
  )

const close = (handle: FileHandle) => Effect.ignore(Effect.tryPromise(() => handle.close()))

/**
 * Writes lines into a draft beside the file, which takes the file's place once it is complete.
 *
 * **Details**
 *
 * If the name is a link, the file that it leads to is replaced and not the link. A device or a pipe is written to directly.
 */
export const writeWhole = Effect.fnUntraced(
  function* <E, R>(
    path: string,
    run: (write: (line: string) => Effect.Effect<void, CommandError>) => Effect.Effect<void, E, R>
  ): Effect.fn.Return<void, E | CommandError, R | Scope.Scope> {
    const target = Option.getOrElse(yield* Effect.option(files(() => realpath(path))), () => path)
    const there = yield* Effect.option(files(() => stat(target)))
    yield* Option.isSome(there) && there.value.isDirectory()
      ? new CommandError({ message: "The file cannot be written: it is a folder. Name a file in it." })
      : Effect.void
    const direct = Option.isSome(there) && !there.value.isFile()
    const draft = direct ? target : `${target}.${randomUUID()}.part`
    if (!direct) yield* Effect.addFinalizer(() => Effect.promise(() => rm(draft, { force: true })))
    // this one does not wait in its writes either, so another one writes; both end together, as the reader would take one for all
    if (Option.isSome(there) && there.value.isFIFO()) {
      yield* Effect.acquireRelease(openPipe(target), close, { interruptible: true })
    }
    const file = yield* Effect.acquireRelease(
      files(() => open(draft, direct ? "w" : "wx", 0o600)),
      close
    )
    yield* run((line) => Effect.asVoid(files(() => file.appendFile(`${line}\n`))))
    if (!direct) {
      yield* files(() => file.sync())
      yield* files(() => rename(draft, target))
    }
  },
  (effect) => Effect.scoped(effect)
)
