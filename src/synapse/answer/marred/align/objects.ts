/** Aligns objects with a schema. */
import { type Align, around, changed, fitting, mayFit, type Outcome, unfit } from "./Outcome.ts"
import { renamedBy, respelledIn } from "./keys.ts"
import type { ObjectShape } from "./Shape.ts"
import type { Fields, Tree } from "../scan/Tree.ts"

interface Values {
  readonly tree: Tree
  readonly others: Array<Tree>
}

/** Groups the values by key. */
const valuesOf = (fields: Fields): ReadonlyMap<string, Values> => {
  const values = new Map<string, Values>()
  for (const [key, tree] of fields.entries) {
    const before = fields.lastCounts ? undefined : values.get(key)
    if (before === undefined) values.set(key, { tree, others: [] })
    else before.others.push(tree)
  }
  return values
}

export const objectFrom = (fields: Fields, shape: ObjectShape, align: Align): Outcome => {
  const values = valuesOf(fields)
  const renamed = renamedBy([...values.keys()], shape)
  const respelled = respelledIn([...values.keys()], shape)
  const parts: Array<readonly [string, Outcome]> = []
  const present = new Set<string>()
  let cost = 0
  let fits = true
  let isRead = true
  for (const [key, { others, tree }] of values) {
    const name = renamed.get(key) ?? key
    const inner = shape.property(name)
    const wanted = inner ?? shape.others
    if (wanted === undefined) {
      parts.push([key, ignored(align(tree, { _tag: "Any" }))])
      continue
    }
    const own = align(tree, wanted)
    const isAbsent = !own.fits && tree._tag === "Literal" && tree.value === null && !shape.required.has(name)
    const spellings = (respelled.get(key) ?? []).flatMap((spelling) => {
      const found = values.get(spelling)
      return found === undefined ? [] : [found.tree, ...found.others]
    })
    const same = [...others, ...spellings].every((other) => sameValue(align(other, wanted), own))
    const kept = isAbsent && inner !== undefined ? changed(fitting(undefined, tree.kinds), "null-dropped") : own
    const unique = same ? kept : unfit(kept.value, [], "Expected one value, not several that differ")
    const part = name === key ? unique : changed(unique, "key-case")
    const final = others.length > 0 && same ? around(part, ["duplicate-key"]) : part
    present.add(name)
    cost += final.cost
    fits &&= final.fits
    isRead &&= mayFit(final)
    parts.push([name, final])
  }
  const isWhole = [...shape.required].every((name) => present.has(name))
  const value = Object.fromEntries(
    parts.filter(([, part]) => part.value !== undefined).map(([name, part]) => [name, part.value])
  )
  return around(
    { value, fits: fits && isWhole, isDoubtful: !fits && isRead && isWhole, cost, done: [], parts },
    fields.kinds
  )
}

/** An outcome without its problems, for keys that the decoder ignores. */
const ignored = (outcome: Outcome): Outcome => fitting(outcome.value, [])

const sameValue = (one: Outcome, other: Outcome): boolean =>
  one.fits === other.fits && JSON.stringify(one.value) === JSON.stringify(other.value)
