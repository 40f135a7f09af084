/** The errors of memories and stores, and the scope that a program runs in. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { quoted } from "../../text/legible.ts"

const reason = <const Tag extends string, const F extends Schema.Struct.Fields>(tag: Tag, fields: F) =>
  Schema.TaggedStruct(tag, { message: Schema.String, ...fields })

/**
 * Why the memory failed, by what a caller can do about it.
 *
 * **Details**
 *
 * - `NotFound`: no such thought in this scope
 * - `ConcurrencyConflict`: somebody else has added to the thought since it was loaded; load it again
 * - `InvalidText`: a text that cannot be stored; nothing was written
 * - `TooLarge`: a note, name, message or commit over its `limit`; nothing was written
 * - `Locked`: another process, `pid`, owns the directory
 * - `Connection`: the database could not be reached or the connection broke; retryable, unless `retryable` is false: then a
 *   package, a right, space or an option is missing or wrong. `code` is the SQLSTATE if the server rolled a transaction back
 *   because of another one
 * - `Timeout`: the database did not answer in time; retryable
 * - `Query`: the database refused a statement
 * - `Corrupt`: stored rows do not make a thought
 * - `EmbedderFailed`: the query could not be embedded; retryable when the embedder says so
 * - `EmbedderMismatch`: the vectors were made by another embedder
 * - `LeaseLost`: another process claimed the durable run, or the run ended; nothing was written
 * - `HasForks`: as many `forks` begin with notes of the thought; nothing was removed
 * - `InvalidArchive`: a `line` of an archive, counted from 1, is invalid
 * - `ArchiveConflict`: a `line` of an archive has a thought that the scope has another state of, or ids that are taken
 *
 * @category errors
 */
export const Reason = Schema.Union([
  reason("NotFound", {}),
  reason("ConcurrencyConflict", { thoughtId: Schema.String }),
  reason("InvalidText", { field: Schema.String }),
  reason("TooLarge", { field: Schema.String, limit: Schema.Int }),
  reason("Locked", { pid: Schema.optionalKey(Schema.Int) }),
  reason("Connection", { retryable: Schema.optionalKey(Schema.Boolean), code: Schema.optionalKey(Schema.String) }),
  reason("Timeout", {}),
  reason("Query", { code: Schema.optionalKey(Schema.String) }),
  reason("Corrupt", {}),
  reason("EmbedderFailed", { retryable: Schema.Boolean }),
  reason("EmbedderMismatch", { stored: Schema.String, configured: Schema.String }),
  reason("LeaseLost", { runId: Schema.String }),
  reason("HasForks", { thoughtId: Schema.String, forks: Schema.Int }),
  reason("InvalidArchive", { line: Schema.Int }),
  reason("ArchiveConflict", { line: Schema.Int, thoughtId: Schema.String })
])
/**
 * Why the memory failed.
 *
 * @category errors
 */
export type Reason = typeof Reason.Type

/**
 * A memory operation failed. `isRetryable` says whether the same call may succeed later. The message says what to do and
 * never holds note texts.
 *
 * @category errors
 */
export class MemoryError extends Schema.TaggedError<MemoryError>()("MemoryError", {
  reason: Reason,
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return this.reason.message
  }
  get isRetryable(): boolean {
    const { reason } = this
    return (
      (reason._tag === "Connection" && reason.retryable !== false) ||
      reason._tag === "Timeout" ||
      (reason._tag === "EmbedderFailed" && reason.retryable)
    )
  }
}

/**
 * The scope of the running program; unset, the layer's own scope holds.
 *
 * **Example** (The scope of a program)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Memory } from "cogito"
 *
 * const scope = Effect.flatMap(Memory.CurrentScope, (scope) => Effect.succeed(scope))
 * assert.equal(await Effect.runPromise(scope), undefined)
 * assert.equal(await Effect.runPromise(scope.pipe(Memory.withScope("acme"))), "acme")
 * ```
 *
 * @category scope
 */
export const CurrentScope = Context.Reference<string | undefined>("cogito/Memory/CurrentScope", {
  defaultValue: () => undefined
})

/** A memory's failure for a reason. */
export const fail = (reason: Reason, cause?: unknown): Effect.Effect<never, MemoryError> =>
  Effect.fail(new MemoryError(cause === undefined ? { reason } : { reason, cause }))

/** A count that a caller chose. Fails if it is out of range. */
export const countUpTo = (what: string, most: number, value: number): Effect.Effect<number, MemoryError> =>
  Number.isInteger(value) && value >= 1 && value <= most
    ? Effect.succeed(value)
    : fail({ _tag: "Query", message: `${what} must be a whole number from 1 to ${most}.` })

/** The error for a change to a thought that is not in the expected state. */
export const conflict = (thoughtId: string, why: string): MemoryError =>
  new MemoryError({
    reason: {
      _tag: "ConcurrencyConflict",
      thoughtId,
      message: `The thought ${thoughtId} ${why}. Load it again, and repeat the changes that are missing.`
    }
  })

/** The error for a run that begins with a thought that the scope does not have. */
export const notStored = (): MemoryError =>
  new MemoryError({
    reason: {
      _tag: "Query",
      code: "23503",
      message:
        "The scope does not have the thought that a run begins with: commit it first, or run in the scope that it was loaded from."
    }
  })

/** The error for a write by a process that no longer holds the run. */
export const leaseLost = (runId: string): MemoryError =>
  new MemoryError({
    reason: {
      _tag: "LeaseLost",
      runId,
      message: `Another process has taken the run ${quoted(runId)}, or it has ended. Nothing more of this one is stored.`
    }
  })
