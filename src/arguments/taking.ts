/** Checks the arguments of public functions, for programs without types. */
import { dual } from "effect/Function"
import { type Kind, kindOf, layer, number, session, step, text, thought } from "./kinds.ts"
import type { Form, Forms } from "./forms.ts"
import { type Known, refuseSlips } from "./slips.ts"

interface Taken<N extends number, K extends Known> {
  /** The kinds of the arguments, in order. */
  readonly args?: ReadonlyArray<Kind | undefined>
  /** The kind of every further argument. */
  readonly rest?: Kind
  /** The index of the argument that holds the options. */
  readonly options?: N
  /** All options, by name or with their forms. The compiler compares them with their type. */
  readonly known?: K
  /** Whether the options may be left out. */
  readonly optional?: boolean
  /** Whether true or false may replace the options. */
  readonly orBoolean?: boolean
  /** Required options. */
  readonly needs?: ReadonlyArray<string>
  /** Required options that are non-empty texts. */
  readonly texts?: ReadonlyArray<string>
  /** Options that are non-empty texts if they are given. */
  readonly maybeTexts?: ReadonlyArray<string>
  /** Options that are numbers. */
  readonly numbers?: ReadonlyArray<string>
  /** Options that are layers. */
  readonly layers?: ReadonlyArray<string>
  /** Whether the function returns a promise, which rejects instead of throwing. */
  readonly rejects?: boolean
}

const ordinals = ["first", "second", "third", "fourth"]

const ordinal = (i: number): string => (i < ordinals.length ? `its ${ordinals[i]}` : "each further")

/**
 * Whether a value can hold options. The compiler accepts sessions and thoughts, which have the fields of some options.
 */
const isOptions = (value: unknown): value is Readonly<Record<string, unknown>> =>
  kindOf(value) === "an object" || session.is(value) || thought.is(value)

const refuse = (owner: string, what: string): never => {
  throw new Error(`${owner} needs ${what}.`)
}

/** Throws if a value is not of the kind. */
export const need = (owner: string, kind: Kind, value: unknown): void => {
  if (!kind.is(value)) refuse(owner, `${kind.named}, but got ${kindOf(value)}`)
}

type KeysOf<O> = O extends unknown ? Extract<keyof O, string> : never

/** The names of the options of a function, in all their alternatives. */
type OptionsOf<F, N extends number> = F extends (...args: infer A) => unknown ? KeysOf<Extract<A[N], object>> : never

type Shown<F> = F extends Form<infer A> ? A : never

/** Names of options whose form differs from their type: other values, other texts, or other options within. */
type Unlike<O, K> =
  K extends ReadonlyArray<string>
    ? never
    : {
        [P in Extract<keyof O, keyof K>]: 0 extends 1 & Shown<K[P]>
          ? never
          : [Shown<K[P]>] extends [NonNullable<O[P]>]
            ? [Exclude<LabelsOf<O[P]>, Shown<K[P]>> | Exclude<FieldsOf<O[P]>, FieldsOf<Shown<K[P]>>>] extends [never]
              ? never
              : P
            : P
      }[Extract<keyof O, keyof K>]

/** The literal texts that a type lists. */
type LabelsOf<A> = A extends string ? (string extends A ? never : A) : never

/** The names of options within an option. */
type FieldsOf<A> = A extends ReadonlyArray<unknown> | ((...args: never) => unknown)
  ? never
  : A extends object
    ? KeysOf<A>
    : never

type NamesOf<K> = K extends ReadonlyArray<infer S> ? Extract<S, string> : Extract<keyof K, string>

/** The type of the options of a function. */
type Given<F, N extends number> = F extends (...args: infer A) => unknown ? Extract<A[N], object> : never

/** Empty if the known options match the type. Otherwise an argument that no call passes, named for the mismatch. */
type Complete<F, N extends number, K extends Known> = [N] extends [never]
  ? []
  : [Exclude<OptionsOf<F, N>, NamesOf<K>>, Exclude<NamesOf<K>, OptionsOf<F, N>>, Unlike<Given<F, N>, K>] extends [
        never,
        never,
        never
      ]
    ? []
    : [
        known: {
          readonly missing: Exclude<OptionsOf<F, N>, NamesOf<K>>
          readonly tooMany: Exclude<NamesOf<K>, OptionsOf<F, N>>
          readonly values: Unlike<Given<F, N>, K>
        }
      ]

