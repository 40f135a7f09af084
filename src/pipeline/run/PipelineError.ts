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
 * `path` leads from the pipeline through every connector to the step, `cause` is the error as the step raised it.
 * `before` has the failures that were tried again or passed over on the way, such as the earlier attempts of a retry and
 * the alternatives of a fallback, `beside` those of branches that ran at the same time; each with its own path, cause and
 * duration. Where there were too many, an entry with the cause `FailuresLeftOut` says how many. `thought` is the last one that was stored whole (running on from it repeats nothing that is in it),
 * `durationMillis` the time since the run began.
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
    // an error is often logged: its notes are for the program only
    Object.defineProperty(this, "thought", { enumerable: false })
  }
  /** A line, and an indented one for each failure before and beside it, of at most 20 in a list and 100 in all. */
  override get message(): string {
    return [line(this, "  ", mostWords), ...others(bounded(this, mostLines), "  ")].join("\n")
  }
  /**
   * What happened and where, as plain data, without the notes of the thought: its cause cut to 50,000 characters, and at
   * most 100 failures before and beside it, of which each cause is cut to 2,000.
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

/** An error, and what it says it was caused by. */
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

/** In code points. */
const mostStack = 20_000
const mostWords = 1_000
const mostWordsOfOthers = 300

/** Of failures before, or beside, another one. */
const mostLines = 20

/** As data. */
const mostOfCause: Most = { values: 1_000, text: 50_000 }
const mostOfOthers: Most = { values: 100, text: 2_000 }

const line = ({ cause, durationMillis, path }: Failure, indent: string, most: number): string => {
  const words = cut(describe(cause), most).split(/\r\n|[\n\r]/)
  const where = path.map(escapeHidden).join("/")
  return `${where} failed after ${durationMillis} ms: ${cut(words.join(`\n${indent}`), most)}`
}

/** A line for each failure before and beside another one, and for those before and beside these. */
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

/** An error of any type in a few words. */
const describe = (error: unknown, depth = 0): string => {
  if (error instanceof Error) {
    const words = readable(() => error.message) ?? "its message cannot be read"
    return `${error.name}: ${words.trim() === "" ? withoutWords(error, depth) : words}`
  }
  if (typeof error !== "object" || error === null) return String(error)
  return "_tag" in error && typeof error._tag === "string" ? error._tag : "an error that is no Error"
}

const notFields = new Set(["_tag", "name", "message", "stack", "cause"])

/** What an error without a message has else: the error it was caused by, and the names of its fields, as values may be texts of notes. */
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
