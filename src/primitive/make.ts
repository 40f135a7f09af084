import { quoted } from "../text/legible.ts"
import * as forms from "../arguments/forms.ts"
import { kindOf } from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import { writableSchemaOf } from "../schema/schemaOf.ts"
import { type AnySchema, from, type Handle, isHandle, type Text } from "../thought/Note.ts"
import type { All, Needs, Reads } from "../thought/types.ts"
import type { Answer, Question } from "../provider/task.ts"
import type { Provider } from "../provider/Provider.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import type { Keyed } from "../step/runtime/model.ts"
import { compile } from "../synapse/form.ts"
import type { ResponseError } from "../synapse/answer/ResponseError.ts"
import { type Options, optionForms } from "./reasoning/options.ts"
import { makeReasoning } from "./reasoning/reason.ts"
import { stating } from "../step/runtime/stated.ts"

/** The notes of a list of handles. */
type NotesOf<H extends ReadonlyArray<unknown>> = All<ReadOf<H[number]>>
type ReadOf<H> = H extends Handle<infer K, infer A> ? Reads<K, A> : never

/** What the step reads: the notes of its question, and those that it declares. */
type ReadBy<Q, H extends ReadonlyArray<unknown>> = [H] extends [readonly []]
  ? Text.In<Q>
  : Needs<Text.In<Q>, NotesOf<H>>

/**
 * Makes a reasoning step of your own kind with all features of the built-in ones: notes shown once, strict validation
 * with repairs, introspection, views, native answers, provenance, and an atomic commit.
 *
 * **Details**
 *
 * Wrap it in a function with your own options, and the result is a primitive like any other. For a typed value without
 * its own kind or wording use `analyze`, and for computed notes `Step.make`.
 *
 * `reads` declares the notes that the question is about, as handles: a pipeline without them does not compile. The request shows
 * them as it shows all notes; the question does not quote them. Throws if the kind is empty. Fails with `ProviderError` if the call
 * fails, and with `ResponseError` if no answer fits the schema, repairs included. A declared note that is missing at run time is a
 * `NoteNotFound` defect, before any call.
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
  known: { ...forms.others("question", "kind", "schema", "instructions", "native", "reads"), ...optionForms },
  needs: ["schema"],
  texts: ["kind"]
})(<const K extends string, A, const Q extends Text, const H extends ReadonlyArray<Handle<any, any>> = readonly []>(
  key: K,
  options: Options & {
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
  } & { readonly question: Q; readonly reads?: H }
): Keyed<K, A, ReadBy<Q, H>, ProviderError | ResponseError | Text.Err<Q>, Provider | Text.Req<Q>> => {
  const { instructions, kind, native } = options
  const handles = readsOf(key, options.reads)
  const schema = writableSchemaOf(`The step ${quoted(key)}`, options.schema)
  const declaration = {
    kind,
    form: compile(kind, schema, (value) => value),
    request: (question: string) => ({
      instruction: question,
      questions: native?.questions(question) ?? [],
      task: question,
      how: instructions,
      sections: []
    }),
    ...(native === undefined ? {} : { fromAnswers: native.value })
  }
  const declared =
    handles.length === 0 ? declaration : { kind, declare: from(Object.fromEntries(handles), () => declaration) }
  const step = makeReasoning<K, A, Q, ReadBy<Q, H>>(key, schema, declared, options.question, options, { instructions })
  stating(step.node, schema)
  return step
})

/** The handles by their keys. Throws if an entry is not a handle. */
const readsOf = (key: string, reads: unknown = []): ReadonlyArray<readonly [string, Handle<string, unknown>]> => {
  const owner = `The step ${quoted(key)}`
  if (!Array.isArray(reads)) throw new Error(`${owner} needs a list of handles as the option reads.`)
  return reads.map((handle: unknown) => {
    if (isHandle(handle)) return [handle.key, handle]
    throw new Error(`${owner} needs a list of handles as the option reads, but it has ${kindOf(handle)}.`)
  })
}
