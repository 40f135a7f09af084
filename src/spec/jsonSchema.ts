import * as Schema from "effect/Schema"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import type { Json } from "./model/bounds.ts"
import { types } from "./nodes/all.ts"
import {
  describing,
  durationFormat,
  durationPattern,
  momentFormat,
  momentPattern,
  Name,
  schemaOf,
  textFormat,
  textPattern
} from "./model/parts.ts"
import type { Any as Registry } from "./model/registry.ts"

/**
 * The JSON Schema (draft 2020-12) of documents, for editors: types, options, defaults and descriptions.
 *
 * **Details**
 *
 * With a registry, it accepts only registered names. It checks less than `Spec.decode`: it does not check which notes are
 * written or which definitions exist.
 *
 * **Example** (Completion and checks in an editor)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Spec } from "cogito/spec"
 *
 * const schema = Spec.jsonSchema()
 *
 * assert.equal(schema["$schema"], "https://json-schema.org/draft/2020-12/schema")
 * // write it beside the documents, and begin each with {"$schema": "./pipeline.schema.json", …}
 * ```
 *
 * @category decoding
 */
export const jsonSchema = taking("Spec.jsonSchema", { args: [kinds.optional(kinds.registry)] })((
  registry?: Registry
): { readonly [name: string]: Json } => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(documentSchema(registry), { onExcessProperty: "error" })
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "cogito pipeline",
    ...flat(schema),
    $defs: { ...flat(definitions), step: stepSchema }
  }
})

/** A step of the type that it names. Only the schema of that type applies; a union would check all of them. */
const stepSchema: { readonly [name: string]: Json } = {
  type: "object",
  properties: { type: { description: "What the step does.", enum: types.map(({ type }) => type) } },
  if: { required: ["use"] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema, and no function
  then: { $ref: "#/$defs/use" },
  else: {
    required: ["type"],
    allOf: types.map(({ type }) => ({
      if: { properties: { type: { const: type } }, required: ["type"] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema, and no function
      then: { $ref: `#/$defs/${type}` }
    }))
  }
}

/** Patterns by the format that stands for each. */
const patterns: ReadonlyMap<Json | undefined, string> = new Map([
  [durationFormat, durationPattern.source],
  [momentFormat, momentPattern.source],
  [textFormat, textPattern.source]
])

/** The schema with each property's description beside its type, where editors look for it. */
const flat = (schema: object): { readonly [name: string]: Json } =>
  // effect returns plain JSON
  merged(schema as { readonly [name: string]: Json })

const merged = (schema: { readonly [name: string]: Json }): { readonly [name: string]: Json } => {
  const inner = Object.fromEntries(
    Object.entries(schema).map(([name, value]) =>
      name === "format" && patterns.has(value) ? ["pattern", patterns.get(value) ?? ""] : [name, within(value)]
    )
  )
  const { allOf, ...others } = inner
  const words = Array.isArray(allOf) ? (allOf as ReadonlyArray<Json>).at(-1) : undefined
  if (!isObject(words) || Object.keys(words).some((name) => !said.has(name))) return inner
  const rest = (allOf as ReadonlyArray<Json>).slice(0, -1)
  if (rest.length === 0) return { ...others, ...words }
  const [only] = rest
  return rest.length === 1 && isObject(only) ? { ...others, ...only, ...words } : { ...others, allOf: rest, ...words }
}

const within = (value: Json): Json => {
  if (Array.isArray(value)) return (value as ReadonlyArray<Json>).map(within)
  return isObject(value) ? merged(value) : value
}

const said = new Set(["description", "default"])

const isObject = (value: Json | undefined): value is { readonly [name: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const documentSchema = (registry: Registry | undefined): Schema.Constraint => {
  const node: Schema.Codec<unknown, unknown> = Schema.suspend(() => step).annotate({ identifier: "step" })
  const parts = describing(registry, node)
  const use = Schema.Struct({
    use: Name.annotateKey({ description: "Name of a definition, or of a registered step." })
  }).annotate({ identifier: "use", description: "A step by its name." })
  const typed = types.map(({ description, fields, type }) =>
    Schema.Struct({
      type: Schema.Literal(type),
      ...Object.fromEntries(
        Object.entries(fields).map(([name, form]) => {
          const schema = schemaOf(form, parts)
          return [name, form.default === undefined ? schema : schema.annotateKey({ default: form.default })]
        })
      )
    }).annotate({ identifier: type, description })
  )
  // a union of all types, discriminated by `type`; the cast leaves out its members, which are known at run time only
  const step = Schema.Union([use, ...typed]) as unknown as Schema.Codec<unknown, unknown>
  return Schema.Struct({
    $schema: Schema.optionalKey(Schema.String).annotateKey({ description: "Place of this schema, for editors." }),
    cogito: Schema.Literal(1).annotateKey({ description: "Version of the format." }),
    name: Name.annotateKey({ description: "Name of the pipeline." }),
    definitions: Schema.optionalKey(Schema.Record(Schema.String, node)).annotateKey({
      description: "Steps that { use } can name. They may use each other, but none itself."
    }),
    step: node.annotateKey({ description: "The step that the pipeline is." })
  })
}
