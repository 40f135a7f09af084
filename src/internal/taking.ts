/** What functions say of arguments that no compiler has checked. */
import { hasProperty } from "effect/Predicate"
import { type Kind, kindOf, StepTypeId } from "./kinds.ts"
import { refuseSlips } from "./slips.ts"

interface Taken<N extends number, K extends string> {
  /** What arguments must be, in order. */
  readonly args?: ReadonlyArray<Kind | undefined>
  /** Which argument the options are, from 0. */
  readonly options?: N
  /** The names of all options, which the compiler compares with their type. */
  readonly known?: ReadonlyArray<K>
  /** Whether they may be left out. */
  readonly optional?: boolean
  /** Options that there must be. */
  readonly needs?: ReadonlyArray<string>
  /** Options that are texts and not empty. */
  readonly texts?: ReadonlyArray<string>
  /** Options that are steps. */
  readonly steps?: ReadonlyArray<string>
}

const ordinals = ["first", "second", "third", "fourth"]

const isOptions = (value: unknown): value is Readonly<Record<string, unknown>> => kindOf(value) === "an object"

const refuse = (owner: string, what: string): never => {
  throw new Error(`${owner} needs ${what}.`)
}

type KeysOf<O> = O extends unknown ? Extract<keyof O, string> : never

/** The names of the options of a function, of all the forms that they take. */
type OptionsOf<F, N extends number> = F extends (...args: infer A) => unknown ? KeysOf<NonNullable<A[N]>> : never

/** Nothing when the known options are those of the type; else an argument that nobody has, named for what is wrong. */
type Complete<F, N extends number, K extends string> = [N] extends [never]
  ? []
  : [Exclude<OptionsOf<F, N>, K>, Exclude<K, OptionsOf<F, N>>] extends [never, never]
    ? []
    : [known: { readonly missing: Exclude<OptionsOf<F, N>, K>; readonly tooMany: Exclude<K, OptionsOf<F, N>> }]

/** The function, which throws an error that says what it needs where it is given something else. */
export const taking =
  <const N extends number = never, const K extends string = never>(
    owner: string,
    { args: kinds = [], known, needs = [], optional = false, options, steps = [], texts = [] }: Taken<N, K>
  ) =>
  // the arguments are any function's
  <F extends (...args: ReadonlyArray<any>) => unknown>(make: F, ..._complete: Complete<F, N, K>): F =>
    ((...args: ReadonlyArray<unknown>) => {
      for (const [i, kind] of kinds.entries()) {
        if (kind !== undefined && !kind.is(args[i])) {
          refuse(owner, `${kind.named} as the ${ordinals[i]} argument: it has ${kindOf(args[i])}`)
        }
      }
      const given = options === undefined ? undefined : args[options]
      if (options !== undefined && !(optional && given === undefined)) {
        if (!isOptions(given)) {
          return refuse(owner, `its options, an object, as the ${ordinals[options]} argument: it has ${kindOf(given)}`)
        }
        if (known !== undefined) refuseSlips(owner, known, given)
        for (const name of needs) {
          if (given[name] === undefined || given[name] === null) refuse(owner, `the option ${name}: it has none`)
        }
        for (const name of texts) {
          const text = given[name]
          if (typeof text !== "string") refuse(owner, `a text as the option ${name}: it has ${kindOf(text)}`)
          if (text === "") refuse(owner, `a text that is not empty as the option ${name}`)
        }
        for (const name of steps) {
          if (!hasProperty(given[name], StepTypeId))
            refuse(owner, `a step as the option ${name}: it has ${kindOf(given[name])}`)
        }
      }
      return make(...args)
      // it takes and gives what the function does
    }) as F
