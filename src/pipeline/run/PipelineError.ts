import * as Data from "effect/Data"
import { NodeInspectSymbol } from "effect/Inspectable"
import { bounded } from "./bounded.ts"
import { cut, escapeHidden } from "../../text/legible.ts"
import type { Failure } from "../../run/failure.ts"
import { FailuresLeftOut } from "../../step/runtime/FailuresLeftOut.ts"
import { type Most, plain, readable } from "./plain.ts"
import type { Thought } from "../../thought/model.ts"

/**
 * A step of a pipeline failed.
 *
 * **Details**
 *
 * - `path`: the names from the pipeline through every connector to the step
 * - `cause`: the error that the step raised
 * - `before`: failures that were retried or replaced, such as earlier attempts of a retry or alternatives of a fallback
 * - `beside`: failures of branches that ran at the same time
 * - `thought`: the thought as it was last stored. Continue from it: its notes are not written again
 * - `durationMillis`: the time since the run began
 *
 * Failures in `before` and `beside` have their own path, cause and duration. If some are left out, an entry with the
 * cause `FailuresLeftOut` has their number.
 *
 * @category errors
 */
export class PipelineError<out E> extends Data.TaggedError("PipelineError")<{
  readonly path: ReadonlyArray<string>
  readonly cause: E
  readonly before: ReadonlyArray<Failure>
  readonly beside: ReadonlyArray<Failure>
  readonly thought: Thought | undefined
  readonly durationMillis: number
}> {
  declare readonly cause: E
  constructor(args: {
    readonly path: ReadonlyArray<string>
    readonly cause: E
    readonly before?: ReadonlyArray<Failure>
    readonly beside?: ReadonlyArray<Failure>
    readonly thought: Thought | undefined
    readonly durationMillis: number
  }) {
    super({ before: [], beside: [], ...args })
    // errors are often logged, and notes are for the program only
    Object.defineProperty(this, "thought", { enumerable: false })
  }
  /** One line, and an indented line for each failure before and beside it: at most 20 in a list and 100 in total. */
  override get message(): string {
    return [line(this, "  ", mostWords), ...others(bounded(this, mostLines), "  ")].join("\n")
  }
  /**
   * What happened and where, as plain data without the notes of the thought. The cause is cut to 50,000 characters.
   * There are at most 100 other failures, with causes cut to 2,000 characters each.
   */
  override toJSON(): unknown {
    const { _tag, durationMillis, message, thought } = this
    const { before, beside, cause, path } = failureToJson(bounded(this), mostOfCause)
    return { _tag, message, path, cause, before, beside, thoughtId: thought?.id, durationMillis }
  }
  override [NodeInspectSymbol](): unknown {
    const { cause, stack } = this as { readonly cause: unknown; readonly stack?: string }
    const causes = causesOf(cause).map((error) => cut(readable(() => error.stack) ?? describe(error), mostStack))
    return [stack, ...causes].join("\n[cause]: ")
  }
}

const mostCauses = 3

/** An error and the chain of its causes. */
const causesOf = (error: unknown, most = mostCauses): ReadonlyArray<Error> =>
  error instanceof Error && most > 0
    ? [
        error,
        ...causesOf(
          readable(() => error.cause),
          most - 1
        )
      ]
    : []

/** The longest stack, and the longest descriptions of the failure and of the others, in code points. */
const mostStack = 20_000
const mostWords = 1_000
const mostWordsOfOthers = 300

/** In each list of failures. */
const mostLines = 20

/** As data. */
const mostOfCause: Most = { values: 1_000, text: 50_000 }
const mostOfOthers: Most = { values: 100, text: 2_000 }

const line = ({ cause, durationMillis, path }: Failure, indent: string, most: number): string => {
  const words = cut(describe(cause), most).split(/\r\n|[\n\r]/)
  const where = path.map(escapeHidden).join("/")
  return `${where} failed after ${durationMillis} ms: ${cut(words.join(`\n${indent}`), most)}`
}

/** A line for each failure before and beside another one, and recursively for theirs. */
const others = ({ before, beside }: Failure, indent: string): ReadonlyArray<string> => {
  const listed = (word: string, failures: ReadonlyArray<Failure>): ReadonlyArray<string> =>
    failures.flatMap((failure) => {
      if (failure.cause instanceof FailuresLeftOut) return [`${indent}${word}: ${failure.cause.message}`]
      const deeper = `${indent}  `
      return [`${indent}${word}: ${line(failure, deeper, mostWordsOfOthers)}`, ...others(failure, deeper)]
    })
  return [...listed("before", before), ...listed("beside", beside)]
}

const failureToJson = ({ before, beside, cause, durationMillis, path }: Failure, most: Most): Failure => ({
  path,
  cause: plain(cause, most),
  durationMillis,
  before: before.map((one) => failureToJson(one, mostOfOthers)),
  beside: beside.map((one) => failureToJson(one, mostOfOthers))
})

/** A short description of an error of any type. */
const describe = (error: unknown, depth = 0): string => {
  if (error instanceof Error) {
    const words = readable(() => error.message) ?? "its message cannot be read"
    return `${error.name}: ${words.trim() === "" ? withoutWords(error, depth) : words}`
  }
  if (typeof error !== "object" || error === null) return String(error)
  return "_tag" in error && typeof error._tag === "string" ? error._tag : "an error that is not an Error"
}

const notFields = new Set(["_tag", "name", "message", "stack", "cause"])

/**
 * Describes an error without a message by its cause and the names of its fields, but not their values: they may be
 * texts of notes.
 */
const withoutWords = (error: Error, depth: number): string => {
  const cause = readable(() => error.cause)
  const fields =
    readable(() => Object.keys(error).filter((name) => !notFields.has(name) && !name.startsWith("~"))) ?? []
  const shown = fields.slice(0, mostFields).map(escapeHidden).join(", ")
  const more = fields.length > mostFields ? ` and ${fields.length - mostFields} more` : ""
  return [
    "it has no message",
    ...(fields.length === 0 ? [] : [`look at ${shown}${more} in its fields`]),
    ...(cause instanceof Error && depth < mostCauses ? [`it was caused by ${describe(cause, depth + 1)}`] : [])
  ].join("; ")
}

const mostFields = 5
