import type { Ledger, LedgerRows } from "./Ledger.ts"
import type { Filter, Match, TaskMatch } from "./Search.ts"
import type { MemoryError } from "./error.ts"
import type { Note } from "../../thought/Note.ts"
import type { Entry } from "../../thought/Entry.ts"
import type { Identity } from "../../thought/model.ts"
import type { Usage } from "../../thought/tokens.ts"
import type * as Effect from "effect/Effect"
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
  /**
   * Rows of the durable run that commits, written in the same transaction. The commit fails with `LeaseLost`, before anything else,
   * if this process does not hold the run, and with `ConcurrencyConflict` if the run already ended with these rows. Default: no
   * rows.
   */
  readonly ledger?: LedgerRows
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
 * A thought with the removed entries of its conversation.
 *
 * - `removed`: the removed entries, each with the version that removed it. A redacted entry has no text
 *
 * @category store
 */
export interface History extends StoredThought {
  readonly removed: ReadonlyArray<{ readonly entry: Entry; readonly version: number }>
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
  readonly fusion: { readonly vectorWeight: number; readonly lexicalWeight: number }
  readonly context: { readonly neighbours: number; readonly task: number }
  readonly recency: { readonly halfLifeMillis: number; readonly weight: number; readonly nowMillis: number } | undefined
  /** Prefers notes created in one of these periods, which end before `untilMillis`: their score grows by `weight` times itself. */
  readonly dates:
    | {
        readonly weight: number
        readonly periods: ReadonlyArray<{ readonly fromMillis: number; readonly untilMillis: number }>
      }
    | undefined
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
  /** The thought. Undefined if it does not exist. */
  readonly load: (
    scope: string,
    ref: { readonly id: string } | { readonly traceId: string }
  ) => Effect.Effect<StoredThought | undefined, MemoryError>
  /**
   * The thought with its removed entries, ordered by version and number, from which an earlier state can be rebuilt. Undefined if
   * the thought does not exist.
   */
  readonly history: (scope: string, id: string) => Effect.Effect<History | undefined, MemoryError>
  /** The ledger of durable runs. */
  readonly ledger: Ledger
  /** The ancestors of a thought, the oldest first. Undefined if the thought does not exist. */
  readonly ancestors: (
    scope: string,
    ref: { readonly id: string } | { readonly traceId: string }
  ) => Effect.Effect<ReadonlyArray<ThoughtRow> | undefined, MemoryError>
  /**
   * A page of the thoughts whose parent this thought is, by creation and then by id. Undefined if the thought does not
   * exist.
   */
  readonly children: (
    scope: string,
    ref: { readonly id: string } | { readonly traceId: string },
    page: PageRow
  ) => Effect.Effect<ReadonlyArray<ThoughtRow> | undefined, MemoryError>
  /** Thoughts by creation and then by id, each with the number of its last note (0: none), those that it shares included. */
  readonly thoughts: (
    scope: string,
    page: ThoughtsRow
  ) => Effect.Effect<ReadonlyArray<ThoughtRow & { readonly lastSeq: number }>, MemoryError>
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
   * Deletes a thought with everything that belongs to it, the durable runs that began on it included, and says whether there was
   * one. Fails with `HasForks` when it is a parent, unless `materialize`: then what its children share with it stays theirs.
   */
  readonly remove: (
    scope: string,
    ref: { readonly id: string } | { readonly traceId: string },
    options: { readonly materialize: boolean }
  ) => Effect.Effect<boolean, MemoryError>
  /** Deletes everything of the scope and gives the number of thoughts. */
  readonly purge: (scope: string) => Effect.Effect<number, MemoryError>
  /**
   * Removes the text and metadata of a note, of all that is derived from it, and of the notes of summaries that cover one of
   * these. Returns their ids in order, or undefined if there is no such note.
   *
   * **Details**
   *
   * With `reach` `"copies"` derived notes are redacted only if they repeat the text: their source is `seek` or `survey`, or they
   * have the source, step and moment of the note, and its key or what follows a `.` in it. Entries that show anything derived,
   * and requests (`role` `"user"`) whose answer does, lose their text and are no longer live. Appends and commits of derived
   * notes, or of entries that show one, fail with `ConcurrencyConflict`; `restore` accepts them unless they repeat the text.
   * Thoughts that see one of the notes get a new version.
   *
   * Durable runs that started from such a thought, returned it, or stored it in a step lose their requests, responses, prompts
   * and answers, and store none of these until they are claimed again. Every other run loses the requests and responses that name
   * one of the notes, now and in later writes. If it had any, it also loses its prompts and answers, and stores none until it is
   * claimed again.
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
   * Drops a space with its vectors. Does nothing if the space does not exist. Fails with `Query` for the active one, and for
   * one that is building unless `force` is set, as another program may be building it.
   */
  readonly dropSpace: (space: Space, options?: { readonly force?: boolean }) => Effect.Effect<void, MemoryError>
  /** Makes or drops the indexes of all spaces and takes statistics, each space in a transaction of its own. */
  readonly optimize: (options: {
    readonly index?: "auto" | "create" | "drop"
  }) => Effect.Effect<ReadonlyArray<OptimizedSpace>, MemoryError>
  /** Gives notes without vectors those of other notes of the scope with the same content, and says which got some. */
  readonly copyVectors: (
    scope: string,
    space: Space,
    noteIds: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<string>, MemoryError>
  /**
   * Stores vectors of length 1. All vectors of a note come in one call: they replace its earlier ones. Notes that are
   * redacted or not in the scope are skipped.
   */
  readonly putVectors: (
    scope: string,
    space: Space,
    vectors: ReadonlyArray<ChunkVector>
  ) => Effect.Effect<void, MemoryError>
  /**
   * Notes without a vector in the space, oldest first, those of one moment by id and then by scope; of one scope or of all. A
   * note that is blank, as `content.trim()` has it, or redacted has nothing to be embedded: it is never pending. Nor are
   * results of searches, whose source is `seek` or `survey`; with `results`, only those are listed.
   * May return fewer than `limit` if the notes are long, but returns at least one pending note if any is left. `after`: those that follow it.
   */
  readonly pending: (
    space: Space,
    options: {
      readonly scope?: string
      readonly limit: number
      readonly after?: Pick<PendingNote, "scope" | "id" | "createdMillis"> | undefined
      readonly results?: boolean
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
