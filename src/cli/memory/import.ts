/** `cogito memory import`: stores what `export` wrote. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { stat } from "node:fs/promises"
import { described } from "../console/described.ts"
import { MemoryError } from "../../Memory.ts"
import { makeInMemory } from "../../Store.ts"
import type { Store } from "../../Store.ts"
import { archiveOf, linesOf } from "./archive.ts"
import { CommandError, UsageError } from "../console/failure.ts"
import { counted, print, printJson, say } from "../console/output.ts"
import { migrateStore, scopedFlags, scopeOf } from "./place.ts"
import { counting, during } from "../console/progress.ts"

/** Whether the path can be read twice, with the same result; a named pipe cannot. */
const isRepeatable = (path: string): Effect.Effect<boolean> =>
  Effect.orElseSucceed(
    Effect.map(
      Effect.tryPromise(() => stat(path)),
      (found) => found.isFile() || found.isDirectory()
    ),
    () => true
  )

/** Reads all lines and stores none. Fails at the line at which an import would fail, as far as the lines alone show it. */
const check = (file: string, json: boolean) =>
  Effect.flatMap(makeInMemory, (store) =>
    run(linesOf(file), { ...store, restore: () => Effect.void }, "check", {
      progress: counting(json, (line) => `Checking the archive: ${counted(line, "line")} so far`),
      failed: () => "Nothing was imported."
    })
  )

interface Saying {
  readonly progress: (line: number) => Effect.Effect<void>
  /** What happened to the thoughts before the line that failed. */
  readonly failed: (before: number) => string
}

const run = Effect.fnUntraced(function* (
  lines: Stream.Stream<string, CommandError>,
  store: Store,
  scope: string,
  { failed, progress }: Saying
): Effect.fn.Return<{ readonly imported: number; readonly present: number }, CommandError | MemoryError> {
  let line = 0
  let stored = 0
  const watched = Stream.tap(lines, () => progress(++line))
  // together, so that a thought whose commit ends after the interruption counts as well
  const restore: Store["restore"] = (to, thought) =>
    Effect.uninterruptible(
      Effect.tap(
        store.restore(to, thought),
        Effect.sync(() => stored++)
      )
    )
  const asLine = (error: MemoryError): MemoryError | CommandError => {
    const { message, reason } = error
    const numbered = reason._tag === "InvalidArchive" || reason._tag === "ArchiveConflict"
    if (!numbered && reason._tag !== "TooLarge") return error
    return new CommandError({
      message: `${numbered ? "" : `Line ${line} of the archive: `}${message} ${failed(stored)}`
    })
  }
  return yield* archiveOf({ ...store, restore }, scope)
    .importLines(watched)
    .pipe(
      Effect.mapError((error) => (error instanceof MemoryError ? asLine(error) : error)),
      Effect.onInterrupt(() => say(`cogito: Stopped. ${failed(stored)}`))
    )
})

export const importCommand = Command.make(
  "import",
  {
    ...scopedFlags,
    file: Argument.String("file").pipe(
      Argument.withDescription("Where to read; without it, and for -, the standard input"),
      Argument.optional
    )
  },
  Effect.fnUntraced(function* ({ file, json, ...place }) {
    const scope = yield* scopeOf(place)
    yield* Option.isNone(file) && process.stdin.isTTY
      ? new UsageError({ message: "Name the file of the archive, or pipe one to the standard input." })
      : Effect.void
    const path = Option.getOrUndefined(Option.filter(file, (name) => name !== "-"))
    if (path !== undefined && (yield* isRepeatable(path))) yield* check(path, json)
    const { store } = yield* during(json, "Opening the memory")(migrateStore(place))
    const result = yield* run(linesOf(path), store, scope, {
      progress: counting(json, (line) => `Importing: ${counted(line, "line")} so far`),
      failed: (before) =>
        before === 0
          ? "Nothing was imported."
          : `The ${counted(before, "thought")} before that stay${before === 1 ? "s" : ""} imported; an import again goes on after ${before === 1 ? "it" : "them"}.`
    })
    if (json) {
      yield* printJson(result)
      return
    }
    yield* print(`Imported ${counted(result.imported, "thought")}; ${result.present} were there already.`)
    if (result.imported > 0) yield* say("Their notes are embedded by the next program that opens this memory.")
  }, Effect.scoped)
).pipe(
  Command.withShortDescription("Store the thoughts that export wrote; those that are there stay as they are"),
  Command.withDescription(
    described(
      "Store the thoughts that export wrote; those that are there stay as they are.",
      "The memory is made if there is none, and its schema brought up to date.",
      "A file is checked to its end before anything is stored.",
      "Each thought is stored whole or not at all, so an import that was stopped may be repeated.",
      "The notes have no vectors at first: the next program that opens the memory makes them."
    )
  ),
  Command.withExamples([
    { command: "npx cogito memory import backup.jsonl --data-dir .cogito/memory", description: "Into a folder" },
    { command: "gunzip -c acme.jsonl.gz | npx cogito memory import --scope acme", description: "Into a server's scope" }
  ])
)
