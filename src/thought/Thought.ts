import * as Chunk from "effect/Chunk"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as kinds from "../arguments/kinds.ts"
import { refuseSlips } from "../arguments/slips.ts"
import * as forms from "../arguments/forms.ts"
import { onto, piped, taking } from "../arguments/taking.ts"
import * as ids from "./ids.ts"
import { checkContent, checkMetadata } from "./content.ts"
import { quoted } from "../text/legible.ts"
import * as renderer from "./render.ts"
import * as internal from "./state.ts"
import type { State, Thought } from "./model.ts"
import type { All, Merge, Simplify, Texts, Writes } from "./types.ts"
import * as Note from "./Note.ts"
import type * as Session from "./Session.ts"

// --------------------------------------------------------------------------------------------------------- models

export { type Thought, TypeId } from "./model.ts"

/**
 * A note as a caller writes it. `source` defaults to `"user"` and `trust` to `"untrusted"`.
 *
 * `derivedFrom` has the ids of the notes that the text was made from, in any thought of the scope. If one of them is
 * redacted, this note is redacted too. Default: none.
 *
 * @category models
 */
export interface Draft {
  readonly content: string
  readonly metadata?: Readonly<Record<string, string>>
  readonly source?: string
  readonly trust?: Note.Trust
  readonly derivedFrom?: ReadonlyArray<string>
}

// --------------------------------------------------------------------------------------------------- constructors

/**
 * Makes a thought from an intent and its first notes. Nothing is stored until a pipeline runs on it.
 *
 * **Details**
 *
 * `notes` maps keys to texts, or to texts with metadata, source and trust. Notes are untrusted unless `trust` is set,
 * for one note or in the options for all. `traceId` defaults to a new UUID. `parent` puts this thought under another
 * one without sharing its notes (`fork` shares them).
 *
 * An invalid key (empty, over 200 characters, control characters) is a defect.
 *
 * **Example** (A thought with one note)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Thought } from "cogito"
 *
 * const thought = Effect.runSync(Thought.make("triage a support ticket", { message: "I was charged twice!" }))
 *
 * assert.equal(thought.get("message"), "I was charged twice!")
 * assert.equal(thought.note("message")?.trust, "untrusted")
 * ```
 *
 * @category constructors
 */
export const make = taking("Thought.make", {
  args: [kinds.text, kinds.optional(kinds.object)],
  options: 2,
  optional: true,
  known: { ...forms.others("traceId", "taskId", "parent"), trust: forms.maybe("", forms.trust) },
  maybeTexts: ["traceId", "taskId"]
})(
  <const N extends Readonly<Record<string, string | Draft>> = {}>(
    intent: string,
    notes?: N,
    options: {
      readonly traceId?: string
      readonly taskId?: string
      readonly parent?: Thought<any>
      readonly trust?: Note.Trust
    } = {}
  ) =>
    Effect.gen(function* () {
      const { id, millis } = yield* ids.next
      const { parent } = options
      let state: State = {
        ...internal.empty({
          id,
          traceId: options.traceId ?? (yield* ids.next).id,
          taskId: options.taskId,
          intent,
          createdMillis: millis,
          parent: parent === undefined ? undefined : Object.freeze({ id: parent.id, seq: 0 }),
          hidden: new Map(),
          checkpoints: new Map()
        }),
        unstoredParent: parent === undefined || internal.isStored(parent) ? undefined : parent
      }
      for (const [key, value] of Object.entries(notes ?? {})) {
        const draft = draftOf(key, value)
        state = yield* added(state, key, options.trust === undefined ? draft : { trust: options.trust, ...draft })
      }
      return new internal.ThoughtImpl(state) as Thought<Texts<N>>
    })
)

/**
 * Adds a note and returns the longer thought. Does not change this one.
 *
 * **Example** (Appending)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Thought } from "cogito"
 *
 * const program = Effect.gen(function*() {
 *   const before = yield* Thought.make("triage", { message: "Hello" })
 *   const after = yield* Thought.append(before, "channel", "e-mail")
 *   assert.equal(before.length, 1)
 *   assert.equal(after.get("channel"), "e-mail")
 * })
 *
 * Effect.runSync(program)
 * ```
 *
 * @category changes
 */
