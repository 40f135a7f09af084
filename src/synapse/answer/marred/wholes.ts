/** Reads answers without outer brackets: values in a row, lines, a single value, or unquoted words. */
import type { Candidate, Found } from "./candidates.ts"
import { afterBlank } from "./scan/Cursor.ts"
import { readLines, readMembers } from "./scan/lines.ts"
import type { Root } from "./align/Root.ts"
import { isNameIn } from "./align/keys.ts"
import type { ObjectShape, Shape } from "./align/Shape.ts"
import { because, type Tree } from "./scan/Tree.ts"
import { readWhole } from "./scan/whole.ts"
import { readElements, readTable } from "./scan/tables.ts"
import { wordOf } from "./scan/words.ts"

/** Joins consecutive values into one list if a list is expected. */
export const joined = ({ shape }: Root, candidates: ReadonlyArray<Candidate>): ReadonlyArray<Candidate> => {
  const [first, ...others] = candidates
  const last = others.at(-1)
  if (shape._tag !== "List" || first === undefined || last === undefined) return candidates
  if (!others.every(({ follows }) => follows) || candidates.some(({ tree }) => tree._tag === "List")) return candidates
  const tree: Tree = { _tag: "List", items: candidates.map((candidate) => candidate.tree), kinds: ["sequence"] }
  return [{ ...first, tree, exact: false, end: last.end }]
}

/** Reads a whole answer, or its only block, without brackets. */
export const unbracketed = (
  root: Root,
  text: string,
  { blocks, from }: Found,
  lossy: boolean
): ReadonlyArray<Candidate> => {
  const answer = text.slice(from)
  const [block, ...moreBlocks] = blocks
  if (moreBlocks.length > 0 || afterBlank(answer, 0) === answer.length) return []
  const inner = block ?? answer
  const tables = readTable(inner, lossy && block === undefined)
  if (tables.length > 0) {
    const [fitting, ...others] = tables.filter((tree) => suits(root.shape, tree))
    return fitting === undefined || others.length > 0
      ? []
      : [{ tree: fitting, exact: false, where: "whole", start: 0, end: text.lastIndexOf("|") + 1, follows: false }]
  }
  const tree =
    alone(answer) ??
    emphasized(root.shape, answer) ??
    readMembers(inner) ??
    readElements(inner) ??
    readLines(inner) ??
    words(root, answer, lossy)
  if (tree === undefined || !isAllOf(root, tree)) return []
  const where = block === undefined ? "whole" : "fence"
  return [{ tree, exact: false, where, start: 0, end: text.length, follows: false }]
}

/** Whether the keys of a table belong to the schema: to an object, a record, or each item of a list. */
const suits = (shape: Shape, tree: Tree): boolean => {
  if (shape._tag === "Union") return shape.members.some((member) => suits(member, tree))
  if (shape._tag === "List") return tree._tag === "List"
  if (shape._tag !== "Object" || tree._tag !== "Fields") return false
  return shape.names.size === 0 || tree.entries.every(([key]) => isNameIn(shape, key))
}

/** Whether the schema has the keys of all lines. A line with another key may continue the text before it. */
const isAllOf = ({ shape, wrapping }: Root, tree: Tree): boolean => {
  if (tree._tag !== "Fields" || !tree.kinds.includes("lines")) return true
  const objects = objectsOf(shape)
  if (objects.length === 0 && tree.entries.length === 1) return true
  return [...objects, ...(wrapping === undefined ? [] : [wrapping])].some(
    (object) => object.others !== undefined || tree.entries.every(([key]) => isNameIn(object, key))
  )
}

const objectsOf = (shape: Shape): ReadonlyArray<ObjectShape> => {
  if (shape._tag === "Union") return shape.members.flatMap(objectsOf)
  if (shape._tag === "Object") return [shape]
  const item = shape._tag === "List" ? shape.itemAt(0) : undefined
  return item === undefined || item._tag === "List" ? [] : objectsOf(item)
}

/** The quoted text or the number that is the whole answer. */
const alone = (answer: string): Tree | undefined => {
  const tree = readWhole(/^\s*`((["'])[\s\S]*\2)`\s*$/.exec(answer)?.[1] ?? answer)
  return tree?._tag === "Bare" ? undefined : tree
}

/**
 * The number or word that is the whole answer, in bold or in an answer tag. If the value is a text, these marks could
 * be meant.
 */
const emphasized = (shape: Shape, answer: string): Tree | undefined => {
  const found = /^\s*(?:\*\*([^*<>\n]+)\*\*|<(answer|final_answer|output|result)>([^*<>]+)<\/\2>)\s*$/i.exec(answer)
  const word = (found?.[1] ?? found?.[3] ?? "").trim()
  if (word === "" || !isScalar(shape) || takesText(shape)) return undefined
  return because(wordOf(word), found?.[1] === undefined ? "tag" : "emphasis")
}

/** Words as the value, if it is a choice or losses are allowed. */
const words = ({ shape, wrapping }: Root, answer: string, lossy: boolean): Tree | undefined => {
  if (wrapping === undefined || !isScalar(shape)) return undefined
  if (!takesText(shape)) return wordOf(answer.trim())
  const text = answer.trim()
  return lossy && !control.test(text) && !refusal.test(text) ? { _tag: "Bare", text, kinds: ["bare-text"] } : undefined
}

// oxlint-disable-next-line no-control-regex
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/
const refusal =
  /^(?:i['’]m (?:very )?sorry|i am sorry|(?:i )?apologi[sz]e|sorry|unfortunately|as an ai|i (?:can['’]t|cannot|can not|won['’]t|am unable|am not able)|i['’]m (?:unable|not able))\b/i

const isScalar = (shape: Shape): boolean =>
  shape._tag === "Union"
    ? shape.members.every(isScalar)
    : shape._tag !== "Object" && shape._tag !== "List" && shape._tag !== "Any"

const takesText = (shape: Shape): boolean =>
  shape._tag === "Union" ? shape.members.some(takesText) : shape._tag === "Text"
