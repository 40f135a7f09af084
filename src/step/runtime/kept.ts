/** Failures of attempts, of which there may be any number: the first and the last are kept. */
import type { Failure } from "../../run/failure.ts"
import { leftOut } from "./FailuresLeftOut.ts"

const mostFirst = 20
const mostLast = 80

/** Failures in the order in which they were added, with an entry for those that are no longer kept. */
export class Kept implements Iterable<Failure> {
  /** How many were added. */
  count = 0
  readonly #path: ReadonlyArray<string>
  readonly #first: Array<Failure> = []
  readonly #last: Array<Failure> = []
  #left: Failure | undefined = undefined

  /** `path` is that of the connector whose attempts they are. */
  constructor(path: ReadonlyArray<string>) {
    this.#path = path
  }

  add(failure: Failure): void {
    this.count++
    if (this.#first.length < mostFirst) {
      this.#first.push(failure)
      return
    }
    this.#last.push(failure)
    if (this.#last.length <= mostLast) return
    const oldest = this.#last.splice(0, 1)
    this.#left = leftOut(this.#path, this.#left === undefined ? oldest : [this.#left, ...oldest])
  }

  *[Symbol.iterator](): Iterator<Failure> {
    yield* this.#first
    if (this.#left !== undefined) yield this.#left
    yield* this.#last
  }

  /** These and one more, as they are when they are asked for. */
  *and(failure: Failure): Iterable<Failure> {
    yield* this
    yield failure
  }
}
