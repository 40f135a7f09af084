import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

/** Whether two schemas have the same values: they are the same schema, or two plain ones with the same JSON form. */
export const sameSchema = (one: Schema.Codec<any, any>, other: Schema.Codec<any, any>): boolean =>
  one.ast === other.ast || (isPlain(one.ast) && isPlain(other.ast) && formOf(one) === formOf(other))

const formOf = (schema: Schema.Codec<any, any>): string => JSON.stringify(Schema.toJsonSchemaDocument(schema))

/** Whether values are their own JSON at every level: only then does the JSON form determine the values. */
const isPlain = (ast: SchemaAST.AST): boolean => {
  if (ast.encoding !== undefined) return false
  switch (ast._tag) {
    case "String":
    case "Number":
    case "Boolean":
    case "Null":
    case "Literal":
    case "Enum":
      return true
    case "Arrays":
      return [...ast.elements, ...ast.rest].every(isPlain)
    case "Objects":
      return (
        ast.propertySignatures.every(({ type }) => isPlain(type)) &&
        ast.indexSignatures.every(({ parameter, type }) => isPlain(parameter) && isPlain(type))
      )
    case "Union":
      return ast.types.every(isPlain)
    default:
      return false
  }
}
