/**
 * The memory keeps every thought and finds old notes by meaning.
 *
 * A `Store` keeps rows: PGlite, Postgres, or plain memory. `make` puts on top of any store what they all share: checks
 * before anything is written, embedding after a commit, and search. A scope keeps tenants apart; no call crosses it.
 */
import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { Embedder } from "./Embedder.ts"
import { make as makeService } from "./internal/memory.ts"
import { CurrentScope, type MemoryError } from "./internal/memoryError.ts"
import { makeStore } from "./internal/memoryStore.ts"
import type { Note, Trust } from "./Note.ts"
import type { Entry } from "./Session.ts"
import type { Thought } from "./Thought.ts"
import type { Identity } from "./internal/thought.ts"
import type { Usage } from "./internal/usage.ts"

// --------------------------------------------------------------------------------------------------------- errors

export { MemoryError, Reason } from "./internal/memoryError.ts"

// ---------------------------------------------------------------------------------------------------------- search

/**
 * What a search may find. Every filter given must hold.
 *
 * @category search
 */
export interface SearchOptions {
  /** Most matches to return. Default 10, at most 500. */
  readonly limit?: number
  /** Only notes under these keys. */
  readonly keys?: ReadonlyArray<string>
  /** Only notes from these sources. */
  readonly sources?: ReadonlyArray<string>
  /**
   * No notes from these sources. Default `["seek", "survey"]`, so that what was found before is not found again; with
   * `sources` none.
   */
  readonly excludeSources?: ReadonlyArray<string>
  /** Only notes of thoughts of this task. */
  readonly taskId?: string
  /** No notes that these thoughts wrote. */
  readonly excludeThoughts?: ReadonlyArray<string>
  /** Only notes created at this moment or later. */
  readonly since?: DateTime.Utc
  /** Only notes created before this moment. */
  readonly until?: DateTime.Utc
  /** Only notes of this trust. */
  readonly trust?: Trust
  /** Only notes whose metadata has these fields with these values. */
  readonly metadata?: Readonly<Record<string, string>>
  /** Only matches at least this similar, in [0, 1]. Default: no bound. */
  readonly minSimilarity?: number
}

/**
 * One note that a search found, with where it comes from.
 *
 * @category search
 */
export interface Match {
  readonly note: Note
  readonly thought: {
    readonly id: string
    readonly traceId: string
    readonly taskId: string | undefined
    readonly intent: string
  }
  /** What the matches are ordered by, greatest first. */
  readonly score: number
  /** Cosine similarity of query and note, in [0, 1]; below 0 counts as 0. */
  readonly similarity: number
  /** Rank in each arm of the search that found it, from 1. */
  readonly ranks: { readonly vector?: number; readonly lexical?: number }
}

/**
 * How the arms of a search did.
 *
 * `partial`: some notes have no vector yet, `pending` says how many; they could not be found by meaning.
 *
 * @category search
 */
export interface Arms {
  readonly vector: "ok" | "partial" | "unavailable"
  readonly lexical: "ok" | "unavailable"
  readonly pending: number
}

/**
 * What a search found, best first.
 *
 * @category search
 */
export interface SearchResult {
  readonly matches: ReadonlyArray<Match>
  readonly arms: Arms
}

/**
 * One task that a survey found.
 *
 * @category search
 */
export interface TaskMatch {
  readonly taskId: string
  /** The newest of the task's thoughts that have a match. */
  readonly thoughtId: string
  /** That thought's intent. */
  readonly intent: string
  /** That of its best note; the tasks are ordered by it, greatest first. */
  readonly score: number
  /** That of its best note, in [0, 1]. */
  readonly similarity: number
  /** Its best notes, at most three, best first. */
  readonly matches: ReadonlyArray<Match>
}

/**
 * Which tasks a survey found, best first.
 *
 * @category search
 */
export interface SurveyResult {
  readonly tasks: ReadonlyArray<TaskMatch>
  readonly arms: Arms
}

// ----------------------------------------------------------------------------------------------------------- store

/**
 * A thought's row.
 *
 * @category store
 */
