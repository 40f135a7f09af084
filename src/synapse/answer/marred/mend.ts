/** Repairs answers in which one mark is missing, extra or wrong. */
import { deepest } from "./scan/json.ts"
import { begin, isOver, nameOf, type State, step } from "./grammar.ts"

/** A text that is valid JSON after a change of one mark. */
export interface Mended {
  readonly text: string
  readonly kind: string
  /**
   * Whether the mark may have been intended, such as a comma in a number. Then this is only one of the possible
   * readings.
   */
  readonly isDoubtful: boolean
}

interface Edit {
  readonly at: number
  /** The mark that is removed. */
  readonly dropped: string
  readonly put: string
}

/** The state of reading after any of these edits, which all lead to the same state. */
interface Trial {
  readonly state: State
  edits: Array<Edit>
}

const marks = ["{", "}", "[", "]", '"', ":", ","]
const quote = ['"']

const isMark = (char: string | undefined): boolean => char !== undefined && (marks.includes(char) || char === "'")

const isEdge = (char: string | undefined): boolean =>
  char === undefined || isMark(char) || char === " " || char === "\n" || char === "\r" || char === "\t"

/** The longest text that is repaired. */
const longest = 2 ** 17
/** The maximum number of edits. With more, the text is too ambiguous. */
const mostEdits = 256
/** The maximum number of simultaneous trials, more than any answer has. */
const mostTrials = 512

/**
 * All texts with one mark changed that are valid JSON. Empty if more than one mark is wrong, `undefined` if there are
 * too many possibilities.
 *
 * It takes one pass: after each possible edit, a trial continues beside the others, and trials that reach the same
 * state are merged.
 */
