/** `cogito memory export`: the thoughts of a scope as lines of JSON. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { described } from "../console/described.ts"
import { archiveOf } from "./archive.ts"
import type { CommandError } from "../console/failure.ts"
import { counted, print, printJson, say } from "../console/output.ts"
import { openStore, scopedFlags, scopeOf } from "./place.ts"
import { counting } from "../console/progress.ts"
import { writeWhole } from "../console/writeWhole.ts"

type Write = (line: string) => Effect.Effect<void, CommandError>

export const exportCommand = Command.make(
  "export",
  {
    ...scopedFlags,
    file: Argument.String("file").pipe(
      Argument.withDescription("Where to write; without it, and for -, to the standard output"),
      Argument.optional
    )
  },
  Effect.fnUntraced(function* ({ file, json, ...place }) {
    const scope = yield* scopeOf(place)
    const store = yield* openStore(place)
    const progress = counting(json, (count) => `Exporting: ${counted(count, "thought")} so far`)
    let thoughts = -1
    const run = (write: Write) =>
      Stream.runForEach(archiveOf(store, scope).exportLines(), (line) => {
        // the first line says the format
        thoughts += 1
        return Effect.andThen(write(line), progress(thoughts))
      })
    const path = Option.getOrUndefined(Option.filter(file, (name) => name !== "-"))
    if (path === undefined) {
      yield* run(print)
      yield* json ? Effect.void : say(`Exported ${counted(thoughts, "thought")}.`)
      return
    }
    yield* Effect.onInterrupt(writeWhole(path, run), () => say("cogito: Stopped. No file was written."))
    yield* json ? printJson({ exported: thoughts, file: path }) : say(`Exported ${counted(thoughts, "thought")}.`)
  }, Effect.scoped)
).pipe(
  Command.withShortDescription("Write the thoughts of a scope as lines of JSON, as a backup or to move them"),
  Command.withDescription(
    described(
      "Write the thoughts of a scope as lines of JSON, as a backup or to move them.",
      "import stores them in another memory, of any kind. Texts come back exactly; vectors are left out and made again.",
      "A file is there whole or not at all, readable by you only; one of that name is replaced.",
      "With --json and a file the result says how many thoughts it has."
    )
  ),
  Command.withExamples([
    { command: "npx cogito memory export backup.jsonl --data-dir .cogito/memory", description: "A folder's thoughts" },
    { command: "npx cogito memory export --scope acme | gzip > acme.jsonl.gz", description: "A tenant's, packed" }
  ])
)
