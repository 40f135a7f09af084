/** Counts the calls of a store, and changes what one of them is given, does or gives. */
import * as Effect from "effect/Effect"
import type { MemoryError } from "../../../src/Memory.ts"
import type { Store } from "../../../src/Store.ts"

export type Operation = (...given: ReadonlyArray<unknown>) => Effect.Effect<unknown, MemoryError>

/** A call of an operation of a store or of its ledger, by its number. */
interface Call {
  readonly index: number
  readonly method: string
  readonly given: ReadonlyArray<unknown>
}

/** What is done in the place of a call, which it receives as `make`. */
export type Around = (call: Call, make: Operation) => Effect.Effect<unknown, MemoryError>

/** A store with something in the place of each call. Calls are numbered from 0, in the order in which they begin. */
export const around = (store: Store, change: Around): Store => {
  let count = 0
  const changed = (prefix: string, part: object): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(part).map(([name, own]: [string, unknown]) => {
        const method = prefix + name
        const inPlace = (given: ReadonlyArray<unknown>, make: Operation) =>
          Effect.suspend(() => change({ index: count++, method, given }, make))
        if (typeof own === "function") {
          return [name, (...given: ReadonlyArray<unknown>) => inPlace(given, own as Operation)]
        }
        return [name, Effect.isEffect(own) ? inPlace([], () => own as ReturnType<Operation>) : own]
      })
    )
  return { ...changed("", store), ledger: changed("ledger.", store.ledger) } as unknown as Store
}
