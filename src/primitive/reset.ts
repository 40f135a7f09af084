import * as Effect from "effect/Effect"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { omission } from "../thought/turns.ts"
import { message } from "../thought/render.ts"
import { finish } from "../run/run.ts"
import { makeStep } from "../step/runtime/make.ts"
import { checkKey, type Handle } from "../thought/Note.ts"
import * as Session from "../thought/Session.ts"
import type { Step } from "../step/runtime/model.ts"
import type { Thought } from "../thought/model.ts"
import { withSession } from "../thought/Thought.ts"
import { settingsOf } from "./reasoning/settings.ts"

/**
 * Starts the conversation anew. Calls no model.
 *
 * **Details**
 *
 * The notes of removed messages are released, so the next request shows them again. With `release: false`, a mark
 * covers them instead. `note` carries one note over: the conversation then begins with a user message that shows it,
 * fenced as in every request, because the text of a note is data and never a system message.
 *
 * Without such a note, `system` becomes the first message, in the system role. It is a fixed text, because text from
 * notes must not appear there.
 *
 * **Example** (A fresh start with what matters)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Pipeline, Primitive, Session, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const spam = Primitive.decide("spam", { question: "Is this spam?" })
 * const check = Pipeline.sequence("check", [spam, Primitive.reset("anew", { note: spam })])
 *
 * const model = Testing.scripted([{ decision: false, confidence: 0.9, reasoning: ["An ordinary question."] }])
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(check, yield* Thought.make("sort mail", { message: "When do you open?" }))
 *   assert.deepEqual(Session.entries(done.session).map((entry) => entry.role), ["user"])
 *   assert.deepEqual(Thought.unpublished(done).map((note) => note.key), ["message"])
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(model.layer, Testing.memory))))
 * ```
 *
 * @category conversation
 */
export const reset = taking("Primitive.reset", {
  options: 1,
  known: {
    system: forms.maybe("The system's word to begin with.", forms.words),
    note: forms.maybe("Key of the note to begin with.", forms.handle),
    release: forms.maybe("Whether notes of removed messages can be shown again.", forms.flag, true)
  },
  optional: true
})((
  name: string,
  options: {
    readonly system?: string
    readonly note?: Handle<any, any>
    readonly release?: boolean
  } = {}
): Step<{}, {}> => {
  const { note: carried, release = true, system } = options
  const reads = carried === undefined ? [] : [carried.key as string]
  const settings = settingsOf({ note: carried?.key as string | undefined, system, release })
  const node = { name: checkKey(name), kind: "reset", reads, writes: [], surely: [], children: [], ...settings }
  return makeStep(node, (thought) =>
    Effect.suspend(() => {
      const beginning = beginningOf(thought, carried?.key as string | undefined, system)
      const kept = new Set(beginning.flatMap((draft) => draft.carries ?? []))
      const entries = Session.entries(thought.session)
      const omitted = release || entries.length === 0 ? [] : [omission(entries, kept)]
      return finish(withSession(thought, Session.set(thought.session, [...beginning, ...omitted])))
    })
  )
})

const beginningOf = (
  thought: Thought<any>,
  key: string | undefined,
  system: string | undefined
): ReadonlyArray<Session.Draft> => {
  const note = key === undefined ? undefined : thought.note(key)
  if (note !== undefined) {
    return [{ role: "user", text: message({ notes: [note] }), carries: [note.id] }]
  }
  return system === undefined ? [] : [{ role: "system", text: system }]
}
