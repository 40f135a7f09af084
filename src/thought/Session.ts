import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Option from "effect/Option"
import { type Pipeable, pipeArguments } from "effect/Pipeable"
import * as Schema from "effect/Schema"
import * as kinds from "../arguments/kinds.ts"
import * as forms from "../arguments/forms.ts"
import { onto, taking } from "../arguments/taking.ts"
import { SessionTypeId } from "../arguments/kinds.ts"
import { lastTurns, omission, turnsOf } from "./turns.ts"
import { Tokenizer, type Usage } from "./tokens.ts"
import type { Draft, Entry } from "./Entry.ts"

export { estimateTokens, Tokenizer } from "./tokens.ts"

// --------------------------------------------------------------------------------------------------------- models

export type { Draft, Entry } from "./Entry.ts"

/**
 * Identifies a session.
 *
 * @category symbols
 */
const TypeId = SessionTypeId

/**
 * The conversation of a thought. Immutable: every operation returns a new one.
 *
 * @category models
 */
export interface Session extends Pipeable {
  readonly [TypeId]: State
  /** Number of entries. */
  readonly length: number
  /** Index of the next entry. */
  readonly nextIndex: number
  /** Token counts of the last successful call, if there was one. */
  readonly usage: Usage | undefined
  readonly toJSON: () => unknown
}

/**
 * A position is outside the session, or a count is not a whole number from 0.
 *
 * @category errors
 */
export class SessionRangeError extends Schema.TaggedError<SessionRangeError>()("SessionRangeError", {
  operation: Schema.String,
  // @effect-diagnostics-next-line schemaNumber:off -- a value out of range may be NaN or infinite
  value: Schema.Number,
  length: Schema.Int
}) {
  override get message(): string {
    return `Session.${this.operation}: ${this.value} is out of range for a session of ${this.length} entries.`
  }
}

interface State {
  readonly entries: Chunk.Chunk<Entry>
  /** The number of entries that carry or cover each note. */
  readonly shown: HashMap.HashMap<string, number>
  /** Shared by sessions that were made from each other by adding entries alone. */
  readonly line: object
}

class SessionImpl implements Session {
  readonly [TypeId]: State
  readonly nextIndex: number
  readonly usage: Usage | undefined
  constructor(state: State, nextIndex: number, usage: Usage | undefined) {
    this[TypeId] = state
    this.nextIndex = nextIndex
    this.usage = usage
    Object.freeze(this)
  }
  get length(): number {
    return Chunk.size(this[TypeId].entries)
  }
  pipe() {
    return pipeArguments(this, arguments)
  }
  toJSON(): unknown {
    return { entries: entries(this), nextIndex: this.nextIndex, usage: this.usage }
  }
}

// --------------------------------------------------------------------------------------------------- constructors

/**
 * The empty session.
 *
 * @category constructors
 */
export const empty: Session = /* @__PURE__ */ new SessionImpl(
  { entries: Chunk.empty(), shown: HashMap.empty(), line: {} },
  0,
  undefined
)

/**
 * Rebuilds a session from stored entries, in the order of their indexes.
 *
 * `nextIndex` is the index of the next entry. It must exceed every index that was ever used, also by removed entries.
 *
 * **Example** (A conversation that was stored)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Session } from "cogito"
 *
 * const session = Session.append(Session.empty, { role: "user", text: "Hello" }).pipe(
 *   Session.withUsage({ inputTokens: 12, outputTokens: 3 })
 * )
 * const stored = JSON.stringify({ entries: Session.entries(session), nextIndex: session.nextIndex, usage: session.usage })
 *
 * const { entries, ...options } = JSON.parse(stored)
 * const loaded = Session.fromEntries(entries, options)
 * assert.deepEqual(Session.entries(loaded), Session.entries(session))
 * assert.equal(loaded.usage?.inputTokens, 12)
 * ```
 *
 * @category constructors
 */
export const fromEntries = taking("Session.fromEntries", {
  args: [kinds.arrayOf(kinds.entry)],
  options: 1,
  known: ["nextIndex", "usage"]
})((
  stored: ReadonlyArray<Entry>,
  options: { readonly nextIndex: number; readonly usage?: Usage | undefined }
): Session => {
  let shown = HashMap.empty<string, number>()
  for (const entry of stored) shown = count(shown, entry, 1)
  return new SessionImpl(
    { entries: Chunk.fromIterable(stored.map(freeze)), shown, line: {} },
    options.nextIndex,
    options.usage === undefined ? undefined : Object.freeze({ ...options.usage })
  )
})

// ---------------------------------------------------------------------------------------------------------- reads

