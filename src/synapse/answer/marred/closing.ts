/** Closes truncated answers after their last complete member. */

interface Open {
  readonly closer: string
  /** Where its last complete member ends. Undefined if it has none. */
  end: number | undefined
  /** Whether the current member already has its colon. */
  hasColon: boolean
}

/** One way to close a truncated answer. */
export interface Closed {
  readonly text: string
  /** Whether only the closing bracket of a single object or list is missing. */
  readonly isWhole: boolean
  /** Whether an incomplete last member of the outermost object or list was dropped. */
  readonly leavesOut: boolean
}

const literal = /(?:^|[\s:,[])(?:true|false|null|True|False|None)\s*$/

/** The maximum depth of open objects and lists. Each level is one more value to read. */
const deepest = 16

/**
 * The ways to close a truncated text, the one with the most members first. Empty if the text is not truncated or has no
 * complete member.
 */
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
  // A text that contains brackets or lines probably lacks its quote, so the answer is not truncated there.
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
