import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Local } from "cogito/local"
import { output, written } from "./asked.ts"

const extracted = (schema: Schema.Codec<any, any>, input: string) =>
  Effect.map(
    written({ kind: "extract", instruction: "Extract the results.", input, output: output(schema) }),
    (answer) => ("text" in answer ? answer.text : answer)
  )

const count = Schema.NullOr(Schema.Int)

layer(Local.extractive)("a count that the text does not have", (it) => {
  const text = "118 passed, 3 failed"

  it.effect("is null, though other fields have numbers", () =>
    Effect.gen(function* () {
      const answer = yield* extracted(Schema.Struct({ passed: count, failed: count, skipped: count }), text)
      assert.deepStrictEqual(answer, { passed: 118, failed: 3, skipped: null })
    })
  )

  it.effect("is refused if it is required", () =>
    Effect.gen(function* () {
      const answer = yield* extracted(
        Schema.Struct({ passed: Schema.Int, failed: Schema.Int, skipped: Schema.Int }),
        text
      )
      assert.match(String(answer), /no value that fits "skipped"/u)
    })
  )

  it.effect("leaves a number that no other field names to the field without a name in the text", () =>
    Effect.gen(function* () {
      const answer = yield* extracted(Schema.Struct({ total: count, count }), "The total was 30 for a party of 4.")
      assert.deepStrictEqual(answer, { total: 30, count: 4 })
    })
  )

  it.effect("may be one number that is beside the words of two fields", () =>
    Effect.gen(function* () {
      const answer = yield* extracted(Schema.Struct({ tests: count, passed: count }), "All 118 tests passed.")
      assert.deepStrictEqual(answer, { tests: 118, passed: 118 })
    })
  )
})
