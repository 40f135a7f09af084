import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { readFile } from "node:fs/promises"
import type { Document, Read } from "../document/document.ts"
import { readInput } from "./decode.ts"
import { problem, quote } from "../model/problems.ts"
import { durationText } from "../model/parts.ts"
import type { Any as Registry } from "../model/registry.ts"
import { type Problem, SpecError } from "../model/SpecError.ts"
import type { Format } from "./text.ts"

/**
 * Reads the text of a document by its path.
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
    try: (signal) => readFile(path, { signal }),
    catch: (cause) => new Unreadable({ cause })
  }).pipe(
    Effect.flatMap((bytes) =>
      Effect.try({
        try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes),
        catch: () => new Unreadable({ cause: new Error("it is not valid UTF-8: save it as UTF-8.") })
      })
    )
  )

/**
 * Reads the document in a file.
 *
 * **Details**
 *
 * A name that ends in `.json` means JSON, and `.yaml` or `.yml` means YAML, in any case. Fails with `SpecError`, whose
 * `source` is the path, also if the file cannot be read.
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

/** The time limit for reading a text. */
const patience = Duration.seconds(10)

/**
 * The text, or the problem that it cannot be read. It always ends, however the reader fails and however long it takes.
 */
export const textOf = (read: ReadText, path: string): Effect.Effect<Result.Result<string, Problems>> =>
  Effect.gen(function* () {
    // detached, so that its interruption does not interrupt the caller, and an uninterruptible reader does not block it
    const reading = yield* Effect.forkDetach(Effect.suspend(() => read(path)))
    const exit = yield* Fiber.await(reading).pipe(
      Effect.timeoutOption(patience),
      Effect.ensuring(Effect.sync(() => reading.interruptUnsafe()))
    )
    if (Option.isNone(exit)) return unread(`there was no text in ${durationText(patience)}`)
    if (Exit.isFailure(exit.value)) return unread(messageOf(exit.value.cause))
    const text: unknown = exit.value.value
    return typeof text === "string" ? Result.succeed(text) : unread(`the text is of type ${typeof text}`)
  })

const unread = (why: string): Result.Result<string, Problems> =>
  Result.fail([problem([], `This cannot be read: ${why}`)])

const messageOf = (cause: Cause.Cause<unknown>): string => {
  if (Cause.hasInterruptsOnly(cause)) return "reading was interrupted"
  const error = Cause.squash(cause)
  return error instanceof Error ? error.message : String(error)
}

/** Reads the document in a text, in the format of the path's extension. */
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
