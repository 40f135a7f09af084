/** Alternative readings of a value that does not fit. */
import { type Align, around, changed, mayFit, type Outcome } from "./Outcome.ts"
import { isNamed, isNameIn } from "./keys.ts"
import type { Shape } from "./Shape.ts"
import type { Fields, Tree } from "../scan/Tree.ts"
import { readWhole } from "../scan/whole.ts"

/** Reads an object or a list from a text that contains its JSON. */
export const inText = (tree: Tree, shape: Shape, align: Align): Outcome | undefined => {
  if (tree._tag !== "Quoted" || (shape._tag !== "Object" && shape._tag !== "List")) return undefined
  if (!/^\s*[{["]/.test(tree.text)) return undefined
  const inner = readWhole(tree.text)
  return inner === undefined ? undefined : whenFit(align(inner, shape), tree, "json-in-text")
}

/** Takes the only item of a list if a single value is expected. */
export const onlyItem = (tree: Tree, shape: Shape, align: Align): Outcome | undefined => {
  if (isGuessed(tree)) return undefined
  const [item] = tree._tag === "List" && tree.items.length === 1 && shape._tag !== "List" ? tree.items : []
  return item === undefined ? undefined : whenFit(align(item, shape), tree, "only-item")
}

/** Whether the tree has the brackets of another shape. Then it is only read as that shape. */
export const isGuessed = (tree: Tree): boolean => tree.kinds.includes("wrong-bracket")

/** Wraps a single value in a list if a list is expected. */
export const toList = (tree: Tree, shape: Shape, align: Align): Outcome | undefined => {
  if (shape._tag !== "List" || tree._tag === "List" || shape.atLeast > 1 || isGuessed(tree)) return undefined
  const wanted = shape.itemAt(0)
  if (wanted === undefined || wanted._tag === "Any") return undefined
  const item = align(tree, wanted)
  if (!mayFit(item) || item.value === null) return undefined
  if (typeof item.value === "string" && wanted._tag !== "OneOf" && isListing(item.value)) return undefined
  const keys = tree._tag === "Fields" ? tree.entries.map(([key]) => key).filter((key) => !isNamed(wanted, key)) : []
  const list = { ...item, done: [], value: [item.value], parts: [["0", item]] } as const
  return changed(keys.length === 0 ? list : leaving(keys, list), "list-from-one")
}

/** Whether the text may list several values or say that there are none. A sentence does neither. */
const isListing = (text: string): boolean =>
  /[\r\n•]|^\s*[[{]|^\s*(?:[-*]|\d{1,4}[.)])\s/.test(text) ||
  (/[,;|，；、]/.test(text) && !isSentence(text)) ||
  /^(?:none|null|nil|n ?a|nothing|empty|undefined|not applicable)?$/i.test(
    text.replaceAll(/[^\p{L}\p{N}\p{S}]+/gu, " ").trim()
  )

/**
 * Whether the text is a sentence: it ends like one, and has more than the short words of a listing between two commas.
 */
const isSentence = (text: string): boolean =>
  /[.!?]["')\]”’]?\s*$/.test(text.slice(-16)) &&
  text.split(/[,;|，；、]/).some((part) => part.trim().split(/\s+/).length > 2)

/**
 * Unwraps an object such as `{ "result": … }` if exactly one of its values fits and no other resembles it. The outcome is
 * doubtful if there are several.
 */
export const wrapped = (tree: Tree, shape: Shape, align: Align): Outcome | undefined => {
  if (tree._tag !== "Fields" || (shape._tag !== "Object" && shape._tag !== "List") || isGuessed(tree)) return undefined
  const item = shape._tag === "List" ? shape.itemAt(0) : undefined
  // An item that has a list of items is one item, not a wrapper of that list.
  if (item?._tag === "Object" && item.names.size > 0 && mayFit(align(tree, item))) return undefined
  const isCall = isCallIn(tree)
  const inners = isCall ? tree.entries.filter(([key]) => isArguments(key)) : tree.entries
  if (!isCall && shape._tag === "Object" && inners.some(([key]) => isNameIn(shape, key))) return undefined
  if (!isCall && shape._tag === "Object" && shape.others !== undefined && inners.length > 1) return undefined
  const named = item === undefined || isCall ? [] : inners.filter(([key]) => isNamed(item, key))
  const held = inners
    .filter(([key, inner]) => isCall || (isOneOfTexts(inner, shape) ? isAnswer(key) : !isNoAnswer(key)))
    .map(([, inner]) => inner)
    .filter((inner) => inner._tag === "Fields" || inner._tag === "List" || inner._tag === "Quoted")
  const found = held.map((inner) => align(inner, shape))
  const readings = found.filter(mayFit)
  const [only] = readings
  if (only === undefined) return undefined
  // An object with another key of an item is an item that does not fit.
  if (named.some(([, inner]) => inner !== held[found.indexOf(only)])) return undefined
  const isOne = readings.length === 1 && !held.some((inner, i) => found[i] !== only && resembles(inner, shape))
  const inner = leaving(
    inners.map(([key]) => key),
    only
  )
  return whenFit(isOne ? inner : { ...inner, fits: false, isDoubtful: true }, tree, "wrapper")
}

/** The outcome with the keys that were left out around it. */
const leaving = (keys: ReadonlyArray<string>, outcome: Outcome): Outcome => ({
  ...outcome,
  left: [keys, ...(outcome.left ?? [])]
})

/** Whether the outcome leaves out keys that an object of this shape may have. */
export const leavesOut = ({ left }: Outcome, shape: Shape): boolean =>
  left !== undefined &&
  shape._tag === "Object" &&
  left.some((keys) => keys.some((key) => isNameIn(shape, key)) || (shape.others !== undefined && !isWrapper(keys)))

/** Whether an object with these keys cannot be a record. */
const isWrapper = ([key, ...others]: ReadonlyArray<string>): boolean =>
  key !== undefined && others.length === 0 && isAnswer(key)

/** Whether a value is one text where a list of texts is expected, so that any text fits. */
export const isOneOfTexts = (value: Tree, shape: Shape): boolean =>
  value._tag !== "List" && shape._tag === "List" && shape.itemAt(0)?._tag === "Text"

const noAnswers = new Set(
  `error errors example examples sample counterexample counterexamples placeholder dummy schema template
  format input draft original initial previous prior before old not no non never without incorrect
  invalid wrong bad false failed rejected discarded alternative hypothetical thought thoughts thinking
  scratchpad refusal refused reason question apology clarifying clarification warning proto prototype constructor`.split(
    /\s+/
  )
)

const answers = new Set(
  `answer answers result results value values output outputs response reply text content data string final
  completion return translation summary`.split(/\s+/)
)

const wordsOf = (key: string): ReadonlyArray<string> =>
  key
    .replaceAll(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{L})(?=\p{N})/gu, " ")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)

/** Whether the words of a key name something other than an answer. */
export const isNoAnswer = (key: string): boolean => wordsOf(key).some((word) => noAnswers.has(word))

/** Whether the words of a key name an answer and nothing else. */
export const isAnswer = (key: string): boolean => !isNoAnswer(key) && wordsOf(key).some((word) => answers.has(word))

const isArguments = (key: string): boolean => /^(?:arguments|parameters|args|input)$/i.test(key)

const isCallIn = ({ entries }: Fields): boolean =>
  entries.some(([key]) => key === "name") &&
  entries.filter(([key]) => isArguments(key)).length === 1 &&
  entries.every(([key]) => isArguments(key) || /^(?:name|type|id|call_id)$/.test(key))

/** Whether the value resembles another attempt at the answer, or a part of one. */
export const resembles = (tree: Tree, shape: Shape): boolean => {
  if (shape._tag === "Union") return shape.members.some((member) => resembles(tree, member))
  if (shape._tag === "List") return tree._tag === "List"
  return shape._tag === "Object" && tree._tag === "Fields" && tree.entries.some(([key]) => isNameIn(shape, key))
}

const whenFit = (outcome: Outcome, from: Tree, kind: string): Outcome | undefined =>
  mayFit(outcome) ? changed(around(outcome, from.kinds), kind) : undefined
