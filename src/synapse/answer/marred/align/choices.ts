/** Finds the value of a schema that is meant by another spelling. */
import type { Quoted, Bare, Literal, Numeral } from "../scan/Tree.ts"
import { namedIn } from "../scan/named.ts"
import { numberOf } from "../scan/words.ts"

export interface Choice {
  readonly value: unknown
  readonly kind: string
  readonly lossy: boolean
}

/** The text in lower case, without marks around it and signs between its words. Numbers stay separate. */
export const folded = (text: string): string =>
  text
    .trim()
    .replace(/^["'`*“”‘’]+|["'`*“”‘’.!,;:]+$/g, "")
    .trim()
    .toLowerCase()
    .replaceAll(/(?<=\p{L})[\s_-]+(?=[\p{L}\p{N}])|(?<=\p{N})[\s_-]+(?=\p{L})/gu, "")
    .replaceAll(/(?<=\p{N})[\s_-]+(?=\p{N})/gu, " ")

const longest = 256

/** The value that is meant, if there is exactly one. */
export const choiceFor = (
  tree: Quoted | Bare | Numeral | Literal,
  values: ReadonlyArray<unknown>,
  lossy: boolean
): Choice | undefined => {
  if (tree.text.length > longest) return undefined
  const word = folded(tree.text)
  if (word === "") return undefined
  const texts = values.filter((value) => typeof value === "string")
  if (tree._tag === "Quoted" || tree._tag === "Bare") {
    const same = only(texts.filter((value) => folded(value) === word))
    if (same !== undefined) return { value: same, kind: "enum-case", lossy: false }
    const number = numberOf(tree.text.trim())
    if (number !== undefined && values.includes(number.value)) {
      return { value: number.value, kind: "number-from-text", lossy: false }
    }
    if (word === "true" || word === "false") {
      const value = word === "true"
      return values.includes(value) ? { value, kind: "boolean-from-text", lossy: false } : undefined
    }
  } else if (tree._tag === "Numeral") {
    const same = only(texts.filter((value) => value === tree.text))
    if (same !== undefined) return { value: same, kind: "text-from-number", lossy: false }
  }
  const near =
    lossy && !tree.kinds.includes("inner-quote")
      ? (namedIn(tree.text, texts) ?? only(texts.filter((value) => isNear(folded(value), word))))
      : undefined
  return near === undefined ? undefined : { value: near, kind: "enum-near", lossy: true }
}

const only = <A>(found: ReadonlyArray<A>): A | undefined => (found.length === 1 ? found[0] : undefined)

/** The numbers in a text. A different digit makes another value and is not a typing error. */
const digitsOf = (text: string): string => text.replaceAll(/\P{N}+/gu, " ").trim()

/** Whether two words differ in one letter that is missing, extra, replaced, or swapped with the next one. */
const isNear = (one: string, other: string): boolean => {
  if (Math.min(one.length, other.length) < 4 || Math.abs(one.length - other.length) > 1) return false
  if (digitsOf(one) !== digitsOf(other)) return false
  let i = 0
  while (i < one.length && one[i] === other[i]) i++
  const rest = (text: string, skip: number) => text.slice(i + skip)
  return (
    rest(one, 1) === rest(other, 1) ||
    rest(one, 1) === rest(other, 0) ||
    rest(one, 0) === rest(other, 1) ||
    (one[i] === other[i + 1] && one[i + 1] === other[i] && rest(one, 2) === rest(other, 2))
  )
}
