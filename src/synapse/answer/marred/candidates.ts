/** Finds the values in an answer that could be the requested one, in one pass. */
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

/** Where a value was found: it is the whole answer, marked as code or by a tag, or among prose. */
type Where = "whole" | "fence" | "tag" | "prose"

export interface Candidate {
  readonly tree: Tree
  /** Whether it was written as valid JSON. */
  readonly exact: boolean
  readonly where: Where
  readonly start: number
  readonly end: number
  /** Whether only white space and commas separate it from the previous value. */
  readonly follows: boolean
}

export interface Found {
  readonly candidates: ReadonlyArray<Candidate>
  /** Why the last value could not be read. */
  readonly failure: Failure | undefined
  readonly kinds: ReadonlySet<string>
  /** Where the answer begins, after any thinking. */
  readonly from: number
  /** The contents of fences that are closed. */
  readonly blocks: ReadonlyArray<string>
}

/**
 * How often an unterminated value is first tried as JSON, or searched for the end of thinking. Each attempt scans the
 * rest of the text.
 */
const tries = 8

/** The limit of values, more than an answer in lines has. */
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

  /** Reads a text or a number that is alone in its fence. */
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

  /** Whether the value between these positions is a part of something broken. */
  const isPart = (start: number, end: number, tree: Tree): boolean => {
    if (isLater(text, start, last) || isArgument(text, start)) return true
    const isInRow = candidates.length > 0 && isGap(text, last, start)
    // Numbers in brackets within prose are references, whatever follows them.
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
      // After something broken, an empty value has no meaning.
      if (failure !== undefined && isEmpty(span.tree)) return
      // Code contains empty values too.
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

/**
 * Whether the candidate consists of numbers or words in brackets within prose. Beside a block it is a reference, not an
 * answer.
 */
const isSource = ({ tree, where }: Candidate): boolean =>
  where === "prose" && tree._tag === "List" && tree.items.every(({ _tag }) => _tag === "Numeral" || _tag === "Bare")

/** Whether the first or the last value in prose is a part of something broken. */
const isAnyPart = (text: string, from: number, candidates: ReadonlyArray<Candidate>): boolean => {
  const first = candidates[0]
  const last = candidates.at(-1)
  if (first?.where === "prose" && isBegun(text, from, first.start)) return true
  if (last?.where !== "prose") return false
  const mayBeWhole = last.exact && !isEmpty(last.tree)
  return isContinued(text, last.end) || (!mayBeWhole && isOverclosed(text, last.start, last.end))
}
