/** Finds the value of a schema that a text mentions among other words. */

/** Words that make a mentioned value doubtful: negations, alternatives, conditions, and past states. */
const doubts = new Set(
  `not no non never neither nor none cannot wont dont isnt without except excluding unless unlikely barely hardly
  wrong incorrect false mistaken mistake untrue invalid instead rather than but however although though opposite
  or versus vs either if whether could might may maybe perhaps doubt doubtful was were formerly previously initially
  nicht kein keine falsch nie oder pas faux jamais ou ne nunca ni incorrecto mai sbagliato falso nao não errado
  niet geen fout nej inte ikke`.split(/\s+/)
)

/** Negations in scripts without blanks between words. */
const denials = /n't|[不没沒非错錯誤違]|ない|ません|じゃ/

const wordsOf = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}']+/gu, " ")
    .trim()} `

/** Words after which the value is the conclusion of the sentence. */
const cues = /\s(?:is|be|as|answer|choose|pick|select|say|would) $/

/**
 * The only value that a text mentions, unless another word makes it doubtful. It must stand at the beginning or the end
 * beside a mark, or at the end of a sentence that concludes with it, as in "The answer is ONE".
 */
export const namedIn = (written: string, values: ReadonlyArray<string>): string | undefined => {
  const text = written.replaceAll("’", "'")
  const words = wordsOf(text)
  const found = values.filter((value) => wordsOf(value).trim() !== "" && words.includes(wordsOf(value)))
  const [value] = found
  if (value === undefined || found.length > 1) return undefined
  const name = wordsOf(value)
  const at = words.indexOf(name)
  if (words.indexOf(name, at + 1) !== -1) return undefined
  const before = words.slice(0, at + 1)
  const after = words.slice(at + name.length - 1)
  const others = `${before}${after}`.split(" ")
  if (others.some((word) => doubts.has(word)) || denials.test(before + after)) return undefined
  if (/[?？]\s*$/.test(text)) return undefined
  if (/[は是] $/.test(before) && /^ (?:です )?$/.test(after)) return value
  return (after.trim() === "" && cues.test(before)) || isSetApart(text, name.trim()) ? value : undefined
}

/** Marks that join words if no blank is beside them. */
const joins = /^[-‐‑–_/\\.'&+@#]*$/

/** Whether the text separates the value from its neighbour. */
const isParted = (between: string): boolean => between.trim() !== "" && !joins.test(between)

/** Whether the value has marks rather than words on both sides. `name` has its words with a blank between them. */
const isSetApart = (text: string, name: string): boolean => {
  const words = name.replaceAll(" ", "[^\\p{L}\\p{N}]+")
  const found = new RegExp(`(?<![\\p{L}\\p{N}])${words}(?![\\p{L}\\p{N}])`, "iu").exec(text)
  if (found === null) return false
  const before = text.slice(0, found.index)
  const after = text.slice(found.index + found[0].length)
  const left = /[^\p{L}\p{N}]*$/u.exec(before)?.[0] ?? ""
  const right = /^[^\p{L}\p{N}]*/u.exec(after)?.[0] ?? ""
  return (left === before || isParted(left)) && (right === after || isParted(right))
}
