/** `cogito memory import`: stores what `export` wrote. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { createReadStream } from "node:fs"
import { archiveOf, progressEvery } from "../archive.ts"
import { CommandError } from "../failure.ts"
import { counted, print, printJson, say } from "../output.ts"
import { openStore, placeFlags, scopeOf } from "../place.ts"

const linesOf = (file: Option.Option<string>): Stream.Stream<string, CommandError> =>
  Stream.fromAsyncIterable<Uint8Array, CommandError>(
    Option.isSome(file) ? createReadStream(file.value) : process.stdin,
    (cause) => new CommandError({ message: "The archive cannot be read: check the file's name and rights.", cause })
  ).pipe(Stream.decodeText, Stream.splitLines)

export const importCommand = Command.make(
  "import",
  {
    ...placeFlags,
    file: Argument.String("file").pipe(
      Argument.withDescription("Where from; default, and -, the standard input"),
      Argument.optional
    )
  },
  Effect.fnUntraced(function* ({ file, json, ...place }) {
    const scope = yield* scopeOf(place)
    const store = yield* openStore(place, { create: true })
    let lines = 0
    const watched = linesOf(Option.filter(file, (name) => name !== "-")).pipe(
      Stream.tap(() => {
        lines += 1
        return lines % progressEvery === 0 ? say(`${counted(lines, "line")} so far.`) : Effect.void
      })
    )
    const result = yield* archiveOf(store, scope).importLines(watched)
    if (json) {
      yield* printJson(result)
      return
    }
    yield* print(`Imported ${counted(result.imported, "thought")}; ${result.present} were there already.`)
    if (result.imported > 0) yield* say("Their notes are embedded by the next program that opens this memory.")
  }, Effect.scoped)
).pipe(Command.withDescription("Store the thoughts that export wrote; one that is there already is left as it is"))
