/** `cogito memory migrate`: makes a memory, or brings its schema up to date. */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { described } from "../console/described.ts"
import { counted, print, printJson } from "../console/output.ts"
import { migrateStore, placeFlags } from "./place.ts"
import { during } from "../console/progress.ts"

export const migrateCommand = Command.make(
  "migrate",
  placeFlags,
  Effect.fnUntraced(function* ({ json, ...place }) {
    const { steps, store } = yield* during(json, "Bringing the schema up to date")(migrateStore(place))
    const spaces = yield* store.spaces
    if (json) {
      yield* printJson({ steps, spaces })
      return
    }
    yield* print(
      steps.length === 0
        ? "The memory's schema was up to date."
        : `The memory's schema is up to date: ${counted(steps.length, "step")} made.`
    )
    for (const { dimensions, embedder, state } of spaces) {
      yield* print(`Vectors of ${embedder}, ${dimensions} dimensions: ${state}`)
    }
  }, Effect.scoped)
).pipe(
  Command.withShortDescription("Make a memory, or bring its schema up to date"),
  Command.withDescription(
    described(
      "Make a memory, or bring its schema up to date.",
      "Run it once for a new database or folder, and after each update of cogito; programs that open the memory do the same.",
      "All of it is done or nothing, and once more changes nothing.",
      "Older versions of cogito refuse the memory from then on."
    )
  ),
  Command.withExamples([
    { command: "npx cogito memory migrate --data-dir .cogito/memory", description: "A memory in a folder" },
    { command: "DATABASE_URL=postgres://app@localhost/app npx cogito memory migrate", description: "On a server" }
  ])
)
