/**
 * Issues found by schemas of other libraries: with their own message for whoever wrote the value, with ours elsewhere.
 */
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"

/** Replaces, in a path, a key that the schema does not declare. */
export const anyKey = "*"

/** The JSON form of the schema that found an issue. */
const forms = new WeakMap<SchemaIssue.Issue, SchemaAST.AST>()

/** Issues whose message does not repeat the value. */
const plain = new WeakSet<SchemaIssue.Issue>()

/** An issue found by a schema with this JSON form. */
export const foreignIssue = (message: string, form: SchemaAST.AST): SchemaIssue.Issue => {
  const issue = new SchemaIssue.InvalidValue({ message })
  forms.set(issue, form)
  return issue
}

/** The same with a message of ours, which stays. */
export const plainIssue = (message: string, form: SchemaAST.AST): SchemaIssue.Issue => {
  const issue = foreignIssue(message, form)
  plain.add(issue)
  return issue
}

/**
 * Replaces the message of a foreign issue, which may repeat the value: Zod and ArkType include it, and custom checks
 * can say anything.
 */
export const withoutWords = (issue: SchemaIssue.Issue): SchemaIssue.Issue =>
  forms.has(issue) && !plain.has(issue)
    ? new SchemaIssue.InvalidValue({ message: "Expected a value that the schema accepts" })
    : issue

/** The path to a foreign issue, with `*` for keys that come from the value. Any other path stays as it is. */
export const pathTo = (issue: SchemaIssue.Issue, path: ReadonlyArray<PropertyKey>): ReadonlyArray<PropertyKey> => {
  const form = forms.get(issue)
  if (form === undefined) return path
  let within: ReadonlyArray<SchemaAST.AST> = [form]
  return path.map((key) => {
    const declared = within.flatMap((ast) => declaredIn(ast, key))
    if (declared.length > 0) {
      within = declared
      return key
    }
    within = within.flatMap((ast) => othersIn(ast))
    return typeof key === "number" ? key : anyKey
  })
}

const declaredIn = (ast: SchemaAST.AST, key: PropertyKey): ReadonlyArray<SchemaAST.AST> => {
  switch (ast._tag) {
    case "Objects":
      return ast.propertySignatures.filter(({ name }) => name === key).map(({ type }) => type)
    case "Union":
      return ast.types.flatMap((one) => declaredIn(one, key))
    case "Suspend":
      return declaredIn(ast.thunk(), key)
    default:
      return []
  }
}

/** The schemas of keys and positions that the schema does not name. */
const othersIn = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> => {
  switch (ast._tag) {
    case "Objects":
      return ast.indexSignatures.map(({ type }) => type)
    case "Arrays":
      return [...ast.elements, ...ast.rest]
    case "Union":
      return ast.types.flatMap(othersIn)
    case "Suspend":
      return othersIn(ast.thunk())
    default:
      return []
  }
}
