/** Repairs an answer in which one mark is wrong, if the schema leaves only one value. */
import * as Equal from "effect/Equal"
import * as Result from "effect/Result"
import type { Issue } from "../ResponseError.ts"
import { aligner } from "./align/align.ts"
import type { Found } from "./candidates.ts"
import type { Coercion } from "./align/Coercion.ts"
import { type Mended, mendedIn } from "./mend.ts"
import { coercionsOf, loss, problemsOf } from "./align/Outcome.ts"
import { alignRoot, type Root, valuesIn } from "./align/Root.ts"
import { closedIn } from "./closing.ts"
import { isBegun } from "./remains.ts"
import { isWithdrawn } from "./remarks.ts"
import type { Fields, Tree } from "./scan/Tree.ts"
import { isNameIn } from "./align/keys.ts"
import type { Shape } from "./align/Shape.ts"
import { readWhole } from "./scan/whole.ts"

type Decode<A> = (json: unknown) => Result.Result<A, ReadonlyArray<Issue>>

/**
 * The result of a repair.
 *
 * - `One`: all valid repairs give this value
 * - `Several`: they give different values
 * - `Doubtful`: the answer may be one of these values, if the changed marks were not intended
 * - `None`: no repair fits
 */
export type Repaired<A> =
  | { readonly _tag: "One"; readonly value: A; readonly coercions: ReadonlyArray<Coercion> }
  | { readonly _tag: "Doubtful"; readonly values: ReadonlyArray<A> }
  | { readonly _tag: "Several" | "None" }

/** The part of an answer that must contain the value, and whether something after it shows that it is complete. */
interface Region {
  readonly text: string
  readonly isClosed: boolean
}

