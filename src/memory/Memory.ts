import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import { Embedder, type Shape as EmbedderShape } from "../thought/Embedder.ts"
import { needed } from "../arguments/needed.ts"
import { make as makeService } from "./make.ts"
import { removing, withIds } from "./model/again.ts"
import { CurrentScope, fail, type MemoryError } from "./model/error.ts"
import { makeStore } from "./inMemory/store.ts"
import type { Note, Trust } from "../thought/Note.ts"
import type { Entry } from "../thought/Session.ts"
import type { Thought } from "../thought/Thought.ts"
import type { Identity } from "../thought/state.ts"
import type { Usage } from "../thought/usage.ts"

// --------------------------------------------------------------------------------------------------------- errors

export { MemoryError, Reason } from "./model/error.ts"

// ---------------------------------------------------------------------------------------------------------- search

/**
 * What a search may find. Every filter given must hold; they hold before anything is ranked.
 *
 * @category search
 */
export interface Filter {
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
  /** No notes that these thoughts wrote, those they descend from, or those that descend from them. */
  readonly excludeLineageOf?: ReadonlyArray<string>
  /** Only notes created at this moment or later. */
  readonly since?: DateTime.Utc
  /** Only notes created before this moment. */
  readonly until?: DateTime.Utc
  /** Only notes of this trust. */
  readonly trust?: Trust
  /** Only notes whose metadata has these fields with these values. */
  readonly metadata?: Readonly<Record<string, string>>
  /**
   * Only notes at least this similar to the query, in [0, 1], also of those that words find. A note whose similarity is not
   * known is left out: one without a vector yet, or every one if the query could not be embedded. Fails with `Query` without
   * an embedder. Default 0: no bound.
   */
  readonly minSimilarity?: number
  /** The same as cosine distance: only notes at most this far, in [0, 2]. Default 2: no bound. */
  readonly maxDistance?: number
}

/**
 * What a survey may find, and how it ranks.
 *
 * Notes are ranked twice, by meaning and by words (BM25). A note's score is the sum, over both, of the weight divided by
 * `k` plus the note's rank, times its evidence there. By words that is how much of what the query asks for the note has, rare
 * words counting most and those that no note has too: from 0 to nearly 1. By meaning it is how far the note is nearer than the
 * mean, in standard deviations and squared, 1 being that of the best of as many random ones; of a query to which no note is
 * nearer than random vectors would be it is nearly 0. Equal notes count as one.
 *
 * @category search
 */
export interface SurveyOptions extends Filter {
  /** Most matches to return. Of notes default 10, at most 500; of tasks default 5, at most 100. */
  readonly limit?: number
  /**
   * What ranks are worth: `k`, 0 or more, default 60; `vectorWeight`, 0 or more, default 1; `lexicalWeight`, 0 or more,
   * default 4, as evidence by words is at most 1 and that by meaning often more; `evidence`, in [0, 4], the power of both,
   * default 1, with 0 only ranks count: then weigh both alike. An arm of weight 0 finds nothing.
   */
  readonly fusion?: {
    readonly k?: number
    readonly vectorWeight?: number
    readonly lexicalWeight?: number
    readonly evidence?: number
  }
  /**
   * What a hit by words gives to others, as a part of its score in [0, 1]: `neighbours` to the notes right before and after
   * it in its thought, `task` to the hits of its task, for all the words that the task has. Default 0 for both.
   */
  readonly context?: { readonly neighbours?: number; readonly task?: number }
  /**
   * Prefers new notes, a little: half the preference is gone after `halfLife`. The score of a new note grows, and that of
   * an old one shrinks, by half of `weight`, which is in [0, 0.2], default 0.1. Default: age does not count.
   */
  readonly recency?: { readonly halfLife: Duration.Input; readonly weight?: number }
}

/**
 * What a search may find, and how it ranks.
 *
 * @category search
 */
export interface SearchOptions extends SurveyOptions {
  /**
   * How much matches should differ from each other, in [0, 1]: among four times as many candidates, 500 at most, those too
   * near to a better match are passed over. Useful are 0.2 to 0.3; near 0.5 notes come in that are off the subject. The order
   * then is not that of the scores. Default 0: not at all.
   */
  readonly diversity?: number
  /** Has the best candidates scored again, as by a cross-encoder or a model. Default: not. */
  readonly rerank?: Rerank
}

/**
 * A second look at the best candidates.
 *
 * @category search
 */
