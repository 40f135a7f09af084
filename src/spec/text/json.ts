/** Finds where a text is not JSON or repeats a key. Messages never quote the text, which may be a prompt. */
import * as Result from "effect/Result"

/** A problem and its position. */
export interface Flaw {
  readonly at: number
  readonly what: string
}

const word = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** What may come next. */
type Expected = "value" | "value or end" | "key" | "key or end" | "colon" | "comma or end" | "nothing"

/** The first flaw of a text. Undefined if the text is valid. */
export const flawOf = (text: string): Flaw | undefined => {
  /** The keys of each enclosing object; undefined for a list. */
  const around: Array<Set<string> | undefined> = []
  let at = 0
  let expected = "value" as Expected
  const after = (): Expected => (around.length === 0 ? "nothing" : "comma or end")
  const flaw = (what: string): Flaw => ({ at, what })
  while (true) {
    while (" \n\r\t".includes(text[at] ?? "x")) at++
    const character = text[at]
    if (character === undefined) return expected === "nothing" ? undefined : flaw("it ends too early")
    const inside = around.at(-1)
    if (expected === "nothing") return flaw("there is more after its end")
    if (expected === "colon") {
      if (character !== ":") return flaw("a colon is missing")
      expected = "value"
      at++
    } else if (expected === "comma or end" && character === ",") {
      expected = inside === undefined ? "value" : "key"
      at++
    } else if (character === "}" && inside !== undefined && /end/.test(expected)) {
      around.pop()
      expected = after()
      at++
    } else if (character === "]" && around.length > 0 && inside === undefined && /end/.test(expected)) {
      around.pop()
      expected = after()
      at++
    } else if (expected === "comma or end") {
      return flaw("a comma or a closing bracket is missing")
    } else if (expected === "key" || expected === "key or end") {
      const end = character === '"' ? endOf(text, at) : undefined
      if (end === undefined) return flaw("a name in double quotes is missing")
      const key = read(text.slice(at, end))
      if (key === undefined) return flaw("this is not a name in double quotes")
      if (inside?.has(key) === true) return flaw("a name occurs twice in one object")
      inside?.add(key)
      expected = "colon"
      at = end
    } else if (character === "{" || character === "[") {
      around.push(character === "{" ? new Set() : undefined)
      expected = character === "{" ? "key or end" : "value or end"
      at++
    } else if (character === '"') {
      const end = endOf(text, at)
      if (end === undefined || read(text.slice(at, end)) === undefined) return flaw("a text is malformed")
      at = end
      expected = after()
    } else {
      word.lastIndex = at
      const found = word.exec(text)
      if (found === null) return flaw("a value is missing")
      at += found[0].length
      expected = after()
    }
  }
}

/** The index where a quoted text ends. */
const endOf = (text: string, start: number): number | undefined => {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++
    else if (text[at] === '"') return at + 1
  }
  return undefined
}

const read = (quoted: string): string | undefined =>
  Result.getOrUndefined(Result.try((): string => JSON.parse(quoted) as string))
