/** `cogito memory search`: the notes that match a text best, with the thoughts that they are from. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { described } from "../console/described.ts"
import type { Match, SearchResult } from "../../Memory.ts"
import { searchable } from "./embedder.ts"
import { block, counted, fold, plain, print, printJson, say } from "../console/output.ts"
import { openStore, scopedFlags, scopeOf } from "./place.ts"

/** A match has at most so many thoughts of copies. */
const most = 20

const matchLines = (
  { alsoIn = [], copies, note, score, similarity, thought }: Match,
  index: number,
  byMeaning: boolean
): string => {
  const head = fold(
    [
      `${index + 1}.`,
      `${plain(note.key)} #${note.seq}`,
      DateTime.formatIso(note.created),
      `score ${score.toFixed(3)}`,
      ...(byMeaning ? [`similarity ${similarity.toFixed(2)}`] : []),
      ...(copies > 1 ? [`${copies} copies`] : [])
    ].join("  ")
  )
  const task = thought.taskId === undefined ? "" : `, task ${plain(thought.taskId)}`
  const from = fold(`    thought ${thought.id}${task}: ${plain(thought.intent)}`)
  const also =
    alsoIn.length === 0 ? [] : [fold(`    also in ${alsoIn.join(", ")}${alsoIn.length === most ? " …" : ""}`)]
  return [head, from, ...also, block(note.content)].join("\n")
}

const json = ({ arms, matches }: SearchResult) => ({
  matches: matches.map(({ note, ...match }) => ({
    ...match,
    note: { ...note, created: DateTime.formatIso(note.created) }
  })),
  arms
})

export const searchCommand = Command.make(
  "search",
  {
    ...scopedFlags,
    query: Argument.String("query").pipe(Argument.withDescription("What to look for, in your own words")),
    limit: Flag.Int("limit").pipe(
      Flag.withMetavar("count"),
      Flag.withDescription("Most notes to print, from 1 to 500 (default: 10)"),
      Flag.filter(
        (limit) => limit >= 1 && limit <= 500,
        () => "The limit must be a whole number from 1 to 500."
      ),
      Flag.withDefault(10)
    ),
    task: Flag.String("task").pipe(
      Flag.withMetavar("id"),
      Flag.withDescription("Only notes of thoughts of this task"),
      Flag.optional
    ),
    embedder: Flag.Literals("embedder", ["local", "none"]).pipe(
      Flag.withMetavar("which"),
      Flag.withDescription("local embeds what is pending first; none goes by words only"),
      Flag.optional
    )
  },
  Effect.fnUntraced(function* ({ embedder, limit, query, task, ...place }) {
    const scope = yield* scopeOf(place)
    const choice = Option.getOrElse(embedder, () => "default" as const)
    const store = yield* openStore(place, choice === "local" ? "changed" : "kept")
    const memory = yield* searchable(store, scope, { choice, json: place.json })
    const filter = Option.isSome(task) ? { taskId: task.value } : {}
    const result = yield* memory.search(query, { limit, ...filter })
    const { matches, arms } = result
    if (place.json) {
      yield* printJson(json(result))
      return
    }
    const byMeaning = arms.vector === "ok" || arms.vector === "partial"
    for (const [index, match] of matches.entries()) yield* print(matchLines(match, index, byMeaning))
    if (matches.length === 0) yield* say("Nothing found.")
    if (arms.pending > 0) yield* say(`${counted(arms.pending, "note")} had no vector yet: found by words only.`)
  }, Effect.scoped)
).pipe(
  Command.withShortDescription("Find notes by meaning and by words, best first"),
  Command.withDescription(
    described(
      "Find notes by meaning and by words, best first, each with its thought.",
      "Without --embedder it only reads: by meaning too if the local embedder made the vectors and is installed, else by words.",
      "With --embedder local it first embeds what has no vector yet; a memory that had no embedder has this one then."
    )
  ),
  Command.withExamples([
    { command: 'npx cogito memory search "lost parcels" --data-dir .cogito/memory', description: "In a folder" },
    { command: 'npx cogito memory search "lost parcels" --scope acme --limit 3 --json', description: "For a program" }
  ])
)
