/** All tests of stores about durable runs. Each test works in a scope of its own. */
import { type StoreTest, suite } from "../stage/suite.ts"
import { answerTests } from "./answers.ts"
import { beginTests } from "./begins.ts"
import { desk } from "./desk.ts"
import { erasureTests } from "./erasure.ts"
import { fencingTests } from "./fencing.ts"
import { historyTests } from "./history.ts"
import { leaseTests } from "./leases.ts"
import { listTests } from "./lists.ts"
import { recordTests } from "./records.ts"
import { textTests } from "./texts.ts"

export const ledgerTests = (): ReadonlyArray<StoreTest> =>
  suite("durable runs", { fresh: false, set: desk }, (define) => {
    beginTests(define)
    recordTests(define)
    fencingTests(define)
    leaseTests(define)
    listTests(define)
    answerTests(define)
    textTests(define)
    erasureTests(define)
    historyTests(define)
  })
