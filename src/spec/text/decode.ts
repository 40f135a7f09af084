import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type Document, type Read, readDocument } from "../document/document.ts"
import type { Any as Registry } from "../model/registry.ts"
import { type Problem, SpecError } from "../model/SpecError.ts"
import { type Format, parse } from "./text.ts"

/**
 * Reads a document: a text of JSON or YAML, or a value that was read already.
 *
 * All of its problems are reported at once, each with its path and with what to do: unknown types and options, values of
 * the wrong form, names that are not registered, definitions that lead back to themselves. Nothing is built, and nothing
 * that is registered is run. The result is in canonical form. Without a `format`, a text that begins with a brace is JSON,
 * any other YAML. Fails with `SpecError`.
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

/** Reads a text, or what was read of one. */
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
