/** A store's exports and imports, which need no embedder: what is imported is embedded by the next memory on the store. */
import * as Effect from "effect/Effect"
import type { Store } from "../Memory.ts"
import { makeLifecycle } from "../internal/memoryLifecycle.ts"

export const archiveOf = (store: Store, scope: string) =>
  makeLifecycle({ store, currentScope: Effect.succeed(scope), embed: () => Effect.void })

/** How often long work says how far it is: after so many thoughts. */
export const progressEvery = 1000
