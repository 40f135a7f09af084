import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { decoded, makeAwaiting } from "../step/runtime/awaiting.ts"
import type { Keyed } from "../step/runtime/model.ts"
import type * as Note from "../thought/Note.ts"

/** What a person answers. */
const Answer = Schema.Struct({ approved: Schema.Boolean, reason: Schema.optionalKey(Schema.String) })

/**
 * The decision of a person.
 *
 * - `by`: who decided, if the answer says so
 * - `late`: whether nobody answered in time
 *
 * @category models
 */
export const Approval = Schema.Struct({
  approved: Schema.Boolean,
  reason: Schema.optionalKey(Schema.String),
  by: Schema.optionalKey(Schema.String),
  late: Schema.optionalKey(Schema.Boolean)
})
/**
 * @category models
 */
export interface Approval extends Schema.Schema.Type<typeof Approval> {}

const read = decoded(Answer)

const valueOf = (json: unknown, by: string | undefined): Result.Result<Approval, string> =>
  Result.map(read(json), (given) => ({ ...given, ...(by === undefined ? {} : { by }) }))

const tooLate: Approval = { approved: false, late: true }

/**
 * Waits until a person approves or refuses.
 *
 * **Details**
 *
 * The run ends with `Suspended`; `Pipeline.answer(runId, key, { approved, reason }, { by })` answers, and `Pipeline.resume` goes
 * on. Without an answer within `timeout` it is not approved. `prompt` should contain everything that is decided upon: the answer
 * is bound to its text.
 *
 * Only a durable run can wait. Throws inside `timeout`, `race` and `contest`.
 *
 * **Example** (A refund that somebody must approve)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Pipeline, Primitive, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const refund = Pipeline.sequence("refund", [
 *   Primitive.approve("ok", { prompt: "Refund 49.90 EUR to Jane?", timeout: "2 days" }),
 *   Step.make("pay", { run: Effect.log("paid") })
 * ])
 *
 * const program = Effect.gen(function*() {
 *   const suspended = yield* Effect.flip(
 *     Pipeline.run(refund, yield* Thought.make("refund"), { durable: { id: "refund-18" } })
 *   )
 *   assert.equal(suspended._tag, "Suspended")
 *   yield* Pipeline.answer("refund-18", "ok", { approved: true }, { by: "jane" })
 *   const done = yield* Pipeline.resume(refund, "refund-18")
 *   assert.deepEqual(done.get("ok"), { approved: true, by: "jane" })
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category durable runs
 */
export const approve = taking("Primitive.approve", {
  options: 1,
  known: {
    prompt: forms.option("What is to be approved.", forms.text),
    timeout: forms.maybe("How long to wait.", forms.duration)
  }
})(<const K extends string, const Q extends Note.Text>(
  key: K,
  options: { readonly prompt: Q; readonly timeout?: Duration.Input }
): Keyed<K, Approval, Note.Text.In<Q>, Note.Text.Err<Q>, Note.Text.Req<Q>> => {
  const { prompt, timeout } = options
  return makeAwaiting(key, Approval, {
    kind: "approve",
    prompt,
    trust: "untrusted",
    timeout,
    answer: Answer,
    valueOf,
    late: () => Effect.succeed(tooLate)
  })
})
