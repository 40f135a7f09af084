/** Restores an earlier state of a thought, with its conversation as far as it still exists. */
import * as Session from "../../thought/Session.ts"
import { at, current, withSession } from "../../thought/Thought.ts"
import type { Thought } from "../../thought/model.ts"
import { handleOf, newest, stateOf, withHandles, withState } from "../../thought/state.ts"

/**
 * The thought after its first `seq` notes.
 *
 * Its conversation ends before the first entry that shows a later note, and never with a request without its answer.
 * Notes that it no longer shows are unpublished again.
 */
export const rewind = (thought: Thought<any>, seq: number): Thought<any> => {
  if (seq >= thought.length) return thought
  const past = at(thought, seq)
  const known = new Set(Array.from(stateOf(past).log, ({ id }) => id))
  const { nextIndex, usage } = thought.session
  const entries = Session.entries(thought.session)
  const later = entries.findIndex(({ carries, covers }) => [...carries, ...covers].some((id) => !known.has(id)))
  const kept = later === -1 ? entries : entries.slice(0, later)
  const end = later === -1 ? kept.length : kept.findLastIndex(({ role }) => role !== "user") + 1
  const rewound = withSession(past, Session.fromEntries(kept.slice(0, end), { nextIndex, usage }))
  const { stored } = stateOf(rewound)
  // the omitted entries are in the past rather than removed, so the store needs no change
  return withState(rewound, { stored: { ...stored, session: rewound.session } })
}

/** The thought, with the handles of the other thought for notes with the same keys, as the type says. */
export const typedAs = (thought: Thought<any>, other: Thought<any>): Thought<any> => {
  const from = stateOf(other)
  const handles = current(thought).flatMap((note) => {
    const known = newest(from, note.key)
    const handle = handleOf(from, note) ?? (known === undefined ? undefined : handleOf(from, known))
    return handle === undefined ? [] : [[note, handle] as const]
  })
  return withHandles(thought, handles)
}
