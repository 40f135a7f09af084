/** Branches as they are declared: a list of steps, or steps by name. */
import type * as Step from "../Step.ts"
import { named } from "./step.ts"

/** A list of steps, or steps by the names of the branches. */
export type Branches = readonly [Step.Any, ...ReadonlyArray<Step.Any>] | Readonly<Record<string, Step.Any>>

/** Any of the steps. */
export type StepsOf<B> = B extends ReadonlyArray<infer S> ? S : B[keyof B]

type Names<B> = B extends ReadonlyArray<unknown> ? Exclude<keyof B, keyof ReadonlyArray<unknown>> : keyof B

/** Keys that a branch writes, as far as its type knows them. */
type KeysOf<B, N extends keyof B> = N extends keyof B
  ? string extends keyof Step.Out<B[N]>
    ? never
    : keyof Step.Out<B[N]>
  : never

/** Keys that more than one branch writes, or a branch and the step itself. */
type Shared<B, K = never> = {
  [N in Names<B>]: KeysOf<B, N & keyof B> & (K | KeysOf<B, Exclude<Names<B>, N> & keyof B>)
}[Names<B>]

/** Refuses branches of which two write the same note. */
export type Unshared<B, K = never> = [Shared<B, K>] extends [never]
  ? unknown
  : { readonly "two branches write the same note": Shared<B, K> }

/** The branches as steps that have the names of the branches. Throws, naming the step, when there is none or a name is twice. */
export const branchesOf = (step: string, branches: Branches, kind = "branch"): ReadonlyArray<Step.Any> => {
  const steps = Array.isArray(branches)
    ? (branches as ReadonlyArray<Step.Any>)
    : Object.entries(branches as Readonly<Record<string, Step.Any>>).map(([name, one]) => named(name, kind, one))
  const names = steps.map(({ name }) => name)
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (names.length === 0) throw new Error(`The step ${JSON.stringify(step)} needs at least one branch.`)
  if (twice !== undefined) {
    throw new Error(`The step ${JSON.stringify(step)} has two branches named ${JSON.stringify(twice)}.`)
  }
  return steps
}

/** Throws when the number of branches that must succeed, or that may run at once, is none. */
export const checkCounts = (
  step: string,
  branches: number,
  minSuccesses: number,
  concurrency: number | "unbounded"
): void => {
  const refuse = (what: string): never => {
    throw new Error(`The step ${JSON.stringify(step)} ${what}`)
  }
  if (!Number.isInteger(minSuccesses) || minSuccesses < 1 || minSuccesses > branches) {
    refuse(`needs a minSuccesses from 1 to ${branches}, the number of its branches.`)
  }
  if (concurrency !== "unbounded" && !(Number.isInteger(concurrency) && concurrency >= 1)) {
    refuse(`needs a concurrency from 1, or "unbounded".`)
  }
}

/** Throws when a branch goes over to another thought, whose notes could not be put together with the others'. */
export const refuseOnward = (step: string, branches: ReadonlyArray<Step.Any>): void => {
  for (const { name, node } of branches) {
    const away = onwardIn(node)
    if (away === undefined) continue
    throw new Error(
      `The step ${JSON.stringify(step)} has a ${away} in its branch ${JSON.stringify(name)}, which must stay with the ` +
        `thought it is given: use checkpoint, restore and forget before or after the branches.`
    )
  }
}

/** The kind of the first step in an outline that goes over to another thought. */
const onwardIn = ({ children, kind }: Step.Node): string | undefined => {
  if (onward.has(kind)) return kind
  for (const child of children) {
    const found = onwardIn(child)
    if (found !== undefined) return found
  }
  return undefined
}

const onward = new Set(["checkpoint", "restore", "forget"])
