/** Schemas of other libraries: the Standard Schema interface and its JSON Schema companion. */
import type * as Schema from "effect/Schema"

type Judged<A> =
  | { readonly value: A; readonly issues?: undefined }
  | {
      readonly issues: ReadonlyArray<{
        readonly message: string
        readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
      }>
    }

/** Returns a JSON Schema. Throws if the library has none for the schema. */
type Form = (options: { readonly target: "draft-2020-12" | "draft-07" }) => Record<string, unknown>

/**
 * A schema of another library that implements Standard Schema and gives its JSON Schema.
 *
 * **Details**
 *
 * Examples are Zod (from 4.2), ArkType, and Valibot with `toStandardJsonSchema`.
 *
 * @category models
 */
export interface StandardSchema<out A> {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => Judged<A> | Promise<Judged<A>>
    readonly jsonSchema: { readonly input: Form; readonly output: Form }
    readonly types?: { readonly input: unknown; readonly output: A } | undefined
  }
}

/**
 * Any accepted schema: an Effect Schema, or a Standard Schema with its JSON Schema.
 *
 * **Details**
 *
 * The schema must not need services or asynchronous work. `A` is the type of the decoded values.
 *
 * @category models
 */
export type AnySchema<A> = Schema.Codec<A, any> | StandardSchema<A>

const hasProperties = (value: unknown): value is Readonly<Record<string, unknown>> =>
  (typeof value === "object" && value !== null) || typeof value === "function"

const propertiesOf = (schema: unknown): Readonly<Record<string, unknown>> | undefined => {
  const own = hasProperties(schema) ? schema["~standard"] : undefined
  return hasProperties(own) ? own : undefined
}

/** The library's name if the value is a Standard Schema, with or without a JSON Schema. */
export const vendorOf = (schema: unknown): string | undefined => {
  const { validate, vendor } = propertiesOf(schema) ?? {}
  return typeof validate === "function" ? String(vendor) : undefined
}

export const isStandard = (schema: unknown): schema is StandardSchema<unknown> => {
  const forms = propertiesOf(schema)?.["jsonSchema"]
  return vendorOf(schema) !== undefined && hasProperties(forms) && typeof forms["input"] === "function"
}
