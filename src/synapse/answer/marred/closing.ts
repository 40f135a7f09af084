/** Answers that are cut off, closed at their last whole member. */

interface Open {
  readonly closer: string
  /** Where its last whole member ends; undefined while it has none. */
  end: number | undefined
  /** Whether the colon of the member that is being written has come. */
  hasColon: boolean
}

/** One way to close an answer that is cut off. */
export interface Closed {
  readonly text: string
  /** Whether nothing is left out but the bracket of one object. */
  readonly isWhole: boolean
  /** Whether a member of the outermost object or list is left out. */
  readonly leavesOut: boolean
}

const literal = /(?:^|[\s:,[])(?:true|false|null|True|False|None)\s*$/

/** More objects and lists inside one another than these are not closed: each of them is one more value to read. */
const deepest = 16

/** The ways to close a text that is cut off, with the most members first; none where it is not cut off, or has no whole member. */
export const closedIn = (text: string): ReadonlyArray<Closed> => {
  const open: Array<Open> = []
  let quote = ""
  let ends = false
  let begun = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    const top = open.at(-1)
    if (quote !== "") {
      if (char === "\\") at++
      else if (char === quote) {
        quote = ""
        ends = top !== undefined && (top.closer === "]" || top.hasColon)
      }
      continue
    }
    if (/\s/.test(char)) continue
    if (char === "/" && text[at + 1] === "/") {
      const line = text.indexOf("\n", at)
      if (line === -1) break
      at = line
      continue
    }
    ends = false
    if (char === '"' || char === "'") {
      quote = char
      begun = at
    } else if (char === "{" || char === "[") {
      open.push({ closer: char === "{" ? "}" : "]", end: undefined, hasColon: false })
    } else if (char === "}" || char === "]") {
      if (open.pop()?.closer !== char || open.length === 0) return []
      ends = true
    } else if (char === ":" && top !== undefined) top.hasColon = true
    else if (char === "," && top !== undefined) {
      top.end = at
      top.hasColon = false
    }
  }
  // A text that takes in brackets or lines lacks its quote, and the answer is not cut off there.
  if (quote !== "" && /[\]}]\s*$|[\n{[]/.test(text.slice(begun))) return []
  const last = open.at(-1)
  const isEnded =
    last !== undefined && quote === "" && (ends || (literal.test(text) && (last.closer === "]" || last.hasColon)))
  if (isEnded) last.end = text.length
  if (open.length > deepest) return []
  return open
    .map(({ end }, i) => ({ end, depth: i + 1 }))
    .toReversed()
    .flatMap(({ depth, end }) => {
      const closers = open.slice(0, depth).map(({ closer }) => closer)
      return end === undefined
        ? []
        : [
            {
              text: text.slice(0, end) + closers.toReversed().join(""),
              isWhole: isEnded && open.length === 1 && depth === 1,
              leavesOut: depth === 1 && end < text.length
            }
          ]
    })
}
