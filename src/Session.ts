/**
 * A session is the conversation that a thought has had with its model so far. Immutable.
 *
 * Each entry is one rendered message and remembers which notes it showed (`carries`) or stands for (`covers`). A note that
 * no entry carries or covers is unpublished: the next request shows it. Removing an entry therefore releases its notes
 * by itself. An entry's text is rendered once and never changed, so a later request begins with the bytes of an earlier
 * one.
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
  type Kind,
  prune,
  remove,
  replace,
  type Role,
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
