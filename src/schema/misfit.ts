/** Why an answer does not fit its question, in plain sentences. */
import type * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const sentence = (message: string, path: ReadonlyArray<unknown>): string => {
  const place = path.map(String).join(".")
  if (message === "Missing key") return `"${place}" is missing`
  if (message === "Expected no excess property") return `"${place}" is not expected`
  // a number in JSON: these texts stand for the numbers that JSON does not have
  const isNumber = message === 'Expected "Infinity" | "-Infinity" | "NaN"'
  const what = isNumber ? "expected number" : message.replace(/^Expected /, "expected ")
  return place === "" ? what : `"${place}": ${what}`
}

export const misfit = ({ issue }: Schema.SchemaError): string =>
  issuesOf(issue)
    .issues.map(({ message, path = [] }) => {
      const keys = path.map((part) => (typeof part === "object" ? part.key : part))
      return sentence(message, keys)
    })
    .join("; ")
