/** The notes that two runs of a pipeline have written, side by side. */
import * as Chunk from "effect/Chunk"
import type { Note } from "../../thought/Note.ts"
import type { Thought } from "../../thought/model.ts"
import { stateOf } from "../../thought/state.ts"

/**
 * One note of both runs: the n-th of its step and key.
 *
 * - `step`: the path of the step that wrote it
 * - `before`, `after`: its text in the earlier run and in the new one; undefined where it was not written
 *
 * @category models
 */
export interface Compared {
  readonly step: string
  readonly key: string
  readonly before: string | undefined
  readonly after: string | undefined
  readonly isSame: boolean
}

/** The notes that steps have written, by step, key and number. */
const writtenSince = (start: Thought<any>, thought: Thought<any>): ReadonlyMap<string, Note> => {
  const known = new Set(Array.from(stateOf(start).log, ({ id }) => id))
  const counts = new Map<string, number>()
  const written = new Map<string, Note>()
  for (const note of Chunk.toReadonlyArray(stateOf(thought).log)) {
    if (known.has(note.id) || note.step === "") continue
    const place = JSON.stringify([note.step, note.key])
    const n = (counts.get(place) ?? 0) + 1
    counts.set(place, n)
    written.set(`${place}#${n}`, note)
  }
  return written
}

/** In the order of the new run, with what only the earlier one has written at the end. */
export const compare = (start: Thought<any>, before: Thought<any>, after: Thought<any>): ReadonlyArray<Compared> => {
  const [old, now] = [writtenSince(start, before), writtenSince(start, after)]
  return [...new Set([...now.keys(), ...old.keys()])].flatMap((place) => {
    const note = now.get(place) ?? old.get(place)
    if (note === undefined) return []
    const texts = { before: old.get(place)?.content, after: now.get(place)?.content }
    return [{ step: note.step, key: note.key, ...texts, isSame: texts.before === texts.after }]
  })
}
