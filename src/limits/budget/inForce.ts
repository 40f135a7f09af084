/** The budgets in force, and the thought and scope that calls are accounted to. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { CurrentScope } from "../../memory/model/error.ts"
import { Run } from "../../run/run.ts"
import type { Thought } from "../../thought/model.ts"
import type { Account, Reservation } from "./reservation.ts"

/** Where a call is made: the thought that its step was given, and the scope set for the memory. */
export interface Place {
  readonly thought: Thought<any> | undefined
  readonly scope: string | undefined
}

export const place: Effect.Effect<Place> = Effect.zipWith(Run, CurrentScope, ({ given }, scope) => ({
  thought: given,
  scope
}))

/**
 * A budget: one account, or one for each thought or scope.
 *
 * @category types
 */
export type Source = (place: Place) => Account

/** The budgets in which every call is reserved. */
export const InForce = Context.Reference<ReadonlyArray<Source>>("cogito/Budgets", { defaultValue: () => [] })

/**
 * The reservation of the running call, if any. A call of another provider inside it cancels it, so that only the inner
 * call counts.
 */
export const Reserved = Context.Reference<Reservation | undefined>("cogito/Reserved", {
  defaultValue: () => undefined
})

/** Counts the calls that budgets have counted, those of layers that try again included. */
export const Made = Context.Reference<{ calls: number } | undefined>("cogito/Made", { defaultValue: () => undefined })

/** Runs an effect with one more budget in force. */
export const within =
  (source: Source) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(InForce, (others) => Effect.provideService(self, InForce, [...others, source]))
