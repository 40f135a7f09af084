import { quoted } from "../text/legible.ts"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { writableSchemaOf } from "../schema/schemaOf.ts"
import type { AnySchema, Text } from "../thought/Note.ts"
import type { Answer, Question } from "../provider/task.ts"
import type { Provider } from "../provider/Provider.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import type { Keyed } from "../step/runtime/model.ts"
import { compile } from "../synapse/form.ts"
import type { ResponseError } from "../synapse/answer/ResponseError.ts"
import { type Options, optionForms } from "./reasoning/options.ts"
import { makeReasoning } from "./reasoning/reason.ts"

/**
 * A reasoning primitive of your own: a kind, a question, and the schema of the answer.
 *
 * @category models
 */
export interface Definition<A> {
  /** Name of the kind in notes, requests, signals and spans, such as `"estimate"`. */
  readonly kind: string
  /** Schema of the answer and the note, of Effect or another library. Field descriptions help the model. */
  readonly schema: AnySchema<A>
  /** How to answer the question, for language models. Default: the question alone is the task. */
  readonly instructions?: string
  /**
   * The question as closed questions, for providers that decide natively. Default: it is open, and `via: "native"`
   * fails.
   */
  readonly native?: {
    /** The closed questions that are equivalent to the question, with unique names. */
    readonly questions: (question: string) => ReadonlyArray<Question>
    /**
     * Converts the answers, by the names of their questions, to the value. A value that does not fit the schema is a
     * defect.
     */
    readonly value: (answers: ReadonlyMap<string, Answer>) => A
  }
}

/**
 * Makes a reasoning step of your own kind with all features of the built-in ones: notes shown once, strict validation
 * with repairs, introspection, views, native answers, provenance, and an atomic commit.
 *
 * **Details**
 *
 * Wrap it in a function with your own options, and the result is a primitive like any other. For a typed value without
 * its own kind or wording use `analyze`, and for computed notes `Step.make`. Throws if the kind is empty. Fails with
 * `ProviderError` if the call fails, and with `ResponseError` if no answer fits the schema, repairs included.
 *
 * **Example** (A range instead of a number)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer, Schema } from "effect"
 * import { Pipeline, Primitive, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const Range = Schema.Struct({ low: Schema.Finite, high: Schema.Finite })
 * const estimate = <const K extends string>(key: K, question: string) =>
 *   Primitive.make(key, {
 *     kind: "estimate",
 *     schema: Range,
 *     question,
 *     instructions: "Give a low and a high value that you would be surprised to see exceeded."
 *   })
 *
 * const days = estimate("days", "How many days will the repair take?")
 * const provider = Testing.scripted([{ low: 2, high: 5 }])
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(days, yield* Thought.make("plan", { report: "The pump leaks." }))
 *   assert.equal(done.get("days").high, 5)
 *   assert.equal(done.note("days")?.source, "estimate")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(provider.layer, Testing.memory))))
 * ```
 *
 * @category constructors
 */
export const make = taking("Primitive.make", {
  options: 1,
  known: { ...forms.others("question", "kind", "schema", "instructions", "native"), ...optionForms },
  needs: ["kind", "schema"]
})(<const K extends string, A, const Q extends Text>(
  key: K,
  options: Options & Definition<A> & { readonly question: Q }
): Keyed<K, A, Text.In<Q>, ProviderError | ResponseError | Text.Err<Q>, Provider | Text.Req<Q>> => {
  const { instructions, kind, native } = options
  if (kind.trim() === "") throw new Error(`The step ${quoted(key)} needs a non-empty kind.`)
  const schema = writableSchemaOf(`The step ${quoted(key)}`, options.schema)
  const declaration = {
    kind,
    form: compile(kind, schema, (value) => value),
    put: (question: string) => ({
      instruction: question,
      questions: native?.questions(question) ?? [],
      task: question,
      how: instructions,
      sections: []
    }),
    ...(native === undefined ? {} : { fromAnswers: native.value })
  }
  return makeReasoning(key, schema, declaration, options.question, options, { instructions })
})
