/** All tests of stores about appending to thoughts, listing, removing, redacting and restoring them. */
import * as Effect from "effect/Effect"
import { scene } from "../stage/scene.ts"
import { type StoreTest, suite } from "../stage/suite.ts"
import { space } from "./given.ts"
import { appendTests } from "./append.ts"
import { thoughtsTests } from "./thoughts.ts"
import { removeTests } from "./remove.ts"
import { redactTests } from "./redact.ts"
import { restoreTests } from "./restore.ts"

export const lifecycleTests = ({
  appends,
  writers
}: {
  readonly appends: number
  readonly writers: number
}): ReadonlyArray<StoreTest> =>
  suite(
    "the lifecycle of thoughts",
    { fresh: false, set: (store) => Effect.andThen(store.openSpace(space), scene(store)) },
    (define) => {
      appendTests(define, writers, appends)
      thoughtsTests(define)
      removeTests(define)
      redactTests(define)
      restoreTests(define)
    }
  )
