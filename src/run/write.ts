/** Adds a note to a thought for a step: encoded by its handle, with the step's path, and with a signal. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Note from "../thought/Note.ts"
import type { Thought } from "../thought/model.ts"
import { Around } from "../thought/gathered.ts"
import * as ids from "../thought/ids.ts"
import { originOf, type Source } from "../thought/origin.ts"
import { emit, isHeard, Run } from "./run.ts"
import * as thoughts from "../thought/state.ts"

/**
 * Writes a value as a note. A value that does not fit the handle's schema is a defect that names the step that computed
 * it.
 */
export const write = <K extends string, A>(
  thought: Thought<any>,
  source: string,
  handle: Note.Handle<K, A>,
  value: A,
  options: {
    /** All possible sources of the value. */
    readonly from: ReadonlyArray<Source>
    /** Its trust, if that does not follow from its sources. */
    readonly trust?: Note.Trust
    /** The JSON that the value was decoded from. It is written if the schema cannot turn the value back. */
    readonly written?: { readonly json: unknown } | undefined
    readonly metadata?: Readonly<Record<string, string>>
  }
): Effect.Effect<{ readonly thought: Thought<any>; readonly note: Note.Note }> =>
  Effect.withFiber((fiber) => {
    const { journal, path, speculative } = fiber.getRef(Run)
    const step = path.join("/")
    const codec = handle[Note.HandleTypeId]
    const { written: from } = options
    const encoded = Result.orElse(codec.encode(value), (error) =>
      from === undefined ? Result.fail(error) : Result.map(codec.fromJson(from.json), () => codec.ofJson(from.json))
    )
    if (Result.isFailure(encoded)) {
      return Effect.die(new Error(`The step ${step} gave a value outside its schema. ${encoded.failure.message}`))
    }
    const content = encoded.success
    const { id, millis } = ids.nextOf(fiber)
    const state = thoughts.stateOf(thought)
    const { derivedFrom, trust } = originOf(thought, [...options.from, ...fiber.getRef(Around)])
    const note = thoughts.makeNote(state, id, DateTime.makeUnsafe(millis), {
      key: handle.key,
      content,
      source,
      step,
      trust: options.trust ?? trust,
      // a redaction of what it repeats must reach it
      derivedFrom: [...derivedFrom, ...(journal?.originals({ step, key: handle.key, content }) ?? [])],
      ...(options.metadata === undefined ? {} : { metadata: options.metadata })
    })
    const after = new thoughts.ThoughtImpl(thoughts.addNote(state, note, handle))
    const written = { thought: after, note }
    if (!isHeard(fiber, "NoteAdded")) return Effect.succeed(written)
    const size = content.length
    return Effect.as(
      emit(after, { _tag: "NoteAdded", key: handle.key, source, seq: note.seq, size, speculative }),
      written
    )
  })

/** The thought with the note that an earlier execution has stored for the running step, unless that was redacted. */
export const withStored = (thought: Thought<any>, handle: Note.Handle<string, any>): Effect.Effect<Thought<any>> =>
  Effect.gen(function* () {
    const { frame, journal } = yield* Run
    const { id } = yield* ids.next
    if (frame === undefined || journal === undefined) return thought
    const note = yield* journal.storedNote(frame, id, thought)
    return note === undefined
      ? thought
      : new thoughts.ThoughtImpl(thoughts.addNote(thoughts.stateOf(thought), note, handle))
  })
