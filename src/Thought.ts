/**
 * A thought is an intent with an append-only log of notes and the conversation about them.
 *
 * It is an immutable value: appending returns a new thought that shares the structure of the old one, so a failed step
 * leaves nothing behind and a fork copies nothing. Its type says which notes it has.
 *
 * Functions of a thought and further arguments can also be piped onto it, and onto the effect of one with
 * `Effect.flatMap`: `Thought.make("plan").pipe(Effect.flatMap(Thought.append("city", "Porto")))`.
 */
export {
  append,
  at,
  current,
  type Draft,
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
export { diff } from "./thought/diff.ts"
export { fork } from "./thought/fork.ts"
export { logs } from "./logs/logs.ts"
export * from "./thought/plainNotes.ts"
