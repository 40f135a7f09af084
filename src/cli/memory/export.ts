/** `cogito memory export`: the thoughts of a scope as lines of JSON. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { open, rename, rm } from "node:fs/promises"
import { archiveOf, progressEvery } from "../archive.ts"
import { CommandError } from "../failure.ts"
import { counted, print, say } from "../output.ts"
import { openStore, placeFlags, scopeOf } from "../place.ts"

type Write = (line: string) => Effect.Effect<void, CommandError>

const files = <A>(run: () => Promise<A>): Effect.Effect<A, CommandError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new CommandError({ message: "The file cannot be written: check its folder, rights and space.", cause })
  })

/** Writes into a draft beside the file, which takes the file's place once it is complete. */
const toFile = Effect.fnUntraced(function* (
  path: string,
  run: (write: Write) => Effect.Effect<void, unknown>
): Effect.fn.Return<void, unknown, Scope.Scope> {
  const draft = `${path}.${process.pid}.part`
  yield* Effect.acquireRelease(Effect.void, () => Effect.promise(() => rm(draft, { force: true })))
  const file = yield* Effect.acquireRelease(
    files(() => open(draft, "wx", 0o600)),
    (handle) => Effect.ignore(Effect.tryPromise(() => handle.close()))
  )
  yield* run((line) => Effect.asVoid(files(() => file.appendFile(`${line}\n`))))
  yield* files(() => file.sync())
  yield* files(() => rename(draft, path))
})

export const exportCommand = Command.make(
  "export",
  {
    ...placeFlags,
    file: Argument.String("file").pipe(
      Argument.withDescription("Where to; default, and -, the standard output"),
      Argument.optional
    )
  },
  Effect.fnUntraced(function* ({ file, ...place }) {
    const scope = yield* scopeOf(place)
    const store = yield* openStore(place)
    let thoughts = -1
    const run = (write: Write) =>
      Stream.runForEach(archiveOf(store, scope).exportLines(), (line) => {
        // the first line says the format
        thoughts += 1
        const progress = thoughts > 0 && thoughts % progressEvery === 0
        return Effect.andThen(write(line), progress ? say(`${counted(thoughts, "thought")} so far.`) : Effect.void)
      })
    const path = Option.filter(file, (name) => name !== "-")
    yield* Option.isSome(path) ? toFile(path.value, run) : run(print)
    yield* say(`Exported ${counted(thoughts, "thought")}.`)
  }, Effect.scoped)
).pipe(Command.withDescription("Write the thoughts of a scope as lines of JSON (with or without --json)"))
