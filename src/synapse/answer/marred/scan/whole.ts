/** A text that is one value and nothing else. */
import { type Source, sourceOf } from "./Source.ts"
import { afterBlank, cursorAt, type Failure } from "./Cursor.ts"
import { readValue } from "./reader.ts"
import type { Tree } from "./Tree.ts"

/** A value that begins somewhere in a text, or why there is none; `end` is where reading it came to. */
export interface Span {
  readonly tree: Tree | undefined
  readonly failure: Failure | undefined
  readonly exact: boolean
  readonly end: number
}

/** Reads the value that begins here: as JSON, else with tolerance. */
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
