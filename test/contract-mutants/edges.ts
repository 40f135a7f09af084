/** Stores that are wrong by one: one process, one millisecond, or one note too far. */
import * as Effect from "effect/Effect"
import type { MemoryError } from "../../src/Memory.ts"
import type { Commit, Ledger, Store } from "../../src/Store.ts"
import { onLedger } from "./ledger.ts"
import type { Mutant } from "./mutants.ts"

// ---------------------------------------------------------------------------------------------------------- leases

/** Renews the lease of a run for these, too. */
const renewsFor =
  (isLet: (run: Ledger.RunRow, epoch: number) => boolean) =>
  (store: Store): Store =>
    onLedger(store, ({ load, renew }) => ({
      renew: (scope, runId, epoch, lease) =>
        Effect.flatMap(load(scope, runId), (stored) =>
          renew(scope, runId, stored !== undefined && isLet(stored.run, epoch) ? stored.run.epoch : epoch, lease)
        )
    }))

/** `update … where id = $1`, whose rows nobody counts. */
const saysRenewed =
  (isSo: (run: Ledger.RunRow | undefined) => boolean) =>
  (store: Store): Store =>
    onLedger(store, ({ load, renew }) => ({
      renew: (scope, runId, ...rest) =>
        Effect.zipWith(load(scope, runId), renew(scope, runId, ...rest), (stored, done) => done || isSo(stored?.run))
    }))

// ------------------------------------------------------------------------------------------------------------- due

/** Looks for runs of this status that are due at another moment. */
const dueShifted =
  (status: Ledger.RunStatus, by: number) =>
  (store: Store): Store =>
    onLedger(store, ({ runs }) => ({
      runs: (scope, query) => {
        const { dueMillis } = query
        if (dueMillis === undefined) return runs(scope, query)
        return Effect.zipWith(
          runs(scope, { ...query, limit: 1000 }),
          runs(scope, { ...query, dueMillis: dueMillis + by, limit: 1000 }),
          (now, then) =>
            [...now.filter((run) => run.status !== status), ...then.filter((run) => run.status === status)]
              .toSorted((a, b) => b.createdMillis - a.createdMillis || (a.id < b.id ? 1 : -1))
              .slice(0, query.limit)
        )
      }
    }))

// ----------------------------------------------------------------------------------------------------------- forks

const onFork = (
  store: Store,
  change: (scope: string, commit: Commit) => Effect.Effect<Commit, MemoryError>
): Store => ({
  ...store,
  commit: (scope, commit) =>
    commit.before === undefined && commit.parent === undefined && commit.thought.parent !== undefined
      ? Effect.flatMap(change(scope, commit), (changed) => store.commit(scope, changed))
      : store.commit(scope, commit)
})

/** With its notes numbered from there. */
const forkedAt = (commit: Commit, parent: Commit["thought"]["parent"], seq: number): Commit => ({
  ...commit,
  thought: { ...commit.thought, parent },
  notes: commit.notes.map((note, i) => ({ ...note, seq: seq + 1 + i }))
})

/** A fork at a note that its parent does not have begins at its last one. */
const forksAtTheEnd = (store: Store): Store =>
  onFork(store, (scope, commit) =>
    Effect.map(store.load(scope, { id: commit.thought.parent?.id ?? "" }), (above) => {
      const { id, seq } = commit.thought.parent!
      const length = above?.notes.length ?? seq
      return seq <= length ? commit : forkedAt(commit, { id, seq: length }, length)
    })
  )

/** `on delete set null`. */
const forksOfNothing = (store: Store): Store =>
  onFork(store, (scope, commit) =>
    Effect.map(store.load(scope, { id: commit.thought.parent?.id ?? "" }), (above) =>
      above === undefined ? forkedAt(commit, undefined, 0) : commit
    )
  )

const isConflict = ({ reason }: MemoryError) => reason._tag === "ConcurrencyConflict"

/** What is new of the parent is left out if the parent has something else by now. */
const divergedPassedOver = (store: Store): Store => ({
  ...store,
  commit: (scope, commit) =>
    Effect.catchIf(store.commit(scope, commit), isConflict, (error) =>
      commit.parent === undefined ? Effect.fail(error) : store.commit(scope, { ...commit, parent: undefined })
    )
})

export const edgeMutants: ReadonlyArray<Mutant> = [
  {
    name: "renewed by the one before",
    breaks: "A lease is renewed by its holder alone: the process before it may.",
    mutate: renewsFor((run, epoch) => run.status === "running" && run.epoch === epoch + 1)
  },
  {
    name: "renewed by the one after",
    breaks: "A lease is renewed by its holder alone: whoever claims to come later may.",
    mutate: renewsFor((run, epoch) => run.status === "running" && run.epoch < epoch)
  },
  {
    name: "renewed though it waits",
    breaks: "The lease of a waiting run cannot be renewed: the store reports that it was.",
    mutate: saysRenewed((run) => run?.status === "waiting")
  },
  {
    name: "renewed though unknown",
    breaks: "The lease of an unknown run cannot be renewed: the store reports that it was.",
    mutate: saysRenewed((run) => run === undefined)
  },
  {
    name: "questions due late",
    breaks: "A run that waits is due at the moment of its question: it is a millisecond later.",
    mutate: dueShifted("waiting", -1)
  },
  {
    name: "questions due early",
    breaks: "A run that waits is due at the moment of its question: it is a millisecond before.",
    mutate: dueShifted("waiting", 1)
  },
  {
    name: "leases end late",
    breaks: "A run is due when its lease ends: it is a millisecond later.",
    mutate: dueShifted("running", -1)
  },
  {
    name: "leases end early",
    breaks: "A run is due when its lease ends: it is a millisecond before.",
    mutate: dueShifted("running", 1)
  },
  {
    name: "forks at the end",
    breaks: "A fork at a note that its parent does not have is refused: it begins at the last note.",
    mutate: forksAtTheEnd
  },
  {
    name: "forks of nothing",
    breaks: "A fork whose parent is absent is refused: it becomes a thought of its own.",
    mutate: forksOfNothing
  },
  {
    name: "diverged passed over",
    breaks: "A fork whose parent has changed is refused: what it brings of the parent is left out.",
    mutate: divergedPassedOver
  }
]
