/** `cogito memory show`: a thought's notes in order, as a trail of who wrote what, when and where. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import { described } from "../console/described.ts"
import type { Store, StoredThought } from "../../Store.ts"
import type { Note } from "../../Note.ts"
import { block, counted, fold, plain, print, printJson } from "../console/output.ts"
import { openStore, scopedFlags, scopeOf } from "./place.ts"
import { removed, unknown } from "./unknown.ts"

/** Finds a thought by the id of a run, then by its own id, then by its trace id: the caller may have chosen the first and the last. */
const find = Effect.fnUntraced(function* (store: Store, scope: string, ref: string) {
  const run = (yield* store.ledger.load(scope, ref))?.run
  const stored =
    (run === undefined ? undefined : yield* store.load(scope, { id: (run.end ?? run.start).thoughtId })) ??
    (yield* store.load(scope, { id: ref.toLowerCase() })) ??
    (yield* store.load(scope, { traceId: ref }))
  return stored ?? (yield* run === undefined ? unknown(scope, ref) : removed(scope, run.id))
})

const noteLines = (note: Note, thoughtId: string): string => {
  const head = fold(
    [
      `#${note.seq}`,
      DateTime.formatIso(note.created),
      plain(note.key),
      `from ${plain(note.source)}`,
      ...(note.step === "" ? [] : [`at ${plain(note.step)}`]),
      note.trust,
      ...(note.thoughtId === thoughtId ? [] : [`of ${note.thoughtId}`])
    ].join("  ")
  )
  if (note.redacted !== undefined) return `${head}\n    (redacted ${DateTime.formatIso(note.redacted)})`
  const metadata = Object.entries(note.metadata).map(([name, value]) => fold(`    ${plain(name)}: ${plain(value)}`))
  return [head, ...metadata, block(note.content)].join("\n")
}

const trail = ({ notes, thought, version }: StoredThought, ancestors: ReadonlyArray<string>): string =>
  [
    `Thought ${thought.id}`,
    fold(`Trace   ${plain(thought.traceId)}`),
    ...(thought.taskId === undefined ? [] : [fold(`Task    ${plain(thought.taskId)}`)]),
    fold(`Intent  ${plain(thought.intent)}`),
    `Created ${DateTime.formatIso(DateTime.makeUnsafe(thought.createdMillis))}, version ${version}`,
    ...(ancestors.length === 0 ? [] : [`Forked  from ${ancestors.toReversed().join(", from ")}`]),
    "",
    ...notes.map((note) => `${noteLines(note, thought.id)}\n`),
    `${counted(notes.length, "note")}.`
  ].join("\n")

const json = ({ entries, notes, thought, usage, version }: StoredThought, ancestors: ReadonlyArray<string>) => {
  const { checkpoints, createdMillis, hidden, ...identity } = thought
  return {
    thought: {
      ...identity,
      created: DateTime.formatIso(DateTime.makeUnsafe(createdMillis)),
      version,
      ancestors,
      hidden: Object.fromEntries(hidden),
      checkpoints: Object.fromEntries(checkpoints)
    },
    notes: notes.map(({ created, redacted, ...note }) => ({
      ...note,
      created: DateTime.formatIso(created),
      ...(redacted === undefined ? {} : { redacted: DateTime.formatIso(redacted) })
    })),
    entries,
    usage
  }
}

export const showCommand = Command.make(
  "show",
  {
    ...scopedFlags,
    ref: Argument.String("thought-or-run").pipe(Argument.withDescription("The id of a run or a thought, or a trace id"))
  },
  Effect.fnUntraced(function* ({ ref, ...place }) {
    const scope = yield* scopeOf(place)
    const store = yield* openStore(place)
    const stored = yield* find(store, scope, ref)
    const ancestors = ((yield* store.ancestors(scope, { id: stored.thought.id })) ?? []).map(({ id }) => id)
    yield* place.json ? printJson(json(stored, ancestors)) : print(trail(stored, ancestors))
  }, Effect.scoped)
).pipe(
  Command.withShortDescription("Print the notes of a thought in order: who wrote what, when and at which step"),
  Command.withDescription(
    described(
      "Print the notes of a thought in order: who wrote what, when and at which step.",
      "It only reads. Of a run it shows the thought that the run has come to. Characters that cannot be seen, or that a terminal would obey, are shown by number: [U+001B].",
      "--json has the texts escaped, on one line, and the conversation too."
    )
  ),
  Command.withExamples([
    { command: "npx cogito memory show ticket-7 --data-dir .cogito/memory", description: "By its trace id" },
    { command: "npx cogito memory show refund-17 --data-dir .cogito/memory", description: "The thought of a run" }
  ])
)
