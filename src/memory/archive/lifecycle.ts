/** Operations on thoughts outside of runs: append, list, remove, redact, export and import. */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { checkMetadata, contentProblem } from "../../thought/content.ts"
import { quoted } from "../../text/legible.ts"
import type { AppendedNote, Shape } from "../model/Shape.ts"
import type { NewNote, Store } from "../model/Store.ts"
import { checkKey, type Note } from "../../thought/Note.ts"
import * as ids from "../../thought/ids.ts"
import { onceMore, removing, withIds } from "../model/again.ts"
import { fail, type MemoryError } from "../model/error.ts"
import { makeArchive } from "./archive.ts"
import { checkNotes } from "../model/limits.ts"
import { keyOf, pageOf, type Ref, relativeOf, unknown } from "../model/reference.ts"

type Lifecycle = Pick<Shape, "append" | "thoughts" | "remove" | "purge" | "redact" | "exportLines" | "importLines">

/** `offer` takes notes that were stored, to be embedded. */
export const makeLifecycle = (
  store: Store,
  currentScope: Effect.Effect<string, MemoryError>,
  offer: (scope: string, notes: ReadonlyArray<Note>) => void
): Lifecycle => {
  const add = Effect.fnUntraced(function* (
    ref: Ref,
    given: ReadonlyArray<AppendedNote>
  ): Effect.fn.Return<ReadonlyArray<Note>, MemoryError> {
    const scope = yield* currentScope
    const notes = yield* Effect.forEach(given, complete)
    yield* checkNotes(notes)
    // a note without a vector is pending, never lost
    const added = Effect.map(onceMore(store.append(scope, keyOf(ref), notes)), (stored) => {
      offer(
        scope,
        (stored ?? []).filter((note) => note.redacted === undefined)
      )
      return stored
    })
    return (yield* Effect.uninterruptible(added)) ?? (yield* unknown(ref))
  })
  const append: Lifecycle["append"] = (ref, given) => withIds(given, (notes) => add(ref, notes))

  const thoughts: Lifecycle["thoughts"] = Effect.fnUntraced(function* ({ order = "oldest", taskId, ...page } = {}) {
    const row = { ...(yield* pageOf(page)), order, taskId }
    const rows = yield* store.thoughts(yield* currentScope, row)
    return rows.map((row) => ({ ...relativeOf(row), notes: row.lastSeq }))
  })

  const remove: Lifecycle["remove"] = (ref, { materialize = false } = {}) => {
    const once = Effect.flatMap(currentScope, (scope) =>
      Effect.flatMap(store.remove(scope, keyOf(ref), { materialize }), (removed) =>
        removed ? Effect.void : unknown(ref)
      )
    )
    return Effect.uninterruptible(onceMore(removing(once)))
  }

  const redact: Lifecycle["redact"] = Effect.fnUntraced(function* (note, { reach = "derived" } = {}) {
    const scope = yield* currentScope
    const millis = yield* Clock.currentTimeMillis
    const noteId = typeof note === "string" ? note : note.id
    const redacted = yield* Effect.uninterruptible(onceMore(store.redact(scope, noteId, millis, reach)))
    if (redacted !== undefined) return redacted
    return yield* fail({ _tag: "NotFound", message: "This scope has no note with the given id." })
  })

  return {
    append,
    thoughts,
    remove,
    purge: Effect.flatMap(currentScope, store.purge),
    redact,
    ...makeArchive(store, currentScope)
  }
}

/** A complete note with defaults for what the caller left out, checked like the first notes of a thought. */
const complete = Effect.fnUntraced(function* (given: AppendedNote): Effect.fn.Return<NewNote, MemoryError> {
  const { content, derivedFrom = [], id, key, metadata = {}, source = "user", trust = "untrusted" } = given
  yield* checked("key", () => checkKey(key))
  const problem = contentProblem(key, content)
  if (problem !== undefined) return yield* fail({ _tag: "InvalidText", field: "content", message: problem })
  yield* checked("metadata", () => checkMetadata(key, metadata))
  if (typeof source !== "string") {
    const message = `The note ${quoted(key)} needs a string as its source.`
    return yield* fail({ _tag: "InvalidText", field: "source", message })
  }
  if (id !== undefined && !isId(id)) {
    return yield* fail({
      _tag: "Query",
      message: "The id of a note must be a lower-case UUID. Leave it out to get a new one."
    })
  }
  if (!isIds(derivedFrom)) {
    const message = `The note ${quoted(key)} needs an array of ids of notes, which are lower-case UUIDs, as its derivedFrom.`
    return yield* fail({ _tag: "Query", message })
  }
  const next = yield* ids.next
  return {
    id: id ?? next.id,
    key,
    content,
    metadata: Object.freeze({ ...metadata }),
    source,
    step: "",
    created: DateTime.makeUnsafe(next.millis),
    trust,
    derivedFrom: Object.freeze([...derivedFrom])
  }
})

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const isId = (value: unknown): boolean => typeof value === "string" && uuid.test(value)

const isIds = (value: unknown): boolean => Array.isArray(value) && value.every(isId)

/** Turns the error of a check of a note's field into a failure. */
const checked = (field: string, check: () => unknown): Effect.Effect<void, MemoryError> =>
  Effect.try({
    try: check,
    catch: (error) => (error instanceof Error ? error.message : `The ${field} of a note is invalid.`)
  }).pipe(
    Effect.catch((message) => fail({ _tag: "InvalidText", field, message })),
    Effect.asVoid
  )
