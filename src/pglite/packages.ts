/** The store with the packages that it needs, loaded when somebody asks for it. */
import * as Effect from "effect/Effect"
import { MemoryError } from "../Memory.ts"

export const packages = Effect.tryPromise({
  try: () => import("./store.ts"),
  catch: (cause) =>
    new MemoryError({
      reason: {
        _tag: "Connection",
        retryable: false,
        message:
          "The embedded database cannot be loaded: run " +
          "npm install --save-exact @electric-sql/pglite@0.5.14 @electric-sql/pglite-pgvector@0.0.15 kysely@0.29.9"
      },
      cause
    })
})
