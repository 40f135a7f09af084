/** Operations on the memory's files, and how they fail. */
import * as Effect from "effect/Effect"
import type { MemoryError } from "../../Memory.ts"
import { codeOf, unusableFiles } from "../../sql/database/failure.ts"

/** The failure of an operation, by the code of the system. */
export const unusable = (code: string): MemoryError =>
  unusableFiles("The memory's directory cannot be used", "check its path and rights", code)

/** The result of an operation on files. */
export const files = <A>(run: () => Promise<A>): Effect.Effect<A, MemoryError> =>
  Effect.tryPromise({ try: run, catch: (error) => unusable(codeOf(error)) })

/** The result of a call on a file, or nothing if the file does not exist. Fails with the code of any other failure. */
export const present = <A>(look: () => Promise<A>): Effect.Effect<A | undefined, string> =>
  Effect.catchIf(
    Effect.tryPromise({ try: look, catch: codeOf }),
    (code) => code === "ENOENT",
    () => Effect.undefined
  )
