/** The changes of a thought that are not stored yet, and thoughts rebuilt from stored rows. */
import * as Chunk from "effect/Chunk"
import * as Result from "effect/Result"
import type { Commit, StoredThought } from "./model/Store.ts"
import type { Note } from "../thought/Note.ts"
import * as Session from "../thought/Session.ts"
import type { Thought, State } from "../thought/model.ts"
import * as thoughts from "../thought/state.ts"

/**
 * Everything that is not stored yet, of the thought and of those that are stored with it; undefined if all is stored.
 */
export const pendingCommit = (thought: Thought<any>): Commit | undefined => {
  const { left } = thoughts.stateOf(thought)
  if (left.length === 0) return pendingOfLine(thought)
  const all = [...left, thought]
  const pending = parentsFirst(all).flatMap((one) => pendingOfLine(one, all) ?? [])
  const last = pending.pop()
  return last === undefined ? undefined : { ...last, before: pending }
}

/**
 * Whether the thought is left for one of these that the store does not have yet. Its row has another version then, so that
 * whatever others add to it is added before or after it is left.
 */
export const isLeft = (thought: Thought<any>, all: ReadonlyArray<Thought<any>>): boolean => {
  const { leaving } = thoughts.stateOf(thought)
  return all.some((one) => one.id === leaving?.to && thoughts.stateOf(one).stored.version === 0)
}

/** Of one thought, and of those above it that the store may lack. */
const pendingOfLine = (thought: Thought<any>, all: ReadonlyArray<Thought<any>> = []): Commit | undefined => {
  const line: Array<State> = []
  for (let one: Thought<any> | undefined = thought; one !== undefined;) {
    const state = thoughts.stateOf(one)
    line.push(state)
    one = state.unstoredParent
  }
  return line.reduceRight<Commit | undefined>(
    (parent, state, i) => pendingOf(state, parent, i === 0 && isLeft(thought, all)),
    undefined
  )
}

/** The thoughts in an order in which each comes after those that it descends from. */
export const parentsFirst = (all: ReadonlyArray<Thought<any>>): ReadonlyArray<Thought<any>> => {
  const byId = new Map(all.map((one) => [one.id, one] as const))
  const placed = new Map<string, Thought<any>>()
  for (const one of byId.values()) {
    const line: Array<Thought<any>> = []
    for (let next: Thought<any> | undefined = one; next !== undefined && !placed.has(next.id);) {
      line.push(next)
      next = next.parent === undefined ? undefined : byId.get(next.parent.id)
    }
    for (const due of line.toReversed()) placed.set(due.id, due)
  }
  return [...placed.values()]
}

/** The unstored changes of one thought, on top of those of its parent. */
const pendingOf = (state: State, parent: Commit | undefined, left: boolean): Commit | undefined => {
  const { stored } = state
  const notes = Chunk.toReadonlyArray(Chunk.drop(state.log, stored.seq))
  const { entries, removed } = changesOf(stored.session, state.session)
  const unchanged =
    !left &&
    stored.version > 0 &&
    notes.length === 0 &&
    entries.length === 0 &&
    removed.length === 0 &&
    stored.session.nextIndex === state.session.nextIndex &&
    stored.session.usage === state.session.usage
  if (unchanged) return undefined
  return {
    thought: state.identity,
    version: stored.version,
    notes,
    entries,
    removed,
    nextIndex: state.session.nextIndex,
    usage: state.session.usage,
    parent
  }
}

/** How a conversation differs from the stored one. Additions alone are found without a walk of the whole. */
const changesOf = (
  stored: Session.Session,
  session: Session.Session
): { readonly entries: ReadonlyArray<Session.Entry>; readonly removed: ReadonlyArray<number> } => {
  const added = Session.addedSince(session, stored)
  if (added !== undefined) return { entries: added, removed: [] }
  const before = new Set(Session.entries(stored).map((entry) => entry.index))
  const after = Session.entries(session)
  const kept = new Set(after.map((entry) => entry.index))
  return {
    entries: after.filter((entry) => !before.has(entry.index)),
    removed: [...before].filter((index) => !kept.has(index))
  }
}

/** The thought, and those stored with it, after their commit: each has one version more if something of it was written. */
export const committed = <N>(thought: Thought<N>): Thought<N> => {
  const { left } = thoughts.stateOf(thought)
  if (left.length === 0) return written(thought, [])
  const all = [...left, thought]
  return thoughts.withState(written(thought, all), { left: left.map((one) => written(one, all)) })
}

const written = <N>(thought: Thought<N>, all: ReadonlyArray<Thought<any>>): Thought<N> => {
  const state = thoughts.stateOf(thought)
  const { stored } = state
  const changed = pendingOf(state, undefined, isLeft(thought, all)) !== undefined
  return thoughts.withState(thought, {
    stored: { version: stored.version + (changed ? 1 : 0), seq: thought.length, session: thought.session },
    unstoredParent: undefined,
    leaving: undefined
  })
}

/** A frozen copy of a note. */
export const frozen = (note: Note): Note =>
  Object.freeze({
    ...note,
    metadata: Object.freeze({ ...note.metadata }),
    derivedFrom: Object.freeze([...note.derivedFrom])
  })

/** A thought rebuilt from its rows, without types. Fails with the reason if the rows are inconsistent. */
export const hydrate = (row: StoredThought): Result.Result<Thought, string> => {
  const { thought } = row
  const session = Session.fromEntries(row.entries, { nextIndex: row.nextIndex, usage: row.usage })
  const parent = thought.parent === undefined ? undefined : Object.freeze({ ...thought.parent })
  let state = thoughts.empty({
    ...thought,
    parent,
    hidden: new Map(thought.hidden),
    checkpoints: new Map(thought.checkpoints)
  })
  for (const note of row.notes) {
    if (note.seq !== Chunk.size(state.log) + 1) {
      return Result.fail(`note ${note.id} has number ${note.seq} where ${Chunk.size(state.log) + 1} is due`)
    }
    state = thoughts.addNote(state, frozen(note))
  }
  return Result.succeed(
    new thoughts.ThoughtImpl({
      ...state,
      session,
      stored: { version: row.version, seq: row.notes.length, session }
    })
  )
}
