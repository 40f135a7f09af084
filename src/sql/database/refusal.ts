/** Refusals of the database, by their codes. */
import * as Effect from "effect/Effect"
import { showsRedacted } from "../../memory/model/reach.ts"
import type { MemoryError } from "../../Memory.ts"

export const hasCode = ({ reason }: MemoryError, code: string): boolean =>
  reason._tag === "Query" && reason.code === code

/** Turns the refusal of redacted content into a conflict: the change was made on an outdated state of the thought. */
export const refuseRedacted = <A>(
  thoughtId: string,
  change: Effect.Effect<A, MemoryError>
): Effect.Effect<A, MemoryError> =>
  Effect.mapError(change, (error) => (hasCode(error, "CG001") ? showsRedacted(thoughtId) : error))
