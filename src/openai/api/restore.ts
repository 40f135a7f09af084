/** Turns answers to a strict schema into answers to the original one. */
import * as Option from "effect/Option"
import { isObject, type JsonSchema, membersOf, propertiesOf, resolve, takesNull } from "../../schema/jsonSchema.ts"

const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value === "object" ? "object" : typeof value

/** Whether a value fits a schema, apart from limits. An optional property may be null too. */
const fits = (root: JsonSchema, schema: unknown, value: unknown): boolean => {
  const resolved = resolve(root, schema)
  if (resolved === undefined) return false
  const members = membersOf(resolved)
  if (members.length > 0) return members.some((member) => fits(root, member, value))
  const values = resolved["enum"]
  if (Array.isArray(values)) return values.includes(value)
  const types = new Set([resolved["type"]].flat())
  const type = typeOf(value)
  if (!types.has(type) && !(types.has("integer") && Number.isInteger(value))) return false
  if (Array.isArray(value)) return value.every((item) => fits(root, resolved["items"], item))
  if (!isObject(value)) return true
  const properties = propertiesOf(resolved)
  const names = new Set(properties.map(([name]) => name))
  return (
    Object.keys(value).every((name) => names.has(name)) &&
    properties.every(([name, property, required]) =>
      Object.hasOwn(value, name) ? (!required && value[name] === null) || fits(root, property, value[name]) : !required
    )
  )
}

const parseJson = Option.liftThrowable((text: string) => JSON.parse(text) as unknown)

/**
 * Takes the nulls of optional properties out of an answer, unless the property accepts null. Any other text stays
 * unchanged. The text is parsed only if it contains `null`.
 */
export const restore = (schema: JsonSchema, text: string): string => {
  let isChanged = false
  const restored = (part: unknown, value: unknown): unknown => {
    const resolved = resolve(schema, part)
    if (resolved === undefined || typeof value !== "object" || value === null) return value
    const members = membersOf(resolved)
    if (members.length > 0) {
      const member = members.find((candidate) => fits(schema, candidate, value))
      return member === undefined ? value : restored(member, value)
    }
    if (Array.isArray(value)) return value.map((item) => restored(resolved["items"], item))
    const properties = new Map(propertiesOf(resolved).map(([name, ...rest]) => [name, rest] as const))
    const kept = Object.entries(value).filter(([name, inner]) => {
      const [property, required] = properties.get(name) ?? [undefined, true]
      const isDropped = inner === null && !required && !takesNull(schema, property)
      isChanged ||= isDropped
      return !isDropped
    })
    return Object.fromEntries(kept.map(([name, inner]) => [name, restored(properties.get(name)?.[0], inner)]))
  }
  const answer = text.includes("null") ? parseJson(text) : Option.none()
  if (Option.isNone(answer)) return text
  const value = restored(schema, answer.value)
  return isChanged ? JSON.stringify(value) : text
}
