/** Export and import of thoughts as lines of JSON, each after those that it descends from. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { Shape } from "../model/Shape.ts"
import type { Store, StoredThought } from "../model/Store.ts"
import { onceMore } from "../model/again.ts"
import { fail, type MemoryError } from "../model/error.ts"
import { decodeLine, encodeLine, header, headerProblem } from "./line.ts"
import { checkScope, checkThought } from "../model/limits.ts"
import { keyOf, type Ref, unknown } from "../model/reference.ts"

type Archive = Pick<Shape, "exportLines" | "importLines">

const pageSize = 100

/** For a memory, or for a store alone. */
export const makeArchive = (store: Store, currentScope: Effect.Effect<string, MemoryError>): Archive => ({
  exportLines: (options = {}) =>
    Stream.concat(
      Stream.succeed(header),
      Stream.unwrap(
        Effect.map(Effect.flatMap(currentScope, checkScope), (scope) => thoughtLines(store, scope, options))
      )
    ),
  importLines: (lines) =>
    Effect.flatMap(Effect.flatMap(currentScope, checkScope), (scope) =>
      Stream.runFoldEffect(
        lines,
        (): Progress => ({ line: 0, imported: 0, present: 0 }),
        (progress, text) => importLine(store, scope, progress, text)
      )
    ).pipe(
      Effect.flatMap(({ imported, line, present }) =>
        line === 0 ? invalid(1, "it is missing") : Effect.succeed({ imported, present })
      )
    )
})

// ---------------------------------------------------------------------------------------------------------- export

const thoughtLines = (store: Store, scope: string, { thoughts }: NonNullable<Parameters<Shape["exportLines"]>[0]>) => {
  // how many notes of each thought are in the archive; -1 for a thought that had to be left out
  const lengths = new Map<string, number>()
  const lines = (stored: StoredThought): Effect.Effect<ReadonlyArray<string>, MemoryError> =>
    Effect.gen(function* () {
      const { id, parent } = stored.thought
      if (lengths.has(id)) return []
      const parentRow =
        parent === undefined || lengths.has(parent.id) ? undefined : yield* store.load(scope, { id: parent.id })
      const above = parentRow === undefined ? [] : yield* lines(parentRow)
      // it was forked after its parent was exported
      if (parent !== undefined && (lengths.get(parent.id) ?? -1) < parent.seq) {
        lengths.set(id, -1)
        return above
      }
      const notes = stored.notes.filter((note) => note.thoughtId === id)
      lengths.set(id, notes.at(-1)?.seq ?? parent?.seq ?? 0)
      return [...above, encodeLine({ ...stored, notes })]
    })
  const linesOf = (ref: Ref) =>
    Effect.flatMap(store.load(scope, keyOf(ref)), (stored) => {
      if (stored !== undefined) return lines(stored)
      // a listed thought has been removed since
      return thoughts === undefined ? Effect.succeed([]) : unknown(ref)
    })
  const refs = thoughts === undefined ? allIds(store, scope) : Stream.fromIterable(thoughts)
  return refs.pipe(Stream.mapEffect(linesOf), Stream.flatMap(Stream.fromIterable))
}

const allIds = (store: Store, scope: string): Stream.Stream<Ref, MemoryError> =>
  Stream.paginate<{ readonly id: string; readonly createdMillis: number } | undefined, Ref, MemoryError>(
    undefined,
    (after) =>
      Effect.map(store.thoughts(scope, { taskId: undefined, order: "oldest", limit: pageSize, after }), (rows) => {
        const last = rows.length < pageSize ? undefined : rows.at(-1)
        return [rows.map(({ id }) => id), last === undefined ? Option.none() : Option.some(last)] as const
      })
  )

// ---------------------------------------------------------------------------------------------------------- import

interface Progress {
  readonly imported: number
  readonly present: number
  /** Number of the last line that was read, from 1. */
  readonly line: number
}

const invalid = (line: number, why: string) =>
  fail({ _tag: "InvalidArchive", line, message: `Line ${line} of the archive cannot be read: ${why}.` })

const importLine = Effect.fnUntraced(function* (
  store: Store,
  scope: string,
  { imported, line: before, present }: Progress,
  text: string
): Effect.fn.Return<Progress, MemoryError> {
  const line = before + 1
  if (line === 1) {
    const problem = headerProblem(text)
    return problem === undefined ? { line, imported, present } : yield* invalid(line, problem)
  }
  if (text.trim() === "") return { line, imported, present }
  const decoded = decodeLine(text)
  if (Result.isFailure(decoded)) return yield* invalid(line, decoded.failure)
  const archived = decoded.success
  yield* checkThought(archived)
  const written = yield* onceMore(store.restore(scope, archived)).pipe(
    Effect.as(true),
    Effect.catchIf(isClash, () =>
      Effect.flatMap(store.load(scope, { id: archived.thought.id }), (stored) =>
        stored !== undefined && goesOn(stored, archived)
          ? Effect.succeed(false)
          : fail({
              _tag: "ArchiveConflict",
              line,
              thoughtId: archived.thought.id,
              message:
                `The thought ${archived.thought.id} of line ${line} of the archive conflicts with what the scope has: ` +
                `another state of it, notes or a trace with its ids, or a parent without the notes that they share. Import into an empty scope.`
            })
      )
    )
  )
  return { line, imported: imported + (written ? 1 : 0), present: present + (written ? 0 : 1) }
})

const isClash = ({ reason }: MemoryError): boolean =>
  reason._tag === "ConcurrencyConflict" || (reason._tag === "Query" && reason.code === "23505")

/** Whether the stored thought is that of the archive, or a later state of it. */
const goesOn = (stored: StoredThought, archived: StoredThought): boolean => {
  const own = stored.notes.filter((note) => note.thoughtId === stored.thought.id)
  if (stored.version === archived.version) return lineOf({ ...stored, notes: own }) === lineOf(archived)
  const begin = own.slice(0, archived.notes.length)
  // a note that was redacted since has lost its content, which the archive still has
  const redacted = new Map(begin.flatMap((note) => (note.redacted === undefined ? [] : [[note.id, note] as const])))
  const notes = archived.notes.map((note) => redacted.get(note.id) ?? note)
  const rest = { version: 1, entries: [], nextIndex: 0, usage: undefined }
  return (
    stored.version > archived.version &&
    lineOf({ ...rest, thought: stored.thought, notes: begin }) === lineOf({ ...rest, thought: archived.thought, notes })
  )
}

/** The line of a thought without `derivedFrom`, which grows if a thought between is removed. */
const lineOf = (stored: StoredThought): string =>
  encodeLine({ ...stored, notes: stored.notes.map((note) => ({ ...note, derivedFrom: [] })) })
