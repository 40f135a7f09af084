/** All tests of stores about thoughts and vectors. Each test works in a scope and a space of its own. */
import { scene } from "../stage/scene.ts"
import { type StoreTest, suite } from "../stage/suite.ts"
import { commitTests } from "./commits.ts"
import { wholeTests } from "./whole.ts"
import { forkTests } from "./forks.ts"
import { lineageTests } from "./lineage.ts"
import { vectorTests } from "./vectors.ts"

export const storeTests = (): ReadonlyArray<StoreTest> =>
  suite("the store", { fresh: false, set: scene }, (define) => {
    commitTests(define)
    wholeTests(define)
    forkTests(define)
    lineageTests(define)
    vectorTests(define)
  })
