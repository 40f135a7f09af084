/** Tickets of notes to be embedded: a wait for the notes of a scope ends when all up to the last ticket have been tried. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

export interface Tickets {
  /** The next number, for a note of the scope. */
  readonly take: (scope: string) => number
  /** Call it after notes have been tried: it ends the waits for them. */
  readonly release: () => void
  /** Waits for all notes that have a ticket. */
  readonly all: Effect.Effect<void>
  /** The same for one scope; nothing when there is nothing to wait for. */
  readonly of: (scope: string) => Effect.Effect<void> | undefined
}

/** `first` returns the first ticket of a scope whose note has not been tried, or infinity. */
export const makeTickets = (first: (scope: string) => number): Tickets => {
  let last = 0
  /** Of the scopes that have some to be tried. */
  const lastOf = new Map<string, number>()
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
    take: (scope) => {
      last++
      lastOf.set(scope, last)
      return last
    },
    release: () => {
      for (const one of waiting) {
        if (first(one.scope) <= one.ticket) continue
        waiting.delete(one)
        Deferred.doneUnsafe(one.done, Exit.void)
      }
      for (const [scope, ticket] of lastOf) if (first(scope) > ticket) lastOf.delete(scope)
    },
    all: Effect.suspend(() =>
      Effect.forEach([...lastOf], ([scope, ticket]) => waitFor(scope, ticket), { discard: true })
    ),
    of: (scope) => {
      const ticket = lastOf.get(scope)
      return ticket === undefined ? undefined : waitFor(scope, ticket)
    }
  }
}
