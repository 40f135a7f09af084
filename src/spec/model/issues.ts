/** Problems of one option, each with advice on what to write instead. */
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import { kindOf, mostProblems, type Path, problem, quote, suggestion } from "./problems.ts"
import type { Problem } from "./SpecError.ts"

/** The problems of a value that does not fit its schema. `expected` describes the valid values, if known. */
export const problemsOf = (
  issue: SchemaIssue.Issue,
  value: unknown,
  path: Path,
  expected?: string
): ReadonlyArray<Problem> => {
  const here = expected ?? expectedOf(issue)
  switch (issue._tag) {
    case "Pointer":
      return problemsOf(issue.issue, at(value, issue.path), [...path, ...issue.path])
    case "Encoding":
      return problemsOf(issue.issue, value, path, here)
    case "Composite":
      return issue.issues.flatMap((inner) => problemsOf(inner, value, path, here))
    case "AnyOf": {
      const meant = nearest(issue.issues)
      if (meant !== undefined) return problemsOf(meant, value, path, here)
      // the problems of each alternative would not say which one to write
      return [problem(path, here === undefined ? sentence(issue, value, here) : `Write ${here}, not ${kindOf(value)}.`)]
    }
    case "MissingKey":
      return [problem(path, "This is missing: add it.")]
    case "UnexpectedKey":
      return [problem(path, "There is no such option: remove it.")]
    default:
      return [problem(path, sentence(issue, value, here))]
  }
}

/** The schema's own description of the expected value. */
const expectedOf = (issue: SchemaIssue.Issue): string | undefined => {
  if (!("ast" in issue)) return undefined
  const said: unknown = SchemaAST.resolve(issue.ast)?.["expected"]
  return typeof said === "string" ? said : undefined
}

const formatted = SchemaIssue.makeFormatterStandardSchemaV1()

const sentence = (issue: SchemaIssue.Issue, value: unknown, expected: string | undefined): string => {
  const said = formatted(issue).issues[0]?.message ?? ""
  // our own checks return whole sentences
  if (!said.startsWith("Expected ")) return said
  const named = said.slice("Expected ".length)
  return `Write ${expected ?? (named === "string" ? "text" : named)}, not ${kindOf(value)}.`
}

/** The alternative that was probably meant: the only one without unknown options. */
const nearest = (forms: ReadonlyArray<SchemaIssue.Issue>): SchemaIssue.Issue | undefined => {
  if (forms.length === 1) return forms[0]
  const known = forms.filter((form) => !hasUnexpected(form))
  return known.length === 1 ? known[0] : undefined
}

const hasUnexpected = (issue: SchemaIssue.Issue): boolean => {
  if (issue._tag === "UnexpectedKey") return true
  if ("issue" in issue) return hasUnexpected(issue.issue)
  return "issues" in issue && issue.issues.some(hasUnexpected)
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Readonly<Record<PropertyKey, unknown>>)[key]
        : undefined,
    value
  )

/** Problems of unknown options, each with the option that was probably meant. */
export const unknownOptions = (
  given: ReadonlyArray<string>,
  known: ReadonlyArray<string>,
  of: string,
  path: Path
): ReadonlyArray<Problem> =>
  given
    .filter((name) => !known.includes(name))
    .slice(0, mostProblems + 1)
    .map((name) => problem([...path, name], `${of} has no option ${quote(name)}.${suggestion(name, known, "options")}`))
