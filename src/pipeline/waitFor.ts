import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { writableSchemaOf } from "../schema/schemaOf.ts"
import type { AnySchema } from "../schema/standardSchema.ts"
import { decoded, makeAwaiting } from "../step/runtime/awaiting.ts"
import type { Keyed } from "../step/runtime/model.ts"
import { TimeoutError } from "../step/runtime/TimeoutError.ts"
import { quoted } from "../text/legible.ts"
import type * as Note from "../thought/Note.ts"

/** Whether it fails when there is no answer in time. */
type Late<T, O> = [T] extends [never] ? never : [O] extends [never] ? TimeoutError : never

/**
 * Waits for an answer from a person or another program, and writes it as a note.
 *
 * **Details**
 *
 * The run ends with `Suspended` once nothing else can go on, and holds nothing open: the process may end. `Pipeline.answer`
 * gives the answer, and `Pipeline.resume` goes on with the run. Branches beside it finish first. `prompt` says what is
 * asked; the answer must fit `schema`, whose JSON Schema is kept with the question.
 *
 * After `timeout` the run goes on without an answer when it is resumed: with the value `otherwise`, or with a
 * `TimeoutError`. The note is untrusted unless `trust` says otherwise; its metadata has `answered_by`, or `late`.
 *
 * Only a durable run can wait. Throws inside `timeout`, `race` and `contest`.
 *
 * **Example** (Asking for an amount)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Pipeline, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const amount = Pipeline.waitFor("amount", { schema: Schema.Finite, prompt: "How much may we refund?" })
 *
 * const program = Effect.gen(function*() {
 *   const start = yield* Thought.make("refund an order")
 *   const suspended = yield* Effect.flip(Pipeline.run(amount, start, { durable: { id: "refund-17" } }))
 *   assert.equal(suspended._tag, "Suspended")
 *
 *   yield* Pipeline.answer("refund-17", "amount", 49.9, { by: "jane" })
 *   const done = yield* Pipeline.resume(amount, "refund-17")
 *   assert.equal(done.get("amount"), 49.9)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category durable runs
 */
export const waitFor = taking("Pipeline.waitFor", {
  options: 1,
  known: {
    schema: forms.option("The schema of the answer.", forms.schema),
    prompt: forms.option("What is asked.", forms.text),
    timeout: forms.maybe("How long to wait.", forms.duration),
    otherwise: forms.inCode,
    trust: forms.maybe("Trust of the answer.", forms.trust, "untrusted")
  }
})(<const K extends string, A, const Q extends Note.Text, T extends Duration.Input = never, O extends A = never>(
  key: K,
  options: {
    readonly schema: AnySchema<A>
    readonly prompt: Q
    readonly timeout?: T
    readonly otherwise?: O
    readonly trust?: Note.Trust
  }
): Keyed<K, A, Note.Text.In<Q>, Note.Text.Err<Q> | Late<T, O>, Note.Text.Req<Q>> => {
  const given: { readonly timeout?: Duration.Input; readonly otherwise?: A } = options
  const { prompt, trust = "untrusted" } = options
  const schema = writableSchemaOf(`The step ${quoted(key)}`, options.schema)
  if (given.otherwise !== undefined && given.timeout === undefined) {
    throw new Error(`The step ${quoted(key)} has \`otherwise\`, which needs a \`timeout\`.`)
  }
  return makeAwaiting(key, schema, {
    kind: "waitFor",
    prompt,
    trust,
    timeout: given.timeout,
    valueOf: decoded(schema),
    late: (limitMillis) =>
      "otherwise" in given ? Effect.succeed(given.otherwise) : Effect.fail(new TimeoutError({ step: key, limitMillis }))
  })
})