export interface ThoughtRow extends Identity {}

/**
 * A page of a listing that is ordered by creation and then by id.
 *
 * @category store
 */
export interface PageRow {
  /** Most rows to give. */
  readonly limit: number
  /** Only rows that come after this one in the order. */
  readonly after: { readonly id: string; readonly createdMillis: number } | undefined
}

/**
 * What is written at once, or not at all.
 *
 * @category store
 */
export interface Commit {
  readonly thought: ThoughtRow
  /** The version that the thought must have in the store; 0 when it must not be there yet. Afterwards one more. */
  readonly version: number
  /** Notes to add, their seqs following the last stored one without a gap. */
  readonly notes: ReadonlyArray<Note>
  /** Conversation entries to add. */
  readonly entries: ReadonlyArray<Entry>
  /** Numbers of entries that are no longer live. */
  readonly removed: ReadonlyArray<number>
  /** Number for the conversation's next entry. */
  readonly nextIndex: number
  readonly usage: Usage | undefined
  /**
   * What is new of the thought that this one is a fork of, when the store may lack it. Written first when the store has
   * that thought at `parent.version` (0: not at all). When it has another version, the last of `parent.notes` must be
   * among its notes, else `ConcurrencyConflict`.
   */
  readonly parent: Commit | undefined
}

/**
 * A thought as the store has it.
 *
 * @category store
 */
export interface StoredThought {
  readonly thought: ThoughtRow
  readonly version: number
  /** All notes in order of seq, those shared with the thoughts it descends from included. */
  readonly notes: ReadonlyArray<Note>
  /** Live conversation entries in order. */
  readonly entries: ReadonlyArray<Entry>
  readonly nextIndex: number
  readonly usage: Usage | undefined
}

/**
 * A page of all thoughts of a scope, or of those of one task.
 *
 * @category store
 */
export interface ThoughtsRow extends PageRow {
  readonly taskId: string | undefined
  /** Newest first is the other way round in both, creation and id. */
  readonly order: "oldest" | "newest"
}

/**
 * A note that is to be given its number where it is added.
 *
 * @category store
 */
export type NewNote = Omit<Note, "thoughtId" | "seq" | "redacted">

/**
 * Vectors that may be compared with each other: those of one embedder.
 *
 * @category store
 */
export interface Space {
  readonly embedder: string
  readonly dimensions: number
  readonly metric: "cosine"
}

/**
 * A note without a vector in a space.
 *
 * @category store
 */
export interface PendingNote {
  readonly scope: string
  readonly id: string
  readonly content: string
}

/**
 * What keeps the rows. Every operation is one transaction; failures are `MemoryError`s and leave nothing half written.
 *
 * @category store
 */