export const append: {
  <const K extends string>(
    key: K,
    note: string | Draft
  ): <N>(self: Thought<N>) => Effect.Effect<Thought<Simplify<Merge<N, Writes<K, string>>>>>
  <N, const K extends string>(
    self: Thought<N>,
    key: K,
    note: string | Draft
  ): Effect.Effect<Thought<Simplify<Merge<N, Writes<K, string>>>>>
} = piped(
  kinds.thought,
  3,
  taking("Thought.append", { args: [kinds.thought] })(
    <N, const K extends string>(
      self: Thought<N>,
      key: K,
      note: string | Draft
    ): Effect.Effect<Thought<Simplify<Merge<N, Writes<K, string>>>>> =>
      Effect.map(
        Effect.suspend(() => added(internal.stateOf(self), key, draftOf(key, note))),
        (state) => new internal.ThoughtImpl(state)
      )
  )
)

const written = taking("Thought.write", {
  args: [kinds.thought, kinds.handle],
  options: 3,
  optional: true,
  known: { ...forms.others("metadata", "source", "derivedFrom"), trust: forms.maybe("", forms.trust) }
})(
  <N, const K extends string, A>(
    self: Thought<N>,
    handle: Note.Handle<K, A>,
    value: NoInfer<A>,
    options: Omit<Draft, "content"> = {}
  ): Effect.Effect<Thought<Simplify<Merge<N, Writes<K, A>>>>, Schema.SchemaError> =>
    Effect.fromResult(handle[Note.HandleTypeId].encode(value)).pipe(
      Effect.flatMap((content) => added(internal.stateOf(self), handle.key, { ...options, content }, handle)),
      Effect.map((state) => new internal.ThoughtImpl(state))
    )
)

/**
 * Adds a typed note through its handle. Fails with `SchemaError` if the value does not fit the schema.
 *
 * @category changes
 */
export const write: {
  <const K extends string, A>(
    handle: Note.Handle<K, A>,
    value: NoInfer<A>,
    options?: Omit<Draft, "content">
  ): <N>(self: Thought<N>) => Effect.Effect<Thought<Simplify<Merge<N, Writes<K, A>>>>, Schema.SchemaError>
  <N, const K extends string, A>(
    self: Thought<N>,
    handle: Note.Handle<K, A>,
    value: NoInfer<A>,
    options?: Omit<Draft, "content">
  ): Effect.Effect<Thought<Simplify<Merge<N, Writes<K, A>>>>, Schema.SchemaError>
} = piped(kinds.thought, Infinity, written)

/**
 * Replaces the conversation of the thought. Entries that this thought did not have get new indexes if it has used
 * theirs.
 *
 * **Example** (A conversation that already shows a note)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Session, Thought } from "cogito"
 *
 * const program = Effect.gen(function*() {
 *   const thought = yield* Thought.make("answer", { message: "Hello", channel: "mail" })
 *   assert.equal(Thought.publishedCount(thought), 0)
 *
 *   const carries = [thought.note("message")?.id ?? ""]
 *   const shown = Thought.withSession(thought, Session.append(Session.empty, { role: "user", text: "Hello", carries }))
 *   assert.equal(Thought.publishedCount(shown), 1)
 *   assert.deepEqual(Thought.unpublished(shown).map(({ key }) => key), ["channel"])
 * })
 *
 * Effect.runSync(program)
 * ```
 *
 * @category changes
 */
export const withSession: {
  (session: Session.Session): <N>(self: Thought<N>) => Thought<N>
  <N>(self: Thought<N>, session: Session.Session): Thought<N>
} = piped(
  kinds.thought,
  2,
  taking("Thought.withSession", { args: [kinds.thought, kinds.session] })(
    <N>(self: Thought<N>, session: Session.Session): Thought<N> => internal.withSession(self, session)
  )
)

// ---------------------------------------------------------------------------------------------------------- reads

/** The notes of a thought that all of the handles can read. */
type Known<H> = All<H extends Note.Handle<infer K, infer A> ? Writes<K, A> : never>

/**
 * Reads the value of a note through a handle, also from a loaded thought.
 *
 * Fails with `NoteNotFound` if there is no such note, and with `SchemaError` if its text does not fit the schema.
 *
 * @category reads
 */
export const read: {
  <K extends string, A>(
    handle: Note.Handle<K, A>
  ): (self: Thought<any>) => Effect.Effect<A, Note.NoteNotFound | Schema.SchemaError>
  <K extends string, A>(
    self: Thought<any>,
    handle: Note.Handle<K, A>
  ): Effect.Effect<A, Note.NoteNotFound | Schema.SchemaError>
} = piped(
  kinds.thought,
  2,
  taking("Thought.read", { args: [kinds.thought, kinds.handle] })(
    <K extends string, A>(
      self: Thought<any>,
      handle: Note.Handle<K, A>
    ): Effect.Effect<A, Note.NoteNotFound | Schema.SchemaError> =>
      Effect.mapError(Note.read(self, handle), (error) =>
        error._tag === "NoteNotFound" ? new Note.NoteNotFound({ key: handle.key, thoughtId: self.id }) : error
      )
  )
)

