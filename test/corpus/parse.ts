/** The parser of answers, as a form of an answer has it. */
import { Result, type Schema } from "effect"
import { compile, type Form } from "../../src/synapse/form.ts"
import type { Coercion, Parsing } from "../../src/synapse/answer/marred/align/Coercion.ts"

export interface Parsed {
  readonly value: unknown
  readonly coercions: ReadonlyArray<Coercion>
}

const forms = new WeakMap<object, Form<unknown>>()

/** The form of an answer of the schema, compiled once. */
export const formOf = (schema: Schema.Codec<any, any>): Form<unknown> => {
  const known = forms.get(schema)
  if (known !== undefined) return known
  const form = compile("answer", schema, (value: unknown) => value)
  forms.set(schema, form)
  return form
}

/** What is read from a text; nothing when the text is rejected. */
export const parse = (schema: Schema.Codec<any, any>, text: string, parsing: Parsing): Parsed | undefined =>
  Result.getOrUndefined(formOf(schema).decode(text, parsing))
