import type { SurveyOptions, SearchOptions, SearchResult, SurveyResult } from "./Search.ts"
import type { OptimizedSpace, Space, StoredSpace } from "./Store.ts"
import type { MemoryError } from "./error.ts"
import type { LedgerRows } from "./Ledger.ts"
import type { LedgerShape } from "./LedgerShape.ts"
import type { Note, Trust } from "../../thought/Note.ts"
import type { Thought } from "../../thought/model.ts"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type * as DateTime from "effect/DateTime"
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
 * What the memory offers.
 *
 * @category models
 */
export interface Shape {
  /** The id of the embedder that embeds notes and queries; `undefined` if the memory finds notes by words alone. */
  readonly embedder: string | undefined
  /**
   * Stores everything new in a thought, or nothing, and returns the thought in its stored state.
   *
   * Notes are embedded soon afterwards, in the background; when that fails they are pending and nothing is lost. A commit
   * that was made before is not made again. Fails with `ConcurrencyConflict` when the store has moved on, and with `TooLarge`
   * before writing. `rows` gives rows of a durable run for the thought as it will be stored; they are written in the same
   * transaction, even if the thought has no changes. Fails with `LeaseLost` if another process holds the run.
   */
  readonly commit: <N>(
    thought: Thought<N>,
    rows?: (stored: Thought<N>) => LedgerRows
  ) => Effect.Effect<Thought<N>, MemoryError>
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
    options?: { readonly limit?: number; readonly after?: Pick<Relative, "id" | "created"> }
  ) => Effect.Effect<ReadonlyArray<Relative>, MemoryError>
  /** The ledger of durable runs. */
  readonly ledger: LedgerShape
  /** How many notes of the scope are to be embedded and have no vector yet. */
  readonly pending: Effect.Effect<number, MemoryError>
  /** The thoughts of the scope, or of a task, page by page, each with the number of its notes. */
  readonly thoughts: (options?: {
    readonly taskId?: string
    readonly order?: "oldest" | "newest"
    readonly limit?: number
    readonly after?: Pick<Relative, "id" | "created">
  }) => Effect.Effect<ReadonlyArray<Relative & { readonly notes: number }>, MemoryError>
  /** Adds notes to a stored thought from outside a run. */
  readonly append: (
    ref: string | { readonly traceId: string },
    notes: ReadonlyArray<AppendedNote>
  ) => Effect.Effect<ReadonlyArray<Note>, MemoryError>
  /** Deletes a thought. */
  readonly remove: (
    ref: string | { readonly traceId: string },
    options?: { readonly materialize?: boolean }
  ) => Effect.Effect<void, MemoryError>
  /** Deletes everything of the scope and gives the number of its thoughts. */
  readonly purge: Effect.Effect<number, MemoryError>
  /** Removes a note's content everywhere, and the content of all notes derived from it. */
  readonly redact: (
    note: string | Pick<Note, "id">,
    options?: { readonly reach?: "derived" | "copies" }
  ) => Effect.Effect<ReadonlyArray<string>, MemoryError>
  /** Thoughts as lines of JSON. */
  readonly exportLines: (options?: {
    readonly thoughts?: ReadonlyArray<string | { readonly traceId: string }>
  }) => Stream.Stream<string, MemoryError>
  /** Stores the thoughts of lines that `exportLines` produced. */
  readonly importLines: <E, R>(
    lines: Stream.Stream<string, E, R>
  ) => Effect.Effect<{ readonly imported: number; readonly present: number }, MemoryError | E, R>
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
  readonly dropSpace: (space: Space, options?: { readonly force?: boolean }) => Effect.Effect<void, MemoryError>
  /** Makes or drops indexes, as the sizes of all scopes call for, and takes statistics. */
  readonly optimize: (options?: {
    readonly index?: "auto" | "create" | "drop"
  }) => Effect.Effect<ReadonlyArray<OptimizedSpace>, MemoryError>
}
