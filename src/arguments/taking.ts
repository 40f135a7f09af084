/** What functions say of arguments that no compiler has checked. */
import * as Layer from "effect/Layer"
import { hasProperty } from "effect/Predicate"
import { type Kind, kindOf, session, StepTypeId, thought } from "./kinds.ts"
import { type Labels, type Nested, refuseSlips } from "./slips.ts"

interface Taken<N extends number, K extends string> {
  /** What arguments must be, in order. */
  readonly args?: ReadonlyArray<Kind | undefined>
  /** What every further argument must be. */
  readonly rest?: Kind
  /** Which argument the options are, from 0. */
  readonly options?: N
  /** The names of all options, which the compiler compares with their type. */
  readonly known?: ReadonlyArray<K>
  /** Whether they may be left out. */
  readonly optional?: boolean
  /** Whether true or false may stand in their place. */
  readonly orBoolean?: boolean
  /** Options that there must be. */
  readonly needs?: ReadonlyArray<string>
  /** Options that are texts and not empty. */
  readonly texts?: ReadonlyArray<string>
  /** Options that are texts if they are there. */
  readonly maybeTexts?: ReadonlyArray<string>
  /** Options that are numbers. */
  readonly numbers?: ReadonlyArray<string>
  /** Options that are layers. */
  readonly layers?: ReadonlyArray<string>
  /** Options that are steps. */
  readonly steps?: ReadonlyArray<string>
  /** Whether the function gives a promise, which rejects instead of throwing. */
  readonly rejects?: boolean
}

const ordinals = ["first", "second", "third", "fourth"]

const ordinal = (i: number): string => (i < ordinals.length ? `the ${ordinals[i]}` : "each further")

/** Sessions and thoughts have the fields of some options, and the compiler takes them as such. */
const isOptions = (value: unknown): value is Readonly<Record<string, unknown>> =>
  kindOf(value) === "an object" || session.is(value) || thought.is(value)

const refuse = (owner: string, what: string): never => {
  throw new Error(`${owner} needs ${what}.`)
}

/** Throws unless a value is what it must be. */
export const need = (owner: string, kind: Kind, value: unknown): void => {
  if (!kind.is(value)) refuse(owner, `${kind.named}: it has ${kindOf(value)}`)
}

type KeysOf<O> = O extends unknown ? Extract<keyof O, string> : never

/** The names of the options of a function, of all the forms that they take. */
type OptionsOf<F, N extends number> = F extends (...args: infer A) => unknown ? KeysOf<Extract<A[N], object>> : never

/** Names of options within options that are not those of the type, in either direction. */
type Strange<O> = {
  [P in Extract<keyof O, keyof Nested>]: [KeysOf<Extract<O[P], object>>] extends [never]
    ? never
    :
        | Exclude<KeysOf<Extract<O[P], object>>, Nested[P][number]>
        | Exclude<Nested[P][number], KeysOf<Extract<O[P], object>>>
}[Extract<keyof O, keyof Nested>]

/** Texts that options may be and the table does not know, or the other way round. */
type Unlike<O> = {
  [P in Extract<keyof O, keyof Labels>]: [Extract<O[P], string>] extends [never]
    ? never
    : Exclude<Extract<O[P], string>, Labels[P][number]> | Exclude<Labels[P][number], Extract<O[P], string>>
}[Extract<keyof O, keyof Labels>]

/** The options of a function as they may be written. */
type Given<F, N extends number> = F extends (...args: infer A) => unknown ? Extract<A[N], object> : never

/** Nothing when the known options are those of the type; else an argument that nobody has, named for what is wrong. */
type Complete<F, N extends number, K extends string> = [N] extends [never]
  ? []
  : [Exclude<OptionsOf<F, N>, K>, Exclude<K, OptionsOf<F, N>>, Strange<Given<F, N>> | Unlike<Given<F, N>>] extends [
        never,
        never,
        never
      ]
    ? []
    : [
        known: {
          readonly missing: Exclude<OptionsOf<F, N>, K>
          readonly tooMany: Exclude<K, OptionsOf<F, N>>
          readonly values: Strange<Given<F, N>> | Unlike<Given<F, N>>
        }
      ]

/** The function, which throws an error that says what it needs where it is given something else. */
export const taking =
  <const N extends number = never, const K extends string = never>(
    owner: string,
    {
      args: kinds = [],
      known,
      layers = [],
      maybeTexts = [],
      needs = [],
      numbers = [],
      optional = false,
      options,
      orBoolean = false,
      rejects = false,
      rest,
      steps = [],
      texts = []
    }: Taken<N, K>
  ) =>
  // the arguments are any function's
  <F extends (...args: ReadonlyArray<any>) => unknown>(make: F, ..._complete: Complete<F, N, K>): F => {
    const checked = (...args: ReadonlyArray<unknown>): unknown => {
      const count = rest === undefined ? kinds.length : Math.max(kinds.length, args.length)
      for (let i = 0; i < count; i++) {
        const kind = i < kinds.length ? kinds[i] : rest
        if (kind !== undefined && !kind.is(args[i])) {
          refuse(owner, `${kind.named} as ${ordinal(i)} argument: it has ${kindOf(args[i])}`)
        }
      }
      const given = options === undefined ? undefined : args[options]
      const absent = (optional && given === undefined) || (orBoolean && typeof given === "boolean")
      if (options !== undefined && !absent) {
        if (!isOptions(given)) {
          return refuse(owner, `its options, an object, as ${ordinal(options)} argument: it has ${kindOf(given)}`)
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
        for (const name of maybeTexts) {
          if (given[name] !== undefined && typeof given[name] !== "string") {
            refuse(owner, `a text as the option ${name}: it has ${kindOf(given[name])}`)
          }
        }
        for (const name of numbers) {
          if (typeof given[name] !== "number") {
            refuse(owner, `a number as the option ${name}: it has ${kindOf(given[name])}`)
          }
        }
        for (const name of layers) {
          if (!Layer.isLayer(given[name])) {
            refuse(owner, `a layer as the option ${name}: it has ${kindOf(given[name])}`)
          }
        }
        for (const name of steps) {
          if (!hasProperty(given[name], StepTypeId))
            refuse(owner, `a step as the option ${name}: it has ${kindOf(given[name])}`)
        }
      }
      return make(...args)
    }
    // it takes and gives what the function does
    return (rejects ? async (...args: ReadonlyArray<unknown>) => checked(...args) : checked) as F
  }
