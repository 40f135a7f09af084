/** The schemas that steps were given for their notes. Descriptions of steps are plain data, so they are kept beside them. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { canonicalJson } from "../../schema/canonicalJson.ts"
import { wireOf } from "../../schema/schemaOf.ts"
import { hash128 } from "../../text/hash.ts"
import { knownOf } from "./make.ts"
import type { Node } from "./model.ts"

const schemas = new WeakMap<Node, Schema.Codec<any, any>>()
const hashes = new WeakMap<Schema.Codec<any, any>, string>()

/** Keeps the schema that the step of a node was given. */
export const stating = (node: Node, schema: Schema.Codec<any, any>): Node => {
  schemas.set(node, schema)
  return node
}

/** A part of a schema may have no form in JSON. */
const documentOf = Option.liftThrowable((schema: Schema.Codec<any, any>): unknown =>
  Schema.toJsonSchemaDocument(wireOf(schema), { onExcessProperty: "error" })
)

/** A hash of the JSON Schema that the step of a node was given, if it was given one. */
export const statedIn = (node: Node): string | undefined => {
  const schema = knownOf(schemas, node)
  if (schema === undefined) return undefined
  const hash = hashes.get(schema) ?? hash128(canonicalJson(Option.getOrElse(documentOf(schema), () => "unknown")))
  hashes.set(schema, hash)
  return hash
}
