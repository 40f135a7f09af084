/** Makes the schemas for Anthropic's structured output, with Effect's own compiler for it. */
import * as Option from "effect/Option"
import * as JsonSchema from "effect/JsonSchema"
import * as SchemaRepresentation from "effect/SchemaRepresentation"
import { dereferenced, isObject, uniformItems } from "../schema/jsonSchema.ts"
import { toCodecAnthropic } from "effect/ai/AnthropicStructuredOutput"

type Json = JsonSchema.JsonSchema

/** Anthropic's limits for all schemas of a request together. */
const mostOptional = 24
const mostUnions = 16

/**
 * Ends the name of an optional property while the compiler works, which would otherwise make the property required and
 * nullable. Anthropic accepts optional properties, so answers need not be changed back.
 */
const mark = "\u{e000}"

const isUnbounded = (keyword: string, value: unknown): boolean =>
  (keyword === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (keyword === "maximum" && value === Number.MAX_SAFE_INTEGER)

/**
 * Closes objects, marks their optional properties, and makes all required. Undefined for a schema that the compiler
 * would change otherwise.
 */
const prepared = (given: Json): Json | undefined => {
  const schema = uniformItems(given)
  if (schema["prefixItems"] !== undefined || schema["patternProperties"] !== undefined) return undefined
  const plain = Object.fromEntries(Object.entries(schema).filter(([keyword, value]) => !isUnbounded(keyword, value)))
  if (![schema["type"]].flat().includes("object") && schema["properties"] === undefined) return plain
  const { additionalProperties, properties } = schema
  if (!isObject(properties) || Object.keys(properties).length === 0) return undefined
  if (additionalProperties !== undefined && typeof additionalProperties !== "boolean") return undefined
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : [])
  const marked = Object.entries(properties).map(
    ([name, property]) => [required.has(name) ? name : `${name}${mark}`, property] as const
  )
  return {
    ...plain,
    properties: Object.fromEntries(marked),
    required: marked.map(([name]) => name),
    additionalProperties: false
  }
}

/** Removes the marks. Undefined if the schema holds a value of any form, or more than Anthropic accepts. */
const restored = (compiled: Json): Json | undefined => {
  let optional = 0
  let unions = 0
  let isTyped = true
  const visit = (schema: unknown): unknown => {
    if (!isObject(schema)) {
      isTyped = false
      return schema
    }
    isTyped &&= ["$ref", "type", "anyOf", "allOf", "enum", "const"].some((keyword) => schema[keyword] !== undefined)
    if (schema["anyOf"] !== undefined || Array.isArray(schema["type"])) unions++
    return mapEntries(schema, (keyword, value) => [keyword, visitPart(keyword, value)])
  }
  const visitPart = (keyword: string, value: unknown): unknown => {
    switch (keyword) {
      case "properties":
        return mapEntries(value, (name, property) => {
          if (name.endsWith(mark)) optional++
          return [name.replace(mark, ""), visit(property)]
        })
      case "$defs":
        return mapEntries(value, (name, definition) => [name, visit(definition)])
      case "required":
        return Array.isArray(value) ? value.filter((name) => !String(name).endsWith(mark)) : value
      case "items":
        return visit(value)
      case "anyOf":
      case "allOf":
        return Array.isArray(value) ? value.map(visit) : value
      default:
        return value
    }
  }
  const schema = visit(compiled)
  return isTyped && optional <= mostOptional && unions <= mostUnions && isObject(schema) ? schema : undefined
}

const mapEntries = (value: unknown, change: (name: string, value: unknown) => readonly [string, unknown]): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, part]) => change(name, part))) : value

// A reference at the root is resolved first: the compiler would keep it, with its definition.
const compile = (schema: Json): Json | undefined => {
  let isExpressible = true
  const document = JsonSchema.fromSchemaDraft2020_12({ ...(dereferenced(schema, schema) ?? schema) })
  const imported = SchemaRepresentation.fromJsonSchemaDocument(document, {
    // Patterns are not matched here, only passed on.
    patterns: "apply",
    onEnter: (part) => {
      const ready = prepared(part)
      isExpressible &&= ready !== undefined
      return ready ?? part
    }
  })
  if (!isExpressible) return undefined
  // A schema read from JSON Schema has no transformations, so decoding it requires no services.
  return restored(toCodecAnthropic(imported as Parameters<typeof toCodecAnthropic>[0]).jsonSchema)
}

const compileOption = Option.liftThrowable(compile)

const compiled = new WeakMap<object, { readonly schema: Json | undefined }>()

/**
 * A JSON Schema within the rules of Anthropic's structured output. Undefined if that is impossible: for a record, a
 * tuple, a value of any form, a recursive schema, more than 24 optional properties or more than 16 unions.
 *
 * Every object is closed. Limits that Anthropic does not accept, such as a minimum length, go into descriptions. Apart
 * from these limits, both schemas accept the same values.
 */
export const toFormatSchema = (schema: Readonly<Record<string, unknown>>): Json | undefined => {
  const known = compiled.get(schema)
  if (known !== undefined) return known.schema
  const made = Option.getOrUndefined(compileOption({ ...schema }))
  compiled.set(schema, { schema: made })
  return made
}
