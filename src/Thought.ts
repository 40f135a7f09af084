/**
 * A thought is an intent with an append-only log of notes and the conversation about them.
 *
 * It is an immutable value: appending returns a new thought that shares the structure of the old one, so a failed step
 * leaves nothing behind and a fork copies nothing. Its type says which notes it has.
 */
export {
  append,
  at,
  current,
  diff,
  type Draft,
  fork,
  history,
  latest,
  make,
  note,
  notes,
  publishedCount,
  read,
  render,
  require,
  type Thought,
  TypeId,
  unpublished,
  withSession,
  write
} from "./thought/Thought.ts"
export * from "./thought/plainNotes.ts"
