/** Thoughts as the interpreter knows them: notes, the conversation, and what it shows. It shares nothing with the library. */

import type { Later } from "./outcome.ts"
import { replyOf } from "../../kept.ts"

export interface ModelNote {
  /** The same in every fork. */
  readonly id: number
  readonly key: string
  readonly content: string
  readonly source: string
  /** The path of the step that wrote it. */
  readonly step: string
}

/** A message: a request with the notes it shows and its question, an answer, or the mark of what was left out. */
export interface ModelEntry {
  readonly id: number
  readonly role: "user" | "assistant"
  readonly shows: ReadonlyArray<ModelNote>
  readonly covers: ReadonlyArray<number>
  /** Of an answer. */
  readonly text: string | undefined
  readonly omission: boolean
}

export interface ModelThought {
  /** Another one of every fork. */
  readonly id: number
  readonly log: ReadonlyArray<ModelNote>
  readonly session: ReadonlyArray<ModelEntry>
  readonly checkpoints: ReadonlyMap<string, ModelThought>
  /** What the store has of it; nothing of a fork that is not stored yet. */
  readonly stored: { readonly notes: number; readonly session: ReadonlyArray<ModelEntry> } | undefined
  /** What waits until it is stored. */
  readonly later: ReadonlyArray<Later>
  /** Thoughts that were left for this one and that the store may lack something of. */
  readonly left: ReadonlyArray<ModelThought>
  /** The thought it was forked from, as long as the store may lack some of it. */
  readonly parent: ModelThought | undefined
  /** The thought that was left for it, as long as the store lacks this one. */
  readonly follows: ModelThought | undefined
}

let ids = 0
const nextId = (): number => ++ids

export const begin = (notes: ReadonlyArray<Omit<ModelNote, "id">>): ModelThought => ({
  id: nextId(),
  log: notes.map((note) => ({ ...note, id: nextId() })),
  session: [],
  checkpoints: new Map(),
  stored: undefined,
  later: [],
  left: [],
  parent: undefined,
  follows: undefined
})

/** A thought with nothing but a message. */
export const beginWith = (message: string): ModelThought =>
  begin([{ key: "message", content: message, source: "user", step: "" }])

/** The newest note of each key, in order of writing. */
export const current = ({ log }: ModelThought): ReadonlyArray<ModelNote> =>
  log.filter((note, i) => !log.slice(i + 1).some(({ key }) => key === note.key))

/** Current notes that no message carries or covers. */
export const unpublished = (thought: ModelThought): ReadonlyArray<ModelNote> => {
  const shown = new Set(thought.session.flatMap(shownBy))
  return current(thought).filter(({ id }) => !shown.has(id))
}

const shownBy = ({ covers, shows }: ModelEntry): ReadonlyArray<number> => [...shows.map(({ id }) => id), ...covers]

export const addNote = (thought: ModelThought, note: Omit<ModelNote, "id">): ModelThought => ({
  ...thought,
  log: [...thought.log, { ...note, id: nextId() }]
})

/** An answer in the conversation: without what was added to it for the note. */
export const replied = (content: string): string => (content.startsWith("{") ? replyOf({ content }) : content)

/** The conversation with a request that showed these notes, and its answer, which is the newest note. */
export const converse = (thought: ModelThought, shows: ReadonlyArray<ModelNote>): ModelThought => {
  const answer = thought.log.at(-1)!
  const entry = { id: nextId(), covers: [], omission: false }
  return {
    ...thought,
    session: [
      ...thought.session,
      { ...entry, role: "user", shows, text: undefined },
      { ...entry, id: nextId(), role: "assistant", shows: [answer], text: replied(answer.content) }
    ]
  }
}

/** The conversation without its middle: a request and its answers stay together. */
export const truncate = (
  thought: ModelThought,
  { first, last, release }: { readonly first: number; readonly last: number; readonly release: boolean }
): ModelThought => {
  const { session } = thought
  const head: Array<ModelEntry> = []
  const dropped: Array<ModelEntry> = []
  const tail: Array<ModelEntry> = []
  for (let at = 0; at < session.length;) {
    const pair = session[at]!.role === "user" && !session[at]!.omission && session[at + 1]?.role === "assistant"
    const group = session.slice(at, at + (pair ? 2 : 1))
    const to = at < first ? head : at + group.length > session.length - last ? tail : dropped
    to.push(...group)
    at += group.length
  }
  if (dropped.length === 0) return thought
  const omission: ModelEntry = {
    id: nextId(),
    role: "user",
    shows: [],
    covers: [...new Set(dropped.flatMap(shownBy))],
    text: "[Earlier messages were left out here.]",
    omission: true
  }
  return { ...thought, session: [...head, ...(release ? [] : [omission]), ...tail] }
}

