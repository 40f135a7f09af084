/** How a step adds a note to a thought: encoded by its handle, with the step's path, told to listeners. */
import * as Chunk from "effect/Chunk"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Note from "../Note.ts"
import * as Session from "../Session.ts"
import { current, type Thought } from "../Thought.ts"
import * as ids from "./ids.ts"
import { emit, Run } from "./run.ts"
import * as thoughts from "./thought.ts"

/**
 * What a value made from these notes can be trusted as: what comes of text from outside may say what that text made it
 * say.
 */
export const derivedTrust = (sources: ReadonlyArray<Note.Note>): Note.Trust =>
  sources.some((note) => note.trust === "untrusted") ? "untrusted" : "trusted"

/** What an answer of the model can come of: notes that a request shows, and those that the conversation has shown. */
const seen = (thought: Thought<any>): ReadonlyArray<Note.Note> => [
  ...current(thought),
  // superseded and hidden ones as well, as long as the conversation has them
  ...Chunk.toReadonlyArray(thoughts.stateOf(thought).log).filter(({ id }) => Session.shows(thought.session, id))
]

/** A value that does not fit the handle's schema is a defect that names the step: what computed it is wrong. */
export const write = Effect.fnUntraced(function* <K extends string, A>(
  thought: Thought<any>,
  source: string,
  handle: Note.Handle<K, A>,
  value: A,
  options: { readonly trust?: Note.Trust; readonly metadata?: Readonly<Record<string, string>> } = {}
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
  const note = thoughts.makeNote(state, id, DateTime.makeUnsafe(millis), {
    key: handle.key,
    content,
    source,
    step: path.join("/"),
    trust: options.trust ?? derivedTrust(seen(thought)),
    ...(options.metadata === undefined ? {} : { metadata: options.metadata })
  })
  const after = new thoughts.ThoughtImpl(thoughts.addNote(state, note, handle))
  yield* emit(after, { _tag: "NoteAdded", key: handle.key, source, seq: note.seq, size: content.length, speculative })
  return { thought: after, note }
})
