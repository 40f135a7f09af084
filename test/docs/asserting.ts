import { AssertionError } from "node:assert"

/** Makes `console.assert`, which only prints, fail: a document means it as a check. */
export const checkAsserts = (): void => {
  console.assert = (condition?: unknown, ...data: ReadonlyArray<unknown>): void => {
    if (condition !== true) throw new AssertionError({ message: `console.assert failed: ${data.join(" ")}` })
  }
}
