/** The parser of answers, as a form of an answer has it. */
import assert from "node:assert"
import { Result, type Schema } from "effect"
import { compile, type Form } from "../../src/synapse/form.ts"
import { rootOf } from "../../src/synapse/answer/marred/align/Root.ts"
import { reader } from "../../src/synapse/answer/marred/read.ts"
import type { Coercion, Parsing } from "../../src/synapse/answer/marred/align/Coercion.ts"

export interface Parsed {
  readonly value: unknown
  readonly coercions: ReadonlyArray<Coercion>
}

/** Reads answers of a form at once, as they are read once the reader of malformed ones is loaded. */
export const reading = <A>(form: Form<A>) => {
  const readAny = reader(rootOf(form.output.jsonSchema, form.wrapped), form.decode)
  return {
    decode: (text: string, parsing: Parsing) => {
      const read = readAny(text, parsing)
      const plain = form.plain(text, parsing)
      if (plain !== undefined) assert.deepStrictEqual(read, Result.succeed({ value: plain.value, coercions: [] }))
      return read
    }
  }
}

const forms = new WeakMap<object, ReturnType<typeof reading<unknown>>>()

/** The reader of answers of the schema, compiled once. */
export const formOf = (schema: Schema.Codec<any, any>) => {
  const known = forms.get(schema)
  if (known !== undefined) return known
  const form = reading(compile("answer", schema, (value: unknown) => value))
  forms.set(schema, form)
  return form
}

/** What is read from a text; nothing when the text is rejected. */
export const parse = (schema: Schema.Codec<any, any>, text: string, parsing: Parsing): Parsed | undefined =>
  Result.getOrUndefined(formOf(schema).decode(text, parsing))