/**
 * Checks that a thought has the notes of the handles, and returns it with their types.
 *
 * Fails like `read`, for the first handle whose note is missing or invalid.
 *
 * **Example** (Regaining the types of a loaded thought)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Note, Thought } from "cogito"
 *
 * const score = Note.handle("score", Schema.Finite)
 *
 * const program = Effect.gen(function*() {
 *   const untyped: Thought.Thought = yield* Thought.make("rate", { score: "0.5" })
 *   const typed = yield* Thought.require(untyped, [score])
 *   assert.equal(typed.get("score"), 0.5)
 * })
 *
 * await Effect.runPromise(program)
 * ```
 *
 * @category reads
 */
export const require: {
  <const H extends ReadonlyArray<Note.Handle<any, any>>>(
    handles: H
  ): <N>(
    self: Thought<N>
  ) => Effect.Effect<Thought<Simplify<Merge<N, Known<H[number]>>>>, Note.NoteNotFound | Schema.SchemaError>
  <N, const H extends ReadonlyArray<Note.Handle<any, any>>>(
    self: Thought<N>,
    handles: H
  ): Effect.Effect<Thought<Simplify<Merge<N, Known<H[number]>>>>, Note.NoteNotFound | Schema.SchemaError>
} = piped(
  kinds.thought,
  2,
  taking("Thought.require", { args: [kinds.thought, kinds.arrayOf(kinds.handle)] })(
    <N, const H extends ReadonlyArray<Note.Handle<any, any>>>(
      self: Thought<N>,
      handles: H
    ): Effect.Effect<Thought<Simplify<Merge<N, Known<H[number]>>>>, Note.NoteNotFound | Schema.SchemaError> =>
      Effect.gen(function* () {
        const known: Array<readonly [Note.Note, Note.Handle<any, unknown>]> = []
        for (const handle of handles) {
          yield* read(self, handle)
          const item = self.note(handle.key)
          if (item !== undefined) known.push([item, handle])
        }
        return internal.withHandles(self, known)
      })
  )
)

/**
 * The newest note under a key, whatever its type.
 *
 * @category reads
 */
export const note = onto(
  kinds.thought,
  2
)(
  taking("Thought.note", { args: [kinds.thought, kinds.text] })(
    (self: Thought<any>, key: string): Note.Note | undefined => self.note(key)
  )
)

/**
 * All notes in order, including superseded ones, in a new array.
 *
 * @category reads
 */
export const notes = taking("Thought.notes", { args: [kinds.thought] })(
  (self: Thought<any>): ReadonlyArray<Note.Note> => internal.visible(internal.stateOf(self))
)

/**
 * The newest note of each key, in order of writing.
 *
 * **Example** (Superseded and current notes)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Thought } from "cogito"
 *
 * const program = Effect.gen(function*() {
 *   const thought = yield* Thought.make("travel", { city: "Lisbon", days: "3" }).pipe(
 *     Effect.flatMap(Thought.append("city", "Porto"))
 *   )
 *   assert.deepEqual(Thought.notes(thought).map(({ content }) => content), ["Lisbon", "3", "Porto"])
 *   assert.deepEqual(Thought.current(thought).map(({ content }) => content), ["3", "Porto"])
 *   assert.equal(Thought.latest(thought)?.key, "city")
 *   assert.equal(Thought.note(thought, "city")?.seq, 3)
 * })
 *
 * Effect.runSync(program)
 * ```
 *
 * @category reads
 */
export const current = taking("Thought.current", { args: [kinds.thought] })(
  (self: Thought<any>): ReadonlyArray<Note.Note> => internal.current(internal.stateOf(self))
)

/**
 * The note written last, of any key.
 *
 * @category reads
 */
export const latest = taking("Thought.latest", { args: [kinds.thought] })((
  self: Thought<any>
): Note.Note | undefined => {
  const state = internal.stateOf(self)
  for (let i = self.length - 1; i >= 0; i--) {
    const item = Option.getOrUndefined(Chunk.get(state.log, i))
    if (item !== undefined && !internal.isHidden(state, item)) return item
  }
  return undefined
})

