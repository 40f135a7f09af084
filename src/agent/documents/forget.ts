import * as Effect from "effect/Effect"
import * as kinds from "../../arguments/kinds.ts"
import { taking } from "../../arguments/taking.ts"
import * as Memory from "../../Memory.ts"
import type { AnyDocument } from "../model/Document.ts"
import { diaryOf } from "./diary.ts"

/** Removes a thought, and gives whether there was one. */
const removed = (traceId: string): Effect.Effect<boolean, Memory.MemoryError, Memory.Memory> =>
  Effect.as(Memory.remove({ traceId }), true).pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag === "NotFound",
      () => Effect.succeed(false)
    )
  )

/**
 * Removes what a document has of a user or a task, and what was still to be learned, and returns whether there was anything.
 *
 * **Details**
 *
 * Conversations stay, with the copies that they have seen: agents do not show these any more. Later conversations are learned from
 * again. Only the current scope is affected. Fails with `MemoryError` if the memory fails.
 *
 * **Example** (A user who wants to be forgotten)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Agent } from "cogito/agent"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const traceId = Agent.Profile.traceId("ann")
 *   yield* Memory.commit(yield* Thought.make("profile", { profile: `{"goals":["learn Rust"]}` }, { traceId }))
 *   assert.equal(yield* Agent.forget(Agent.Profile, "ann"), true)
 *   assert.equal(yield* Agent.forget(Agent.Profile, "ann"), false)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category documents
 */
export const forget = taking("Agent.forget", { args: [kinds.handle, kinds.text] })((
  document: AnyDocument,
  id: string
): Effect.Effect<boolean, Memory.MemoryError, Memory.Memory> => {
  const traceId = document.traceId(id)
  return Effect.zipWith(removed(traceId), removed(diaryOf(document, traceId)), (one, other) => one || other)
})