/** A thought of its own that is gone on with from here. */
export const fork = (
  thought: ModelThought,
  options: { readonly checkpoint?: string; readonly session: "keep" | "fresh" }
): ModelThought => ({
  ...thought,
  id: nextId(),
  session: options.session === "keep" ? thought.session : [],
  checkpoints:
    options.checkpoint === undefined
      ? thought.checkpoints
      : new Map([...thought.checkpoints, [options.checkpoint, thought]]),
  stored: undefined,
  parent: isStored(thought) ? undefined : thought,
  follows: thought
})

/** A child that goes on with the conversation in the background. */
export const branchOff = (thought: ModelThought): ModelThought => ({
  ...thought,
  id: nextId(),
  stored: undefined,
  later: [],
  left: [],
  parent: isStored(thought) ? undefined : thought,
  follows: undefined
})

const isStored = ({ log, session, stored }: ModelThought): boolean =>
  stored !== undefined && stored.notes === log.length && stored.session === session

/** A thought of its own that goes on from an earlier one. What waits for the commit was reached, and still waits. */
export const restore = (
  thought: ModelThought,
  target: ModelThought,
  options: Parameters<typeof fork>[1]
): ModelThought => ({
  ...fork(thought.id === target.id ? thought : ancestor(thought, target), options),
  later: thought.later,
  left: isStored(thought) ? thought.left : [...thought.left, { ...thought, later: [], left: [] }],
  follows: thought
})

/** The thought, which is stored with what a run has done on a fork of it. */
export const withInner = (thought: ModelThought, inner: ModelThought): ModelThought => ({
  ...thought,
  left: [...thought.left, inner]
})

/** What is stored with a thought, in the order in which it came to be, and the thought itself last. */
export const gather = (thought: ModelThought): ReadonlyArray<ModelThought> => [
  ...thought.left.flatMap(gather),
  { ...thought, left: [] }
]

/** The thought with notes that others have added to it in the store, before those that the store lacks. */
export const takeOver = (thought: ModelThought, appended: ReadonlyArray<ModelNote>): ModelThought => {
  const known = new Set(thought.log.map(({ id }) => id))
  const late = appended.filter(({ id }) => !known.has(id))
  if (isStored(thought) || late.length === 0 || thought.stored === undefined) return thought
  const { notes } = thought.stored
  return {
    ...thought,
    log: [...thought.log.slice(0, notes), ...late, ...thought.log.slice(notes)],
    stored: { ...thought.stored, notes: notes + late.length }
  }
}

/**
 * The thought with notes that others had added to the root before it was left, for this one in the end; likewise the
 * thoughts that it comes back to by name. All of them share what the store had of the root.
 */
export const carryOver = (thought: ModelThought, root: number, appended: ReadonlyArray<ModelNote>): ModelThought => {
  const line: Array<ModelThought> = []
  for (let one: ModelThought | undefined = thought; one !== undefined; one = one.follows) {
    line.push(one)
    if (one.stored !== undefined) break
  }
  const first = line.at(-1)!
  if (first === thought || first.id !== root || first.stored === undefined) return thought
  const { notes } = first.stored
  const late = appended.filter(({ id }) => !first.log.some((note) => note.id === id))
  const longer = (one: ModelThought): ModelThought => ({
    ...one,
    log: [...one.log.slice(0, notes), ...late.filter((note) => !one.log.includes(note)), ...one.log.slice(notes)]
  })
  const checkpoints = Array.from(
    thought.checkpoints,
    ([name, target]) => [name, line.some(({ id }) => id === target.id) ? longer(target) : target] as const
  )
  return { ...longer(thought), checkpoints: new Map(checkpoints) }
}

/** A note that is added to the thought from outside. */
export const noteFrom = (note: Omit<ModelNote, "id">): ModelNote => ({ ...note, id: nextId() })

/** The thought that another one came by: stored, unless the other one knows better. */
const ancestor = (thought: ModelThought, target: ModelThought): ModelThought => {
  for (let above = thought.parent; above !== undefined; above = above.parent) if (above.id === target.id) return above
  return committed(target)
}

/** The thought with the notes that branches have added, in the order of the branches. */
export const merge = (
  base: ModelThought,
  branches: ReadonlyArray<{ readonly thought: ModelThought; readonly prefix: string }>
): ModelThought => ({
  ...base,
  log: [
    ...base.log,
    ...branches.flatMap(({ prefix, thought }) =>
      thought.log.slice(base.log.length).map((note) => ({ ...note, key: `${prefix}${note.key}` }))
    )
  ],
  later: [...base.later, ...branches.flatMap(({ thought }) => thought.later.slice(base.later.length))],
  left: [...base.left, ...branches.flatMap(({ thought }) => thought.left.slice(base.left.length))]
})

/** What a commit of the thought writes, the thoughts it was forked from first; nothing when the store has it all. */
export const pendingOf = (thought: ModelThought): ReadonlyArray<ModelThought> =>
  isStored(thought) ? [] : [...(thought.parent === undefined ? [] : pendingOf(thought.parent)), thought]

export const committed = (thought: ModelThought): ModelThought => ({
  ...thought,
  stored: { notes: thought.log.length, session: thought.session },
  parent: undefined,
  follows: undefined
})
