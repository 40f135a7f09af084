import { assert } from "@effect/vitest"
import { inspect } from "node:util"

/** Checks that no form of an error holds the word "canary", which the keys and prompts of the tests have in them. */
export const assertClean = (error: Error): void => {
  const forms = [
    error.message,
    String(error),
    error.stack ?? "",
    JSON.stringify(error),
    inspect(error, { depth: 9, showHidden: true }),
    JSON.stringify(Object.getOwnPropertyNames(error).map((name) => String(Reflect.get(error, name))))
  ]
  for (const form of forms) {
    assert.notInclude(form, "canary")
  }
}
