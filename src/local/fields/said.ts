/** Reads choices and flags that a text states in words: "Priority: high", "[WARN]", "fully remote". */
import { negated } from "../mind/evidence.ts"
import { type Field, wordsOf } from "../mind/field.ts"
import { labelledFor } from "../language/labelled.ts"
import { literally } from "../language/literally.ts"
import { contentOf } from "../language/nearby.ts"
import type { Passage } from "../mind/meaning.ts"

const says = (text: string, option: string, flags: string): boolean =>
  new RegExp(String.raw`(?<![\p{L}\d])${literally(option)}(?![\p{L}\d])`, flags).test(text)

/** The option that a text names. Undefined if it names several, or does not name any. */
const onlyIn = (text: string, options: ReadonlyArray<string>, flags = "iu"): string | undefined => {
  const named = options.filter((option) => says(text, option, flags) || says(text, wordsOf(option), flags))
  return named.length === 1 ? named[0] : undefined
}

const isShouted = (text: string): boolean => !/\p{Ll}/u.test(text)

/**
 * The option that a text names for a field: after its label, in capitals as in a log, or beside the words of the field. An option that is
 * only mentioned is not chosen.
 */
export const saidOption = ({ text }: Passage, options: ReadonlyArray<string>, field: Field): string | undefined => {
  const label = labelledFor(text, field.words)
  const labelled = label === undefined ? undefined : onlyIn(label.text, options)
  if (labelled !== undefined) return labelled
  const capitals = options.filter((option) => option.length > 2 && says(text, option.toUpperCase(), "u"))
  if (capitals.length === 1 && !isShouted(text)) return capitals[0]
  const beside = options.filter((option) =>
    [`${option} ${field.words}`, `${field.words} is ${option}`, `${field.words} ${option}`].some((said) =>
      says(text, said, "iu")
    )
  )
  return beside.length === 1 && !negated(text) ? beside[0] : undefined
}

const yes = /^(?:yes|true|y)\b/iu
const no = /^(?:no|false|n|not|none)\b/iu

/** What a text says of a yes-or-no field: after its label, or in a sentence with its words. Axes of meaning judge the rest. */
export const saidFlag = ({ sentences, text }: Passage, field: Field, share: number): boolean | undefined => {
  const label = labelledFor(text, field.words)
  if (label !== undefined && yes.test(label.text)) return true
  if (label !== undefined && no.test(label.text)) return false
  const words = contentOf(field.words)
  if (words.length === 0 || share > 0.5 || field.description !== undefined) return undefined
  const saying = sentences.filter((sentence) => {
    const said = contentOf(sentence)
    return !sentence.trimEnd().endsWith("?") && words.every((word) => said.includes(word))
  })
  return saying.length === 0 ? undefined : saying.some((sentence) => !negated(sentence))
}
