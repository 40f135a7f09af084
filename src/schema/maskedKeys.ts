/**
 * What does not fit a schema, without the keys of records and without the words of other libraries: both come from the
 * value, as a note's text does.
 */
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import { anyKey, pathTo, withoutWords } from "./foreignIssues.ts"

const isDeclared = (within: SchemaAST.AST | undefined, key: PropertyKey): boolean =>
  within?._tag !== "Objects" || within.propertySignatures.some(({ name }) => name === key)

/** `within`: the schema of the value in which a path begins. */
export const maskedKeys = (issue: SchemaIssue.Issue, within?: SchemaAST.AST): SchemaIssue.Issue => {
  switch (issue._tag) {
    case "Composite": {
      const [first, ...others] = issue.issues
      return new SchemaIssue.Composite(issue.ast, [
        maskedKeys(first, issue.ast),
        ...others.map((other) => maskedKeys(other, issue.ast))
      ])
    }
    case "AnyOf":
      return new SchemaIssue.AnyOf(
        issue.ast,
        issue.issues.map((one) => maskedKeys(one))
      )
    case "Pointer": {
      const [key, ...others] = issue.path
      const known = key === undefined || isDeclared(within, key)
      const path = known ? pathTo(issue.issue, issue.path) : [anyKey, ...others]
      return new SchemaIssue.Pointer(path, maskedKeys(issue.issue))
    }
    case "Filter":
      return new SchemaIssue.Filter(issue.filter, maskedKeys(issue.issue, within))
    case "Encoding":
      return new SchemaIssue.Encoding(issue.ast, maskedKeys(issue.issue, within))
    default:
      return withoutWords(issue)
  }
}
