/** What no error, log or report may hold: the key that calls are made with, and what they say. */
import { assert } from "@effect/vitest"
import { inspect } from "node:util"

export const key = "sk-canary-7f3a9c"
export const prompt = "canary prompt about a secret ticket"

/** Checks that an error holds neither of them, in any of its forms. */
export const assertClean = (error: Error): void => {
  const forms = [
    error.message,
    String(error),
    error.stack ?? "",
    JSON.stringify(error),
    inspect(error, { depth: 9, showHidden: true }),
    JSON.stringify(Object.getOwnPropertyNames(error).map((name) => String(Reflect.get(error, name))))
  ]
  for (const form of forms) assert.notInclude(form, "canary")
}
