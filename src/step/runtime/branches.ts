/** Branches as they are declared: a list of steps, or steps by name. */
import type * as Step from "./model.ts"
import { quoted } from "../../text/legible.ts"
import { descendants } from "./nodes.ts"
import { checkSteps, named } from "./make.ts"
import type { All, Alone, Either, Simplify } from "../../thought/types.ts"

/**
 * A list of steps, or steps by the names of the branches. A key may be optional, and without the compiler option
 * `exactOptionalPropertyTypes` its type contains `undefined`.
 *
 * @category types
 */
export type Branches = ReadonlyArray<Step.Any> | Readonly<Record<string, Step.Any | undefined>>

/**
 * Refuses `undefined` as a value under a key that is there. Optional keys stay so.
 *
 * @category types
 */
export type Defined<B, Value = Step.Any> = [B] extends [ReadonlyArray<unknown> | Readonly<Record<string, Value>>]
  ? unknown
  : { readonly [N in keyof B]: {} }

/**
 * Any of the steps.
 *
 * @category types
 */
export type StepsOf<B> = B extends ReadonlyArray<infer S> ? S : B[keyof B]

type Names<B> = B extends ReadonlyArray<unknown> ? Exclude<keyof B, keyof ReadonlyArray<unknown>> : keyof B

/** Keys that a branch writes, as far as its type knows them. */
type KeysOf<B, N extends keyof B> = N extends keyof B
  ? string extends keyof Step.Out<B[N]>
    ? never
    : keyof Step.Out<B[N]>
  : never

/** Keys that any branch writes. */
type AnyKeyOf<B> = B extends unknown ? KeysOf<B, Names<B> & keyof B> : never

/**
 * Keys that more than one branch writes, or a branch and the step itself. If the names of the branches are unknown, those
 * that each of them always writes.
 */
type Shared<B, K = never> = B extends unknown
  ? string extends Names<B>
    ? KeysOf<B, Names<B> & keyof B> & (K | Sure<Step.Out<StepsOf<B>>>)
    : { [N in Names<B>]: KeysOf<B, N & keyof B> & (K | KeysOf<B, Exclude<Names<B>, N> & keyof B>) }[Names<B>]
  : never

/**
 * Refuses branches of which two write the same note.
 *
 * @category types
 */
export type Unshared<B, K = never> = [Shared<B, K>] extends [never]
  ? unknown
  : { readonly "two branches write the same note": Shared<B, K> }

/** What a branch adds, if it is there. */
type OutOf<B, N> = N extends keyof B
  ? {} extends Pick<B, N>
    ? Partial<Either<Step.Out<B[N]>>>
    : Either<Step.Out<B[N]>>
  : never

/** What the branches add, as a union. */
type Outs<B> = [B, Known<B>] extends [ReadonlyArray<infer S>, false]
  ? Added<S>
  : Names<B> extends infer N
    ? N extends Names<B>
      ? OutOf<B, N>
      : never
    : never

/** What steps add, as a union. */
type Added<S> = S extends Step.Any ? Either<Step.Out<S>> : never

/** What the branches of a list add, as a union. Of a part of unknown length, any may be missing. */
type Listed<B, Others = never> = B extends readonly [infer S, ...infer Rest]
  ? Listed<Rest, Others | Either<Step.Out<S>>>
  : B extends readonly [...infer Rest, infer S]
    ? Listed<Rest, Others | Either<Step.Out<S>>>
    : B extends ReadonlyArray<infer S>
      ? Others | Partial<Added<S>>
      : never

type AllKeys<U> = U extends any ? keyof U : never

/** Keys that at least one of the branches always writes. */
type Sure<U> = U extends any ? { [K in keyof U]-?: {} extends Pick<U, K> ? never : K }[keyof U] : never

/** What is under a key that is written. */
type Value<U, K> = U extends any
  ? K extends keyof U
    ? {} extends Pick<U, K>
      ? Exclude<U[K], undefined>
      : U[K]
    : never
  : never

/** Notes of which any may be missing, each of one of the branches that write it. */
type Some<U> = { readonly [K in AllKeys<U>]?: Value<U, K> }

/** Notes of which those are there that one of the branches always writes, each of one of the branches that write it. */
type Each<U> = Simplify<
  { readonly [K in Sure<U>]: Value<U, K> } & { readonly [K in Exclude<AllKeys<U>, Sure<U>>]?: Value<U, K> }
>

/** Notes of one branch under those of a later one. */
type Over<N, O> = Simplify<
  { readonly [K in Sure<O>]: Value<O, K> } & { readonly [K in Exclude<Sure<N>, Sure<O>>]: Value<N | O, K> } & {
    readonly [K in Exclude<keyof N | keyof O, Sure<N> | Sure<O>>]?: Value<N | O, K>
  }
>

/** Notes of branches in a list, where that of the last one holds. */
type Last<B, N = {}> = B extends readonly [infer S, ...infer Rest] ? Last<Rest, Over<N, Either<Step.Out<S>>>> : N

