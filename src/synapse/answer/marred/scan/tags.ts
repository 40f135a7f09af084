/** Recognises tags in answers: around thinking and examples, which are not answers, and around answers. */

const thoughts = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad"
const others =
  "(?:example|sample|counterexample|draft|plan|analysis|incorrect|wrong|rejected|previous)s?(?:[_-]\\w{1,32})?"
const answers = "answer|final_answer|final|json|output|result|response"

// Some models write ◁think▷, others name the channel of what follows.
const any = new RegExp(
  `[<◁](/?)(${thoughts}|${others}|${answers})(?:\\s[^<>]{0,128})?[>▷]|<\\|channel\\|>(analysis)`,
  "iy"
)
const closing = new RegExp(`[<◁]/(?:${thoughts}|${others})\\s{0,8}[>▷]|<\\|end\\|>|<\\|channel\\|>final`, "gi")
const either = new RegExp(`[<◁](/?)(?:${thoughts})\\s{0,8}[>▷]`, "gi")
const isThought = new RegExp(`^(?:${thoughts}|${others})$`, "i")

export interface Tag {
  readonly name: string
  readonly closes: boolean
  readonly isThought: boolean
  readonly end: number
}

export const tagAt = (text: string, at: number): Tag | undefined => {
  any.lastIndex = at
  const found = any.exec(text)
  if (found === null) return undefined
  const name = (found[2] ?? found[3] ?? "").toLowerCase()
  return { name, closes: found[1] === "/", isThought: isThought.test(name), end: any.lastIndex }
}

/** The tag at the end of this text. */
export const tagEnding = (text: string): Tag | undefined => {
  const tag = tagAt(text, Math.max(text.lastIndexOf("<"), text.lastIndexOf("◁")))
  return tag?.end === text.length ? tag : undefined
}

/** Whether this text ends with the end of a channel of thinking. */
export const endsChannel = (text: string): boolean => /<\|end\|>$|<\|channel\|>final$/i.test(text)

/** Where thinking ends that began before this text. A tag inside a sentence or a quoted text is a mere word. */
export const endOfThought = (text: string): number | undefined => {
  either.lastIndex = 0
  if (either.exec(text)?.[1] !== "/") return undefined
  return /^[ \t]{0,8}(?:[\r\n{[`]|$)/.test(text.slice(either.lastIndex, either.lastIndex + 16))
    ? either.lastIndex
    : undefined
}

/** Where the next thinking from here ends, if it does. */
export const closingThought = (text: string, from: number): number | undefined => {
  closing.lastIndex = from
  return closing.exec(text) === null ? undefined : closing.lastIndex
}