/**
 * All entries, the oldest first, in a new array.
 *
 * @category reads
 */
export const entries = taking("Session.entries", { args: [kinds.session] })((self: Session): ReadonlyArray<Entry> =>
  Array.from(self[TypeId].entries)
)

/**
 * The entry at a position from 0. Fails with `SessionRangeError` if the position is out of range.
 *
 * @category reads
 */
export const at = onto(
  kinds.session,
  2
)(
  taking("Session.at", { args: [kinds.session, kinds.number] })(
    (self: Session, position: number): Effect.Effect<Entry, SessionRangeError> =>
      Effect.fromOption(Number.isInteger(position) ? Chunk.get(self[TypeId].entries, position) : Option.none()).pipe(
        Effect.mapError(() => new SessionRangeError({ operation: "at", value: position, length: self.length }))
      )
  )
)

/**
 * Whether an entry carries or covers the note.
 *
 * @category reads
 */
export const shows = onto(
  kinds.session,
  2
)(
  taking("Session.shows", { args: [kinds.session] })((self: Session, noteId: string): boolean =>
    HashMap.has(self[TypeId].shown, noteId)
  )
)

/**
 * The entries that were added to an earlier session to make this one, without a walk of the others. Undefined if it was
 * made in any other way.
 */
export const addedSince = (self: Session, earlier: Session): ReadonlyArray<Entry> | undefined => {
  const [now, before] = [self[TypeId], earlier[TypeId]]
  const size = Chunk.size(before.entries)
  if (now.line !== before.line || Chunk.size(now.entries) < size) return undefined
  // two sessions may have been made from the same one: each has made its own entries
  if (size > 0 && Chunk.getUnsafe(now.entries, size - 1) !== Chunk.getUnsafe(before.entries, size - 1)) return undefined
  return Chunk.toReadonlyArray(Chunk.drop(now.entries, size))
}

/**
 * Groups the entries into turns: a user message with its replies and the results of tools, or any other entry alone.
 *
 * @category reads
 */
export const turns = taking("Session.turns", { args: [kinds.session] })(
  (self: Session): ReadonlyArray<ReadonlyArray<Entry>> => turnsOf(self[TypeId].entries)
)

/**
 * Counts the tokens of the entries' texts with the `Tokenizer` of the context. Does not count what a provider adds to
 * each message.
 *
 * @category tokens
 */
export const tokens = taking("Session.tokens", { args: [kinds.session] })((self: Session): Effect.Effect<number> =>
  Effect.map(Tokenizer, ({ count }) => sumOf(entries(self), ({ text }) => count(text)))
)

/**
 * The part of a session that a request shows.
 *
 * A view never makes a note unpublished: entries outside it are not removed, only omitted from one call.
 *
 * @category views
 */
export type View = "full" | { readonly recent: number } | { readonly summaryAndRecent: number }

/**
 * The entries that a view selects, the oldest first.
 *
 * `recent` selects the last turns, and `summaryAndRecent` the newest summary and the last turns after it.
 *
 * @category views
 */
export const view = onto(
  kinds.session,
  2
)(
  taking("Session.view", { args: [kinds.session, kinds.view] })(
    (self: Session, selection: View): ReadonlyArray<Entry> => {
      if (selection === "full") return entries(self)
      if ("recent" in selection) return lastTurns(self[TypeId].entries, selection.recent)
      const groups = turns(self)
      const summary = groups.findLastIndex((group) => group[0]?.kind === "summary")
      const head = groups.slice(Math.max(0, summary), summary + 1).flat()
      return [...head, ...last(groups.slice(summary + 1), selection.summaryAndRecent).flat()]
    }
  )
)

// --------------------------------------------------------------------------------------------------------- changes

/**
 * Adds entries at the end.
 *
 * **Example** (A conversation of two turns)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Session } from "cogito"
 *
 * const session = Session.append(
 *   Session.empty,
 *   { role: "user", text: "Is this urgent?", carries: ["note-1"] },
 *   { role: "assistant", text: "Yes." },
 *   { role: "user", text: "Why?" },
 *   { role: "assistant", text: "The site is down." }
 * )
 *
 * assert.equal(Session.turns(session).length, 2)
 * assert.equal(Session.shows(session, "note-1"), true)
 * assert.equal(Effect.runSync(Session.at(session, 1)).text, "Yes.")
 * assert.deepEqual(Session.view(session, { recent: 1 }).map(({ text }) => text), ["Why?", "The site is down."])
 * ```
 *
 * @category changes
 */
