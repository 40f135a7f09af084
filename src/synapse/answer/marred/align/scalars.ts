/** Aligns single values with a schema. */
import { choiceFor, folded } from "./choices.ts"
import { amountOf } from "./amounts.ts"
import { changed, fitting, type Outcome, unfit } from "./Outcome.ts"
import type { Shape } from "./Shape.ts"
import type { Bare, Literal, Numeral, Quoted } from "../scan/Tree.ts"
import { isExact } from "../scan/exact.ts"
import { numberOf } from "../scan/words.ts"

export type Scalar = Quoted | Bare | Numeral | Literal

/** The value if no schema constrains it. */
export const plainScalar = (tree: Scalar): Outcome => {
  if (tree._tag !== "Numeral") return fitting(tree._tag === "Literal" ? tree.value : tree.text, tree.kinds)
  return isExact(tree.text, tree.value)
    ? fitting(tree.value, tree.kinds)
    : unfit(tree.value, tree.kinds, "Expected a number that can be kept exactly")
}

export const scalar = (
  tree: Scalar,
  shape: Exclude<Shape, { readonly _tag: "Any" | "Object" | "List" | "Union" }>,
  lossy: boolean
): Outcome => {
  switch (shape._tag) {
    case "Text":
      return textOf(tree, shape.isFree)
    case "Number":
      return numberFrom(tree, shape, lossy)
    case "Boolean":
      return booleanFrom(tree, lossy)
    case "Null":
      return nullFrom(tree)
    default:
      return choiceFrom(tree, shape.values, lossy)
  }
}

const misfit = (tree: Scalar): Outcome => ({ ...plainScalar(tree), fits: false })

const textOf = (tree: Scalar, isFree: boolean): Outcome => {
  if (tree._tag === "Literal" || (tree._tag === "Numeral" && !(isFree && Number.isFinite(tree.value))))
    return misfit(tree)
  const text = fitting(tree.text, tree._tag === "Numeral" ? [] : tree.kinds)
  return tree._tag === "Numeral" ? changed(text, "text-from-number") : text
}

const numberFrom = (tree: Scalar, shape: Shape & { readonly _tag: "Number" }, lossy: boolean): Outcome => {
  if (tree._tag === "Literal") return misfit(tree)
  if (tree._tag === "Numeral") {
    const plain = plainScalar(tree)
    if (!plain.fits || !shape.isWhole || Number.isInteger(tree.value)) return plain
    return lossy ? changed(fitting(Math.round(tree.value), tree.kinds), "rounded", true) : misfit(tree)
  }
  const text = tree.text.trim()
  const number = numberOf(text)
  if (number !== undefined) {
    if (!isExact(text, number.value)) return unfit(tree.text, tree.kinds, "Expected a number that can be kept exactly")
    if (shape.isWhole && !Number.isInteger(number.value)) return misfit(tree)
    return changed(fitting(number.value, tree.kinds), "number-from-text")
  }
  const amount = lossy ? amountOf(text, shape.maximum) : undefined
  if (amount === undefined || (shape.isWhole && !Number.isInteger(amount.value))) return misfit(tree)
  return changed(fitting(amount.value, tree.kinds), amount.kind, true)
}

const agreed: ReadonlyMap<string, boolean> = new Map([
  ["yes", true],
  ["y", true],
  ["on", true],
  ["1", true],
  ["ja", true],
  ["oui", true],
  ["sí", true],
  ["sì", true],
  ["sim", true],
  ["да", true],
  ["はい", true],
  ["是", true],
  ["no", false],
  ["n", false],
  ["off", false],
  ["0", false],
  ["nein", false],
  ["nee", false],
  ["nej", false],
  ["non", false],
  ["não", false],
  ["нет", false],
  ["いいえ", false],
  ["否", false]
])

const longest = 64

const booleanFrom = (tree: Scalar, lossy: boolean): Outcome => {
  if (tree._tag === "Literal") return tree.value === null ? misfit(tree) : plainScalar(tree)
  const word = tree.text.length > longest ? "" : folded(tree.text)
  if (tree._tag !== "Numeral" && (word === "true" || word === "false")) {
    return changed(fitting(word === "true", tree.kinds), "boolean-from-text")
  }
  const value = lossy ? agreed.get(word) : undefined
  return value === undefined ? misfit(tree) : changed(fitting(value, tree.kinds), "boolean-from-word", true)
}

const nullFrom = (tree: Scalar): Outcome => {
  if (tree._tag === "Literal" && tree.value === null) return plainScalar(tree)
  const isWord = (tree._tag === "Quoted" || tree._tag === "Bare") && /^\s*(?:null|none)\s*$/i.test(tree.text)
  return isWord ? changed(fitting(null, tree.kinds), "null-from-text") : misfit(tree)
}

const choiceFrom = (tree: Scalar, values: ReadonlyArray<unknown>, lossy: boolean): Outcome => {
  const plain = plainScalar(tree)
  if (values.includes(plain.value)) return plain
  const chosen = choiceFor(tree, values, lossy)
  return chosen === undefined ? misfit(tree) : changed(fitting(chosen.value, tree.kinds), chosen.kind, chosen.lossy)
}