export const regionOf = (text: string, { blocks, from }: Found): Region | undefined => {
  const [block, ...others] = blocks
  const end = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]")) + 1
  if (others.length > 0 || isWithdrawn(text, end)) return undefined
  const answer = (block ?? text.slice(from)).trim()
  const isClosed = block !== undefined
  if (/^["{[]/.test(answer) && /["\]}]$/.test(answer)) return { text: answer, isClosed }
  const first = answer.search(/[{[]/)
  const last = Math.max(answer.lastIndexOf("}"), answer.lastIndexOf("]"))
  if (first === -1 || last <= first || isBegun(answer, 0, first)) return undefined
  const rest = answer.slice(last + 1)
  return isProse(rest)
    ? { text: answer.slice(first, last + 1), isClosed: isClosed || rest.trim() !== "" }
    : { text: answer.slice(first), isClosed }
}

/**
 * The complete part of a truncated answer. Without lossy changes, only an object that has all keys of its schema and
 * lacks nothing but its bracket.
 */
export const completed = <A>(
  root: Root,
  decode: Decode<A>,
  text: string,
  { blocks, from }: Found,
  lossy: boolean
): Repaired<A> => {
  const start = text.slice(from).search(/[{[]/)
  if (blocks.length > 0 || start === -1) return { _tag: "None" }
  for (const { isWhole, leavesOut, text: closed } of closedIn(text.slice(from + start).trimEnd())) {
    const tree = readWhole(closed)
    const outcome = tree && alignRoot(root, tree, aligner(lossy))
    const isAll = isWhole && tree?._tag === "Fields" && hasAll(tree, root.shape)
    if (leavesOut && outcome !== undefined && coercionsOf(outcome).some(({ kind }) => kind === "wrapper")) continue
    if (outcome?.fits !== true || problemsOf(outcome).length > 0 || (!lossy && !isAll)) continue
    const decoded = decode(outcome.value)
    if (Result.isFailure(decoded)) continue
    const done: Coercion = isAll
      ? { path: [], kind: "missing-bracket", lossy: false }
      : { path: [], kind: "cut-off", lossy: true }
    return { _tag: "One", value: decoded.success, coercions: [done, ...coercionsOf(outcome)] }
  }
  return { _tag: "None" }
}

const hasAll = ({ entries }: Fields, shape: Shape): boolean =>
  shape._tag === "Object" &&
  shape.names.size > 0 &&
  shape.others === undefined &&
  [...shape.names].every((name) => entries.some(([key]) => key === name))

/** Whether the text after a value does not belong to it. */
const isProse = (text: string): boolean =>
  !/["{[]/.test(text) && !/^\s*[,:]/.test(text) && /^(?:\s|[.!?;)*`。！？；）…](?![\p{L}\p{N}])|$)/u.test(text)

interface Fit<A> {
  readonly value: A
  readonly cost: number
  readonly isDoubtful: boolean
  readonly coercions: ReadonlyArray<Coercion>
}

export const repaired = <A>(root: Root, decode: Decode<A>, region: Region, lossy: boolean): Repaired<A> => {
  const fits = (mendedIn(region.text, region.isClosed) ?? []).flatMap((mended) => fitOf(root, decode, mended, lossy))
  const kept = fits.filter(({ cost }) => cost < loss)
  const pool = (kept.length > 0 ? kept : fits).toSorted((a, b) => a.cost - b.cost)
  const [first, ...others] = pool
  const sure = pool.find(({ isDoubtful }) => !isDoubtful)
  if (first === undefined) return { _tag: "None" }
  if (sure === undefined) return { _tag: "Doubtful", values: pool.map(({ value }) => value) }
  if (!others.every(({ value }) => Equal.equals(value, first.value))) return { _tag: "Several" }
  return { _tag: "One", ...sure }
}

/** Changes that are only made to complete answers. */
const reshaping = new Set(["list-from-one", "only-item", "wrapper", "json-in-text"])

const fitOf = <A>(
  root: Root,
  decode: Decode<A>,
  { isDoubtful, kind, text }: Mended,
  lossy: boolean
): ReadonlyArray<Fit<A>> => {
  const tree = readWhole(text)
  const outcome = tree && alignRoot(root, eachOnce(tree), aligner(lossy))
  const decoded = outcome?.fits === true && problemsOf(outcome).length === 0 ? decode(outcome.value) : undefined
  if (tree === undefined || outcome === undefined) return []
  if (decoded === undefined || Result.isFailure(decoded)) {
    // The schema accepts it unchanged, though other keys or members may be meant.
    const asIs = valuesIn(root, JSON.parse(text)).map(decode).find(Result.isSuccess)
    return asIs === undefined ? [] : [{ value: asIs.success, cost: 0, isDoubtful: true, coercions: [] }]
  }
  const coercions = coercionsOf(outcome)
  if (coercions.some(({ kind }) => reshaping.has(kind))) return []
  const done: Coercion = { path: [], kind, lossy: false }
  const hasStrangers = strangersIn(tree, root.shape)
  return [
    {
      value: decoded.success,
      cost: outcome.cost,
      isDoubtful: isDoubtful || hasStrangers,
      coercions: [done, ...coercions]
    }
  ]
}

/** Whether an object has keys that its schema does not name. Such a key may have absorbed a mark. */
const strangersIn = (tree: Tree, shape: Shape | undefined): boolean => {
  if (shape === undefined) return false
  if (shape._tag === "Union")
    return shape.members.length > 0 && shape.members.every((member) => strangersIn(tree, member))
  if (tree._tag === "List") {
    return shape._tag === "List" && tree.items.some((item, i) => strangersIn(item, shape.itemAt(i)))
  }
  if (tree._tag !== "Fields" || shape._tag !== "Object") return false
  return tree.entries.some(([key, value]) =>
    shape.names.has(key) || isNameIn(shape, key)
      ? strangersIn(value, shape.property(key))
      : shape.others === undefined || strangersIn(value, shape.others)
  )
}

/**
 * The tree with duplicate keys kept as duplicates. In a repaired text, the last value of a key does not take
 * precedence.
 */
const eachOnce = (tree: Tree): Tree => {
  if (tree._tag === "List") return { ...tree, items: tree.items.map(eachOnce) }
  if (tree._tag !== "Fields") return tree
  return { ...tree, lastCounts: false, entries: tree.entries.map(([key, value]) => [key, eachOnce(value)] as const) }
}
