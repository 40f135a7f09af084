/** The values in an answer that could be what was asked for, found in one pass over it. */
import { sourceOf } from "./scan/Source.ts"
import { afterBlank, type Failure } from "./scan/Cursor.ts"
import {
  balancedEnd,
  couldBegin,
  goesOn,
  isArgument,
  isGap,
  isLater,
  opensFence,
  singleAfter
} from "./scan/openings.ts"
import { isBegun, isContinued, isOverclosed } from "./remains.ts"
import { closingThought, endOfThought, tagAt } from "./scan/tags.ts"
import type { Tree } from "./scan/Tree.ts"
import { readSpan } from "./scan/whole.ts"

/** Where a value stood: all of the answer, marked as code or by a tag, or among other words. */
type Where = "whole" | "fence" | "tag" | "prose"

export interface Candidate {
  readonly tree: Tree
  /** Whether it was written as JSON. */
  readonly exact: boolean
  readonly where: Where
  readonly start: number
  readonly end: number
  /** Whether nothing but white space and commas stands between it and the one before. */
  readonly follows: boolean
}

export interface Found {
  readonly candidates: ReadonlyArray<Candidate>
  /** Why the last value that began could not be read. */
  readonly failure: Failure | undefined
  readonly kinds: ReadonlySet<string>
  /** Where the answer begins, after the thoughts before it. */
  readonly from: number
  /** What stands in fences, as far as it is known where these end. */
  readonly blocks: ReadonlyArray<string>
}

/** How often a value that never ends is tried as JSON first, or left for a thought: each time costs the rest of the text. */
const tries = 8

/** More values than an answer in lines has. */
const most = 10_000

const marks = /[`~<◁{[]/g

const isEmpty = (tree: Tree): boolean =>
  (tree._tag === "List" && tree.items.length === 0) || (tree._tag === "Fields" && tree.entries.length === 0)

export const findIn = (text: string): Found => {
  const source = sourceOf(text)
  let candidates: Array<Candidate> = []
  let failure: Failure | undefined
  let cut = 0
  let ended = 0
  let fence = ""
  let tag = ""
  const kinds = new Set<string>()
  const first = afterBlank(text, 0)
  let at = first
  let last = first
  let from = first
  let block = 0
  let blocks: Array<string> = []

  const next = (): string => {
    marks.lastIndex = at
    const found = marks.exec(text)
    at = found?.index ?? text.length
    return found?.[0] ?? ""
  }

  const forget = () => {
    candidates = []
    blocks = []
    failure = undefined
    fence = ""
    tag = ""
    last = at
    from = at
    kinds.add("thought")
  }

  const passTag = () => {
    const found = tagAt(text, at)
    if (found === undefined) at++
    else {
      at = found.end
      if (found.isThought && found.closes) forget()
      else if (found.isThought) {
        const end = closingThought(text, at)
        at = end ?? text.length
        if (candidates.length === 0) from = at
        kinds.add("thought")
      } else if (found.closes) tag = ""
      else tag = found.name
    }
  }

  const passFence = (mark: string) => {
    const begin = at
    while (text[at] === mark) at++
    const length = at - begin
    if (length < 3) return
    if (fence !== "" && fence.startsWith(mark) && !opensFence(text, at, true)) {
      fence = ""
      blocks.push(text.slice(block, begin))
    } else if (opensFence(text, at, false)) {
      fence = mark.repeat(length)
      block = text.indexOf("\n", at)
      passSingle()
    }
  }

  /** A text or a number alone in its fence. */
  const passSingle = () => {
    const start = singleAfter(source, at)
    if (start === undefined) return
    const span = readSpan(source, start)
    const end = afterBlank(text, span.end)
    if (span.tree === undefined || span.tree._tag === "Bare" || !text.startsWith(fence, end)) return
    candidates.push({ tree: span.tree, exact: span.exact, where: "fence", start, end, follows: false })
    failure = undefined
    at = end
    last = at
  }

  /** Whether the value from here on to there is a part of something that is broken. */
  const isPart = (start: number, end: number, tree: Tree): boolean => {
    if (isLater(text, start, last) || isArgument(text, start)) return true
    const isInRow = candidates.length > 0 && isGap(text, last, start)
    // Numbers in brackets among words are sources, whatever comes after them.
    const isSource = tree._tag === "List" && tree.items.every(({ _tag }) => _tag === "Numeral")
    if (isSource && !isInRow && start !== first) return false
    const isQuoted = text[start - 1] === text[end] && (text[end] === '"' || text[end] === "'")
    return !isQuoted && goesOn(source, end, isInRow)
  }

  const passValue = () => {
    const start = at
    const where = fence !== "" ? "fence" : tag !== "" ? "tag" : "prose"
    if (!couldBegin(source, at, where === "prose" && at !== first)) {
      at++
      return
    }
    const span = readSpan(source, at, cut < tries)
    if (span.failure?._tag === "Cut") cut++
    const thought = span.tree === undefined ? endOfThought(text.slice(start, span.end)) : undefined
    if (thought !== undefined && ended++ < tries) {
      at = start + thought
      forget()
    } else if (span.tree === undefined) {
      failure = span.failure
      at = span.failure?._tag === "Cut" || thought !== undefined ? text.length : balancedEnd(text, start)
      if (goesOn(source, at)) at = text.length
      last = at
    } else if (isPart(start, span.end, span.tree)) {
      failure = { _tag: "Broken", path: [] }
      at = text.length
    } else {
      at = span.end
      if (where === "prose" && text[at] === "(" && text[start] === "[") return
      // Behind something broken, nothing says nothing.
      if (failure !== undefined && isEmpty(span.tree)) return
      // Code has empty values too.
      if (where === "prose" && isEmpty(span.tree) && /[=(.]$/.test(text.slice(Math.max(0, start - 8), start).trimEnd()))
        return
      const isWhole = start === afterBlank(text, from) && afterBlank(text, at) === text.length
      const follows = candidates.length > 0 && isGap(text, last, start)
      const { exact, tree } = span
      candidates.push({ tree, exact, where: isWhole ? "whole" : where, start, end: at, follows })
      failure = undefined
      last = at
      if (candidates.length > most) {
        failure = { _tag: "Many", path: [] }
        candidates = []
        at = text.length
      }
    }
  }

  for (let mark = next(); mark !== ""; mark = next()) {
    if (mark === "<" || mark === "◁") passTag()
    else if (mark === "`" || mark === "~") passFence(mark)
    else passValue()
  }
  if (blocks.some((inner) => inner.trim() !== "")) candidates = candidates.filter((one) => !isSource(one))
  if (isAnyPart(text, from, candidates)) failure ??= { _tag: "Broken", path: [] }
  return { candidates, failure, kinds, from, blocks }
}

/** Whether it is a number or a word in brackets among words. Beside a block it is a source, and no answer. */
const isSource = ({ tree, where }: Candidate): boolean =>
  where === "prose" && tree._tag === "List" && tree.items.every(({ _tag }) => _tag === "Numeral" || _tag === "Bare")

/** Whether the first or the last value among words is a part of something that is broken. */
const isAnyPart = (text: string, from: number, candidates: ReadonlyArray<Candidate>): boolean => {
  const first = candidates[0]
  const last = candidates.at(-1)
  if (first?.where === "prose" && isBegun(text, from, first.start)) return true
  if (last?.where !== "prose") return false
  const mayBeWhole = last.exact && !isEmpty(last.tree)
  return isContinued(text, last.end) || (!mayBeWhole && isOverclosed(text, last.start, last.end))
}
