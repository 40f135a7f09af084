/** Thoughts, the newest first. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { Memory, type MemoryError, type Relative } from "../Memory.ts"
import * as Thought from "../Thought.ts"
import type { After, ThoughtItem, ThoughtsPage } from "./model.ts"

const size = 25

const itemOf = ({ created, id, intent, taskId }: Relative): Effect.Effect<ThoughtItem, MemoryError, Memory> =>
  Effect.map(
    Effect.flatMap(Memory, (memory) => memory.load(id)),
    (thought) => ({
      id,
      intent,
      ...(taskId === undefined ? {} : { taskId }),
      createdMillis: DateTime.toEpochMillis(created),
      notes: Thought.notes(thought).length
    })
  )

export const thoughtsPage = Effect.fnUntraced(function* (
  after: After | undefined
): Effect.fn.Return<ThoughtsPage, MemoryError, Memory> {
  const memory = yield* Memory
  const found = yield* memory.thoughts({
    order: "newest",
    limit: size + 1,
    ...(after === undefined ? {} : { after: { id: after.id, created: DateTime.makeUnsafe(after.createdMillis) } })
  })
  const thoughts = yield* Effect.forEach(found.slice(0, size), itemOf, { concurrency: 4 })
  const last = thoughts.at(-1)
  return found.length > size && last !== undefined
    ? { thoughts, next: { id: last.id, createdMillis: last.createdMillis } }
    : { thoughts }
})
