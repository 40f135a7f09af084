/** `cogito memory optimize`: makes searches fast where there are many vectors. */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { described } from "../console/described.ts"
import type { OptimizedSpace } from "../../Memory.ts"
import { plain, print, printJson, table } from "../console/output.ts"
import { openStore, placeFlags } from "./place.ts"
import { during } from "../console/progress.ts"

const heads = ["EMBEDDER", "DIMENSIONS", "STATE", "VECTORS", "INDEX", "CHANGE"]

const rowOf = ({ change, dimensions, embedder, index, state, vectors }: OptimizedSpace): ReadonlyArray<string> => [
  plain(embedder),
  `${dimensions}`,
  state,
  `${vectors}`,
  index,
  change
]

export const optimizeCommand = Command.make(
  "optimize",
  {
    ...placeFlags,
    index: Flag.Literals("index", ["auto", "create", "drop"]).pipe(
      Flag.withMetavar("what"),
      Flag.withDescription("Index where it pays, always, or never (default: auto)"),
      Flag.withDefault("auto")
    )
  },
  Effect.fnUntraced(function* ({ index, json, ...place }) {
    const store = yield* openStore(place, "changed")
    const spaces = yield* during(json, "Looking after the indexes of vectors")(store.optimize({ index }))
    if (json) {
      yield* printJson({ spaces })
      return
    }
    yield* print(
      spaces.length === 0
        ? "There are no vectors yet: no embedder has opened this memory."
        : table([heads, ...spaces.map(rowOf)])
    )
  }, Effect.scoped)
).pipe(
  Command.withShortDescription("Make searches fast where there are many vectors"),
  Command.withDescription(
    described(
      "Make or drop the indexes of vectors (HNSW), for all scopes.",
      "It also takes the statistics that the database plans by. Run it after large imports, and now and then.",
      "An index takes a minute or more to make; notes cannot be embedded meanwhile.",
      "Searches find as many matches with it as without. VECTORS are those of the scope that has most."
    )
  ),
  Command.withExamples([
    { command: "npx cogito memory optimize", description: "As it is best, on the server of DATABASE_URL" },
    {
      command: "npx cogito memory optimize --index drop --data-dir .cogito/memory",
      description: "Exact searches again"
    }
  ])
)
