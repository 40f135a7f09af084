/** From text to data. */
import * as Yaml from "effect/encoding/Yaml"
import * as Result from "effect/Result"
import { mostText } from "./bounds.ts"
import { problem } from "./problems.ts"
import type { Problem } from "./SpecError.ts"

/**
 * How a document is written.
 *
 * @category models
 */
export type Format = "json" | "yaml"

/** The data that a text stands for. Of a text that looks like JSON the format need not be told. */
export const parse = (text: string, format?: Format): Result.Result<unknown, Problem> => {
  const form = format ?? (/^\s*\{/.test(text) ? "json" : "yaml")
  if (text.length > mostText) {
    return Result.fail(problem([], `The document is longer than ${mostText} characters. Divide it.`))
  }
  if (text.trim() === "") return Result.fail(problem([], "The document is empty. Write { cogito: 1, name, step }."))
  return Result.try({
    try: (): unknown => (form === "json" ? JSON.parse(text) : Yaml.parse(text)),
    catch: (error) => problem([], `This is no ${form === "json" ? "JSON" : "YAML"}: ${reason(error)}`)
  })
}

const reason = (error: unknown): string => {
  if (error instanceof RangeError) return "it is nested too deeply. Make it flatter."
  return `${error instanceof Error ? error.message : String(error)}. Correct it there.`
}
