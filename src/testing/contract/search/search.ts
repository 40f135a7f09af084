/** All tests of stores about search. Each test works in a scope and a space of its own. */
import { type StoreTest, suite } from "../stage/suite.ts"
import { dateTests } from "./dates.ts"
import { filterTests } from "./filters.ts"
import { library } from "../stage/library.ts"
import { meaningTests } from "./meaning.ts"
import { orderTests } from "./order.ts"
import { taskTests } from "./tasks.ts"
import { wordTests } from "./words.ts"

export const searchTests = (size: { readonly notes: number; readonly filters: number }): ReadonlyArray<StoreTest> =>
  suite("a search of the store", { fresh: false, set: library }, (define) => {
    wordTests(define, size.notes)
    meaningTests(define)
    filterTests(define, size.filters)
    orderTests(define)
    dateTests(define)
    taskTests(define)
  })
