/** One answer as a model writes it, with the schema that it was asked for and what a careful reader makes of it. */
import type { Schema } from "effect"

export interface Case {
  readonly name: string
  readonly schema: Schema.Codec<any, any>
  readonly text: string
  /** The decoded value, or that no value may come of it, whatever the caller opts in to. */
  readonly expected: { readonly value: unknown } | "reject"
  /** The value costs a guess about what was meant: it may come only when the caller opts in, else nothing does. */
  readonly lossy?: true
}

/** A value that every careful reader would take from the text. */
export const gives = <A>(name: string, schema: Schema.Codec<A, any>, text: string, value: NoInfer<A>): Case => ({
  name,
  schema,
  text,
  expected: { value }
})

/** A value that readers would take from the text when they are told to be generous. */
export const givesLossily = <A>(name: string, schema: Schema.Codec<A, any>, text: string, value: NoInfer<A>): Case => ({
  name,
  schema,
  text,
  expected: { value },
  lossy: true
})

/** A text that holds no answer, not the whole of one, or more than one. */
export const rejects = (name: string, schema: Schema.Codec<any, any>, text: string): Case => ({
  name,
  schema,
  text,
  expected: "reject"
})
