/** A thought as it was, with its conversation as of then as far as it is still there. */
import * as HashMap from "effect/HashMap"
import * as Session from "../../thought/Session.ts"
import { at, current, withSession } from "../../thought/Thought.ts"
import type { Thought } from "../../thought/model.ts"
import { handleOf, newest, stateOf, withState } from "../../thought/state.ts"

/**
 * The thought after its first `seq` notes. Its conversation goes up to the first entry that shows a later note, and does
 * not end in a request without its answer; what it no longer shows is unpublished again.
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
  // what is left out is in the past, not removed: the store has nothing to learn of it
  return withState(rewound, { stored: { ...stored, session: rewound.session } })
}

/** The thought, with its notes read as the other one's type says: by the handles that read the same keys there. */
export const typedAs = (thought: Thought<any>, other: Thought<any>): Thought<any> => {
  const from = stateOf(other)
  let { handles } = stateOf(thought)
  for (const note of current(thought)) {
    const known = newest(from, note.key)
    const handle = handleOf(from, note) ?? (known === undefined ? undefined : handleOf(from, known))
    if (handle !== undefined) handles = HashMap.set(handles, note.id, handle)
  }
  return withState(thought, { handles })
}