export const mendedIn = (text: string, isClosed: boolean): ReadonlyArray<Mended> | undefined => {
  if (text.length > longest) return undefined
  const base = begin()
  const isCompact = count(text, /[:,]["\d[{-]/g) > count(text, /[:,] ["\d[{-]/g)
  let isBaseAlive = true
  let trials: Array<Trial> = []

  const attempt = (edit: Edit): void => {
    const state = { ...base }
    if (edit.put !== "" && !step(state, edit.put)) return
    trials.push({ state, edits: [edit] })
  }

  for (let at = 0; at <= text.length; at++) {
    const char = text.charAt(at)
    const inText = base.mode === "text" || base.mode === "keyText"
    // A trial that removes or replaces this character begins after it.
    const behind: Array<Edit> = []
    // A character after a backslash belongs to the escape.
    if (isBaseAlive && base.escape !== "?") {
      if (isEdge(text[at]) || isEdge(text[at - 1])) {
        for (const put of inText ? quote : marks) {
          if (put !== '"' || isCompact || !isLoose(text, at, inText)) attempt({ at, dropped: "", put })
        }
      }
      if (isMark(text[at])) {
        const puts = othersFor(text, at, inText).filter((put) => put !== char)
        if (!inText || char === '"') puts.push("")
        behind.push(...puts.map((put) => ({ at, dropped: char, put })))
      }
    }
    if (char === "") break
    const next = trials.filter(({ state }) => step(state, char))
    trials = next
    for (const edit of behind) attempt(edit)
    isBaseAlive &&= step(base, char)
    if (isMark(char)) trials = together(trials)
    if (base.open.depth > deepest || trials.length > mostTrials || trials.some(({ edits }) => edits.length > mostEdits))
      return undefined
    if (!isBaseAlive && trials.length === 0) break
  }
  if (isBaseAlive && isOver(base)) return []
  const found = new Map<string, Mended>()
  for (const { edits, state } of trials) {
    if (!isOver(state)) continue
    for (const edit of edits) {
      const mended = text.slice(0, edit.at) + edit.put + text.slice(edit.at + edit.dropped.length)
      const before = found.get(mended)
      if (before !== undefined && !before.isDoubtful) continue
      found.set(mended, { text: mended, kind: kindOf(edit), isDoubtful: isDoubtful(text, edit, isClosed) })
    }
  }
  return found.size > mostEdits ? undefined : [...found.values()]
}

/** The marks that may have been meant here. Of a doubled quote one is extra, and it stands for no other mark. */
const othersFor = (text: string, at: number, inText: boolean): Array<string> => {
  if (!inText) return [...marks]
  if (text[at] !== '"') return [...quote]
  return text[at - 1] === '"' || text[at + 1] === '"' ? [] : [...marks, "'"]
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

/**
 * Whether a quote here would add a leading or trailing blank to a text. Matters if the writer puts blanks between
 * parts.
 */
const isLoose = (text: string, at: number, inText: boolean): boolean => {
  const around = inText ? text.slice(Math.max(0, at - 64), at) : text.slice(at, at + 64)
  if (!inText) return /^(?:\s[^"\s]|[^\S ]\s*[^"\s])/.test(around)
  return /[^"\s](?:\s|[^\S ]\s*)$/.test(around) && !/[,:]/.test(text.charAt(at))
}

const together = (trials: ReadonlyArray<Trial>): Array<Trial> => {
  const merged = new Map<string, Trial>()
  for (const trial of trials) {
    const name = nameOf(trial.state)
    const same = merged.get(name)
    if (same === undefined) merged.set(name, trial)
    else if (same.edits.length <= mostEdits) same.edits = [...same.edits, ...trial.edits]
  }
  return [...merged.values()]
}

const kindOf = ({ dropped, put }: Edit): string => {
  const mark = put === "" || put === "'" ? dropped : put
  const what = "{}[]".includes(mark) ? "bracket" : mark === '"' ? "quote" : mark === ":" ? "colon" : "comma"
  if (dropped === "") return `missing-${what}`
  if (put === "") return `extra-${what}`
  return what === "bracket" ? "wrong-bracket" : what === "quote" ? "missing-quote" : "separator"
}

/** Whether a string beside the edit begins or ends with a mark. Then it probably contains what follows it. */
const hasMarksAtEdge = (before: string, after: string): boolean => {
  const isInside = before.replaceAll(/\\./g, "").split('"').length % 2 === 0
  const near = before.slice(-256)
  const texts = isInside
    ? [(/(?:[^"\\]|\\.)*$/.exec(near)?.[0] ?? "") + (/^(?:[^"\\]|\\.)*/.exec(after)?.[0] ?? "")]
    : [/"((?:[^"\\]|\\.)*)"[\s,:]*$/.exec(near)?.[1] ?? "", /^[\s,:]*"((?:[^"\\]|\\.)*)"/.exec(after)?.[1] ?? ""]
  return texts.some((text) => /^[\s{}[\]:,]|[\s{}[\]:,]$/.test(text))
}

const digit = /[\d.]/

/** Whether the edit is doubtful: it may join or split a number, or add a bracket where the text may have continued. */
const isDoubtful = (text: string, { at, dropped, put }: Edit, isClosed: boolean): boolean => {
  const to = at + dropped.length
  // Another separator is possible too if the text contains quotes.
  if (text[at - 1] === "\\" || (",:".includes(dropped) && ",:".includes(put) && dropped !== "" && put !== ""))
    return true
  const before =
    text
      .slice(Math.max(0, at - 64), at)
      .trimEnd()
      .at(-1) ?? ""
  const after = text
    .slice(to, to + 64)
    .trimStart()
    .charAt(0)
  if (put === "" && /\w/.test(text.charAt(at - 1)) && /\w/.test(text.charAt(to))) return true
  if (put !== "" && digit.test(before) && digit.test(after)) return true
  if (hasMarksAtEdge(text.slice(0, at) + put, text.slice(to, to + 256))) return true
  if (!/[\p{L}\p{N}]/u.test(text)) return true
  // An empty text may be two extra quotes.
  const around = text.slice(Math.max(0, at - 64), at) + put + text.slice(at, at + 2)
  if (put === "," && dropped === "" && /"\d*",[\d-]|\d,"[\d"-]/.test(around)) return true
  if ((put === "," || dropped === '"') && text.slice(Math.max(0, at - 2), at + 3).includes('"""')) return true
  const isLast = (put === "}" || put === "]") && (dropped === "" || dropped === ",") && !isClosed
  return isLast && text.slice(to).replaceAll(put, "").trim() === ""
}
