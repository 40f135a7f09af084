/** A folder that a running program has open. */
import * as Effect from "effect/Effect"
import type { MemoryError } from "../../Memory.ts"
import { CommandError } from "../console/failure.ts"

const advice =
  "Or let that program show its memory itself, beside its layer of the memory: Studio.layer({ port: 4100 }) of cogito/studio."

/** Adds to the error about a folder in use how the program that has it can show its runs. */
export const orItsOwnStudio = <A, E, R>(
  opening: Effect.Effect<A, E | MemoryError, R>
): Effect.Effect<A, E | MemoryError | CommandError, R> =>
  Effect.catchReason(opening, "MemoryError", "Locked", (_reason, error) =>
    Effect.fail(new CommandError({ message: `${error.message} ${advice}`, cause: error }))
  )
