/** Loads the other thought that a step refers to. */
import * as Effect from "effect/Effect"
import { quoted } from "../../text/legible.ts"
import { needed } from "../../arguments/needed.ts"
import { Memory } from "../../memory/Memory.ts"
import { MemoryError } from "../../memory/model/error.ts"
import * as Note from "../../thought/Note.ts"
import { load } from "./remembered.ts"
import type { Thought } from "../../thought/model.ts"

/**
 * Loads a thought by its id or trace id. `source` is the option with the id. An id that was read from notes is text of
 * theirs, so if there is no such thought, the error names the notes instead.
 */
export const loadTarget = (
  source: Note.Text | object,
  ref: string | { readonly traceId: string }
): Effect.Effect<Thought, MemoryError, Memory> => {
  const loaded = Effect.flatMap(needed(Memory), (memory) => load(memory, ref))
  if (!Note.isReader(source)) return loaded
  return Effect.mapError(loaded, (error) =>
    error.reason._tag === "NotFound" ? new MemoryError({ reason: notFound(source.keys) }) : error
  )
}

const notFound = (keys: ReadonlyArray<string>) => {
  const notes = keys.map(quoted).join(" and ")
  const read = keys.length === 0 ? "that was read" : `read from the ${keys.length === 1 ? "note" : "notes"} ${notes}`
  return { _tag: "NotFound" as const, message: `There is no thought with the id ${read} in this scope.` }
}
