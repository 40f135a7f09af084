import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import type { Reads } from "../thought/types.ts"
import type { Step } from "../step/runtime/model.ts"
import { fork } from "../thought/fork.ts"
import { notes } from "../thought/Thought.ts"
import type { Thought } from "../thought/model.ts"
import { makeOnward } from "./reasoning/onward.ts"
import { listed } from "./reasoning/settings.ts"

/** The forgotten notes. If the length of the list is unknown, so are the keys. */
type Forgotten<D extends ReadonlyArray<string>> = number extends D["length"] ? {} : Reads<D[number], undefined>

/**
 * Continues with a fork of the thought that does not see some of its notes, in a fresh conversation.
 *
 * **Details**
 *
 * `drop` names the keys to forget. `keep` names the keys that remain, and takes precedence over `drop`. Without either,
 * only the conversation is forgotten. Remaining notes are unpublished, so the next request shows them. The thought
 * itself keeps its notes.
 *
 * A key that `drop` names literally becomes `undefined` in the type, so later steps that read it do not compile. The
 * types do not know what `keep` omits: `Thought.read` of such a note fails with `NoteNotFound`, a step that reads it
 * dies with this error, and `thought.get` returns `undefined`. In concurrent branches, `forget` is a defect.
 *
 * **Example** (Going on without the draft)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Pipeline, Primitive, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const start = yield* Thought.make("write", { topic: "rain", draft: "It rains." })
 *   const done = yield* Pipeline.run(Primitive.forget("anew", { drop: ["draft"] }), start)
 *   assert.equal(done.note("draft"), undefined)
 *   assert.equal(done.note("topic")?.content, "rain")
 *   assert.equal(start.get("draft"), "It rains.")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category lineage
 */
export const forget: {
  <const D extends ReadonlyArray<string> = []>(
    name: string,
    options?: { readonly drop?: D; readonly keep?: undefined }
  ): Step<{}, Forgotten<D>>
  (
    name: string,
    options?: { readonly drop?: ReadonlyArray<string>; readonly keep?: ReadonlyArray<string> }
  ): Step<{}, {}>
} = taking("Primitive.forget", {
  options: 1,
  known: {
    drop: forms.maybe("Keys of the notes that are left behind.", forms.names),
    keep: forms.maybe("Keys of the notes that stay; all others are left behind.", forms.names)
  },
  optional: true
})((
  name: string,
  options: { readonly drop?: ReadonlyArray<string>; readonly keep?: ReadonlyArray<string> | undefined } = {}
): Step<{}, any> => {
  const { drop = [], keep } = options
  const settings = keep === undefined ? { drop: listed(drop) } : { keep: listed(keep) }
  const hides = (key: string): boolean => (keep === undefined ? drop.includes(key) : !keep.includes(key))
  const forgotten = (thought: Thought<any>) => {
    const known = new Set(notes(thought).map(({ key }) => key))
    return fork(thought, { session: "fresh", hide: [...known].filter(hides) })
  }
  return makeOnward(name, "forget", { settings }, forgotten, hides)
})
