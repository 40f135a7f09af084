/** Adds a note to a thought for a step: encoded by its handle, with the step's path, and with a signal. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Note from "../thought/Note.ts"
import type { Thought } from "../thought/model.ts"
import { Around } from "../thought/gathered.ts"
import * as ids from "../thought/ids.ts"
import { originOf, type Source } from "../thought/origin.ts"
import { emit, isHeard, Run } from "./run.ts"
import * as thoughts from "../thought/state.ts"

/** Where a value is from, and what its note says of it. */
interface Written {
  /** All possible sources of the value. */
  readonly from: ReadonlyArray<Source>
  /** Its trust, if that does not follow from its sources. */
  readonly trust?: Note.Trust
  /** The JSON that the value was decoded from. It is written if the schema cannot turn the value back. */
  readonly written?: { readonly json: unknown } | undefined
  readonly metadata?: Readonly<Record<string, string>>
}

/**
 * Writes a value as a note. A value that does not fit the handle's schema is a defect that names the step that computed
 * it.
 */
export const write = <K extends string, A>(
  thought: Thought<any>,
  source: string,
  handle: Note.Handle<K, A>,
  value: A,
  options: Written
): Effect.Effect<{ readonly thought: Thought<any>; readonly note: Note.Note }> =>
  Effect.withFiber((fiber) => {
    const note = noteOf(fiber, thought, source, handle, value, options)
    const written = { thought: withNote(thought, note, handle), note }
    return Effect.as(announced(fiber, written.thought, note), written)
  })

/** The same for several values, in their order. */
export const writeAll = <K extends string, A>(
  thought: Thought<any>,
  source: string,
  all: ReadonlyArray<Written & { readonly handle: Note.Handle<K, A>; readonly value: A }>
): Effect.Effect<{ readonly thought: Thought<any>; readonly notes: ReadonlyArray<Note.Note> }> =>
  Effect.withFiber((fiber) => {
    const notes: Array<Note.Note> = []
    let after = thought
    for (const one of all) {
      const note = noteOf(fiber, after, source, one.handle, one.value, one)
      after = withNote(after, note, one.handle)
      notes.push(note)
    }
    const telling = isHeard(fiber, "NoteAdded")
      ? Effect.forEach(notes, (note) => announced(fiber, after, note), { discard: true })
      : Effect.void
    return Effect.as(telling, { thought: after, notes })
  })

const withNote = (thought: Thought<any>, note: Note.Note, handle: Note.Handle<any, unknown>): Thought<any> =>
  new thoughts.ThoughtImpl(thoughts.addNote(thoughts.stateOf(thought), note, handle))

/** The next note of a thought. Throws if the value does not fit the schema. */
const noteOf = <K extends string, A>(
  fiber: Fiber.Fiber<unknown, unknown>,
  thought: Thought<any>,
  source: string,
  handle: Note.Handle<K, A>,
  value: A,
  { from, metadata, trust: own, written }: Written
): Note.Note => {
  const { journal, path } = fiber.getRef(Run)
  const step = path.join("/")
  const codec = handle[Note.HandleTypeId]
  const encoded = Result.orElse(codec.encode(value), (error) =>
    written === undefined
      ? Result.fail(error)
      : Result.map(codec.fromJson(written.json), () => codec.ofJson(written.json))
  )
  if (Result.isFailure(encoded)) {
    throw new Error(`The step ${step} gave a value outside its schema. ${encoded.failure.message}`)
  }
  const content = encoded.success
  const { id, millis } = ids.nextOf(fiber)
  const around = fiber.getRef(Around)
  const { derivedFrom, trust } = originOf(thought, around.length === 0 ? from : [...from, ...around])
  const repeated = journal?.originals({ step, key: handle.key, content }) ?? []
  return thoughts.makeNote(thoughts.stateOf(thought), id, momentOf(millis), {
    key: handle.key,
    content,
    source,
    step,
    trust: own ?? trust,
    // a redaction of what it repeats must reach it
    derivedFrom: repeated.length === 0 ? derivedFrom : [...derivedFrom, ...repeated],
    ...(metadata === undefined ? {} : { metadata })
  })
}

let lastMoment = DateTime.makeUnsafe(0)

/** A time. Notes of one millisecond share it, as making one takes as long as the rest of a note. */
const momentOf = (millis: number): DateTime.Utc => {
  if (lastMoment.epochMilliseconds !== millis) lastMoment = DateTime.makeUnsafe(millis)
  return lastMoment
}

/** Signals that a thought has a new note, if somebody listens. */
const announced = (
  fiber: Fiber.Fiber<unknown, unknown>,
  thought: Thought<any>,
  note: Note.Note
): Effect.Effect<void> => {
  if (!isHeard(fiber, "NoteAdded")) return Effect.void
  const { content, key, seq, source } = note
  const { speculative } = fiber.getRef(Run)
  return emit(thought, { _tag: "NoteAdded", key, source, seq, size: content.length, speculative })
}

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