export interface Store {
  /** Writes a commit and gives the thought's new version. Fails with `ConcurrencyConflict` on another version. */
  readonly commit: (scope: string, commit: Commit) => Effect.Effect<number, MemoryError>
  /** The thought, or nothing. */
  readonly load: (
    scope: string,
    ref: { readonly id: string } | { readonly traceId: string }
  ) => Effect.Effect<StoredThought | undefined, MemoryError>
  /** The thoughts that this one descends from, the oldest first; nothing when there is no such thought. */
  readonly ancestors: (
    scope: string,
    ref: { readonly id: string } | { readonly traceId: string }
  ) => Effect.Effect<ReadonlyArray<ThoughtRow> | undefined, MemoryError>
  /** Those whose parent this thought is, by creation and then by id; nothing when there is no such thought. */
  readonly children: (
    scope: string,
    ref: { readonly id: string } | { readonly traceId: string },
    page: PageRow
  ) => Effect.Effect<ReadonlyArray<ThoughtRow> | undefined, MemoryError>
  /** Thoughts by creation and then by id. */
  readonly thoughts: (scope: string, page: ThoughtsRow) => Effect.Effect<ReadonlyArray<ThoughtRow>, MemoryError>
  /**
   * Adds notes after the thought's last one, whatever its version, which becomes one more, and gives them as they are stored;
   * nothing when there is no such thought. A note whose id, key and text the thought has already is not added again; one whose
   * id is another note's is refused, and then none is added.
   */
  readonly append: (
    scope: string,
    ref: { readonly id: string } | { readonly traceId: string },
    notes: ReadonlyArray<NewNote>
  ) => Effect.Effect<ReadonlyArray<Note> | undefined, MemoryError>
  /**
   * Deletes a thought with everything that belongs to it, and says whether there was one. Fails with `HasForks` when it is
   * a parent, unless `materialize`: then what its children share with it stays theirs.
   */
  readonly remove: (
    scope: string,
    ref: { readonly id: string } | { readonly traceId: string },
    options: { readonly materialize: boolean }
  ) => Effect.Effect<boolean, MemoryError>
  /** Deletes everything of the scope and gives the number of thoughts. */
  readonly purge: (scope: string) => Effect.Effect<number, MemoryError>
  /**
   * Takes a note's text and metadata away, the notes of summaries that cover it, the entries that show one of these, and what
   * was derived from them. Thoughts that see one of them have a new version. Gives the notes' ids; nothing when there is no
   * such note.
   */
  readonly redact: (
    scope: string,
    noteId: string,
    millis: number
  ) => Effect.Effect<ReadonlyArray<string> | undefined, MemoryError>
  /**
   * Writes a thought as another store had it, with its version; of its notes only its own. Fails with `ConcurrencyConflict`
   * when it is there or its parent lacks what it shares with it, and with `Query` and the code 23505 when another one has its
   * trace id or one of its notes' ids.
   */
  readonly restore: (scope: string, stored: StoredThought) => Effect.Effect<void, MemoryError>
  /** Makes room for a space's vectors; does nothing when it is there. Run once before the others are used. */
  readonly openSpace: (space: Space) => Effect.Effect<void, MemoryError>
  /** Stores vectors of length 1; replaces a note's vector if it has one. Notes unknown in the scope are left out. */
  readonly putVectors: (
    scope: string,
    space: Space,
    vectors: ReadonlyArray<{ readonly noteId: string; readonly vector: Float32Array }>
  ) => Effect.Effect<void, MemoryError>
  /** Notes without a vector in the space, oldest first, of one scope or of all. */
  readonly pending: (
    space: Space,
    options: { readonly scope?: string; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<PendingNote>, MemoryError>
  /** How many notes of the scope have no vector in the space. */
  readonly countPending: (scope: string, space: Space) => Effect.Effect<number, MemoryError>
  /** Nearest notes first; ties in order of note id. Notes of the scope only, each at most once. */
  readonly nearest: (
    scope: string,
    space: Space,
    vector: Float32Array,
    options: SearchOptions & { readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<Omit<Match, "score" | "ranks">>, MemoryError>
}

// --------------------------------------------------------------------------------------------------------- lineage

/**
 * A thought among those it is related to, without its notes.
 *
 * @category lineage
 */
export interface Relative {
  readonly id: string
  readonly traceId: string
  readonly taskId: string | undefined
  readonly intent: string
  readonly created: DateTime.Utc
  /** The thought it was forked from, and the number of notes it shares with it. */
  readonly parent: { readonly id: string; readonly seq: number } | undefined
}

/**
 * The part of a listing that is asked for.
 *
 * @category lineage
 */
export interface PageOptions {
  /** Most thoughts to give. Default 100, at most 500. */
  readonly limit?: number
  /** The last one of the page before. Default: from the beginning. */
  readonly after?: Pick<Relative, "id" | "created">
}

// ------------------------------------------------------------------------------------------------------- lifecycle

/**
 * Which thoughts are listed, and how.
 *
 * @category lifecycle
 */
export interface ThoughtsOptions extends PageOptions {
  /** Only those of this task. */
  readonly taskId?: string
  /** Which come first, by creation and then by id. Default `"oldest"`. */
  readonly order?: "oldest" | "newest"
}

/**
 * A note to be added to a stored thought.
 *
 * - `id`: a UUID in lower case; default: a new one. A call that is repeated with the same ids adds nothing twice
 * - `source`: default `"user"`
 * - `trust`: default `"untrusted"`
 *
 * @category lifecycle
 */
export interface AppendedNote {
  readonly id?: string
  readonly key: string
  readonly content: string
  readonly metadata?: Readonly<Record<string, string>>
  readonly source?: string
  readonly trust?: Trust
}

/**
 * How a thought is removed.
 *
 * @category lifecycle
 */
export interface RemoveOptions {
  /** Whether its forks keep what they share with it; otherwise a thought with forks is not removed. Default false. */
  readonly materialize?: boolean
}

/**
 * What is exported.
 *
 * @category lifecycle
 */
export interface ExportOptions {
  /** These thoughts and those they descend from. Default: all of the scope. */
  readonly thoughts?: ReadonlyArray<string | { readonly traceId: string }>
}

/**
 * How many thoughts of an archive were stored, and how many were there already.
 *
 * @category lifecycle
 */
export interface ImportResult {
  readonly imported: number
  readonly present: number
}

// --------------------------------------------------------------------------------------------------------- service

/**
 * What the memory offers.
 *
 * @category models
 */
export interface Shape {
  /**
   * Stores what is new of a thought, all or nothing, and gives the thought that knows it is stored.
   *
   * Notes are embedded afterwards; when that fails they are pending and nothing is lost. A commit that was made before
   * is not made again. Fails with `ConcurrencyConflict` when the store has moved on, and with `InvalidText` or
   * `TooLarge` before writing.
   */
  readonly commit: <N>(thought: Thought<N>) => Effect.Effect<Thought<N>, MemoryError>
  readonly load: (ref: string | { readonly traceId: string }) => Effect.Effect<Thought, MemoryError>
  readonly search: (query: string, options?: SearchOptions) => Effect.Effect<SearchResult, MemoryError>
  /** Finds tasks by the meaning of their notes, each once. `limit` counts tasks. */
  readonly survey: (query: string, options?: SearchOptions) => Effect.Effect<SurveyResult, MemoryError>
  /** The thoughts that one descends from, the oldest first. */
  readonly ancestors: (
    ref: string | { readonly traceId: string }
  ) => Effect.Effect<ReadonlyArray<Relative>, MemoryError>
  /** Those whose parent a thought is, in order of creation. */
  readonly children: (
    ref: string | { readonly traceId: string },
    options?: PageOptions
  ) => Effect.Effect<ReadonlyArray<Relative>, MemoryError>
  /** The thoughts of the scope, or of a task, page by page. */
  readonly thoughts: (options?: ThoughtsOptions) => Effect.Effect<ReadonlyArray<Relative>, MemoryError>
  /** Adds notes to a stored thought from outside a run. */
  readonly append: (
    ref: string | { readonly traceId: string },
    notes: ReadonlyArray<AppendedNote>
  ) => Effect.Effect<ReadonlyArray<Note>, MemoryError>
  /** Deletes a thought. */
  readonly remove: (
    ref: string | { readonly traceId: string },
    options?: RemoveOptions
  ) => Effect.Effect<void, MemoryError>
  /** Deletes everything of the scope and gives the number of its thoughts. */
  readonly purge: Effect.Effect<number, MemoryError>
  /** Takes a note's content away everywhere. */
  readonly redact: (note: string | Pick<Note, "id">) => Effect.Effect<ReadonlyArray<string>, MemoryError>
  /** Thoughts as lines of JSON. */
  readonly exportLines: (options?: ExportOptions) => Stream.Stream<string, MemoryError>
  /** Stores what `exportLines` gave. */
  readonly importLines: <E, R>(lines: Stream.Stream<string, E, R>) => Effect.Effect<ImportResult, MemoryError | E, R>
  /** Embeds notes that have no vector yet, of every scope, and gives their number. */
  readonly embedPending: Effect.Effect<number, MemoryError>
}

/**
 * The memory in use.
 *
 * @category services
 */
export class Memory extends Context.Service<Memory, Shape>()("cogito/Memory") {}

export { CurrentScope } from "./internal/memoryError.ts"

/**
 * Runs a program in a scope: what it stores, loads and finds belongs to that tenant alone.
 *
 * @category scope
 */
export const withScope =
  (scope: string) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(self, CurrentScope, scope)

/**
 * Puts a memory on top of a store. Its notes are embedded, and searched, with the embedder in the context.
 *
 * @category constructors
 */
export const make = (options: {
  readonly store: Store
  /** The scope of programs that name none. */
  readonly scope: string
}): Effect.Effect<Shape, MemoryError, Embedder> =>
  Effect.flatMap(Embedder, (embedder) => makeService({ ...options, embedder }))

/**
 * A memory that lives as long as the process: for tests and trials. Its default scope is `"local"`.
 *
 * @category layers
 */
export const layerInMemory = (options: { readonly scope?: string } = {}): Layer.Layer<Memory, MemoryError, Embedder> =>
  Layer.effect(
    Memory,
    Effect.flatMap(makeStore, (store) => make({ store, scope: options.scope ?? "local" }))
  )

// ------------------------------------------------------------------------------------------------------- accessors

/**
 * Loads a thought by its id, or by its trace id, without types; `Thought.require` regains them.
 *
 * Fails with `NotFound` when the scope has no such thought.
 *
 * @category accessors
 */
export const load = (ref: string | { readonly traceId: string }): Effect.Effect<Thought, MemoryError, Memory> =>
  Memory.use((memory) => memory.load(ref))

/**
 * Finds notes by meaning, best first.
 *
 * An empty query finds nothing. Fails with `EmbedderFailed` when the query cannot be embedded.
 *
 * @category accessors
 */
export const search = (query: string, options?: SearchOptions): Effect.Effect<SearchResult, MemoryError, Memory> =>
  Memory.use((memory) => memory.search(query, options))

/**
 * Finds tasks by the meaning of their notes, best first, each once.
 *
 * `limit` counts tasks: default 5, at most 100. A bounded number of notes is looked at: the nearest 20 for each task
 * asked for, at least 100 and at most 500. Tasks whose notes are all farther than those are not found, so fewer than
 * `limit` may come back though there are more; filters help, for they hold before notes are counted. Thoughts without a
 * task are left out, but their notes count. An empty query finds nothing. Fails with `EmbedderFailed` when the query
 * cannot be embedded.
 *
 * @category accessors
 */
export const survey = (query: string, options?: SearchOptions): Effect.Effect<SurveyResult, MemoryError, Memory> =>
  Memory.use((memory) => memory.survey(query, options))

/**
 * The thoughts that a thought descends from: forked from each other, the oldest first, its parent last.
 *
 * Fails with `NotFound` when the scope has no such thought.
 *
 * @category lineage
 */
export const ancestors = (
  ref: string | { readonly traceId: string }
): Effect.Effect<ReadonlyArray<Relative>, MemoryError, Memory> => Memory.use((memory) => memory.ancestors(ref))

/**
 * The thoughts whose parent a thought is, in order of creation and then of id, page by page.
 *
 * Thoughts that are added while the pages are read come last or, when their clock is behind, may be passed over; none
 * comes twice. Fails with `NotFound` when the scope has no such thought, and with `Query` when the limit is none.
 *
 * **Example** (Page by page)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Pipeline, Primitive, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const start = yield* Thought.make("try", { message: "Hello" })
 *   const done = yield* Pipeline.run(Primitive.checkpoint("before"), start)
 *   const page = yield* Memory.children(start.id, { limit: 1 })
 *   assert.deepEqual(page.map(({ id }) => id), [done.id])
 *   const last = page.at(-1)
 *   assert.deepEqual(last === undefined ? [] : yield* Memory.children(start.id, { after: last }), [])
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category lineage
 */
export const children = (
  ref: string | { readonly traceId: string },
  options?: PageOptions
): Effect.Effect<ReadonlyArray<Relative>, MemoryError, Memory> => Memory.use((memory) => memory.children(ref, options))

/**
 * All thoughts of the scope, or those of one task, by creation and then by id, page by page.
 *
 * - `order`: `"oldest"` (default) or `"newest"` first
 *
 * Thoughts that are added while pages are read, the oldest first, come last or, when their clock is behind, may be passed
 * over; none comes twice. Fails with `Query` when the limit is none.
 *
 * **Example** (The newest thoughts of a task)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Pipeline, Primitive, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const start = yield* Thought.make("try", { message: "Hello" }, { taskId: "ticket 7" })
 *   yield* Pipeline.run(Primitive.checkpoint("before"), start)
 *   const [newest, oldest] = yield* Memory.thoughts({ taskId: "ticket 7", order: "newest" })
 *   assert.equal(newest?.parent?.id, start.id)
 *   assert.equal(oldest?.id, start.id)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category lifecycle
 */
export const thoughts = (options?: ThoughtsOptions): Effect.Effect<ReadonlyArray<Relative>, MemoryError, Memory> =>
  Memory.use((memory) => memory.thoughts(options))

/**
 * Adds notes to a stored thought from outside a run, all or none, and gives them as they are stored, in the order given.
 *
 * They get the numbers after the thought's last one, also when many writers add at once: each waits for the one before. The
 * thought has a new version, so a run that goes on with an older value of it fails with `ConcurrencyConflict`. A note whose
 * id, key and text the thought has already is not added again, so a call may be repeated with the same ids. Notes are
 * embedded afterwards; when that fails they are pending.
 *
 * Fails with `NotFound` when the scope has no such thought, with `InvalidText` for a key that cannot be one, with `TooLarge`
 * for a note over the size limit, and with `Query` for an id that is no UUID or another note's (code 23505).
 *
 * **Example** (A note that arrives later)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const memory = yield* Memory.Memory
 *   const thought = yield* memory.commit(yield* Thought.make("triage", { message: "Charged twice" }))
 *   const [reply] = yield* Memory.append(thought.id, [{ key: "reply", content: "On the 3rd of May", source: "mail" }])
 *   assert.equal(reply?.seq, 2)
 *   assert.equal((yield* Memory.load(thought.id)).note("reply")?.content, "On the 3rd of May")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category lifecycle
 */
export const append = (
  ref: string | { readonly traceId: string },
  notes: ReadonlyArray<AppendedNote>
): Effect.Effect<ReadonlyArray<Note>, MemoryError, Memory> => Memory.use((memory) => memory.append(ref, notes))

/**
 * Deletes a thought with its notes, its conversation and its vectors.
 *
 * One that is the parent of others is refused with `HasForks`, unless `materialize`: then the fork that shares most of its
 * notes inherits these, and the other forks become forks of that one. Every fork keeps the notes it had, with their ids and
 * numbers, and its conversation; what only the removed thought had is gone. Fails with `NotFound` when the scope has no such
 * thought.
 *
 * **Example** (Removing a thought that was forked)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const memory = yield* Memory.Memory
 *   const first = yield* memory.commit(yield* Thought.make("try", { message: "Hello" }))
 *   const fork = yield* memory.commit(yield* Thought.fork(first))
 *   const { reason } = yield* Effect.flip(Memory.remove(first.id))
 *   assert.equal(reason._tag === "HasForks" ? reason.forks : 0, 1)
 *   yield* Memory.remove(first.id, { materialize: true })
 *   assert.equal((yield* Memory.load(fork.id)).note("message")?.content, "Hello")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category lifecycle
 */
export const remove = (
  ref: string | { readonly traceId: string },
  options?: RemoveOptions
): Effect.Effect<void, MemoryError, Memory> => Memory.use((memory) => memory.remove(ref, options))

/**
 * Deletes everything of the current scope, and gives the number of its thoughts. Other scopes keep what they have.
 *
 * **Example** (Forgetting a tenant)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const memory = yield* Memory.Memory
 *   yield* memory.commit(yield* Thought.make("try", { message: "Hello" })).pipe(Memory.withScope("acme"))
 *   assert.equal(yield* Memory.purge().pipe(Memory.withScope("acme")), 1)
 *   assert.deepEqual(yield* Memory.thoughts().pipe(Memory.withScope("acme")), [])
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category lifecycle
 */
export const purge = (): Effect.Effect<number, MemoryError, Memory> => Memory.use((memory) => memory.purge)

/**
 * Takes the text and metadata of a note away everywhere: in the note, in every message that showed it or stood for it, in
 * its vectors; and so for the notes of summaries that cover it. Gives the ids of these notes.
 *
 * The note keeps its id, key and number, and has `redacted`; no thought shows it, and reading it fails with `NoteNotFound`.
 * Messages that held it are taken from the conversations; other notes that they showed are unpublished again. Runs that
 * still have the note fail with `ConcurrencyConflict` when they commit. What else a model derived from the note is not
 * known: redact these notes too. Fails with `NotFound` when the scope has no such note.
 *
 * **Example** (Taking a note back)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const memory = yield* Memory.Memory
 *   const thought = yield* memory.commit(yield* Thought.make("pay", { card: "4111 1111 1111 1111", amount: "12" }))
 *   const [card] = Thought.history(thought, "card")
 *   if (card !== undefined) assert.deepEqual(yield* Memory.redact(card), [card.id])
 *   const loaded = yield* Memory.load(thought.id)
 *   assert.equal(loaded.note("card"), undefined)
 *   assert.equal(loaded.note("amount")?.seq, 2)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category lifecycle
 */
export const redact = (note: string | Pick<Note, "id">): Effect.Effect<ReadonlyArray<string>, MemoryError, Memory> =>
  Memory.use((memory) => memory.redact(note))

/**
 * The thoughts of the scope as lines of JSON without their line breaks: first one that says the format, then one for each
 * thought with its own notes, its conversation as it is, and its version, after those that it descends from.
 *
 * - `thoughts`: only these and those they descend from
 *
 * Texts come back exactly. Vectors are not exported: they can be made again. What is added meanwhile may be left out, but no
 * thought is there without those it descends from; remove no thoughts meanwhile. Fails with `NotFound` when a thought that
 * was asked for is unknown.
 *
 * **Example** (The lines of a thought)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Stream } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const memory = yield* Memory.Memory
 *   const thought = yield* memory.commit(yield* Thought.make("try", { message: "Hello" }))
 *   const [first, second] = yield* Stream.runCollect(Memory.exportLines({ thoughts: [thought.id] }))
 *   assert.equal(first, '{"format":"cogito-memory","version":1}')
 *   assert.equal(JSON.parse(second ?? "").notes[0].content, "Hello")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category lifecycle
 */
export const exportLines = (options?: ExportOptions): Stream.Stream<string, MemoryError, Memory> =>
  Stream.unwrap(Memory.useSync((memory) => memory.exportLines(options)))

/**
 * Stores the thoughts of lines that `exportLines` gave, each line all or not at all, and gives how many were stored and how
 * many were there already.
 *
 * A thought that the scope has, as it was or with what came later, is left as it is, so an import that broke off may be
 * repeated. Empty lines are passed over. The notes are pending until `embedPending`.
 *
 * Fails with `InvalidArchive` at a line that cannot be read and with `ArchiveConflict` at a thought that cannot be beside
 * what the scope has, both with the line's number; with `TooLarge` for a note over the size limit. The lines before are
 * stored.
 *
 * **Example** (Into another memory)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Stream } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const memory = yield* Memory.Memory
 *   const thought = yield* memory.commit(yield* Thought.make("try", { message: "Hello" }))
 *   const lines = yield* Stream.runCollect(Memory.exportLines())
 *   const loaded = yield* Effect.gen(function*() {
 *     assert.deepEqual(yield* Memory.importLines(Stream.fromIterable(lines)), { imported: 1, present: 0 })
 *     return yield* Memory.load(thought.id)
 *   }).pipe(Memory.withScope("other"))
 *   assert.equal(loaded.note("message")?.content, "Hello")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category lifecycle
 */
export const importLines = <E, R>(
  lines: Stream.Stream<string, E, R>
): Effect.Effect<ImportResult, MemoryError | E, Memory | R> => Memory.use((memory) => memory.importLines(lines))
