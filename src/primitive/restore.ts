import * as Effect from "effect/Effect"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { rewind, typedAs } from "./reasoning/rewind.ts"
import { inHand } from "../run/waiting.ts"
import type { Memory } from "../memory/Memory.ts"
import type { MemoryError } from "../memory/model/error.ts"
import * as Note from "../thought/Note.ts"
import type { Step } from "../step/runtime/model.ts"
import { fork } from "../thought/fork.ts"
import type { Thought } from "../thought/model.ts"
import { checkText, checkWords, stepNamed } from "../arguments/checked.ts"
import { CheckpointNotFound } from "./reasoning/errors.ts"
import { makeOnward } from "./reasoning/onward.ts"
import { loadTarget } from "./reasoning/target.ts"

type From = Note.Text | { readonly checkpoint: string }

/**
 * Continues with a fork of another thought, or of an earlier state of this one. The current thought stays as it is.
 *
 * **Details**
 *
 * The fork has the target's intent, task, notes and checkpoints, including the restored one, and the target as parent.
 * Its conversation ends before the first message that shows a note after the checkpoint. Messages that were removed
 * since do not return, and notes that are not shown any more are unpublished.
 *
 * The type still lists the current thought's notes. If the target lacks one, `Thought.read` and steps fail with
 * `NoteNotFound`, steps as a defect. Fails with `CheckpointNotFound`, or with `MemoryError` (`NotFound`) if the scope
 * has no such thought. A defect in concurrent branches.
 *
 * **Example** (Starting from an earlier thought)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Pipeline, Primitive, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const template = yield* Pipeline.run(
 *     Pipeline.sequence("store", []),
 *     yield* Thought.make("answer", { tone: "friendly" })
 *   )
 *   const begin = Primitive.restore("begin", { from: template.id })
 *   const done = yield* Pipeline.run(begin, yield* Thought.make("elsewhere"))
 *   assert.equal(done.note("tone")?.content, "friendly")
 *   assert.equal(done.parent?.id, template.id)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category lineage
 */
export const restore = taking("Primitive.restore", {
  options: 1,
  known: {
    from: forms.option(
      "The checkpoint, or the id of a thought, or a reader of one.",
      forms.either(
        '{ checkpoint: "<name>" }, an id, or { reader: "<name>" }',
        forms.notEmpty,
        forms.textReader,
        forms.fields("", { checkpoint: forms.option("Name of the checkpoint.", forms.words) })
      )
    ),
    session: forms.maybe(
      "Whether its conversation goes on, or a fresh one begins.",
      forms.oneOf("keep", "fresh"),
      "keep"
    )
  }
})(<const F extends From>(
  name: string,
  options: {
    /** A checkpoint of this thought, a thought's id, or a reader of an id. */
    readonly from: F
    /** Keeps the target's conversation (default), or starts a fresh one, which makes every note unpublished. */
    readonly session?: "keep" | "fresh"
  }
): Step<
  Note.Text.In<F>,
  {},
  MemoryError | Note.Text.Err<F> | (F extends { readonly checkpoint: string } ? CheckpointNotFound : never),
  Memory | Note.Text.Req<F>
> => {
  const from: From = options.from
  const { session = "keep" } = options
  if (typeof from === "object" && "checkpoint" in from) checkText(stepNamed(name), "from.checkpoint", from.checkpoint)
  else checkWords(stepNamed(name), "from", from)
  const reads = Note.isReader(from) ? from.keys : []
  const target =
    typeof from === "string" ? { from } : "checkpoint" in from ? { "from.checkpoint": from.checkpoint } : {}
  const settings = { ...target, session }
  // the errors depend on the form of `from`, as the type says
  return makeOnward<any, any, any>(name, "restore", { reads, settings }, (thought) =>
    Effect.gen(function* () {
      const { checkpoint, id, seq } = yield* pointOf(thought, from)
      const target = (yield* inHand(thought, id)) ?? (yield* loadTarget(from, id))
      const forked = yield* fork(rewind(target, seq), {
        session,
        ...(checkpoint === undefined ? {} : { checkpoint })
      })
      return typedAs(forked, thought)
    })
  )
})

interface Point {
  readonly id: string
  /** Number of notes. Infinite for all. */
  readonly seq: number
  readonly checkpoint: string | undefined
}

const pointOf = (thought: Thought<any>, from: From): Effect.Effect<Point, unknown, unknown> => {
  if (typeof from === "string" || Note.isReader(from)) {
    return Effect.map(Note.text(from, thought), (id) => ({ id, seq: Infinity, checkpoint: undefined }))
  }
  const { checkpoint } = from
  const point = thought.checkpoints.get(checkpoint)
  return point === undefined
    ? Effect.fail(new CheckpointNotFound({ checkpoint, thoughtId: thought.id }))
    : Effect.succeed({ ...point, checkpoint })
}
