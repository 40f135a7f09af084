/**
 * The grammar of JSON, one character at a time, so that reading can continue at any place with a different character.
 */

/** What may follow. */
type Mode = "value" | "firstItem" | "key" | "firstKey" | "colon" | "after" | "text" | "keyText" | "word" | "end"

/**
 * An open object or list, and the one around it. Each has at most one open object and one open list inside, so that
 * states can be compared.
 */
interface Open {
  /** A unique number. */
  readonly id: number
  readonly depth: number
  readonly closer: "}" | "]" | undefined
  readonly around: Open | undefined
  object?: Open
  list?: Open
}

let opened = 0

const open = (closer: Open["closer"], around: Open | undefined): Open => ({
  id: ++opened,
  depth: around === undefined ? 0 : around.depth + 1,
  closer,
  around
})

const inside = (around: Open, bracket: "{" | "["): Open =>
  bracket === "{" ? (around.object ??= open("}", around)) : (around.list ??= open("]", around))

/** The state of reading. A copy can continue independently. */
export interface State {
  mode: Mode
  /** The innermost open object or list. The outermost one has no closer. */
  open: Open
  /** The number or literal that is being read. */
  word: string
  /** The missing rest of an escape: `?` after a backslash, one `0` for each missing digit of a code. */
  escape: string
}

export const begin = (): State => ({
  mode: "value",
  open: open(undefined, undefined),
  word: "",
  escape: ""
})

const wordForm = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/
const longestWord = 400

const isBlank = (char: string): boolean => char === " " || char === "\n" || char === "\r" || char === "\t"

/** Whether a complete value has been read. */
export const isOver = (state: State): boolean =>
  state.mode === "end" || (state.mode === "word" && state.open.closer === undefined && wordForm.test(state.word))

/** A key that is equal for two states if they read the same continuations. */
export const nameOf = ({ escape, mode, open, word }: State): string => `${open.id} ${mode} ${escape} ${word}`

/** Reads one character. Returns false if it is not allowed here. */
export const step = (state: State, char: string): boolean => {
  switch (state.mode) {
    case "text":
    case "keyText":
      return inText(state, char)
    case "word":
      if (/[\w+.-]/.test(char)) {
        state.word += char
        return state.word.length <= longestWord
      }
      if (!wordForm.test(state.word)) return false
      state.mode = state.open.closer === undefined ? "end" : "after"
      return step(state, char)
    default:
      return isBlank(char) || between(state, char)
  }
}

const between = (state: State, char: string): boolean => {
  const { mode, open } = state
  if (mode === "key" || mode === "firstKey") {
    if (char === '"') return to(state, "keyText")
    return mode === "firstKey" && char === "}" && close(state)
  }
  if (mode === "colon") return char === ":" && to(state, "value")
  if (mode === "after") {
    if (char === open.closer) return close(state)
    return char === "," && to(state, open.closer === "}" ? "key" : "value")
  }
  if (mode === "end") return false
  if (char === "]") return mode === "firstItem" && close(state)
  if (char === '"') return to(state, "text")
  if (char === "{" || char === "[") {
    state.open = inside(open, char)
    return to(state, char === "{" ? "firstKey" : "firstItem")
  }
  state.word = char
  return /[\w-]/.test(char) && to(state, "word")
}

const to = (state: State, mode: Mode): true => {
  state.mode = mode
  return true
}

const close = (state: State): true => {
  state.open = state.open.around ?? state.open
  return to(state, state.open.closer === undefined ? "end" : "after")
}

const inText = (state: State, char: string): boolean => {
  if (state.escape === "?") {
    state.escape = char === "u" ? "0000" : ""
    return /["\\/bfnrtu]/.test(char)
  }
  if (state.escape !== "") {
    state.escape = state.escape.slice(1)
    return /[\da-fA-F]/.test(char)
  }
  if (char === "\\") state.escape = "?"
  else if (char === '"')
    return to(state, state.mode === "keyText" ? "colon" : state.open.closer === undefined ? "end" : "after")
  return char >= " "
}
