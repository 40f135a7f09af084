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
        message: "The Postgres driver cannot be loaded: run npm install --save-exact pg@8.23.1 kysely@0.29.9"
      },
      cause
    })
})
