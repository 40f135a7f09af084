/** What a JSON Schema asks for, as far as it says how an answer is to be read. Limits are left to the decoder. */
import * as Option from "effect/Option"

type JsonObject = { readonly [key: string]: unknown }

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export type Shape =
  | { readonly _tag: "Any" }
  | { readonly _tag: "Boolean" | "Null" }
  /** `isFree` where it has no format such as that of a date. */
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
  /** What keys beside the properties hold; undefined when they are none of the schema's business. */
  readonly others: Shape | undefined
}

export interface ListShape {
  readonly _tag: "List"
  /** What the item at this position is to be; undefined when there is to be none. */
  readonly itemAt: (position: number) => Shape | undefined
  readonly atLeast: number
}

const any: Shape = { _tag: "Any" }

/** How many references may lead from one to the next. */
const longest = 32

/** The shape of a schema whose references are to its own `$defs`. What refers to itself is worked out on demand. */
export const shapeOf = (root: JsonObject): Shape => {
  const known = new Map<unknown, Shape>()
  const definitions = isObject(root["$defs"]) ? root["$defs"] : {}

  const of = (schema: unknown, hops = 0): Shape => {
    if (!isObject(schema) || hops > longest) return any
    const reference = schema["$ref"]
    if (typeof reference === "string") return of(definitions[nameIn(reference)], hops + 1)
    const before = known.get(schema)
    if (before !== undefined) return before
    const shape = make(schema, hops)
    known.set(schema, shape)
    return shape
  }

  const make = (schema: JsonObject, hops: number): Shape => {
    const members = schema["anyOf"] ?? schema["oneOf"]
    if (Array.isArray(members)) {
      const shapes = members.map((member) => of(member, hops + 1))
      return { _tag: "Union", members: shapes.flatMap((shape) => (shape._tag === "Union" ? shape.members : [shape])) }
    }
    if (Array.isArray(schema["enum"])) return { _tag: "OneOf", values: schema["enum"] }
    if ("const" in schema) return { _tag: "OneOf", values: [schema["const"]] }
    const types = schema["type"]
    if (Array.isArray(types)) return { _tag: "Union", members: types.map((type) => typed(schema, type)) }
    return typed(schema, types)
  }

  const typed = (schema: JsonObject, type: unknown): Shape => {
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

  const objectOf = (schema: JsonObject): ObjectShape => {
    const properties = isObject(schema["properties"]) ? schema["properties"] : {}
    const names = new Set(Object.keys(properties))
    const required = Array.isArray(schema["required"])
      ? schema["required"].filter((name) => typeof name === "string")
      : []
    const parts = [schema, ...(Array.isArray(schema["allOf"]) ? schema["allOf"].filter(isObject) : [])]
    const rest = parts.map((part) => part["additionalProperties"]).find(isObject)
    return {
      _tag: "Object",
      names,
      property: (name) => (names.has(name) ? of(properties[name]) : undefined),
      required: new Set(required),
      get others() {
        return rest === undefined ? undefined : of(rest)
      }
    }
  }

  const listOf = (schema: JsonObject): ListShape => {
    const first = Array.isArray(schema["prefixItems"]) ? schema["prefixItems"] : []
    const { items, minItems } = schema
    const isClosed = first.length > 0 && !isObject(items)
    return {
      _tag: "List",
      itemAt: (position) => (position < first.length ? of(first[position]) : isClosed ? undefined : of(items)),
      atLeast: typeof minItems === "number" ? minItems : 0
    }
  }

  return of(root)
}

const decodeUri = Option.liftThrowable(decodeURIComponent)

const nameIn = (reference: string): string => {
  const name = reference.replace(/^#\/\$defs\//, "")
  return Option.getOrElse(decodeUri(name), () => name)
    .replaceAll("~1", "/")
    .replaceAll("~0", "~")
}
