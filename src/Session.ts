/**
 * A session is the conversation of a thought with its model. Immutable.
 *
 * Each entry is one rendered message, with the notes that it shows (`carries`) or represents (`covers`). A note that no
 * entry carries or covers is unpublished: the next request shows it. Removing an entry therefore releases its notes.
 * The text of an entry is rendered once and never changes, so a later request begins with the bytes of an earlier one.
 *
 * Functions of a session and further arguments can also be piped onto it: `session.pipe(Session.append(entry))`.
 */
export {
  append,
  at,
  clear,
  type Draft,
  empty,
  entries,
  type Entry,
  estimateTokens,
  fromEntries,
  insert,
  prune,
  remove,
  replace,
  type Session,
  SessionRangeError,
  set,
  shows,
  Tokenizer,
  tokens,
  truncate,
  turns,
  type View,
  view,
  withUsage
} from "./thought/Session.ts"
