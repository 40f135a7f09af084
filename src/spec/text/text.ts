/** Parses the text of a document. */
import * as Yaml from "effect/encoding/Yaml"
import * as Result from "effect/Result"
import { mostLine, mostLines, mostText, mostYaml } from "../model/bounds.ts"
import { flawOf } from "./json.ts"
import { problem } from "../model/problems.ts"
import type { Problem } from "../model/SpecError.ts"

/**
 * The format of a document's text.
 *
 * @category models
 */
export type Format = "json" | "yaml"

const refuse = (what: string) => Result.fail(problem([], what))

/** Parses a text. Text that looks like JSON needs no format. */
export const parse = (given: string, format?: Format): Result.Result<unknown, Problem> => {
  // some editors begin a text with a byte order mark
  const text = given.startsWith("\uFEFF") ? given.slice(1) : given
  if (text.length > mostText) return refuse(`The document is longer than ${mostText} characters. Divide it.`)
  if (text.includes("\0")) return refuse("The document is not valid UTF-8: save it as UTF-8.")
  if (text.trim() === "") return refuse("The document is empty. Write { cogito: 1, name, step }.")
  return (format ?? (/^\s*\{/.test(text) ? "json" : "yaml")) === "json" ? parseJson(text) : parseYaml(text)
}

const parseJson = (text: string): Result.Result<unknown, Problem> => {
  const flaw = flawOf(text)
  return flaw === undefined
    ? Result.try({
        try: (): unknown => JSON.parse(text),
        catch: () => problem([], "This is not valid JSON. Correct it.")
      })
    : Result.fail(problem([], `This is not valid JSON: ${flaw.what} at ${placeOf(text, flaw.at)}. Correct it there.`))
}

const placeOf = (text: string, at: number): string => {
  const before = text.slice(0, at).split("\n")
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`
}

const hint = "Put texts with , : # or brackets in double quotes."

const parseYaml = (text: string): Result.Result<unknown, Problem> => {
  if (text.length > mostYaml) {
    return refuse(`The document is longer than ${mostYaml} characters of YAML. Divide it, or write it as JSON.`)
  }
  const lines = text.split(/\r\n|\r|\n/)
  if (lines.length > mostLines) return refuse(`The document has more than ${mostLines} lines of YAML. Divide it.`)
  for (const [i, line] of lines.entries()) {
    if (line.length > mostLine) {
      return refuse(
        `Line ${i + 1} is longer than ${mostLine} characters of YAML. Write a long text as a block, with |.`
      )
    }
    if (line.startsWith("%")) return refuse(`Line ${i + 1} begins with %, which YAML takes for a directive. Indent it.`)
  }
  return Result.try({
    try: (): unknown => Yaml.parse(text),
    catch: (error) => problem([], `This is not valid YAML: ${reason(error)}`)
  })
}

const reason = (error: unknown): string => {
  if (error instanceof RangeError) return "it is nested too deeply. Make it flatter."
  const said = error instanceof Error ? error.message : String(error)
  return `${said.replace(/at flow offset (\d+)/, "after $1 characters in brackets")}. Correct it there. ${hint}`
}
