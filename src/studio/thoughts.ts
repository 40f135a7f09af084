/** Thoughts, the newest first. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { Memory, type MemoryError, type Shape } from "../Memory.ts"
import type { After, ThoughtItem, ThoughtsPage } from "./model.ts"

const size = 25

type Listed = Effect.Success<ReturnType<Shape["thoughts"]>>[number]

const itemOf = ({ created, id, intent, notes, taskId }: Listed): ThoughtItem => ({
  id,
  intent,
  ...(taskId === undefined ? {} : { taskId }),
  createdMillis: DateTime.toEpochMillis(created),
  notes
})

export const thoughtsPage = Effect.fnUntraced(function* (
  after: After | undefined
): Effect.fn.Return<ThoughtsPage, MemoryError, Memory> {
  const memory = yield* Memory
  const found = yield* memory.thoughts({
    order: "newest",
    limit: size + 1,
    ...(after === undefined ? {} : { after: { id: after.id, created: DateTime.makeUnsafe(after.createdMillis) } })
  })
  const thoughts = found.slice(0, size).map(itemOf)
  const last = thoughts.at(-1)
  return found.length > size && last !== undefined
    ? { thoughts, next: { id: last.id, createdMillis: last.createdMillis } }
    : { thoughts }
})