export interface Rerank {
  /**
   * A finite score for each note, in the order given; the greatest is best. When it fails, or breaks, the search answers in
   * its own order and says so.
   */
  readonly score: (query: string, notes: ReadonlyArray<Note>) => Effect.Effect<ReadonlyArray<number>, unknown>
  /**
   * Most notes to score, from 1 to 500. Default 40, or the search's limit where that is more. Those after them follow in the
   * search's own order and with its scores.
   */
  readonly candidates?: number
  /** Past it the search answers in its own order and says so, also when `score` cannot be interrupted. Default 5 seconds. */
  readonly deadline?: Duration.Input
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
  /**
   * What the matches are ordered by, greatest first; not with `diversity`. Comparable within one result only, and after a
   * `rerank` with fewer candidates than the limit not there either: those after the candidates keep the search's scores.
   */
  readonly score: number
  /** Cosine similarity of query and note, in [0, 1]: 0 when it is below, or not known as the note or query has no vector. */
  readonly similarity: number
  /** How many notes, this one included, have the same content; this is the newest. In a survey those of its task. */
  readonly copies: number
  /** Rank in each arm of the search that found it, from 1; equals share a rank. */
  readonly ranks: { readonly vector?: number; readonly lexical?: number }
  /** Score in each arm that found it: similarity in [0, 1], BM25 above 0. */
  readonly scores: { readonly vector?: number; readonly lexical?: number }
}

/**
 * How the arms of a search did.
 *
 * @category search
 */
