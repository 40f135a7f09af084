import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Document, type Read, readDocument } from "../document/document.ts"
import type { Any as Registry } from "../model/registry.ts"
import { type Problem, SpecError } from "../model/SpecError.ts"
import { type Format, parse } from "./text.ts"

/**
 * Reads a document from JSON or YAML text, or from a parsed value, and returns it in canonical form.
 *
 * **Details**
 *
 * - All problems are reported at once in a `SpecError`, each with its path and advice: unknown types and options,
 *   invalid values, names that are not registered, cycles of definitions.
 * - Without a `format`, text that begins with a brace is JSON; any other text is YAML.
 * - Nothing is built, and no registered code runs.
 *
 * **Example** (All problems at once)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Spec } from "cogito/spec"
 *
 * const text = `
 * cogito: 1
 * name: mail
 * step: { type: decide, key: spam, qestion: Is this spam? }
 * `
 * const error = Effect.runSync(Effect.flip(Spec.decode(Spec.registry(), text)))
 *
 * assert.deepEqual(error.problems.map(({ path }) => path), ["step.qestion", "step.question"])
 * assert.match(error.message, /Did you mean "question"\?/)
 * ```
 *
 * @category decoding
 */
export const decode = (
  registry: Registry,
  input: unknown,
  options: { readonly format?: Format } = {}
): Effect.Effect<Document, SpecError> =>
  Effect.suspend(() =>
    Effect.fromResult(
      Result.mapBoth(readInput(registry, input, options.format), {
        onFailure: (problems) => new SpecError({ problems }),
        onSuccess: ({ document }) => document
      })
    )
  )

/** Reads a text or a parsed value. */
export const readInput = (
  registry: Registry,
  input: unknown,
  format: Format | undefined
): Result.Result<Read, readonly [Problem, ...Array<Problem>]> => {
  if (typeof input !== "string") return readDocument(registry, input)
  return Result.flatMap(
    Result.mapError(parse(input, format), (problem): readonly [Problem] => [problem]),
    (value) => readDocument(registry, value)
  )
}
