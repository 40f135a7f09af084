/** Aligns what was read with the schema. Changes only what does not fit, and only if that leaves no doubt. */
import { inText, onlyItem, toList, wrapped } from "./alternatives.ts"
import { deepest, tooDeep } from "../scan/json.ts"
import { objectFrom } from "./objects.ts"
import { type Align, around, loss, type Outcome, unfit } from "./Outcome.ts"
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
    if (direct.fits) return direct
    const others = [inText, onlyItem, wrapped]
      .map((take) => take(tree, shape, align))
      .filter((outcome) => outcome !== undefined)
    return theOne(others) ?? (others.length === 0 ? toList(tree, shape, align) : undefined) ?? direct
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
    return {
      ...together(parts, tree),
      ...(isMixed && { problem: "Expected only lists, or no lists" }),
      fits:
        !isMixed &&
        tree.items.length >= shape.atLeast &&
        parts.every((part, i) => part.fits && shape.itemAt(i) !== undefined)
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

  /** The member that fits without changes, otherwise the only one that fits with changes. */
  const union = (tree: Tree, members: ReadonlyArray<Shape>): Outcome => {
    const outcomes = members.map((member) => align(tree, member))
    const fits = outcomes.filter((outcome) => outcome.fits)
    const asIs = fits.find(({ cost }) => cost === 0)
    if (asIs !== undefined) return asIs
    const cheap = fits.filter(({ cost }) => cost < loss)
    const best = theOne(cheap.length > 0 ? cheap : fits)
    if (best !== undefined) return best
    if (fits.length > 0) return unfit(plain(tree).value, [], "Expected a value that can be read in one way only")
    return outcomes.find(({ problem }) => problem !== undefined) ?? misfit(tree)
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

const together = (parts: ReadonlyArray<Outcome>, tree: List | Fields): Outcome =>
  around(
    {
      value: parts.map(({ value }) => value),
      fits: parts.every(({ fits }) => fits),
      cost: parts.reduce((sum, { cost }) => sum + cost, 0),
      done: [],
      parts: parts.map((part, i) => [String(i), part] as const)
    },
    tree.kinds
  )

/** The first of the outcomes, if all have the same value. */
const theOne = (outcomes: ReadonlyArray<Outcome>): Outcome | undefined => {
  const [first, ...others] = outcomes
  if (first === undefined || others.length === 0) return first
  const value = JSON.stringify(first.value)
  return others.every((other) => JSON.stringify(other.value) === value) ? first : undefined
}
