/** `cogito memory verify`: whether what is stored holds together. */
import * as Effect from "effect/Effect"
import * as Command from "effect/cli/Command"
import type { MemoryError, Store } from "../../Memory.ts"
import { progressEvery } from "../archive.ts"
import { CommandError } from "../failure.ts"
import { counted, print, printJson, say } from "../output.ts"
import { openStore, placeFlags, scopeOf } from "../place.ts"
import { problemsOf } from "../problems.ts"

const pageSize = 100

interface Found {
  readonly thoughts: number
  readonly notes: number
  readonly entries: number
  readonly problems: ReadonlyArray<{ readonly thoughtId: string; readonly problem: string }>
}

const look = Effect.fnUntraced(function* (store: Store, scope: string): Effect.fn.Return<Found, MemoryError> {
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
      // one that was listed has been removed since
      if (stored === undefined) continue
      thoughts += 1
      if (typeof stored === "string") {
        problems.push({ thoughtId: id, problem: stored })
        continue
      }
      notes += stored.notes.filter((note) => note.thoughtId === id).length
      entries += stored.entries.length
      for (const problem of problemsOf(stored)) problems.push({ thoughtId: id, problem })
      if (thoughts % progressEvery === 0) yield* say(`${counted(thoughts, "thought")} so far.`)
    }
    after = rows.length < pageSize ? undefined : rows.at(-1)
  } while (after !== undefined)
  return { thoughts, notes, entries, problems }
})

/** The notes without a vector in each space that is in use or is to be. */
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

export const verifyCommand = Command.make(
  "verify",
  placeFlags,
  Effect.fnUntraced(function* ({ json, ...place }) {
    const scope = yield* scopeOf(place)
    // a store opens only with all its migrations made, and none that this version does not know
    const store = yield* openStore(place)
    const found = yield* look(store, scope)
    const pending = yield* pendingOf(store, scope)
    if (json) {
      yield* printJson({ scope, migrations: "complete", ...found, pending })
    } else {
      yield* print("Migrations: complete.")
      const { entries, notes, thoughts } = found
      yield* print(`Looked at ${counted(thoughts, "thought")}, ${counted(notes, "note")}, messages sent: ${entries}.`)
      for (const one of pending) {
        yield* print(`Vectors of ${one.embedder} (${one.state}): ${counted(one.pending, "note")} pending.`)
      }
      for (const { problem, thoughtId } of found.problems) yield* print(`Thought ${thoughtId}: ${problem}.`)
      if (found.problems.length === 0) yield* print("No problems found.")
    }
    yield* found.problems.length > 0
      ? new CommandError({ message: `${counted(found.problems.length, "problem")} found.` })
      : Effect.void
  }, Effect.scoped)
).pipe(Command.withDescription("Check that what is stored holds together, and say what was found"))
