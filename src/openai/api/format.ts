/** The form of an answer, as OpenAI's structured output accepts it. */
import type { Capabilities, Output } from "../../Provider.ts"
import { dereferenced, type JsonSchema } from "../../schema/jsonSchema.ts"
import { restore } from "./restore.ts"
import { toStrict } from "./strict.ts"

/** How a form is requested. */
export type Format =
  | { readonly type: "json_schema"; readonly name: string; readonly schema: JsonSchema; readonly strict: boolean }
  | { readonly type: "json_object" }

/** The schema if its root is an object, else undefined. */
const withObjectRoot = (given: JsonSchema): JsonSchema | undefined => {
  const { $schema: _, ...schema } = given
  const root = dereferenced(schema, schema)
  return root?.["type"] === "object" ? root : undefined
}

const toName = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "output"

/** Undefined if the form goes in words only. In both modes OpenAI accepts only an object at the root. */
export const toFormat = (output: Output | undefined, mode: Capabilities["structuredOutput"]): Format | undefined => {
  const schema = output && withObjectRoot(output.jsonSchema)
  if (output === undefined || schema === undefined || mode === "none") return undefined
  if (mode === "json") return { type: "json_object" }
  const strict = toStrict(schema)
  return { type: "json_schema", name: toName(output.name), schema: strict ?? schema, strict: strict !== undefined }
}

/** Whether the form must be described in words. */
export const isInWords = (output: Output | undefined, format: Format | undefined): output is Output =>
  output !== undefined && format?.type !== "json_schema"

/** Takes out of an answer the nulls that only the strict form required. */
export const toAnswer = (text: string, output: Output | undefined, format: Format | undefined): string => {
  const schema = output && withObjectRoot(output.jsonSchema)
  return schema !== undefined && format?.type === "json_schema" && format.strict ? restore(schema, text) : text
}
