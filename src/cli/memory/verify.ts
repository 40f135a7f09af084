/** `cogito memory verify`: checks that stored thoughts are consistent. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Command from "effect/cli/Command"
import { described } from "../console/described.ts"
import { SchemaNotCurrent } from "../../memory/model/schemaState.ts"
import type { MemoryError } from "../../Memory.ts"
import type { Store } from "../../Store.ts"
import { FoundProblems } from "../console/failure.ts"
import { counted, plain, print, printJson } from "../console/output.ts"
import { openStore, scopedFlags, scopeOf } from "./place.ts"
import { problemsOf } from "./problems.ts"
import { counting } from "../console/progress.ts"

const pageSize = 100

interface Found {
  readonly thoughts: number
  readonly notes: number
  readonly entries: number
  readonly problems: ReadonlyArray<{ readonly thoughtId: string; readonly problem: string }>
}

const look = Effect.fnUntraced(function* (
  store: Store,
  scope: string,
  progress: (count: number) => Effect.Effect<void>
): Effect.fn.Return<Found, MemoryError> {
  const problems: Array<Found["problems"][number]> = []
  let [thoughts, notes, entries] = [0, 0, 0]
  let after: { readonly id: string; readonly createdMillis: number } | undefined
  do {
    const rows = yield* store.thoughts(scope, { taskId: undefined, order: "oldest", limit: pageSize, after })
    for (const { id } of rows) {
      const stored = yield* store.load(scope, { id }).pipe(
        Effect.catchIf(
          ({ reason }) => reason._tag === "Corrupt",
          (error) => Effect.succeed(error.message)
        )
      )
      // the thought has been removed since it was listed
      if (stored === undefined) continue
      thoughts += 1
      yield* progress(thoughts)
      if (typeof stored === "string") {
        problems.push({ thoughtId: id, problem: stored })
        continue
      }
      notes += stored.notes.filter((note) => note.thoughtId === id).length
      entries += stored.entries.length
      for (const problem of problemsOf(stored)) problems.push({ thoughtId: id, problem })
    }
    after = rows.length < pageSize ? undefined : rows.at(-1)
  } while (after !== undefined)
  return { thoughts, notes, entries, problems }
})

/** The number of notes without a vector in each space that is active or being built. */
const pendingOf = Effect.fnUntraced(function* (store: Store, scope: string) {
  const spaces = (yield* store.spaces).filter(({ state }) => state !== "retired")
  return yield* Effect.forEach(
    spaces,
    Effect.fnUntraced(function* ({ state, ...space }) {
      yield* store.openSpace(space)
      return { embedder: space.embedder, state, pending: yield* store.countPending(scope, space) }
    })
  )
})

/** Turns the failure because of another schema into a finding. Other failures stay failures. */
const asFinding = <A, E, R>(opening: Effect.Effect<A, E | SchemaNotCurrent, R>) =>
  opening.pipe(
    Effect.map((store) => Result.succeed(store)),
    Effect.catchIf(
      (error): error is SchemaNotCurrent => error instanceof SchemaNotCurrent,
      (error) => Effect.succeed(Result.fail(error))
    )
  )

/** Checks everything in a scope and prints what it found. */
const report = Effect.fnUntraced(function* (store: Store, scope: string, json: boolean) {
  const progress = counting(json, (count) => `Verifying: ${counted(count, "thought")} so far`)
  const found = yield* look(store, scope, progress)
  const pending = yield* pendingOf(store, scope)
  if (json) {
    yield* printJson({ scope, schema: "current", ...found, pending })
  } else {
    yield* print("Schema: current.")
    const { entries, notes, thoughts } = found
    yield* print(`Looked at ${counted(thoughts, "thought")}, ${counted(notes, "note")}, messages sent: ${entries}.`)
    for (const one of pending) {
      yield* print(`Vectors of ${plain(one.embedder)} (${one.state}): ${counted(one.pending, "note")} pending.`)
    }
    for (const { problem, thoughtId } of found.problems) yield* print(`Thought ${thoughtId}: ${problem}.`)
    if (found.problems.length === 0) yield* print("No problems found.")
  }
  yield* found.problems.length > 0
    ? new FoundProblems({ message: `${counted(found.problems.length, "problem")} found.` })
    : Effect.void
})

export const verifyCommand = Command.make(
  "verify",
  scopedFlags,
  Effect.fnUntraced(function* ({ json, ...place }) {
    const scope = yield* scopeOf(place)
    yield* Result.match(yield* asFinding(openStore(place)), {
      onFailure: ({ message, state }) =>
        Effect.andThen(
          json ? printJson({ scope, schema: state, problems: [{ problem: message }] }) : print(`Schema: ${state}.`),
          new FoundProblems({ message })
        ),
      onSuccess: (store) => report(store, scope, json)
    })
  }, Effect.scoped)
).pipe(
  Command.withShortDescription("Check that what is stored holds together, and say what was found"),
  Command.withDescription(
    described(
      "Check that what is stored holds together, and say what was found.",
      "That is the schema, and in a scope each thought with its notes and messages.",
      "It only reads: an older schema is reported and left as it is.",
      "Notes that have no vector yet are counted, and are no problem. The exit code is 3 when there are problems."
    )
  ),
  Command.withExamples([
    { command: "npx cogito memory verify --data-dir .cogito/memory", description: "A folder" },
    { command: "npx cogito memory verify --scope acme --json", description: "A tenant on the server of DATABASE_URL" }
  ])
)