const tables = new WeakMap<object, Forms>()

/** The forms of a function's options, if it declares them. */
export const formsOf = (taker: object): Forms | undefined => tables.get(taker)

/** Declares that a function takes the same options as another one. */
export const takingAs = <F extends object>(taker: F, other: object): F => {
  const forms = formsOf(other)
  if (forms !== undefined) tables.set(taker, forms)
  return taker
}

/** Wraps a function so that invalid arguments throw an error that says what it needs. */
export const taking =
  <const N extends number = never, const K extends Known = readonly []>(
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
      texts = []
    }: Taken<N, K>
  ) =>
  // these are the arguments of any function
  <F extends (...args: ReadonlyArray<any>) => unknown>(make: F, ..._complete: Complete<F, N, K>): F => {
    const forms = known === undefined || Array.isArray(known) ? undefined : (known as Forms)
    const checked = (...args: ReadonlyArray<unknown>): unknown => {
      const count = rest === undefined ? kinds.length : Math.max(kinds.length, args.length)
      for (let i = 0; i < count; i++) {
        const kind = i < kinds.length ? kinds[i] : rest
        if (kind !== undefined && !kind.is(args[i])) {
          refuse(owner, `${kind.named} as ${ordinal(i)} argument, but got ${kindOf(args[i])}`)
        }
      }
      const given = options === undefined ? undefined : args[options]
      const absent = (optional && given === undefined) || (orBoolean && typeof given === "boolean")
      if (options !== undefined && !absent) {
        if (!isOptions(given)) {
          return refuse(owner, `an object of options as ${ordinal(options)} argument, but got ${kindOf(given)}`)
        }
        if (known !== undefined) refuseSlips(owner, known, given, "", orBoolean)
        for (const [name, form] of Object.entries(forms ?? {})) {
          const value = given[name]
          if (form.optional === true && value === undefined) continue
          if (form.is === "name" && typeof value !== "string") {
            refuse(owner, `a string as the option ${name}, but got ${kindOf(value)}`)
          }
          if (form.is === "step" && !step.is(value)) {
            refuse(owner, `a step as the option ${name}, but got ${kindOf(value)}`)
          }
          if (value === undefined || value === null) refuse(owner, `the option ${name}, which is missing`)
        }
        for (const name of needs) {
          if (given[name] === undefined || given[name] === null) refuse(owner, `the option ${name}, which is missing`)
        }
        for (const name of [...texts, ...maybeTexts.filter((one) => given[one] !== undefined)]) {
          const value = given[name]
          if (!text.is(value)) refuse(owner, `a string as the option ${name}, but got ${kindOf(value)}`)
          if (typeof value === "string" && value.trim() === "")
            refuse(owner, `a non-empty string as the option ${name}`)
        }
        for (const [names, kind] of [
          [numbers, number],
          [layers, layer]
        ] as const) {
          for (const name of names) {
            if (!kind.is(given[name]))
              refuse(owner, `${kind.named} as the option ${name}, but got ${kindOf(given[name])}`)
          }
        }
      }
      return make(...args)
    }
    const taker = rejects ? async (...args: ReadonlyArray<unknown>) => checked(...args) : checked
    if (forms !== undefined) tables.set(taker, forms)
    // it has the same parameters and result as the function
    return taker as F
  }

/**
 * A function that may also be called without its first argument: it then waits for a value of the kind. A call with `arity`
 * arguments or more has the first one, so that one of another kind is refused at once.
 */
export const onto =
  (kind: Kind, arity: number) =>
  <S, A extends ReadonlyArray<any>, B>(
    make: (self: S, ...args: A) => B
  ): { (...args: A): (self: S) => B; (self: S, ...args: A): B } =>
    piped<(...args: A) => (self: S) => B, typeof make>(kind, arity, make)

/** The same for functions whose types say more of the value than its kind. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the overloads of the function
export const piped = <Last extends (...args: Array<any>) => any, First extends (...args: Array<any>) => any>(
  kind: Kind,
  arity: number,
  make: First
): First & Last =>
  takingAs(
    dual<Last, First>(
      (args) => args.length >= arity || kind.is(args[0]) || args[0] === undefined || args[0] === null,
      make
    ),
    make
  )
