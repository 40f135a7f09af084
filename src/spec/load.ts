import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { readFile } from "node:fs/promises"
import type { Document, Read } from "./document.ts"
import { readInput } from "./decode.ts"
import { problem, quote } from "./problems.ts"
import type { Any as Registry } from "./registry.ts"
import { type Problem, SpecError } from "./SpecError.ts"
import type { Format } from "./text.ts"

/**
 * Gives the text of a document by its path.
 *
 * @category models
 */
export type ReadText = (path: string) => Effect.Effect<string, unknown>

/** A file that cannot be read. */
class Unreadable extends Data.TaggedError("Unreadable")<{ readonly cause: unknown }> {
  override get message(): string {
    return this.cause instanceof Error ? this.cause.message : String(this.cause)
  }
}

/** The text of a file. */
export const readFileText: ReadText = (path) =>
  Effect.tryPromise({
    try: (signal) => readFile(path, { encoding: "utf8", signal }),
    catch: (cause) => new Unreadable({ cause })
  })

/**
 * Reads the document in a file: JSON when its name ends in `.json`, YAML when in `.yaml` or `.yml`, in any case.
 *
 * Fails with `SpecError`, whose `source` is the path, also when the file cannot be read.
 *
 * **Example** (A document in a file)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { mkdtempSync, writeFileSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { Effect } from "effect"
 * import { Spec } from "cogito/spec"
 *
 * const path = join(mkdtempSync(join(tmpdir(), "spec-")), "mail.yaml")
 * writeFileSync(path, "cogito: 1\nname: mail\nstep: { type: decide, key: spam, question: Is this spam? }\n")
 *
 * const document = await Effect.runPromise(Spec.load(Spec.registry(), path))
 * assert.equal(document.name, "mail")
 * ```
 *
 * @category decoding
 */
export const load = (registry: Registry, path: string): Effect.Effect<Document, SpecError> =>
  Effect.gen(function* () {
    const text = yield* textOf(readFileText, path)
    const read = Result.flatMap(text, (text) => readText(registry, path, text))
    return yield* Effect.fromResult(
      Result.mapBoth(read, {
        onFailure: (problems) => new SpecError({ source: path, problems }),
        onSuccess: ({ document }) => document
      })
    )
  })

type Problems = readonly [Problem, ...Array<Problem>]

/** The text, or that it cannot be read. */
export const textOf = (read: ReadText, path: string): Effect.Effect<Result.Result<string, Problems>> =>
  read(path).pipe(
    // watching goes on, whatever is wrong with what reads
    Effect.catchDefect(Effect.fail),
    Effect.mapError((error): Problems => [
      problem([], `This cannot be read: ${error instanceof Error ? error.message : String(error)}`)
    ]),
    Effect.result
  )

/** The document of a text, by the extension of the path. */
export const readText = (registry: Registry, path: string, text: string): Result.Result<Read, Problems> => {
  const extension = /\.[^./\\]*$/.exec(path)?.[0].toLowerCase() ?? ""
  const format = formats.get(extension)
  if (format !== undefined) return readInput(registry, text, format)
  return Result.fail([
    problem(
      [],
      `There is no format ${extension === "" ? "without an extension" : quote(extension)}. Use .json, .yaml or .yml.`
    )
  ])
}

const formats: ReadonlyMap<string, Format> = new Map([
  [".json", "json"],
  [".yaml", "yaml"],
  [".yml", "yaml"]
])
