import * as Effect from "effect/Effect"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { stepNamed, whole } from "../arguments/checked.ts"
import { finish } from "../run/run.ts"
import { makeStep } from "../step/runtime/make.ts"
import { checkKey } from "../thought/Note.ts"
import * as Session from "../thought/Session.ts"
import type { Step } from "../step/runtime/model.ts"
import { withSession } from "../thought/Thought.ts"
import { settingsOf } from "./reasoning/settings.ts"

/**
 * Shortens the conversation: keeps its first and last messages and removes those between. Calls no model.
 *
 * **Details**
 *
 * `first` (default 1) and `last` (default 10) count messages. A turn, which is a request with its replies, is never
 * split: a turn that is kept in part is kept whole. A conversation with fewer than `threshold` messages (default 0)
 * stays as it is.
 *
 * The notes of removed messages are released, so the next request shows them again. With `release: false`, a mark
 * covers them instead. Throws if a count is not a whole number from 0.
 *
 * **Example** (The beginning and the end)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Pipeline, Primitive, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const spam = Primitive.decide("spam", { question: "Is this spam?" })
 * const urgent = Primitive.decide("urgent", { question: "Is this urgent?" })
 * const check = Pipeline.sequence("check", [spam, urgent, Primitive.truncate("shorten", { first: 0, last: 2 })])
 *
 * const no = { decision: false, confidence: 0.9, reasoning: ["An ordinary question."] }
 * const model = Testing.scripted([no, no])
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(check, yield* Thought.make("sort mail", { message: "When do you open?" }))
 *   assert.equal(done.session.length, 2)
 *   // what the first request showed is shown again
 *   assert.deepEqual(Thought.unpublished(done).map((note) => note.key), ["message", "spam"])
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(model.layer, Testing.memory))))
 * ```
 *
 * @category conversation
 */
export const truncate = taking("Primitive.truncate", {
  options: 1,
  known: {
    first: forms.maybe("How many messages stay at the beginning.", forms.count(0), 1),
    last: forms.maybe("How many messages stay at the end.", forms.count(0), 10),
    threshold: forms.maybe("Does nothing while there are fewer messages.", forms.count(0), 0),
    release: forms.maybe("Whether notes of removed messages can be shown again.", forms.flag, true)
  },
  optional: true
})((
  name: string,
  options: {
    readonly first?: number
    readonly last?: number
    readonly threshold?: number
    readonly release?: boolean
  } = {}
): Step<{}, {}> => {
  checkKey(name)
  const first = whole(stepNamed(name), "first", 0, options.first ?? 1)
  const last = whole(stepNamed(name), "last", 0, options.last ?? 10)
  const threshold = whole(stepNamed(name), "threshold", 0, options.threshold ?? 0)
  const { release = true } = options
  const settings = settingsOf({ first, last, threshold, release })
  return makeStep({ name, kind: "truncate", reads: [], writes: [], surely: [], children: [], ...settings }, (thought) =>
    thought.session.length < threshold
      ? Effect.succeed(thought)
      : Session.truncate(thought.session, { first, last, release }).pipe(
          Effect.orDie,
          Effect.flatMap((session) =>
            session === thought.session ? Effect.succeed(thought) : finish(withSession(thought, session))
          )
        )
  )
})
