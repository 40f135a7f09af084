/** Checks the size of a schema for strict mode. */
import { isObject, type JsonSchema, membersOf, propertiesOf } from "../../schema/jsonSchema.ts"

// From OpenAI's documentation.
const mostProperties = 5000
const deepest = 10
const mostCharacters = 120_000
const mostValues = 1000
/** A list with more values than this may have at most that many characters. */
const longList = { values: 250, characters: 15_000 }

interface Size {
  readonly properties: number
  /** Levels of objects within objects. */
  readonly depth: number
  /** Characters in names and in the values of lists. */
  readonly characters: number
  readonly values: number
  /** Characters in the values of a long list, of the largest one. */
  readonly list: number
}

const nothing: Size = { properties: 0, depth: 0, characters: 0, values: 0, list: 0 }

const add = (a: Size, b: Size): Size => ({
  properties: a.properties + b.properties,
  depth: Math.max(a.depth, b.depth),
  characters: a.characters + b.characters,
  values: a.values + b.values,
  list: Math.max(a.list, b.list)
})

const lengthOf = (texts: ReadonlyArray<unknown>): number =>
  texts.reduce<number>((sum, text) => sum + (typeof text === "string" ? text.length : 0), 0)

/** The size of a schema. References are not followed. */
const sizeOf = (schema: unknown): Size => {
  if (!isObject(schema)) return nothing
  const { $defs, enum: listed, items } = schema
  const values: ReadonlyArray<unknown> = Array.isArray(listed) ? listed : []
  const definitions = isObject($defs) ? Object.entries($defs) : []
  const properties = propertiesOf(schema)
  const inside = properties.map(([, property]) => sizeOf(property)).reduce(add, nothing)
  const own: Size = {
    properties: properties.length,
    depth: schema["type"] === "object" ? 1 + inside.depth : inside.depth,
    characters: lengthOf(properties.map(([name]) => name)) + lengthOf(values),
    values: values.length,
    list: values.length > longList.values ? lengthOf(values) : 0
  }
  return [
    own,
    inside,
    sizeOf(items),
    ...membersOf(schema).map(sizeOf),
    ...definitions.map(([name, definition]) => add(sizeOf(definition), { ...nothing, characters: name.length }))
  ].reduce(add, nothing)
}

export const isSmallEnough = (schema: JsonSchema): boolean => {
  const { characters, depth, list, properties, values } = sizeOf(schema)
  return (
    properties <= mostProperties &&
    depth <= deepest &&
    characters <= mostCharacters &&
    values <= mostValues &&
    list <= longList.characters
  )
}
