/** The form of an answer, as OpenAI's structured output takes it. */
import type { Capabilities, Output } from "../../Provider.ts"
import { dereferenced, type JsonSchema } from "../../schema/jsonSchema.ts"
import { restore } from "./restore.ts"
import { toStrict } from "./strict.ts"

/** How a form is asked for. */
export type Format =
  | { readonly type: "json_schema"; readonly name: string; readonly schema: JsonSchema; readonly strict: boolean }
  | { readonly type: "json_object" }

/** The schema with an object at its root; undefined for any other one. */
const withObjectRoot = (given: JsonSchema): JsonSchema | undefined => {
  const { $schema: _, ...schema } = given
  const root = dereferenced(schema, schema)
  return root?.["type"] === "object" ? root : undefined
}

const toName = (name: string): string => name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "output"

/** Nothing where the form is asked for in words alone: OpenAI takes only objects at the root, in both modes. */
export const toFormat = (output: Output | undefined, mode: Capabilities["structuredOutput"]): Format | undefined => {
  const schema = output && withObjectRoot(output.jsonSchema)
  if (output === undefined || schema === undefined || mode === "none") return undefined
  if (mode === "json") return { type: "json_object" }
  const strict = toStrict(schema)
  return { type: "json_schema", name: toName(output.name), schema: strict ?? schema, strict: strict !== undefined }
}

/** Whether the form must be told in words. */
export const isInWords = (output: Output | undefined, format: Format | undefined): output is Output =>
  output !== undefined && format?.type !== "json_schema"

/** The text of an answer as the form asked for has it: nulls that only the strict form sent has are taken away. */
export const toAnswer = (text: string, output: Output | undefined, format: Format | undefined): string => {
  const schema = output && withObjectRoot(output.jsonSchema)
  return schema !== undefined && format?.type === "json_schema" && format.strict ? restore(schema, text) : text
}
