/** Reading answers in tests: the value and what was done for it, or why there is none. */
import { assert } from "@effect/vitest"
import { Result, type Schema } from "effect"
import type { Synapse } from "cogito"
import { compile } from "../../src/synapse/form.ts"
import { reading as readingOf } from "../corpus/parse.ts"

/** What is read of a text; one line for each thing that was done, as `path.kind`, with `!` where something was lost. */
const reading = (schema: Schema.Codec<any, any>, text: string, parsing: Synapse.Parsing = "lenient") =>
  Result.map(
    readingOf(compile("answer", schema, (value: unknown) => value)).decode(text, parsing),
    ({ coercions, value }) => ({
      value,
      done: coercions.map(({ kind, lossy, path }) => [...path, kind].join(".") + (lossy ? "!" : ""))
    })
  )

export type Read = readonly [text: string, value: unknown, done?: ReadonlyArray<string>]

/** Every text gives the value, and only this was done for it. */
export const assertGives = (
  schema: Schema.Codec<any, any>,
  parsing: Synapse.Parsing,
  reads: ReadonlyArray<Read>
): void => {
  for (const [text, value, done = []] of reads) {
    const result = reading(schema, text, parsing)
    assert.isTrue(Result.isSuccess(result), `${parsing}: ${text}\n${JSON.stringify(result)}`)
    if (Result.isSuccess(result)) assert.deepStrictEqual(result.success, { value, done: [...done] }, text)
  }
}

/** Why a text gives no value, one line for each problem; empty if it gives one. */
export const refusals = (
  schema: Schema.Codec<any, any>,
  parsing: Synapse.Parsing,
  text: string
): ReadonlyArray<string> => {
  const result = reading(schema, text, parsing)
  return Result.isSuccess(result) ? [] : result.failure.map((issue) => [...issue.path, issue.message].join(": "))
}

/** No text gives a value; `message` is in the reasons. */
export const assertRefuses = (
  schema: Schema.Codec<any, any>,
  parsings: ReadonlyArray<Synapse.Parsing>,
  texts: ReadonlyArray<string>,
  message = ""
): void => {
  for (const parsing of parsings) {
    for (const text of texts) {
      const result = reading(schema, text, parsing)
      assert.isTrue(Result.isFailure(result), `${parsing}: ${text}\n${JSON.stringify(result)}`)
      assert.include(refusals(schema, parsing, text).join("\n"), message, text)
    }
  }
}
