/** Tickets of notes to be embedded: a wait for the notes of a scope ends when all up to the last ticket have been tried. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

export interface Tickets {
  /** The next numbers, for notes of the scope that were committed together. Returns the first of them. */
  readonly take: (scope: string, notes: number) => number
  /** Call it after notes have been tried: it ends the waits for them. */
  readonly release: () => void
  /** Waits for all notes that have a ticket. */
  readonly all: Effect.Effect<void>
  /** The same for one scope; nothing when there is nothing to wait for, or if its notes are of more commits than these. */
  readonly of: (scope: string, commits: number) => Effect.Effect<void> | undefined
}

/** `first` returns the first ticket of a scope whose note has not been tried, or infinity. */
export const makeTickets = (first: (scope: string) => number): Tickets => {
  let last = 0
  /** The last ticket of each commit, of the scopes that have some to be tried. */
  const commitsOf = new Map<string, Array<number>>()
  const waiting = new Set<{ readonly scope: string; readonly ticket: number; readonly done: Deferred.Deferred<void> }>()

  const waitFor = (scope: string, ticket: number) =>
    Effect.suspend(() => {
      if (first(scope) > ticket) return Effect.void
      const one = { scope, ticket, done: Deferred.makeUnsafe<void>() }
      waiting.add(one)
      return Effect.ensuring(
        Deferred.await(one.done),
        Effect.sync(() => waiting.delete(one))
      )
    })

  return {
    take: (scope, notes) => {
      const from = last + 1
      last += notes
      const commits = commitsOf.get(scope) ?? []
      commits.push(last)
      commitsOf.set(scope, commits)
      return from
    },
    release: () => {
      for (const one of waiting) {
        if (first(one.scope) <= one.ticket) continue
        waiting.delete(one)
        Deferred.doneUnsafe(one.done, Exit.void)
      }
      for (const [scope, commits] of commitsOf) {
        const untried = first(scope)
        const open = commits.findIndex((ticket) => untried <= ticket)
        if (open === -1) commitsOf.delete(scope)
        else commits.splice(0, open)
      }
    },
    all: Effect.suspend(() =>
      Effect.forEach([...commitsOf], ([scope, commits]) => waitFor(scope, commits.at(-1) ?? 0), { discard: true })
    ),
    of: (scope, most) => {
      const commits = commitsOf.get(scope) ?? []
      const ticket = commits.at(-1)
      return ticket === undefined || commits.length > most ? undefined : waitFor(scope, ticket)
    }
  }
}
