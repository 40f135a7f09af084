/** The budgets in force where a program is, and whom they account for. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { CurrentScope } from "../../memory/model/error.ts"
import { Run } from "../../run/run.ts"
import type { Thought } from "../../thought/model.ts"
import type { Account, Reservation } from "./reservation.ts"

/** Where a call is made: for the thought that its step was given, and in the scope that was named for the memory. */
export interface Place {
  readonly thought: Thought<any> | undefined
  readonly scope: string | undefined
}

export const place: Effect.Effect<Place> = Effect.zipWith(Run, CurrentScope, ({ given }, scope) => ({
  thought: given,
  scope
}))

/** A budget: one account, or one for each of something. */
export type Source = (place: Place) => Account

/** The budgets that every call is reserved in. */
export const InForce = Context.Reference<ReadonlyArray<Source>>("cogito/Budgets", { defaultValue: () => [] })

/**
 * What is reserved for the call that is being made, if one is. A provider that makes its calls through another one made
 * none itself: the other's counts.
 */
export const Reserved = Context.Reference<Reservation | undefined>("cogito/Reserved", {
  defaultValue: () => undefined
})

/** Runs something within one more budget. */
export const within =
  (source: Source) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(InForce, (others) => Effect.provideService(self, InForce, [...others, source]))