export const append = onto(
  kinds.session,
  Infinity
)(
  taking("Session.append", { args: [kinds.session], rest: kinds.entry })(
    (self: Session, ...drafts: ReadonlyArray<Draft>): Session => {
      let { entries, shown } = self[TypeId]
      const { line } = self[TypeId]
      let index = self.nextIndex
      for (const draft of drafts) {
        const entry = freeze({
          index: index++,
          kind: draft.kind ?? "message",
          role: draft.role,
          text: draft.text,
          carries: draft.carries ?? [],
          covers: draft.covers ?? []
        })
        entries = Chunk.append(entries, entry)
        shown = count(shown, entry, 1)
      }
      return new SessionImpl({ entries, shown, line }, index, self.usage)
    }
  )
)

/**
 * Removes every entry. Their notes become unpublished, and their indexes are not reused.
 *
 * @category changes
 */
export const clear = taking("Session.clear", { args: [kinds.session] })((self: Session): Session => rebuild(self, []))

/**
 * Removes the last turns. A count above their number empties the session. Fails with `SessionRangeError` if the count
 * is negative.
 *
 * @category changes
 */
export const prune = onto(
  kinds.session,
  2
)(
  taking("Session.prune", { args: [kinds.session, kinds.number] })(
    (self: Session, count: number): Effect.Effect<Session, SessionRangeError> =>
      Effect.as(whole(self, "prune", count), self).pipe(
        Effect.map((session) => {
          const groups = turns(session)
          return rebuild(session, groups.slice(0, Math.max(0, groups.length - count)).flat())
        })
      )
  )
)

/**
 * Removes the entry at a position from 0. Fails with `SessionRangeError` if the position is out of range.
 *
 * @category changes
 */
export const remove = onto(
  kinds.session,
  2
)(
  taking("Session.remove", { args: [kinds.session, kinds.number] })(
    (self: Session, position: number): Effect.Effect<Session, SessionRangeError> =>
      Effect.map(inside(self, "remove", position, self.length), () =>
        rebuild(
          self,
          entries(self).filter((_, i) => i !== position)
        )
      )
  )
)

/**
 * Replaces the entry at a position from 0.
 *
 * The replacement and the entries after it get new indexes. Fails with `SessionRangeError` if the position is out of
 * range.
 *
 * **Example** (A conversation that is corrected)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Session } from "cogito"
 *
 * const said = (text: string): Session.Draft => ({ role: "user", text })
 * const texts = (session: Session.Session) => Session.entries(session).map(({ text }) => text).join(" ")
 *
 * const program = Effect.gen(function*() {
 *   const session = Session.set(Session.empty, [said("a"), said("b"), said("c")])
 *   assert.equal(texts(yield* Session.replace(session, 1, said("B"))), "a B c")
 *   assert.equal(texts(yield* Session.insert(session, 0, said("first"))), "first a b c")
 *   assert.equal(texts(yield* Session.remove(session, 1)), "a c")
 *   assert.equal(texts(yield* Session.prune(session, 2)), "a")
 *   assert.equal(texts(Session.clear(session)), "")
 *
 *   const error = yield* Effect.flip(Session.remove(session, 3))
 *   assert.equal(error._tag, "SessionRangeError")
 * })
 *
 * Effect.runSync(program)
 * ```
 *
 * @category changes
 */
export const replace = onto(
  kinds.session,
  3
)(
  taking("Session.replace", { args: [kinds.session, kinds.number, kinds.entry] })(
    (self: Session, position: number, draft: Draft): Effect.Effect<Session, SessionRangeError> =>
      Effect.map(inside(self, "replace", position, self.length), () => splice(self, position, 1, draft))
  )
)

/**
 * Inserts an entry before the one at a position from 0, or at the end if the position is the session's length.
 *
 * The inserted entry and those after it get new indexes. Fails with `SessionRangeError` if the position is out of
 * range.
 *
 * @category changes
 */
export const insert = onto(
  kinds.session,
  3
)(
  taking("Session.insert", { args: [kinds.session, kinds.number, kinds.entry] })(
    (self: Session, position: number, draft: Draft): Effect.Effect<Session, SessionRangeError> =>
      Effect.map(inside(self, "insert", position, self.length + 1), () => splice(self, position, 0, draft))
  )
)

/**
 * Replaces all entries.
 *
 * @category changes
 */
export const set = onto(
  kinds.session,
  2
)(
  taking("Session.set", { args: [kinds.session, kinds.arrayOf(kinds.entry)] })(
    (self: Session, drafts: ReadonlyArray<Draft>): Session => append(clear(self), ...drafts)
  )
)

