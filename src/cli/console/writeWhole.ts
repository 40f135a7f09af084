/** A file that is written whole or not at all. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import { open, realpath, rename, rm, stat } from "node:fs/promises"
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

/**
 * Writes lines into a draft beside the file, which takes the file's place once it is complete. What a name leads to is
 * replaced and not the link; what is no file, as a device or a pipe, is written to as it is.
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
    const file = yield* Effect.acquireRelease(
      files(() => open(draft, direct ? "w" : "wx", 0o600)),
      (handle) => Effect.ignore(Effect.tryPromise(() => handle.close()))
    )
    yield* run((line) => Effect.asVoid(files(() => file.appendFile(`${line}\n`))))
    if (!direct) {
      yield* files(() => file.sync())
      yield* files(() => rename(draft, target))
    }
  },
  (effect) => Effect.scoped(effect)
)
