/** Long texts in parts that an embedder accepts, cut where a reader would pause. */
import type { Shape as EmbedderShape } from "../../thought/Embedder.ts"
import { estimateTokens } from "../../thought/tokens.ts"

/** How many tokens a text has for an embedder: counted by the embedder if it can, else estimated. */
export const counterOf = (embedder: EmbedderShape): ((text: string) => number) => embedder.countTokens ?? estimateTokens

/** Whether a text has nothing to be embedded: no character that is not white space. The stores have the same rule. */
export const isBlank = (text: string): boolean => text.trim() === ""

/** No token of prose has more characters on average; white space may, and makes shorter parts than it could. */
const charactersPerToken = 4

/** An end of a sentence or of a line, with what belongs to it. */
const pause = /[.!?…]["'”’)\]]?\s|[。！？]|\n/g
const space = /\s/g

const lastEnd = (text: string, pattern: RegExp): number | undefined => {
  let end: number | undefined
  for (const found of text.matchAll(pattern)) end = found.index + found[0].length
  return end
}

const splitsPair = (text: string, at: number): boolean =>
  /[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(at - 1, at + 1))

/** Where the longest beginning within the limit ends; past `start` in any case. */
const longest = (text: string, start: number, limit: number, count: (text: string) => number): number => {
  let low = start + 1
  let high = Math.min(text.length, start + Math.max(1, limit) * charactersPerToken)
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (count(text.slice(start, middle)) <= limit) low = middle
    else high = middle - 1
  }
  return low
}

/** Where to cut: after a sentence or else a word in the last two thirds, else between two characters. */
const cutBefore = (text: string, start: number, end: number): number => {
  if (end >= text.length) return text.length
  const third = start + Math.ceil((end - start) / 3)
  const later = text.slice(third, end)
  const at = lastEnd(later, pause) ?? lastEnd(later, space)
  if (at !== undefined) return third + at
  return splitsPair(text, end) ? (end - 1 > start ? end - 1 : end + 1) : end
}

/**
 * The parts of a text, in order, each of at most `limit` tokens: the text itself when it is no longer. Together they are the
 * text, except for parts of white space, which are left out. Each is cut when it is taken, so that a long text takes no long
 * time at once.
 */
export function* chunksOf(
  text: string,
  limit: number,
  count: (text: string) => number,
  tokens = count(text)
): Generator<string, void> {
  if (tokens <= limit) {
    yield text
    return
  }
  let blank = true
  for (let start = 0; start < text.length;) {
    const end = cutBefore(text, start, longest(text, start, limit, count))
    const chunk = text.slice(start, end)
    if (!isBlank(chunk)) {
      blank = false
      yield chunk
    }
    start = end
  }
  if (blank) yield beginningOf(text, limit, count)
}

/** As much of a text as fits: all of it when it is no longer. */
export const beginningOf = (text: string, limit: number, count: (text: string) => number): string =>
  count(text) <= limit ? text : text.slice(0, cutBefore(text, 0, longest(text, 0, limit, count)))
