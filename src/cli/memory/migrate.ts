/** `cogito memory migrate`: makes a memory, or brings its schema up to date. */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import { print, printJson, say } from "../output.ts"
import { openStore, placeFlags } from "../place.ts"

export const migrateCommand = Command.make(
  "migrate",
  placeFlags,
  Effect.fnUntraced(function* ({ json, ...place }) {
    yield* say("Bringing the schema up to date.")
    const store = yield* openStore(place, { create: true })
    const spaces = yield* store.spaces
    if (json) {
      yield* printJson({ migrated: true, spaces })
      return
    }
    yield* print("The memory's schema is up to date.")
    for (const { dimensions, embedder, state } of spaces) {
      yield* print(`Vectors of ${embedder}, ${dimensions} dimensions: ${state}`)
    }
  }, Effect.scoped)
).pipe(Command.withDescription("Make a memory, or bring its schema up to date"))
