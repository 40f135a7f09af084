/** What the database refuses, by the code it says. */
import * as Effect from "effect/Effect"
import { showsRedacted } from "../../memory/model/reach.ts"
import type { MemoryError } from "../../Memory.ts"

export const hasCode = ({ reason }: MemoryError, code: string): boolean =>
  reason._tag === "Query" && reason.code === code

/** What would bring redacted content back goes out from a state of the thought that is past. */
export const refuseRedacted = <A>(
  thoughtId: string,
  change: Effect.Effect<A, MemoryError>
): Effect.Effect<A, MemoryError> =>
  Effect.mapError(change, (error) => (hasCode(error, "CG001") ? showsRedacted(thoughtId) : error))
