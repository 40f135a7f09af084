import { assert, describe, it } from "@effect/vitest"
import { Note, Pipeline, Primitive, Step, Synapse, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Effect, Layer, Schema } from "effect"
import { z } from "zod"

// What somebody sees who has no compiler.

const step = Step.make("s", { run: Effect.void })
const schema = Schema.Struct({ a: Schema.String })
describe("a constructor that is misused without types", () => {
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
    const options = "an object of options as its second argument, but got"
    assert.strictEqual(
      told(() => synapse.extract(schema)),
      `Synapse.extract needs ${options} nothing.`
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
      "Synapse.extract needs a string as the option prompt, but got nothing."
    )
    assert.strictEqual(
      told(() => synapse.extract(schema, { prompt: "" })),
      "Synapse.extract needs a non-empty string as the option prompt."
    )
    assert.strictEqual(
      told(() => primitive.categorize("k", { question: "q" })),
      "Primitive.categorize needs the option categories, which is missing."
    )
    assert.strictEqual(
      told(() => steps.retry({ times: 2 })(schema)),
      "Step.retry needs a step as its first argument, but got a schema."
    )
    assert.strictEqual(
      told(() => pipelines.race("k", { a: step, b: undefined })),
      'The step "k" needs steps as its branches, in an array or an object, but its "b" is undefined.'
    )
    assert.strictEqual(
      told(() => pipelines.race("k", { a: step, b: 42 })),
      'The step "k" needs steps as its branches, in an array or an object.'
    )
    assert.strictEqual(
      told(() => steps.make("k")),
      `Step.make needs ${options} nothing.`
    )
    assert.strictEqual(
      told(() => synapse.sentiment()),
      "nothing"
    )
  })
})

describe("a supervisor whose times are wrong", () => {
  it.each([NaN, -1, 0, Infinity, "soon", null, {}])("throws for every: %j", (every) => {
    assert.throws(
      () => Pipeline.supervisor({ resume: { steps: [], every: every as "1 day" } }),
      'Pipeline.supervisor needs a finite time above 0, such as "5 seconds", as resume.every.'
    )
  })

  it.each([-1, Number.NaN, "soon"])("throws for grace: %j", (grace) => {
    assert.throws(
      () => Pipeline.supervisor({ grace: grace as "1 day" }),
      'Pipeline.supervisor needs a time from 0, such as "5 seconds", as grace.'
    )
  })
})

describe("a thought that is made without types", () => {
  const [pipelines, thoughts]: ReadonlyArray<any> = [Pipeline, Thought]
  const layer = Testing.memory
  const starts: ReadonlyArray<readonly [given: string, start: unknown, message: string]> = [
    ["a number as intent", { intent: 42 }, "needs an object with the intent (a string) as its second argument"],
    ["no intent", {}, "needs an object with the intent (a string) as its second argument"],
    [
      "a slip",
      { intent: "i", nots: {} },
      'The start of Pipeline.runPromise has no option "nots". Did you mean "notes"?'
    ],
    [
      "a slip in a note",
      { intent: "i", notes: { a: { content: "c", metdata: {} } } },
      'The note "a" has no option "metdata". Did you mean "metadata"?'
    ],
    [
      "a number as trace",
      { intent: "i", traceId: 7 },
      "Thought.make needs a string as the option traceId, but got a number"
    ],
    [
      "a number as task",
      { intent: "i", taskId: 7 },
      "Thought.make needs a string as the option taskId, but got a number"
    ]
  ]
  for (const [given, start, message] of starts) {
    it(`rejects with the reason: ${given}`, async () => {
      const error = await pipelines.runPromise(step, start, { layer }).then(undefined, (cause: unknown) => cause)
      assert.include(String(error), message)
    })
  }

  it("throws with the reason", () => {
    assert.throws(() => thoughts.make(42), "Thought.make needs a string as its first argument, but got a number.")
    assert.throws(
      () => thoughts.make("i", "n"),
      "Thought.make needs an object as its second argument, but got a string."
    )
  })
})

describe("a condition whose result is not a boolean", () => {
  const text = (): any => "no"
  const message = Note.handle("message", Schema.String)
  const bad = Step.make("bad", { run: Effect.fail("bad" as const) })
  const conditions: Readonly<Record<string, readonly [step: Step.Any, option: string]>> = {
    filter: [Pipeline.filter("f", { when: text, step }), "when"],
    "filter, read from a note": [
      Pipeline.filter("f", { when: Note.from(message, (value): any => value), step }),
      "when"
    ],
    when: [step.pipe(Step.when("f", Effect.sync(text), step)), "predicate"],
    mutate: [Pipeline.mutate("f", { note: message, update: (value) => value, when: text }), "when"],
    contest: [Pipeline.contest("f", { a: step }, { accept: text }), "accept"],
    fallback: [Pipeline.fallback("f", [step, bad], { accept: text }), "accept"]
  }
  for (const [name, [pipeline, option]] of Object.entries(conditions)) {
    it.effect(`fails the run, also for a truthy text: ${name}`, () =>
      Effect.gen(function* () {
        const thought = yield* Thought.make("t", { message: "no" })
        // its reads are known to nobody here
        const error: any = yield* Effect.flip(Effect.sandbox(Pipeline.run(pipeline, thought as Thought.Thought<any>)))
        const message = String(error)
        assert.include(message, `The step "f" needs true or false from \`${option}\`, but got a string.`)
      }).pipe(Effect.provide(Layer.fresh(Testing.memory)))
    )
  }
})
