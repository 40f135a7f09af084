/** Answers whose values are deeper than can be read are refused as any other answer that does not fit. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import { Synapse } from "cogito"
import { Testing } from "cogito/testing"
import { assertGives, assertRefuses } from "./reading.ts"

interface Branch {
  readonly below: ReadonlyArray<Branch>
}
const Branch: Schema.Codec<Branch> = Schema.Struct({
  below: Schema.Array(Schema.suspend((): Schema.Codec<Branch> => Branch))
})

/** A branch of so many objects, each in the list of the one above. */
const branch = (objects: number, end = ""): string => `{"below":[`.repeat(objects) + end + "]}".repeat(objects)

const message = "Values are nested too deeply here"
const modes = ["strict", "lenient", "lossy"] as const

describe("a value of a recursive schema", () => {
  it("is read as it is up to 256 deep", () => {
    const text = branch(128)
    for (const parsing of modes) assertGives(Branch, parsing, [[text, JSON.parse(text)]])
  })

  it("is refused with one list more than 256", () => {
    const lists = (deep: number): string => "[".repeat(deep) + "]".repeat(deep)
    const Lists = Schema.Struct({ value: Schema.Array(Schema.Unknown) })
    for (const parsing of modes) {
      assertGives(Lists, parsing, [[`{"value":${lists(255)}}`, JSON.parse(`{"value":${lists(255)}}`)]])
    }
    assertRefuses(Lists, modes, [`{"value":${lists(256)}}`], message)
  })

  it("is refused beyond 256, however it is written", () => {
    for (const objects of [129, 900]) {
      assertRefuses(Branch, modes, [branch(objects)], message)
      assertRefuses(Branch, ["lenient", "lossy"], [`Here it is:\n${branch(objects)}`, branch(objects, ",")], message)
      assertRefuses(Branch, ["lenient", "lossy"], [`{"result": ${branch(objects)}}`], message)
    }
  })

  it("is refused when texts that hold JSON make it deeper", () => {
    let text = branch(120)
    for (let i = 0; i < 8; i++) text = branch(120, JSON.stringify(text))
    assertRefuses(Branch, modes, [text])
  })

  it.effect("fails the call with a typed error, also as a stream", () =>
    Effect.gen(function* () {
      const extract = Synapse.extract(Branch, { prompt: "Extract the branch", repairs: 0 })
      const model = Testing.scripted([branch(900), branch(900)])
      const called = yield* Effect.flip(extract("a tree").pipe(Effect.provide(model.layer)))
      const parts = Synapse.stream(extract, "a tree").pipe(Stream.runCollect, Effect.provide(model.layer))
      for (const error of [called, yield* Effect.flip(parts)]) {
        assert.strictEqual(error._tag, "ResponseError")
        assert.include(error.message, message)
      }
    })
  )
})
