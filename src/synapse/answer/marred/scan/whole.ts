/** Reads texts that consist of a single value. */
import { type Source, sourceOf } from "./Source.ts"
import { afterBlank, cursorAt, type Failure } from "./Cursor.ts"
import { readValue } from "./reader.ts"
import type { Tree } from "./Tree.ts"

/** A value in a text, or why it could not be read. `end` is where reading stopped. */
export interface Span {
  readonly tree: Tree | undefined
  readonly failure: Failure | undefined
  readonly exact: boolean
  readonly end: number
}

/** Reads the value that begins here as standard JSON, otherwise tolerantly. */
export const readSpan = (source: Source, at: number, tryExactly = true): Span => {
  const exactly = tryExactly ? readAs(source, at, true) : undefined
  return exactly?.tree === undefined ? readAs(source, at, false) : exactly
}

const readAs = (source: Source, at: number, exact: boolean): Span => {
  const cursor = cursorAt(source, at, exact)
  const tree = readValue(cursor, { place: "alone", onlyQuoted: true })
  return { tree: cursor.failure === undefined ? tree : undefined, failure: cursor.failure, exact, end: cursor.at }
}

/** The value that the whole text represents; `undefined` if it represents none. */
export const readWhole = (text: string): Tree | undefined => {
  const span = readSpan(sourceOf(text), afterBlank(text, 0))
  return afterBlank(text, span.end) === text.length ? span.tree : undefined
}