/**
 * Every note that was written under a key, the oldest first.
 *
 * @category reads
 */
export const history = onto(
  kinds.thought,
  2
)(
  taking("Thought.history", { args: [kinds.thought, kinds.text] })(
    (self: Thought<any>, key: string): ReadonlyArray<Note.Note> => {
      const state = internal.stateOf(self)
      return Option.match(HashMap.get(state.byKey, key), {
        onNone: () => [],
        onSome: (all) => Array.from(all).filter((item) => !internal.isHidden(state, item))
      })
    }
  )
)

/**
 * The thought as it was after its first `seq` notes.
 *
 * 0 returns it without notes, and a number past the end as it is. The conversation is not rewound: a model still sees what later
 * notes said, also in a fork. `Agent.undo` of `cogito/agent` goes back to before a message in both. Additions to a past that the store
 * has gone beyond cannot be committed (`ConcurrencyConflict`): fork it instead.
 *
 * **Example** (Before the second note)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Thought } from "cogito"
 *
 * const thought = Effect.runSync(Thought.make("greet", { name: "Ada", city: "London" }))
 *
 * assert.equal(Thought.at(thought, 1).note("city"), undefined)
 * assert.equal(Thought.at(thought, 1).note("name")?.content, "Ada")
 * ```
 *
 * @category reads
 */
export const at = onto(
  kinds.thought,
  2
)(
  taking("Thought.at", { args: [kinds.thought, kinds.number] })((self: Thought<any>, seq: number): Thought => {
    const state = internal.stateOf(self)
    const kept = Array.from(Chunk.take(state.log, Math.max(0, Math.floor(seq))))
    const stored = { ...state.stored, seq: Math.min(state.stored.seq, kept.length) }
    // notes are hidden up to this point at most: later numbers are reused
    const hidden = new Map(
      Array.from(state.identity.hidden, ([key, upTo]) => [key, Math.min(upTo, kept.length)] as const)
    )
    const identity = { ...state.identity, hidden }
    let past: State = { ...internal.empty(identity), ...internal.apartFromNotes(state), stored }
    for (const item of kept) past = internal.addNote(past, item, internal.handleOf(state, item))
    return new internal.ThoughtImpl(past)
  })
)

/**
 * The current notes that the conversation neither shows nor represents, in order. The next request shows them.
 *
 * @category publication
 */
export const unpublished = taking("Thought.unpublished", { args: [kinds.thought] })(
  (self: Thought<any>): ReadonlyArray<Note.Note> => internal.unpublished(internal.stateOf(self))
)

/**
 * The number of current notes that the conversation shows or represents.
 *
 * @category publication
 */
export const publishedCount = taking("Thought.publishedCount", { args: [kinds.thought] })(
  (self: Thought<any>): number =>
    internal.current(internal.stateOf(self)).length - internal.unpublished(internal.stateOf(self)).length
)

/**
 * Renders notes for a prompt: each between lines that its content cannot forge, with its key, its source unless that is
 * `"user"`, and its trust if it is trusted. Default: the current notes.
 *
 * @category publication
 */
export const render = taking("Thought.render", { args: [kinds.thought, kinds.optional(kinds.arrayOf(kinds.note))] })(
  (self: Thought<any>, selection: ReadonlyArray<Note.Note> = current(self)): string => renderer.noteList(selection)
)

// ------------------------------------------------------------------------------------------------------- internal

/** The draft of a note, which may be its text alone. */
const draftOf = (key: string, note: string | Draft): Draft => {
  if (typeof note !== "object" || note === null || !("content" in note)) return { content: checkContent(key, note) }
  refuseSlips(`The note ${quoted(key)}`, draftForms, note)
  return note
}

const draftForms = {
  ...forms.others("content", "metadata", "source", "derivedFrom"),
  trust: forms.maybe("", forms.trust)
}

const added = (state: State, key: string, draft: Draft, handle?: Note.Handle<any, unknown>): Effect.Effect<State> =>
  Effect.map(ids.next, ({ id, millis }) =>
    internal.addNote(
      state,
      internal.makeNote(state, id, DateTime.makeUnsafe(millis), {
        key: Note.checkKey(key),
        content: checkContent(key, draft.content),
        source: draft.source ?? "user",
        step: "",
        trust: draft.trust ?? "untrusted",
        ...(draft.metadata === undefined ? {} : { metadata: checkMetadata(key, draft.metadata) }),
        ...(draft.derivedFrom === undefined ? {} : { derivedFrom: draft.derivedFrom })
      }),
      handle
    )
  )