/** Notes under the names of their branches. */
type Namespaced<B> = {
  [N in keyof B & string]: OutOf<B, N> extends infer O
    ? { readonly [K in keyof O as K extends string ? `${N}.${K}` : never]: O[K] }
    : never
}[keyof B & string]

/** Whether it is known which branches there are. */
type Known<B> =
  B extends ReadonlyArray<unknown> ? (number extends B["length"] ? false : true) : string extends keyof B ? false : true

/**
 * What becomes of a key that two branches write.
 *
 * @category types
 */
export type Conflicts = "error" | "last" | "namespace"

/** What branches add together when all of them succeed. */
type Together<B, C> = C extends "namespace"
  ? All<Namespaced<B>>
  : C extends "last"
    ? B extends ReadonlyArray<unknown>
      ? Last<B>
      : // the types do not know the order of a record
        Each<Outs<B>>
    : All<Outs<B>>

/**
 * What branches add together; with a number `M` of those that must succeed, any of it may be missing. Of a union of
 * branches, what any of them adds, optional unless each of them does.
 *
 * @category types
 */
export type Merged<B, C, M = never> = Alone<B> extends true ? MergedOf<B, C, M> : Either<MergedOf<B, C, M>>

type MergedOf<B, C, M> = B extends unknown
  ? [M, Known<B>] extends [never, true]
    ? Together<B, C>
    : [M, B] extends [never, ReadonlyArray<unknown>]
      ? Each<Listed<B>>
      : Some<C extends "namespace" ? Namespaced<B> : Outs<B>>
  : never

/**
 * Refuses branches whose notes cannot be put together so, or with the key `K` of the step itself.
 *
 * @category types
 */
export type Mergeable<B, C, K = never> = "error" extends C
  ? Unshared<B, K>
  : "namespace" extends C
    ? [Extract<B, ReadonlyArray<unknown>>] extends [never]
      ? unknown
      : { readonly "branches need names, as those of a record have": never }
    : [AnyKeyOf<B> & K] extends [never]
      ? unknown
      : { readonly "a branch writes the note of the report": K }

/**
 * The branches as steps that have the names of the branches. Throws, naming the step, if there are no branches or a name
 * occurs twice.
 */
export const branchesOf = (step: string, branches: Branches, kind = "branch"): ReadonlyArray<Step.Any> => {
  checkSteps(step, "branches", branches)
  const steps = Array.isArray(branches)
    ? [...(branches as ReadonlyArray<Step.Any>)]
    : Object.entries(branches as Readonly<Record<string, Step.Any>>).map(([name, one]) => named(name, kind, one))
  const names = steps.map(({ name }) => name)
  const moved = Array.isArray(branches) ? undefined : names.find((one) => /^(?:0|[1-9]\d*)$/.test(one))
  if (moved !== undefined) {
    throw new Error(
      `The step ${quoted(step)} has a branch named ${quoted(moved)}: JavaScript moves names like numbers to the ` +
        `front. Begin the name with a letter, or pass a list.`
    )
  }
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (names.includes("")) throw new Error(`The step ${quoted(step)} has a branch without a name.`)
  if (names.length === 0) throw new Error(`The step ${quoted(step)} needs at least one branch.`)
  if (twice !== undefined) {
    throw new Error(`The step ${quoted(step)} has two branches named ${quoted(twice)}.`)
  }
  return steps
}

/** Throws when the number of branches that must succeed, or that may run at once, is invalid. */
export const checkCounts = (
  step: string,
  branches: number,
  minSuccesses: number,
  concurrency: number | "unbounded"
): void => {
  const refuse = (what: string): never => {
    throw new Error(`The step ${quoted(step)} ${what}`)
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
    // what runs after the commit has a thought of its own
    const away = [...descendants(node, runsNow)].find(({ leaves }) => leaves === true)?.kind
    if (away === undefined) continue
    throw new Error(
      `The step ${quoted(step)} has a ${away} in its branch ${quoted(name)}, which must stay with the ` +
        `thought it is given: use checkpoint, restore and forget before or after the branches.`
    )
  }
}

const runsNow = ({ afterCommit }: Step.Node): boolean => afterCommit === undefined

/**
 * Throws when a branch leaves something for later that reads a note of the branch, which has another key by then or
 * another branch's value.
 */
export const refuseLater = (step: string, branches: ReadonlyArray<Step.Any>, conflicts: Conflicts): void => {
  for (const { name, node } of branches) {
    const others = new Set(branches.flatMap((other) => (other.node === node ? [] : other.node.writes)))
    const moved = conflicts === "namespace" ? node.writes : node.writes.filter((key) => others.has(key))
    for (const later of descendants(node, runsNow)) {
      if (runsNow(later)) continue
      const lost = later.afterCommit === "anything" ? moved : moved.filter((key) => later.reads.includes(key))
      if (lost.length === 0) continue
      throw new Error(
        `The step ${quoted(step)} has a ${later.kind} in its branch ${quoted(name)}. It runs after the branches are merged, when ` +
          `${quoted(lost[0])} may have another key or value: put it after the branches.`
      )
    }
  }
}
