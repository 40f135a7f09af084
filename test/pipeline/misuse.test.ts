import { assert, describe, it } from "@effect/vitest"
import { Pipeline, Primitive, Step, Synapse } from "cogito"
import { Effect, Schema } from "effect"
import { z } from "zod"

// What somebody sees who has no compiler: each constructor with arguments that are none of it.

const step = Step.make("s", { run: Effect.void })
const schema = Schema.Struct({ a: Schema.String })
const facades: Readonly<Record<string, Readonly<Record<string, unknown>>>> = { Synapse, Primitive, Step, Pipeline }

/** Those that are no constructors of steps and synapses. */
const others =
  /^(?:Synapse\.(?:Ranking|stream)|Step\.(?:isStep|andThen|when|catchTag|fallback)|Pipeline\.(?:run|runPromise|Supervisor|stream|outline|toMermaid|fingerprint|steps|ask|gen|supervisor|tap))$/

const constructors = Object.entries(facades).flatMap(([facade, members]) =>
  Object.entries(members).flatMap(([name, member]) =>
    typeof member === "function" && !/^class|Error$/.test(String(member)) && !others.test(`${facade}.${name}`)
      ? [[`${facade}.${name}`, member as (...args: ReadonlyArray<unknown>) => unknown] as const]
      : []
  )
)

const calls: ReadonlyArray<ReadonlyArray<unknown>> = [
  [],
  [undefined],
  [null, null],
  ["k"],
  ["k", undefined],
  ["k", null],
  ["k", "x"],
  ["k", 1],
  ["k", []],
  ["k", {}],
  ["k", step],
  ["k", schema],
  ["k", [undefined]],
  ["k", { a: undefined, b: {} }],
  ["k", { question: "q", categories: null, routes: null }],
  ["k", { items: 3, criteria: "c" }],
  [{}, "k"],
  [{}],
  [schema],
  [schema, undefined],
  [schema, "p"],
  [schema, {}],
  [{ prompt: "p" }, schema],
  [{ prompt: "p" }],
  [schema, schema, undefined],
  [step, "x"],
  [undefined, step]
]

describe("a constructor that is misused without types", () => {
  for (const [name, construct] of constructors) {
    it(`says what it needs: ${name}`, () => {
      for (const args of calls) {
        try {
          const made = construct(...args)
          // what is meant for a pipe waits for its step
          if (typeof made === "function") continue
        } catch (error) {
          assert.strictEqual(error instanceof Error && error.constructor.name, "Error", `${name}: ${String(error)}`)
        }
      }
    })
  }

  it("names the argument and the option", () => {
    // as JavaScript sees them
    const [synapse, primitive, pipelines, steps]: ReadonlyArray<any> = [Synapse, Primitive, Pipeline, Step]
    const told = (construct: () => unknown): string => {
      try {
        construct()
      } catch (error) {
        return error instanceof Error ? error.message : ""
      }
      return "nothing"
    }
    const options = "its options, an object, as the second argument: it has"
    assert.strictEqual(
      told(() => synapse.extract(schema)),
      `Synapse.extract needs ${options} none.`
    )
    assert.strictEqual(
      told(() => synapse.extract(schema, "p")),
      `Synapse.extract needs ${options} a string.`
    )
    assert.strictEqual(
      told(() => synapse.extract({ prompt: "p" }, schema)),
      `Synapse.extract needs ${options} a schema.`
    )
    assert.strictEqual(
      told(() => synapse.extract({ prompt: "p" }, z.string())),
      `Synapse.extract needs ${options} a schema.`
    )
    assert.strictEqual(
      told(() => synapse.extract(schema, {})),
      "Synapse.extract needs a text as the option prompt: it has none."
    )
    assert.strictEqual(
      told(() => synapse.extract(schema, { prompt: "" })),
      "Synapse.extract needs a text that is not empty as the option prompt."
    )
    assert.strictEqual(
      told(() => primitive.categorize("k", { question: "q" })),
      "Primitive.categorize needs the option categories: it has none."
    )
    assert.strictEqual(
      told(() => pipelines.retry("k", { step: schema })),
      "Pipeline.retry needs a step as the option step: it has a schema."
    )
    assert.strictEqual(
      told(() => pipelines.race("k", { a: step, b: undefined })),
      'The step "k" needs steps as its branches, in an array or an object.'
    )
    assert.strictEqual(
      told(() => steps.make("k")),
      `Step.make needs ${options} none.`
    )
    assert.strictEqual(
      told(() => synapse.sentiment()),
      "nothing"
    )
  })
})
