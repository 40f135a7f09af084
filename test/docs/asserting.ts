// Loaded by what runs documents. A document's `console.assert` is meant as a check, but on its own it only prints.
import { AssertionError } from "node:assert"

console.assert = (condition?: unknown, ...data: ReadonlyArray<unknown>): void => {
  if (condition !== true) throw new AssertionError({ message: `console.assert failed: ${data.join(" ")}` })
}
