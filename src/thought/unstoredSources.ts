/** The notes of other thoughts that a redaction cannot find by the notes which were made from them. */
import * as Chunk from "effect/Chunk"
import type { State } from "./model.ts"
import { noteOf } from "./state.ts"

/** The ids of notes of other thoughts, from which notes were made that are not stored yet, each id once. */
export const unstoredSources = (state: State): ReadonlyArray<string> => {
  const sources = Array.from(Chunk.drop(state.log, state.stored.seq)).flatMap(({ derivedFrom }) => derivedFrom)
  return [...new Set(sources)].filter((id) => noteOf(state, id) === undefined)
}
