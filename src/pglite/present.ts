/** A look at what may not be there. */
import * as Effect from "effect/Effect"
import { codeOf } from "../sql/database/failure.ts"

/** The result of a call on a file, or nothing if the file does not exist. Fails with the code of any other failure. */
export const present = <A>(look: () => Promise<A>): Effect.Effect<A | undefined, string> =>
  Effect.catchIf(
    Effect.tryPromise({ try: look, catch: codeOf }),
    (code) => code === "ENOENT",
    () => Effect.undefined
  )
