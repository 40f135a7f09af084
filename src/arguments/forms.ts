/**
 * Declares the options of functions, as data.
 *
 * Each declaration stands beside its function and has two readers: `taking` checks the options in code, and
 * `cogito/spec` reads and describes them in documents.
 */

import { quoted } from "../text/legible.ts"

/** A value that documents write in their own way, or that is checked elsewhere in code. */
export type Part =
  | "anything"
  | "string"
  | "name"
  | "words"
  | "notEmpty"
  | "flag"
  | "unit"
  | "above0"
  | "whole"
  | "duration"
  | "moment"
  | "step"
  | "reader"
  | "textReader"
  | "textsReader"
  | "condition"
  | "function"
  | "schema"
  | "provider"
  | "handle"
  | "textHandle"
  | "textsHandle"

/** The kind of value that an option takes. */
type Is =
  | Part
  | { readonly from: number; readonly whole: boolean }
  | { readonly oneOf: ReadonlyArray<string> }
  | { readonly list: AnyForm; readonly least: 0 | 1 }
  | { readonly record: AnyForm }
  | { readonly fields: Forms }
  | { readonly either: ReadonlyArray<AnyForm> }

/** Declares one option. `A` is the type of its values in code. */
export interface Form<out A> {
  /** For the types only. */
  readonly "~value"?: A
  readonly is: Is
  /** The expected value, in words that follow "Write". */
  readonly expected?: string
  readonly description?: string
  readonly optional?: boolean
  /** The value that applies if the option is left out. */
  readonly default?: unknown
  /** Whether only code can set it. */
  readonly inCode?: boolean
}

export type AnyForm = Form<any>

/** Options by name. */
export type Forms = Readonly<Record<string, AnyForm>>

/** An option that may be left out. */
export interface Maybe<out A> extends Form<A> {
  readonly optional: true
}

type ValueOf<F> = F extends Form<infer A> ? A : never

type Optional<F> = { readonly [P in keyof F]: F[P] extends { readonly optional: true } ? P : never }[keyof F]

/** The type of the options in code. */
type Values<F extends Forms> = { readonly [P in Exclude<keyof F, Optional<F>>]: ValueOf<F[P]> } & {
  readonly [P in Optional<F>]?: ValueOf<F[P]>
}

const form = <A>(is: Is, expected?: string): Form<A> => (expected === undefined ? { is } : { is, expected })

/** A required option, with a sentence that describes it. */
export const option = <A>(description: string, of: Form<A>): Form<A> => ({ ...of, description })

/** An option that may be left out, with a description and the default. */
export const maybe = <A>(description: string, of: Form<A>, byDefault?: unknown): Maybe<A> => ({
  ...option(description, of),
  optional: true,
  ...(byDefault === undefined ? {} : { default: byDefault })
})

/** An option that a document cannot express. */
export const inCode: Maybe<any> = { is: "anything", optional: true, inCode: true }

/** A function that only code can pass. */
export const inCodeFunction: Maybe<any> = { is: "function", optional: true, inCode: true }

/** A list of values that their user checks. */
export const anyList: Maybe<any> = { is: { list: inCode, least: 0 }, optional: true, inCode: true }

/** Any text. */
export const string = form<string>("string")
/** Options with these names that only code can set. */
export const others = <const N extends ReadonlyArray<string>>(...names: N) =>
  Object.fromEntries(names.map((name) => [name, inCode])) as { readonly [P in N[number]]: Maybe<any> }

/** An object of options that only code can set. */
export const within = <const N extends ReadonlyArray<string>>(...names: N) => ({
  ...inCode,
  is: { fields: others(...names) }
})

export const name = form<string>("name")
/** Text that is not blank. */
export const words = form<string>("words")
export const notEmpty = form<string>("notEmpty")
export const flag = form<boolean>("flag", "true or false")
export const unit = form<number>("unit", "a number from 0 to 1")
export const above0 = form<number>("above0", "a number above 0")
const whole = form<number>("whole")
// what these take is any, as generic types of the functions say it, and documents have none: the form checks it at run time
export const duration = form<any>("duration")
export const moment = form<any>("moment")
export const step = form<any>("step")
/** A reader whose result is checked when it runs. */
export const reader = form<any>("reader")
export const textReader = form<any>("textReader")
export const textsReader = form<any>("textsReader")
/** A reader of true or false. */
export const condition = form<any>("condition")
export const callable = form<any>("function")
export const schema = form<any>("schema")
export const provider = form<any>("provider")
/** A note, which documents name by its key. */
export const handle = form<any>("handle")
export const textHandle = form<any>("textHandle")
export const textsHandle = form<any>("textsHandle")

export const count = (from: number) => form<number>({ from, whole: true }, `a whole number from ${from}`)

export const number = (from: number) => form<number>({ from, whole: false }, `a number from ${from}`)

export const oneOf = <const L extends ReadonlyArray<string>>(...labels: L) =>
  form<L[number]>({ oneOf: labels }, labels.map(quoted).join(" or "))

export const list = <A>(expected: string, of: Form<A>) => form<ReadonlyArray<A>>({ list: of, least: 0 }, expected)

/** A list of at least one item. */
export const some = <A>(expected: string, of: Form<A>) =>
  form<readonly [A, ...ReadonlyArray<A>]>({ list: of, least: 1 }, expected)

export const record = <A>(expected: string, of: Form<A>) => form<Readonly<Record<string, A>>>({ record: of }, expected)

export const fields = <const F extends Forms>(expected: string, of: F) => form<Values<F>>({ fields: of }, expected)

export const either = <const F extends ReadonlyArray<AnyForm>>(expected: string, ...of: F) =>
  form<ValueOf<F[number]>>({ either: of }, expected)

/** The name of a step, which code may leave out. */
export const naming = maybe("Name of the step.", name)

/** Text, or a reader of text. */
export const text = either('text, or { reader: "<name>" }', words, textReader)

export const names = list("a list of texts", notEmpty)

export const concurrency = either('a whole number from 1, or "unbounded"', count(1), oneOf("unbounded"))

/** Steps, or steps by the names of the branches. */
export const branches: AnyForm = either("a list of steps, or steps by name", some("", step), record("", step))

export const trust = oneOf("trusted", "untrusted")

/** How a model samples. */
export const sampling = fields("an object of sampling wishes", {
  temperature: maybe("How free the answers are; 0 for the most likely one.", number(0)),
  effort: maybe("How much the model thinks, in the provider's own words.", words),
  maxTokens: maybe("Most tokens of an answer.", count(1)),
  seed: maybe("A number that makes answers repeat, where the provider can.", whole),
  stop: maybe("Texts that end an answer.", names)
})
