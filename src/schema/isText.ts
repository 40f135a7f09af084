import type * as SchemaAST from "effect/SchemaAST"

/** Whether every value of a schema is a text. */
export const isText = (ast: SchemaAST.AST): boolean => {
  switch (ast._tag) {
    case "String":
    case "TemplateLiteral":
      return true
    case "Literal":
      return typeof ast.literal === "string"
    case "Union":
      return ast.types.length > 0 && ast.types.every(isText)
    default:
      return false
  }
}
