/** The parts of a JSON Schema that determine how an answer is read. Limits are left to the decoder. */
import {
  isObject,
  type JsonSchema,
  listedIn,
  membersOf,
  numberOf,
  propertiesOf,
  resolve,
  typesOf
} from "../../../../schema/jsonSchema.ts"

export type Shape =
  | { readonly _tag: "Any" }
  | { readonly _tag: "Boolean" | "Null" }
  /** `isFree` unless it has a format, such as that of a date. */
  | { readonly _tag: "Text"; readonly isFree: boolean }
  | { readonly _tag: "Number"; readonly isWhole: boolean; readonly maximum: number | undefined }
  | { readonly _tag: "OneOf"; readonly values: ReadonlyArray<unknown> }
  | ObjectShape
  | ListShape
  | { readonly _tag: "Union"; readonly members: ReadonlyArray<Shape> }

export interface ObjectShape {
  readonly _tag: "Object"
  readonly names: ReadonlySet<string>
  readonly property: (name: string) => Shape | undefined
  readonly required: ReadonlySet<string>
  /** The shape of keys besides the properties. Undefined if the schema does not mention them. */
  readonly others: Shape | undefined
}

export interface ListShape {
  readonly _tag: "List"
  /** The shape of the item at this position. Undefined if there must not be one. */
  readonly itemAt: (position: number) => Shape | undefined
  readonly atLeast: number
}

const any: Shape = { _tag: "Any" }

/** The shape of a schema. Recursive parts are computed on demand. */
export const shapeOf = (root: JsonSchema): Shape => {
  const known = new Map<unknown, Shape>()

  const of = (given: unknown): Shape => {
    const schema = resolve(root, given)
    if (schema === undefined) return any
    const before = known.get(given) ?? known.get(schema)
    if (before !== undefined) return before
    // a placeholder while the shape is made: a union may be a member of itself
    known.set(given, any)
    known.set(schema, any)
    const shape = make(schema)
    known.set(given, shape)
    known.set(schema, shape)
    return shape
  }

  const make = (schema: JsonSchema): Shape => {
    const members = membersOf(schema).map(of)
    if (members.length > 0) {
      return { _tag: "Union", members: members.flatMap((shape) => (shape._tag === "Union" ? shape.members : [shape])) }
    }
    const values = listedIn(schema)
    if (values !== undefined) return { _tag: "OneOf", values }
    const [type, ...others] = typesOf(schema)
    return others.length === 0
      ? typed(schema, type)
      : { _tag: "Union", members: typesOf(schema).map((one) => typed(schema, one)) }
  }

  const typed = (schema: JsonSchema, type: string | undefined): Shape => {
    switch (type) {
      case "string":
        return { _tag: "Text", isFree: schema["format"] === undefined }
      case "boolean":
        return { _tag: "Boolean" }
      case "null":
        return { _tag: "Null" }
      case "number":
      case "integer": {
        const { maximum } = schema
        return {
          _tag: "Number",
          isWhole: type === "integer",
          maximum: typeof maximum === "number" ? maximum : undefined
        }
      }
      case "object":
        return objectOf(schema)
      case "array":
        return listOf(schema)
      default:
        return any
    }
  }

  const objectOf = (schema: JsonSchema): ObjectShape => {
    const properties = propertiesOf(schema)
    const schemas = new Map(properties.map(([name, property]) => [name, property]))
    const { additionalProperties: rest } = schema
    return {
      _tag: "Object",
      names: new Set(schemas.keys()),
      property: (name) => (schemas.has(name) ? of(schemas.get(name)) : undefined),
      required: new Set(properties.filter(([, , required]) => required).map(([name]) => name)),
      get others() {
        return isObject(rest) ? of(rest) : undefined
      }
    }
  }

  const listOf = (schema: JsonSchema): ListShape => {
    const first = Array.isArray(schema["prefixItems"]) ? schema["prefixItems"] : []
    const { items, minItems } = schema
    const isClosed = first.length > 0 && !isObject(items)
    return {
      _tag: "List",
      itemAt: (position) => (position < first.length ? of(first[position]) : isClosed ? undefined : of(items)),
      atLeast: numberOf(minItems, 0)
    }
  }

  return of(root)
}
