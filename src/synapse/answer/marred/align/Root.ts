/** The shape of a whole answer, which may be wrapped in an object because providers demand objects. */
import { type Align, around, changed, type Outcome } from "./Outcome.ts"
import { isAnswer, isGuessed, isNoAnswer, isOneOfTexts } from "./alternatives.ts"
import { isNamed, isNameIn } from "./keys.ts"
import { type ObjectShape, type Shape, shapeOf } from "./Shape.ts"
import type { Tree } from "../scan/Tree.ts"

export interface Root {
  readonly shape: Shape
  /** The object around the value, with the value under `"value"`. */
  readonly wrapping: ObjectShape | undefined
}

const key = "value"

/** The root that the JSON Schema of an answer describes. */
export const rootOf = (jsonSchema: { readonly [key: string]: unknown }, isWrapped: boolean): Root => {
  const shape = shapeOf(jsonSchema)
  const inner = isWrapped && shape._tag === "Object" ? shape.property(key) : undefined
  return inner === undefined || shape._tag !== "Object"
    ? { shape, wrapping: undefined }
    : { shape: inner, wrapping: shape }
}

/**
 * The values that JSON may stand for, the most likely one first: the content of the wrapping, or the bare value. An
 * object with keys besides `value` is rather a bare value, and certainly one if the schema names such a key.
 */
export const valuesIn = ({ shape, wrapping }: Root, json: unknown): ReadonlyArray<unknown> => {
  if (wrapping === undefined || typeof json !== "object" || json === null || !Object.hasOwn(json, key)) return [json]
  const { value } = json as { readonly value: unknown }
  const keys = Object.keys(json)
  if (keys.length === 1) return [value, json]
  return keys.some((name) => name !== key && isNamed(shape, name)) ? [json] : [json, value]
}

/** Aligns an answer and unwraps its value. */
export const alignRoot = ({ shape, wrapping }: Root, tree: Tree, align: Align): Outcome => {
  if (wrapping === undefined) return align(tree, shape)
  const bare = align(tree, shape)
  const isOwn = tree._tag === "Fields" && tree.entries.some(([name]) => name !== key && isNamed(shape, name))
  const inside = isOwn ? undefined : opened(align(tree, wrapping))
  const isAlone = tree._tag === "Fields" && tree.entries.length === 1
  if (inside?.fits === true && (!bare.fits || inside.cost < bare.cost || (inside.cost === bare.cost && isAlone))) {
    return inside
  }
  if (bare.fits) return bare
  const [only] = tree._tag === "Fields" && tree.entries.length === 1 ? tree.entries : []
  const held =
    only === undefined || isOwn || isGuessed(tree) || !mayHold(only[0], shape, only[1])
      ? undefined
      : align(only[1], shape)
  if (held?.fits === true) return changed(around(held, tree.kinds), "wrapper")
  const isWrapped = tree._tag === "Fields" && tree.entries.some(([name]) => isNameIn(wrapping, name))
  return isWrapped ? (inside ?? bare) : bare
}

/** Whether the key can belong to a wrapper. If any text fits the shape, the key must name an answer. */
const mayHold = (name: string, shape: Shape, value: Tree): boolean =>
  takesText(shape) || isOneOfTexts(value, shape) ? isAnswer(name) : !isNoAnswer(name)

const takesText = (shape: Shape): boolean =>
  shape._tag === "Text" || (shape._tag === "Union" && shape.members.some(takesText))

const opened = (outcome: Outcome): Outcome | undefined => {
  const inner = outcome.parts.find(([name]) => name === key)?.[1]
  return inner === undefined ? undefined : { ...inner, cost: outcome.cost, done: [...outcome.done, ...inner.done] }
}
