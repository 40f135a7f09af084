/** Aligns what was read with the schema. Changes only what does not fit, and only if that leaves no doubt. */
import { inText, leavesOut, onlyItem, toList, wrapped } from "./alternatives.ts"
import { deepest, tooDeep } from "../scan/json.ts"
import { objectFrom } from "./objects.ts"
import { type Align, around, loss, mayFit, type Outcome, unfit } from "./Outcome.ts"
import { plainScalar, scalar } from "./scalars.ts"
import type { ListShape, Shape } from "./Shape.ts"
import type { Fields, List, Tree } from "../scan/Tree.ts"

/**
 * How deep values are followed: one alternative for each level. Texts that hold JSON are deeper than their surroundings,
 * and the stack has room for no more than twice as much.
 */
const deepestTries = 2 * deepest

/** Aligns trees with shapes, each pair only once. Makes lossy changes only if allowed. */
export const aligner = (lossy: boolean): Align => {
  const known = new Map<Shape, WeakMap<Tree, Outcome>>()
  let depth = 0

  const align: Align = (tree, shape) => {
    const ofShape = known.get(shape) ?? new WeakMap<Tree, Outcome>()
    const before = ofShape.get(tree)
    if (before !== undefined) return before
    if (depth >= deepestTries) return unfit(undefined, [], tooDeep)
    depth++
    const outcome =
      shape._tag === "Any" ? plain(tree) : shape._tag === "Union" ? union(tree, shape.members) : one(tree, shape)
    depth--
    known.set(shape, ofShape.set(tree, outcome))
    return outcome
  }

  const one = (tree: Tree, shape: Exclude<Shape, { readonly _tag: "Any" | "Union" }>): Outcome => {
    const direct = directly(tree, shape)
    if (mayFit(direct)) return direct
    const other =
      inText(tree, shape, align) ??
      onlyItem(tree, shape, align) ??
      wrapped(tree, shape, align) ??
      toList(tree, shape, align) ??
      direct
    return other.isDoubtful === true ? { ...direct, isDoubtful: true, cost: other.cost, left: other.left ?? [] } : other
  }

  const directly = (tree: Tree, shape: Exclude<Shape, { readonly _tag: "Any" | "Union" }>): Outcome => {
    if (tree._tag === "Fields") return shape._tag === "Object" ? objectFrom(tree, shape, align) : misfit(tree)
    if (tree._tag === "List") return shape._tag === "List" ? listFrom(tree, shape) : misfit(tree)
    return shape._tag === "Object" || shape._tag === "List" ? misfit(tree) : scalar(tree, shape, lossy)
  }

  /**
   * A tree that does not match the shape. A long list is not passed to a decoder, which would need memory for all of
   * it.
   */
  const misfit = (tree: Tree): Outcome =>
    tree._tag === "List" && tree.items.length > shown
      ? unfit([], tree.kinds, "Expected another value than a long list")
      : { ...plain(tree), fits: false }

  const listFrom = (tree: List, shape: ListShape): Outcome => {
    const parts = tree.items.map((item, i) => align(item, shape.itemAt(i) ?? nothing))
    // An item beside rows may belong to a row that lost its brackets.
    const hasRows = tree.items.some(({ _tag }) => _tag === "List")
    const isMixed = hasRows && tree.items.some(({ _tag }, i) => _tag !== "List" && shape.itemAt(i)?._tag === "List")
    const all = together(parts, tree)
    const mayBe =
      !isMixed && tree.items.length >= shape.atLeast && tree.items.every((_, i) => shape.itemAt(i) !== undefined)
    return {
      ...all,
      ...(isMixed && { problem: "Expected only lists, or no lists" }),
      fits: mayBe && all.fits,
      isDoubtful: mayBe && all.isDoubtful === true
    }
  }

  const plain = (tree: Tree): Outcome => {
    if (tree._tag === "Fields") return objectFrom(tree, open, align)
    return tree._tag === "List"
      ? together(
          tree.items.map((item) => align(item, nothing)),
          tree
        )
      : plainScalar(tree)
  }

  /**
   * The member that fits without changes, otherwise the only one that fits with changes. A doubt about one of them is a
   * doubt about the union. A member is not found inside an object that may be another one.
   */
  const union = (tree: Tree, members: ReadonlyArray<Shape>): Outcome => {
    const outcomes = members.map((member) => align(tree, member))
    const asIs = outcomes.find(({ cost, fits }) => fits && cost === 0)
    if (asIs !== undefined) return asIs
    const readings = outcomes.filter(
      (outcome, i) => mayFit(outcome) && !members.some((other, j) => i !== j && leavesOut(outcome, other))
    )
    const cheap = readings.filter(({ cost }) => cost < loss)
    const best = cheap.length > 0 ? cheap : readings
    const [first] = best
    if (first === undefined) return outcomes.find(({ problem }) => problem !== undefined) ?? misfit(tree)
    if (best.length === 1 || areSame(best)) return first
    const doubt = unfit(plain(tree).value, [], "Expected a value that can be read in one way only")
    return { ...doubt, isDoubtful: true, cost: Math.min(...best.map(({ cost }) => cost)) }
  }

  return align
}

/** The longest list that is decoded if the schema has no list. */
const shown = 100

const nothing: Shape = { _tag: "Any" }

const open: Shape & { readonly _tag: "Object" } = {
  _tag: "Object",
  names: new Set(),
  property: () => undefined,
  required: new Set(),
  others: nothing
}

const together = (parts: ReadonlyArray<Outcome>, tree: List | Fields): Outcome => {
  const left = parts.flatMap((part) => part.left ?? [])
  return around(
    {
      value: parts.map(({ value }) => value),
      fits: parts.every(({ fits }) => fits),
      isDoubtful: parts.every(mayFit) && !parts.every(({ fits }) => fits),
      cost: parts.reduce((sum, { cost }) => sum + cost, 0),
      done: [],
      parts: parts.map((part, i) => [String(i), part] as const),
      ...(left.length > 0 && { left })
    },
    tree.kinds
  )
}

/** Whether all outcomes fit and have the same value. */
const areSame = ([first, ...others]: ReadonlyArray<Outcome>): boolean => {
  if (first?.fits !== true) return false
  const value = JSON.stringify(first.value)
  return others.every((other) => other.fits && JSON.stringify(other.value) === value)
}