export interface Arms {
  /**
   * By meaning. `partial`: `pending` notes have no vector yet and could be found by words only. `unavailable`: the query
   * could not be embedded now, or not at all, as some embedders have no vector for signs. `none`: the memory has no embedder.
   */
  readonly vector: "ok" | "partial" | "unavailable" | "none"
  /** By words. `unavailable`: the query has none but those that say nothing, as "the" and "of". */
  readonly lexical: "ok" | "unavailable"
  /** The scope's notes that wait to be embedded; 0 without an embedder. */
  readonly pending: number
  /** Only with `rerank`. `late`: its deadline passed; `failed`: it gave no scores. The order then is the search's own. */
  readonly rerank?: "ok" | "late" | "failed"
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
  /** The newest of the task's thoughts that have a note which the filters allow. */
  readonly thoughtId: string
  /** That thought's intent. */
  readonly intent: string
  /** From the ranks of its best notes among those of all tasks; the tasks are ordered by it, greatest first. */
  readonly score: number
  /** That of the nearest of its matches, in [0, 1]. */
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
  /** What is new of other thoughts, written before this one, in this order and in the same transaction. Default: nothing. */
  readonly before?: ReadonlyArray<Commit>
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
 * A space as a store has it. One is `active`: what searches use. One that is `building` is to take its place. A `retired` one
 * was in use before and is kept until it is dropped.
 *
 * @category store
 */
export interface StoredSpace extends Space {
  readonly state: "building" | "active" | "retired"
}

/**
 * Which vectors may be dropped.
 *
 * - `force`: also those that are being built, maybe by another program; default false
 *
 * @category store
 */
export interface DropOptions {
  readonly force?: boolean
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
  readonly createdMillis: number
}

/**
 * The vector of a note, or of a part of a long one.
 *
 * - `chunk`: number of the part, from 0 without a gap; default 0
 *
 * @category store
 */
export interface ChunkVector {
  readonly noteId: string
  readonly chunk?: number
  readonly vector: Float32Array
}

/**
 * What is looked for: by the nearness of vectors and by the words of a text, ranked together.
 *
 * @category store
 */
export interface StoreQuery {
  /** No words: nothing is found by them. */
  readonly text: string
  /** Of length 1; without it nothing is found by meaning. */
  readonly vector: Float32Array | undefined
  readonly filter: Filter
  readonly limit: number
  /** Contents of each arm that are ranked together: at least `limit`. A survey ranks all. */
  readonly candidates: number
  readonly fusion: {
    readonly k: number
    readonly vectorWeight: number
    readonly lexicalWeight: number
    readonly evidence: number
  }
  readonly context: { readonly neighbours: number; readonly task: number }
  readonly recency: { readonly halfLifeMillis: number; readonly weight: number; readonly nowMillis: number } | undefined
  /** Whether to give the vectors of the matches. */
  readonly vectors: boolean
}

/**
 * A match, with its vector where it was asked for and there is one.
 *
 * @category store
 */
export interface StoreMatch extends Match {
  readonly vector?: Float32Array
}

/**
 * What a store found, best first.
 *
 * @category store
 */
export interface Found {
  readonly matches: ReadonlyArray<StoreMatch>
  /** The scope's notes without a vector in the space; 0 without a space. */
  readonly pending: number
  /** The words that were looked for; 0 when the text has none but those that say nothing. */
  readonly terms: number
}

/**
 * The tasks that a store found, best first.
 *
 * @category store
 */
export interface FoundTasks extends Omit<Found, "matches"> {
  readonly tasks: ReadonlyArray<TaskMatch>
}

/**
 * What is done about the index of each space.
 *
 * - `index`: `"auto"` (default) makes one where a scope has more than 25,000 vectors of 384 dimensions, or fewer longer ones,
 *   and drops it elsewhere. `"create"` makes one in every space that is not retired, `"drop"` drops all
 *
 * @category optimizing
 */
export interface OptimizeOptions {
  readonly index?: "auto" | "create" | "drop"
}

/**
 * What was done for a space.
 *
 * - `vectors`: those of the scope that has most
 * - `index`: `"hnsw"` when searches use an index now, `"none"` when they look at every vector
 *
 * @category optimizing
 */
export interface OptimizedSpace extends StoredSpace {
  readonly vectors: number
  readonly index: "hnsw" | "none"
  readonly change: "created" | "dropped" | "none"
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
   * Takes the text and metadata of a note away, of all that is derived from it, and of the notes of summaries that cover one of
   * these; with `reach` `"copies"` of what is derived only what repeats the text: where the source is `seek` or `survey`, and
   * copies, which have the source, step and moment of the note, and its key or what follows a `.` in it. Entries that show anything
   * derived lose their text and are no longer live, and so do requests (`role` `"user"`) whose answer does. Appends and commits
   * of notes derived from a redacted one, and of entries that show one, fail with `ConcurrencyConflict`; `restore` takes such
   * notes unless they repeat its text. Thoughts that see one of them have a new version. Gives the notes' ids in
   * order; nothing when there is no such note.
   */
  readonly redact: (
    scope: string,
    noteId: string,
    millis: number,
    reach?: "derived" | "copies"
  ) => Effect.Effect<ReadonlyArray<string> | undefined, MemoryError>
  /**
   * Writes a thought as another store had it, with its version; of its notes only its own. Fails with `ConcurrencyConflict`
   * when it is there or its parent lacks what it shares with it, and with `Query` and the code 23505 when another one has its
   * trace id or one of its notes' ids.
   */
  readonly restore: (scope: string, stored: StoredThought) => Effect.Effect<void, MemoryError>
  /**
   * Makes room for a space's vectors; does nothing when it is there. Run once before the others are used. The first space of
   * a store is the active one, any other that is not active is building from now on.
   */
  readonly openSpace: (space: Space) => Effect.Effect<void, MemoryError>
  /** All spaces, the oldest first. */
  readonly spaces: Effect.Effect<ReadonlyArray<StoredSpace>, MemoryError>
  /**
   * Makes an open space the active one and retires the one before, at once. Fails with `Query` when that one has vectors and
   * the space has none: the notes are to be embedded first.
   */
  readonly activateSpace: (space: Space) => Effect.Effect<void, MemoryError>
  /**
   * Drops a space with its vectors, and does nothing when there is none such. Fails with `Query` for the active one, and for
   * one that is building unless `force` is set, as another program may be building it.
   */
  readonly dropSpace: (space: Space, options?: DropOptions) => Effect.Effect<void, MemoryError>
  /** Makes or drops the indexes of all spaces and takes statistics, each space in a transaction of its own. */
  readonly optimize: (options: OptimizeOptions) => Effect.Effect<ReadonlyArray<OptimizedSpace>, MemoryError>
  /** Gives notes without vectors those of other notes of the scope with the same content, and says which got some. */
  readonly copyVectors: (
    scope: string,
    space: Space,
    noteIds: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<string>, MemoryError>
  /**
   * Stores vectors of length 1, all those of a note in one call: they replace what it had. Notes unknown in the scope are
   * left out.
   */
  readonly putVectors: (
    scope: string,
    space: Space,
    vectors: ReadonlyArray<ChunkVector>
  ) => Effect.Effect<void, MemoryError>
  /**
   * Notes without a vector in the space, oldest first, those of one moment by id and then by scope; of one scope or of all. A
   * note that is blank, as `content.trim()` has it, or redacted has nothing to be embedded: it is never pending.
   * Fewer than `limit` may come when they are long, but none only when there are none. `after`: those that follow it.
   */
  readonly pending: (
    space: Space,
    options: {
      readonly scope?: string
      readonly limit: number
      readonly after?: Pick<PendingNote, "scope" | "id" | "createdMillis"> | undefined
    }
  ) => Effect.Effect<ReadonlyArray<PendingNote>, MemoryError>
  /** How many notes of the scope are pending in the space. */
  readonly countPending: (scope: string, space: Space) => Effect.Effect<number, MemoryError>
  /**
   * The notes that rank best by meaning and by words, of the scope only, each content once; ties in order of note id. A
   * note is as near as the nearest of its parts. As many as match, up to the limit. Without a space, and then without a
   * vector, by words alone.
   */
  readonly search: (scope: string, space: Space | undefined, query: StoreQuery) => Effect.Effect<Found, MemoryError>
  /** The tasks whose notes rank best, each once; ties in order of task id. `limit` counts tasks. */
  readonly survey: (
    scope: string,
    space: Space | undefined,
    query: StoreQuery
  ) => Effect.Effect<FoundTasks, MemoryError>
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
 * - `id`: a UUID in lower case; default: a new one, drawn once for as long as the effect fails: to run it again, as
 *   `Effect.retry` does, adds nothing twice
 * - `source`: default `"user"`
 * - `trust`: default `"untrusted"`
 * - `derivedFrom`: ids of the notes that its text was made from; default: none. It is redacted when one of these is
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
  readonly derivedFrom?: ReadonlyArray<string>
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
 * How far a redaction goes.
 *
 * - `reach`: `"derived"` (default) takes everything away that was made from the note, `"copies"` of that only what repeats it
 *
 * @category lifecycle
 */
export interface RedactOptions {
  readonly reach?: "derived" | "copies"
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
  /** The id of the embedder that embeds notes and queries; `undefined` if the memory finds notes by words alone. */
  readonly embedder: string | undefined
  /**
   * Stores what is new of a thought, all or nothing, and gives the thought that knows it is stored.
   *
   * Notes are embedded soon afterwards, in the background; when that fails they are pending and nothing is lost. A commit
   * that was made before is not made again. Fails with `ConcurrencyConflict` when the store has moved on, and with `TooLarge`
   * before writing.
   */
  readonly commit: <N>(thought: Thought<N>) => Effect.Effect<Thought<N>, MemoryError>
  readonly load: (ref: string | { readonly traceId: string }) => Effect.Effect<Thought, MemoryError>
  readonly search: (query: string, options?: SearchOptions) => Effect.Effect<SearchResult, MemoryError>
  /** Finds tasks by the meaning of their notes, each once. `limit` counts tasks. */
  readonly survey: (query: string, options?: SurveyOptions) => Effect.Effect<SurveyResult, MemoryError>
  /** The thoughts that one descends from, the oldest first. */
  readonly ancestors: (
    ref: string | { readonly traceId: string }
  ) => Effect.Effect<ReadonlyArray<Relative>, MemoryError>
  /** Those whose parent a thought is, in order of creation. */
  readonly children: (
    ref: string | { readonly traceId: string },
    options?: PageOptions
  ) => Effect.Effect<ReadonlyArray<Relative>, MemoryError>
  /** How many notes of the scope are to be embedded and have no vector yet. */
  readonly pending: Effect.Effect<number, MemoryError>
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
  /** Takes a note's content away everywhere, and that of what was derived from it. */
  readonly redact: (
    note: string | Pick<Note, "id">,
    options?: RedactOptions
  ) => Effect.Effect<ReadonlyArray<string>, MemoryError>
  /** Thoughts as lines of JSON. */
  readonly exportLines: (options?: ExportOptions) => Stream.Stream<string, MemoryError>
  /** Stores what `exportLines` gave. */
  readonly importLines: <E, R>(lines: Stream.Stream<string, E, R>) => Effect.Effect<ImportResult, MemoryError | E, R>
  /** Embeds notes that have no vector yet, of every scope, and gives their number. */
  readonly embedPending: Effect.Effect<number, MemoryError>
  /** Waits until every note that this memory committed before is embedded or has failed. */
  readonly flush: Effect.Effect<void>
  /** The vectors that the store has: of which embedders, and which of them searches use. */
  readonly spaces: Effect.Effect<ReadonlyArray<StoredSpace>, MemoryError>
  /**
   * Drops the vectors of an embedder that is no longer in use. Fails with `Query` for one that is, or is to be; `force` drops
   * what was begun and is not to be finished.
   */
  readonly dropSpace: (space: Space, options?: DropOptions) => Effect.Effect<void, MemoryError>
  /** Makes or drops indexes, as the sizes of all scopes call for, and takes statistics. */
  readonly optimize: (options?: OptimizeOptions) => Effect.Effect<ReadonlyArray<OptimizedSpace>, MemoryError>
}

/**
 * The memory in use.
 *
 * @category services
 */
export class Memory extends Context.Service<Memory, Shape>()("cogito/Memory") {}

const use = <A, E, R>(f: (memory: Shape) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R | Memory> =>
  Effect.flatMap(needed(Memory), f)

export { CurrentScope } from "./model/error.ts"

/**
 * Runs a program in a scope: what it stores, loads and finds belongs to that tenant alone.
 *
 * A scope has 1 to 256 characters. Throws at once when it is empty or no text, so that a tenant who is not known never gets
 * the default scope; one that is longer fails with `TooLarge` where it is used.
 *
 * **Example** (One scope for each tenant)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const thought = yield* Thought.make("try", { message: "Hello" })
 *   yield* Memory.commit(thought).pipe(Memory.withScope("acme"))
 *   const { reason } = yield* Memory.load(thought.id).pipe(Memory.withScope("globex"), Effect.flip)
 *   assert.equal(reason._tag, "NotFound")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category scope
 */
export const withScope = (scope: string): (<A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) => {
  if (typeof scope !== "string" || scope === "") {
    throw new Error("A memory's scope is a text that is not empty: give the tenant's name.")
  }
  return (self) => Effect.provideService(self, CurrentScope, scope)
}

/**
 * What happens if the store's vectors were made by another embedder than the one in the context.
 *
 * - `onEmbedderChange`: default `"fail"`, with `EmbedderMismatch`. With `"rebuild"` all notes are embedded anew, in the
 *   background and oldest first, beside the old vectors; then the new ones take their place at once. A start with the same
 *   option goes on where the last one ended. Afterwards the old vectors are kept until `dropSpace`
 * - `previousEmbedder`: the old embedder. Until the new vectors are complete, searches use it and the old vectors, and new
 *   notes are embedded with both. Without it searches use the new vectors as far as there are any, and the words of all notes;
 *   `arms` says how many notes have no vector yet
 *
 * @category models
 */
export interface EmbedderChange {
  readonly onEmbedderChange?: "fail" | "rebuild"
  readonly previousEmbedder?: EmbedderShape
}

/**
 * The option for a memory without an embedder, which finds notes by their words alone.
 *
 * - `embedder`: `"none"`; default: the embedder in the context. With `"none"` none is required, and `onEmbedderChange` and
 *   `previousEmbedder` have no effect
 *
 * @category models
 */
export interface WordsOnly {
  readonly embedder: "none"
}

/**
 * Which embedder a memory uses: the one in the context, or none.
 *
 * @category models
 */
export interface EmbedderOptions extends EmbedderChange {
  readonly embedder?: "none" | undefined
}

/**
 * Puts a memory on top of a store. Its notes are embedded, and searched, with the embedder in the context.
 *
 * They are embedded in the background, soon after their commit, until the scope closes; that waits up to 2 seconds for what
 * was committed. What is not embedded then is pending, and embedded by the next memory on the store.
 *
 * With `embedder: "none"` no note is embedded, and searches use words alone: `arms.vector` is `"none"`. A memory that is opened
 * with an embedder later embeds all notes that are there. A warning is logged if the store has another program's vectors.
 *
 * Fails with `EmbedderMismatch` if the store's vectors were made by another embedder, and with `Query` for another value of
 * `embedder`.
 *
 * **Example** (Without an embedder, and with one later)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const store = yield* Memory.makeInMemoryStore
 *   const words = yield* Memory.make({ store, scope: "local", embedder: "none" })
 *   yield* words.commit(yield* Thought.make("triage", { message: "The parcel was lost" }))
 *   const { arms, matches } = yield* words.search("lost parcels")
 *   assert.deepEqual([matches[0]?.note.key, arms.vector], ["message", "none"])
 *
 *   const memory = yield* Effect.provide(Memory.make({ store, scope: "local" }), Testing.embedder)
 *   assert.equal(yield* memory.embedPending, 1)
 * })
 *
 * await Effect.runPromise(Effect.scoped(program))
 * ```
 *
 * @category constructors
 */
export function make(options: MakeOptions & EmbedderOptions & WordsOnly): Effect.Effect<Shape, MemoryError, Scope.Scope>
export function make(options: MakeOptions & EmbedderOptions): Effect.Effect<Shape, MemoryError, Embedder | Scope.Scope>
export function make(
  options: MakeOptions & EmbedderOptions
): Effect.Effect<Shape, MemoryError, Embedder | Scope.Scope> {
  checkMake(options)
  const { embedder }: { readonly embedder?: unknown } = options
  if (embedder === undefined)
    return Effect.flatMap(needed(Embedder), (own) => makeService({ ...options, embedder: own }))
  if (embedder === "none") return makeService({ ...options, embedder: undefined })
  return fail({
    _tag: "Query",
    message: 'A memory\'s option embedder is "none" or left out: an embedder is provided as a layer.'
  })
}

const checkMake = taking("Memory.make", {
  options: 0,
  known: ["store", "scope", "embedder", "onEmbedderChange", "previousEmbedder"],
  needs: ["store"]
})((_options: MakeOptions & EmbedderOptions): void => {})

/**
 * The store that a memory uses, and the scope of programs that name none.
 *
 * @category models
 */
export interface MakeOptions {
  readonly store: Store
  readonly scope: string
}

/**
 * An empty store in plain memory, with everything that a database's store has but durability.
 *
 * @category constructors
 */
export const makeInMemoryStore: Effect.Effect<Store> = makeStore

/**
 * A memory that lives as long as the process: for tests and trials. Its default scope is `"local"`.
 *
 * @category layers
 */
export function layerInMemory(options: InMemoryOptions & WordsOnly): Layer.Layer<Memory, MemoryError>
export function layerInMemory(options?: InMemoryOptions): Layer.Layer<Memory, MemoryError, Embedder>
export function layerInMemory(options: InMemoryOptions = {}): Layer.Layer<Memory, MemoryError, Embedder> {
  checkLayer(options)
  return Layer.effect(
    Memory,
    Effect.flatMap(makeStore, (store) => make({ ...options, store, scope: options.scope ?? "local" }))
  )
}

/** What the layer is given, where no compiler has checked it. */
const checkLayer = taking("Memory.layerInMemory", {
  options: 0,
  optional: true,
  known: ["scope", "embedder", "onEmbedderChange", "previousEmbedder"]
})((_options: InMemoryOptions): void => {})

/**
 * The scope of programs that name none, and which embedder is used.
 *
 * @category models
 */
export interface InMemoryOptions extends EmbedderOptions {
  readonly scope?: string
}

// ------------------------------------------------------------------------------------------------------- accessors

/**
 * Loads a thought by its id, or by its trace id, without types; `Thought.require` regains them.
 *
 * Fails with `NotFound` when the scope has no such thought.
 *
 * @category accessors
 */
export const load = taking("Memory.load", { args: [kinds.traced] })(
  (ref: string | { readonly traceId: string }): Effect.Effect<Thought, MemoryError, Memory> =>
    use((memory) => memory.load(ref))
)

/**
 * Stores what is new of a thought, all or nothing, and gives the thought that knows it is stored.
 *
 * A pipeline's run does this by itself. Notes are embedded soon afterwards, in the background; when that fails they are
 * pending. A commit that was made before is not made again. What is new may have 10,000 notes and 64 million characters, a
 * note 4 million and 100,000 in its metadata, a message of the conversation 16 million; an intent 100,000, a trace id, task
 * id or source 256, a key 200.
 *
 * Fails with `TooLarge` above that, before anything is written or embedded, with `ConcurrencyConflict` when the store has
 * moved on, and with `Query` (code 23505) when another thought of the scope has its trace id.
 *
 * **Example** (A thought to be found later)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const thought = yield* Memory.commit(yield* Thought.make("triage", { message: "Charged twice" }))
 *   assert.equal((yield* Memory.load(thought.id)).note("message")?.content, "Charged twice")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category accessors
 */
export const commit = taking("Memory.commit", { args: [kinds.thought] })(
  <N>(thought: Thought<N>): Effect.Effect<Thought<N>, MemoryError, Memory> => use((memory) => memory.commit(thought))
)

/**
 * Finds notes by meaning and by words, best first.
 *
 * It waits up to 5 seconds until what this memory has committed in the scope is embedded, so that it can be found. An empty
 * query finds nothing; any other finds the nearest notes there are, related or not, unless `minSimilarity` bounds them. When
 * the query cannot be embedded for now, the words alone find: `arms.vector` is `unavailable` then. Of notes and of the query
 * the first 100,000 characters are looked at for words. Fails with `EmbedderFailed` when trying again would not help, and
 * with `Query` when an option is out of bounds or has no such name.
 *
 * **Example** (What helped before)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const memory = yield* Memory.Memory
 *   const notes = { a: "The parcel was lost", b: "Refunded the damaged goods" }
 *   yield* memory.commit(yield* Thought.make("triage", notes, { taskId: "ticket 1" }))
 *   const { matches } = yield* Memory.search("refund for damaged goods", { taskId: "ticket 1", limit: 1 })
 *   assert.equal(matches[0]?.note.content, "Refunded the damaged goods")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category accessors
 */
export const search = taking("Memory.search", { args: [kinds.text, kinds.optional(kinds.object)] })(
  (query: string, options?: SearchOptions): Effect.Effect<SearchResult, MemoryError, Memory> =>
    use((memory) => memory.search(query, options))
)

/**
 * Finds tasks by the meaning and the words of their notes, best first, each once.
 *
 * `limit` counts tasks: default 5, at most 100. All tasks are ranked, however many notes one has. Thoughts without a task
 * are left out. An empty query finds nothing, and what fails is as in `search`.
 *
 * @category accessors
 */
export const survey = taking("Memory.survey", { args: [kinds.text, kinds.optional(kinds.object)] })(
  (query: string, options?: SurveyOptions): Effect.Effect<SurveyResult, MemoryError, Memory> =>
    use((memory) => memory.survey(query, options))
)

// ------------------------------------------------------------------------------------------------------- embedding

/**
 * How many notes of the scope are to be embedded and have no vector yet, so that only their words can be found.
 *
 * @category embedding
 */
export const pending: Effect.Effect<number, MemoryError, Memory> = use((memory) => memory.pending)

/**
 * Waits until every note that the memory committed before, in any scope, is embedded or has failed; those that failed are
 * `pending`.
 *
 * **Example** (Nothing left to embed)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const memory = yield* Memory.Memory
 *   yield* memory.commit(yield* Thought.make("import", { a: "The parcel was lost", b: "Refunded the goods" }))
 *   yield* Memory.flush
 *   assert.equal(yield* Memory.pending, 0)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category embedding
 */
export const flush: Effect.Effect<void, never, Memory> = use((memory) => memory.flush)

/**
 * Embeds the notes that have no vector yet, of every scope, now, and gives how many there were.
 *
 * A note that cannot be embedded keeps no other from it. Fails with `EmbedderFailed` after all were tried when some could not
 * be, or at once when the embedder is out of order; what was embedded is stored. Fails with `EmbedderMismatch` when another
 * program has changed the memory to another embedder, and with `Query` when the memory is closed.
 *
 * @category embedding
 */
export const embedPending: Effect.Effect<number, MemoryError, Memory> = use((memory) => memory.embedPending)

/**
 * Makes searches fast where there are many vectors, and says what it did for each embedder's vectors, of all scopes.
 *
 * Searches look at every vector that the filters allow until there is an index (HNSW). With one they look at the nearest that
 * it gives, which are nearly always the same; when it gives too few, they look at all again, so there are never fewer matches.
 * Surveys always look at all, and so do searches in a scope, or by filters, that allow less than half of all scopes' notes.
 * Notes cannot be embedded while the index is made, which takes a minute or more; run it after
 * large imports, and now and then. Over 2,000 dimensions the index holds vectors at half their precision, over 4,000 there is
 * none.
 *
 * Fails with `Query` when an index is asked for with `"create"` that cannot be. In plain memory there is nothing to do.
 *
 * **Example** (After an import)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const program = Effect.gen(function*() {
 *   const memory = yield* Memory.Memory
 *   yield* memory.commit(yield* Thought.make("import", { a: "The parcel was lost", b: "Refunded the goods" }))
 *   yield* Memory.flush
 *   const [space] = yield* Memory.optimize()
 *   assert.deepEqual([space?.vectors, space?.index], [2, "none"])
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category optimizing
 */
export const optimize = taking("Memory.optimize", { options: 0, optional: true, known: ["index"] })(
  (options?: OptimizeOptions): Effect.Effect<ReadonlyArray<OptimizedSpace>, MemoryError, Memory> =>
    use((memory) => memory.optimize(options))
)

/**
 * The thoughts that a thought descends from: forked from each other, the oldest first, its parent last.
 *
 * Fails with `NotFound` when the scope has no such thought.
 *
 * @category lineage
 */
export const ancestors = taking("Memory.ancestors", { args: [kinds.traced] })(
  (ref: string | { readonly traceId: string }): Effect.Effect<ReadonlyArray<Relative>, MemoryError, Memory> =>
    use((memory) => memory.ancestors(ref))
)

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
export const children = taking("Memory.children", {
  args: [kinds.traced],
  options: 1,
  optional: true,
  known: ["after", "limit"]
})(
  (
    ref: string | { readonly traceId: string },
    options?: PageOptions
  ): Effect.Effect<ReadonlyArray<Relative>, MemoryError, Memory> => use((memory) => memory.children(ref, options))
)

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
 *   yield* Effect.sleep("2 millis") // of two made in the same millisecond either may come first
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
export const thoughts = taking("Memory.thoughts", {
  options: 0,
  optional: true,
  known: ["after", "limit", "order", "taskId"]
})((options?: ThoughtsOptions): Effect.Effect<ReadonlyArray<Relative>, MemoryError, Memory> =>
  use((memory) => memory.thoughts(options))
)

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
export const append = taking("Memory.append", { args: [kinds.traced, kinds.arrayOf(kinds.object)] })(
  (
    ref: string | { readonly traceId: string },
    notes: ReadonlyArray<AppendedNote>
  ): Effect.Effect<ReadonlyArray<Note>, MemoryError, Memory> =>
    withIds(notes, (drawn) => use((memory) => memory.append(ref, drawn)))
)

/**
 * Deletes a thought with its notes, its conversation and its vectors.
 *
 * One that is the parent of others is refused with `HasForks`, unless `materialize`: then the fork that shares most of its
 * notes inherits these, and the other forks become forks of that one. Every fork keeps the notes it had, with their ids and
 * numbers, and its conversation; what only the removed thought had is gone. Fails with `NotFound` when the scope has no such
 * thought. If the connection breaks before the answer comes, it is tried once more, and the same effect can be run again: a
 * thought that is gone by then counts as removed.
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
export const remove = taking("Memory.remove", {
  args: [kinds.traced],
  options: 1,
  optional: true,
  known: ["materialize"]
})((ref: string | { readonly traceId: string }, options?: RemoveOptions): Effect.Effect<void, MemoryError, Memory> =>
  removing(use((memory) => memory.remove(ref, options)))
)

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
 *   assert.equal(yield* Memory.purge.pipe(Memory.withScope("acme")), 1)
 *   assert.deepEqual(yield* Memory.thoughts().pipe(Memory.withScope("acme")), [])
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category lifecycle
 */
export const purge: Effect.Effect<number, MemoryError, Memory> = use((memory) => memory.purge)

/**
 * Takes the text and metadata of a note away everywhere: in the note, in every message that showed it or stood for it, in
 * its vectors; and so for every note that was derived from it, in any thought of the scope. Gives the ids of these notes.
 *
 * A note keeps its id, key and number, and has `redacted`; no thought shows it, and reading it fails with `NoteNotFound`.
 * Messages that held it, and requests whose answers go, are taken from the conversations; other notes that they showed are
 * unpublished again. Runs that still have the note, or something derived from it, fail with `ConcurrencyConflict` when they
 * commit. Fails with `NotFound` when the scope has no such note.
 *
 * With `reach: "copies"` a derived note is redacted only where it repeats the text as it is: what `seek` and `survey` found,
 * copies that forks keep, and summaries of conversations. Answers stay, and may still say what the note said.
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
 *   if (card === undefined) return
 *   yield* Memory.append(thought.id, [{ key: "receipt", content: "Paid with 4111…", derivedFrom: [card.id] }])
 *   assert.equal((yield* Memory.redact(card)).length, 2)
 *   const loaded = yield* Memory.load(thought.id)
 *   assert.equal(loaded.note("card"), undefined)
 *   assert.equal(loaded.note("receipt"), undefined)
 *   assert.equal(loaded.note("amount")?.seq, 2)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category lifecycle
 */
export const redact = taking("Memory.redact", {
  args: [kinds.identified],
  options: 1,
  optional: true,
  known: ["reach"]
})(
  (
    note: string | Pick<Note, "id">,
    options?: RedactOptions
  ): Effect.Effect<ReadonlyArray<string>, MemoryError, Memory> => use((memory) => memory.redact(note, options))
)

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
export const exportLines = taking("Memory.exportLines", { options: 0, optional: true, known: ["thoughts"] })(
  (options?: ExportOptions): Stream.Stream<string, MemoryError, Memory> =>
    Stream.unwrap(use((memory) => Effect.succeed(memory.exportLines(options))))
)

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
export const importLines = taking("Memory.importLines", { args: [kinds.stream] })(
  <E, R>(lines: Stream.Stream<string, E, R>): Effect.Effect<ImportResult, MemoryError | E, Memory | R> =>
    use((memory) => memory.importLines(lines))
)
