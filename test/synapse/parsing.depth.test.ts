/** Answers whose values are deeper than can be read are refused as any other answer that does not fit. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import { fileURLToPath } from "node:url"
import { Synapse } from "cogito"
import { Testing } from "cogito/testing"
import { run } from "../bundled.ts"
import { flags } from "../flags.ts"
import { Branch, branch, inOneAnother } from "./branches.ts"
import { assertGives, assertRefuses } from "./reading.ts"

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
    assertRefuses(Branch, modes, [inOneAnother()])
  })

  it.effect("is refused with two thirds of the usual stack", () =>
    Effect.gen(function* () {
      const program = fileURLToPath(new URL("nested.ts", import.meta.url))
      const { stdout } = yield* run("--stack-size=656", ...flags, program)
      assert.strictEqual(stdout, "strict: refused\nlenient: refused\nlossy: refused\n")
    })
  )

  it("is read although an alternative is needed on every level", () => {
    const one = `{"below":`.repeat(128) + "[]" + "}".repeat(128)
    const lists = JSON.parse(`${`{"below":[`.repeat(127)}{"below":[]}${"]}".repeat(127)}`)
    // the first hundred changes are listed
    const done = Array.from({ length: 100 }, (_, deep) => `${"below.0.".repeat(deep)}below.list-from-one`)
    for (const parsing of ["lenient", "lossy"] as const) assertGives(Branch, parsing, [[one, lists, done]])
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
