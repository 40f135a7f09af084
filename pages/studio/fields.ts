/** The form for an answer, from its JSON Schema. */
import {
  isObject,
  type JsonSchema,
  listedIn,
  membersOf,
  propertiesOf,
  resolve,
  typesOf
} from "../../src/schema/jsonSchema.ts"
import { typeOf } from "../../src/schema/notation.ts"

export type Field = { readonly hint?: string } & (
  | { readonly kind: "boolean" }
  | { readonly kind: "choice"; readonly values: ReadonlyArray<unknown> }
  | { readonly kind: "text" }
  | { readonly kind: "number"; readonly integer: boolean }
  | { readonly kind: "object"; readonly fields: ReadonlyArray<Named> }
  | { readonly kind: "json" }
)

export interface Named {
  readonly name: string
  readonly field: Field
  readonly required: boolean
}

/** Most fields of an object that has a form. */
const most = 8

const hintOf = (schema: JsonSchema): { readonly hint?: string } => {
  const { description } = schema
  return typeof description === "string" && description !== "" ? { hint: description } : {}
}

/** The values of a union of constants, as schemas of literals are. */
const choicesOf = (root: JsonSchema, schema: JsonSchema): ReadonlyArray<unknown> | undefined => {
  const listed = listedIn(schema)
  if (listed !== undefined) return listed
  const members = membersOf(schema).map((member) => listedIn(resolve(root, member) ?? {}))
  return members.length > 0 && members.every((values) => values !== undefined) ? members.flat() : undefined
}

/** A JSON value that can be a label. */
const isPlain = (value: unknown): boolean => typeof value === "string" || typeof value === "number" || value === null

const fieldIn = (root: JsonSchema, given: unknown, isInside: boolean): Field => {
  const schema = resolve(root, given)
  if (schema === undefined) return { kind: "json" }
  const hint = hintOf(schema)
  const values = choicesOf(root, schema)
  if (values !== undefined && values.length > 0 && values.every(isPlain)) return { kind: "choice", values, ...hint }
  const [type, ...others] = typesOf(schema)
  if (others.length > 0 || membersOf(schema).length > 0) return { kind: "json", ...hint }
  if (type === "boolean" && values === undefined) return { kind: "boolean", ...hint }
  if (type === "string") return { kind: "text", ...hint }
  if (type === "number" || type === "integer") return { kind: "number", integer: type === "integer", ...hint }
  return (type === "object" && !isInside ? objectOf(root, schema) : undefined) ?? { kind: "json", ...hint }
}

const objectOf = (root: JsonSchema, schema: JsonSchema): Field | undefined => {
  const properties = propertiesOf(schema)
  const { additionalProperties: others } = schema
  if (properties.length === 0 || properties.length > most || others === true || isObject(others)) return undefined
  const fields = properties.map(([name, property, required]) => ({
    name,
    required,
    field: fieldIn(root, property, true)
  }))
  return { kind: "object", fields, ...hintOf(schema) }
}

/** The form of an answer. What no field can express is written as JSON. */
export const fieldOf = (schema: unknown): Field =>
  isObject(schema) ? fieldIn(schema, schema, false) : { kind: "json" }

/** What an answer in JSON must be, in a few words. */
export const notationOf = (schema: unknown): string => typeOf(schema) ?? JSON.stringify(schema)

/** The boolean that the whole answer is about: yes and no are then the buttons that send it. */
export const verdictOf = (field: Field): { readonly name: string | undefined } | undefined => {
  if (field.kind === "boolean") return { name: undefined }
  if (field.kind !== "object") return undefined
  const required = field.fields.filter((one) => one.required)
  const [first, ...others] = required
  return first?.field.kind === "boolean" && others.length === 0 ? { name: first.name } : undefined
}

/** What is wrong with what was entered. */
export class Unreadable extends Error {}

/** The value of a field, from what was entered; undefined if nothing was entered. */
export const valueOf = (field: Field, entered: string): unknown => {
  switch (field.kind) {
    case "boolean":
      return entered === "" ? undefined : entered === "true"
    case "choice":
      return entered === "" ? undefined : field.values[Number(entered)]
    case "number": {
      if (entered.trim() === "") return undefined
      const value = Number(entered)
      if (Number.isFinite(value)) return value
      throw new Unreadable(`“${entered}” is not a number.`)
    }
    case "text":
      return entered
    default:
      if (entered.trim() === "") return undefined
      try {
        return JSON.parse(entered)
      } catch {
        throw new Unreadable('This is not JSON: put texts in double quotes, for example “"like this"”.')
      }
  }
}
