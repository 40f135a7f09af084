/** The value that a schema asks for, with the changes that led to it, part by part. */
import type { Issue } from "../../ResponseError.ts"
import type { Coercion } from "./Coercion.ts"
import type { Tree } from "../scan/Tree.ts"
import type { Shape } from "./Shape.ts"

export interface Outcome {
  readonly value: unknown
  /** Whether the value matches the schema, apart from its limits. */
  readonly fits: boolean
  /** Whether the value matches the schema in several ways, so that it is unclear which one is meant. Then it does not fit. */
  readonly isDoubtful?: boolean
  /** The keys that were left out to reach the value, for each object around it. */
  readonly left?: ReadonlyArray<ReadonlyArray<string>>
  /** How much was changed. One loss costs more than all other changes together. */
  readonly cost: number
  /** The changes to this value itself. */
  readonly done: ReadonlyArray<{ readonly kind: string; readonly lossy: boolean }>
  /** Why the value cannot be used, if the decoder would not find out. */
  readonly problem?: string
  readonly parts: ReadonlyArray<readonly [part: string, outcome: Outcome]>
}

/** The cost of a loss. */
export const loss = 1_000_000

const noParts: Outcome["parts"] = []

const as = (kinds: ReadonlyArray<string>) =>
  kinds.map((kind) => ({ kind, lossy: kind === "bare-text" || kind === "cut-off" }))

export const fitting = (value: unknown, kinds: ReadonlyArray<string>): Outcome => ({
  value,
  fits: true,
  cost: 0,
  done: as(kinds),
  parts: noParts
})

export const unfit = (value: unknown, kinds: ReadonlyArray<string>, problem?: string): Outcome => ({
  value,
  fits: false,
  cost: 0,
  done: as(kinds),
  parts: noParts,
  ...(problem === undefined ? {} : { problem })
})

/** Whether there is a reading of the value, or several between which there is a doubt. */
export const mayFit = ({ fits, isDoubtful }: Outcome): boolean => fits || isDoubtful === true

/** The outcome with one more change to its value. */
export const changed = (outcome: Outcome, kind: string, lossy = false): Outcome => ({
  ...outcome,
  cost: outcome.cost + (lossy ? loss : 1),
  done: [...outcome.done, { kind, lossy }]
})

/** The outcome with changes to the text around it. */
export const around = (outcome: Outcome, kinds: ReadonlyArray<string>): Outcome =>
  kinds.length === 0 ? outcome : { ...outcome, done: [...as(kinds), ...outcome.done] }

/** The maximum number of reports of one kind. The thousands of parts of a large answer are all alike. */
const most = 100

/** All changes, with their paths. */
export const coercionsOf = (outcome: Outcome): ReadonlyArray<Coercion> => {
  const found: Array<Coercion> = []
  const counts = new Map<string, number>()
  walk(outcome, [], ({ done }, path) => {
    for (const { kind, lossy } of done) {
      const count = (counts.get(kind) ?? 0) + 1
      counts.set(kind, count)
      if (count <= most) found.push({ path: [...path], kind, lossy })
    }
  })
  return found
}

/** All problems, with their paths. */
export const problemsOf = (outcome: Outcome): ReadonlyArray<Issue> => {
  const found: Array<Issue> = []
  walk(outcome, [], ({ problem }, path) => {
    if (problem !== undefined && found.length < most) found.push({ path: [...path], message: problem })
  })
  return found
}

const walk = (outcome: Outcome, path: Array<string>, visit: (outcome: Outcome, path: Array<string>) => void): void => {
  visit(outcome, path)
  for (const [part, inner] of outcome.parts) {
    path.push(part)
    walk(inner, path, visit)
    path.pop()
  }
}

/** Aligns a tree with a shape. */
export type Align = (tree: Tree, shape: Shape) => Outcome