/**
 * Keeps the first and the last entries and removes those between. A turn that is kept in part is kept whole.
 *
 * The notes of removed entries become unpublished. With `release: false`, a mark for the omitted messages takes their
 * place and covers their notes. Fails with `SessionRangeError` if a count is negative.
 *
 * **Example** (Only the first and the last message)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Session } from "cogito"
 *
 * const session = Session.append(
 *   Session.empty,
 *   ...["one", "two", "three", "four"].map((text) => ({ role: "user", text }) as const)
 * )
 *
 * const short = Effect.runSync(Session.truncate(session, { first: 1, last: 1 }))
 * assert.deepEqual(Session.entries(short).map(({ text }) => text), ["one", "four"])
 * ```
 *
 * @category changes
 */
export const truncate = onto(
  kinds.session,
  2
)(
  taking("Session.truncate", {
    args: [kinds.session],
    options: 1,
    known: { ...forms.others("first", "last"), release: forms.maybe("", forms.flag) },
    numbers: ["first", "last"]
  })(
    (
      self: Session,
      options: { readonly first: number; readonly last: number; readonly release?: boolean }
    ): Effect.Effect<Session, SessionRangeError> =>
      Effect.gen(function* () {
        yield* whole(self, "truncate", options.first)
        yield* whole(self, "truncate", options.last)
        const head: Array<Entry> = []
        const dropped: Array<Entry> = []
        const tail: Array<Entry> = []
        let position = 0
        for (const group of turns(self)) {
          if (position < options.first) head.push(...group)
          else if (position + group.length > self.length - options.last) tail.push(...group)
          else dropped.push(...group)
          position += group.length
        }
        if (dropped.length === 0) return self
        if (options.release !== false) return rebuild(self, [...head, ...tail])
        return append(rebuild(self, head), omission(dropped), ...tail)
      })
  )
)

/**
 * Records the token counts of a call.
 *
 * @category changes
 */
export const withUsage = onto(
  kinds.session,
  2
)(
  taking("Session.withUsage", { args: [kinds.session, kinds.object] })(
    (self: Session, usage: Usage): Session => new SessionImpl(self[TypeId], self.nextIndex, Object.freeze({ ...usage }))
  )
)

// ------------------------------------------------------------------------------------------------------- internal

const nothing: ReadonlyArray<string> = Object.freeze([])

const frozen = (ids: ReadonlyArray<string>): ReadonlyArray<string> =>
  ids.length === 0 ? nothing : Object.freeze([...ids])

const freeze = (entry: Entry): Entry =>
  Object.freeze({ ...entry, carries: frozen(entry.carries), covers: frozen(entry.covers) })

const count = (shown: HashMap.HashMap<string, number>, entry: Entry, by: 1 | -1): HashMap.HashMap<string, number> => {
  if (entry.carries.length + entry.covers.length === 0) return shown
  return HashMap.mutate(shown, (counts) => {
    for (const ids of [entry.carries, entry.covers]) {
      for (const id of ids) {
        HashMap.modifyAt(counts, id, (current) => {
          const next = Option.getOrElse(current, () => 0) + by
          return next === 0 ? Option.none() : Option.some(next)
        })
      }
    }
  })
}

/** The session with only some of its entries. */
const rebuild = (self: Session, kept: ReadonlyArray<Entry>): Session => {
  const keep = new Set(kept.map((entry) => entry.index))
  let { shown } = self[TypeId]
  for (const entry of self[TypeId].entries) if (!keep.has(entry.index)) shown = count(shown, entry, -1)
  return new SessionImpl({ entries: Chunk.fromIterable(kept), shown, line: {} }, self.nextIndex, self.usage)
}

const splice = (self: Session, position: number, removed: number, draft: Draft): Session => {
  const all = entries(self)
  return append(rebuild(self, all.slice(0, position)), draft, ...all.slice(position + removed))
}

const sumOf = <A>(items: ReadonlyArray<A>, f: (item: A) => number): number =>
  items.reduce((sum, item) => sum + f(item), 0)

const last = <A>(items: ReadonlyArray<A>, count: number): ReadonlyArray<A> =>
  items.slice(Math.max(0, items.length - count))

const inside = (self: Session, operation: string, position: number, end: number) =>
  Number.isInteger(position) && position >= 0 && position < end
    ? Effect.void
    : Effect.fail(new SessionRangeError({ operation, value: position, length: self.length }))

const whole = (self: Session, operation: string, value: number) =>
  Number.isInteger(value) && value >= 0
    ? Effect.void
    : Effect.fail(new SessionRangeError({ operation, value, length: self.length }))
