/** Adds a note to a thought for a step: encoded by its handle, with the step's path, and with a signal. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Note from "../thought/Note.ts"
import type { Thought } from "../thought/model.ts"
import { Around } from "../thought/gathered.ts"
import * as ids from "../thought/ids.ts"
import { originOf, type Source } from "../thought/origin.ts"
import { emit, Run } from "./run.ts"
import * as thoughts from "../thought/state.ts"

/**
 * Writes a value as a note. A value that does not fit the handle's schema is a defect that names the step that computed
 * it.
 */
export const write = Effect.fnUntraced(function* <K extends string, A>(
  thought: Thought<any>,
  source: string,
  handle: Note.Handle<K, A>,
  value: A,
  options: {
    /** All possible sources of the value. */
    readonly from: ReadonlyArray<Source>
    /** Its trust, if that does not follow from its sources. */
    readonly trust?: Note.Trust
    readonly metadata?: Readonly<Record<string, string>>
  }
): Effect.fn.Return<{ readonly thought: Thought<any>; readonly note: Note.Note }> {
  const { path, speculative } = yield* Run
  const content = yield* Effect.fromResult(handle[Note.HandleTypeId].encode(value)).pipe(
    Effect.mapError(
      (error) => new Error(`The step ${path.join("/")} gave a value outside its schema. ${error.message}`)
    ),
    Effect.orDie
  )
  const { id, millis } = yield* ids.next
  const state = thoughts.stateOf(thought)
  const { derivedFrom, trust } = originOf(thought, [...options.from, ...(yield* Around)])
  const note = thoughts.makeNote(state, id, DateTime.makeUnsafe(millis), {
    key: handle.key,
    content,
    source,
    step: path.join("/"),
    trust: options.trust ?? trust,
    derivedFrom,
    ...(options.metadata === undefined ? {} : { metadata: options.metadata })
  })
  const after = new thoughts.ThoughtImpl(thoughts.addNote(state, note, handle))
  yield* emit(after, { _tag: "NoteAdded", key: handle.key, source, seq: note.seq, size: content.length, speculative })
  return { thought: after, note }
})
