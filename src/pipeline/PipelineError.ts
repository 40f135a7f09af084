import * as Data from "effect/Data"
import { NodeInspectSymbol } from "effect/Inspectable"
import { cut } from "../internal/cut.ts"
import type { Failure } from "../internal/failure.ts"
import { escapeHidden } from "../internal/legible.ts"
import { plain, readable } from "../internal/plain.ts"
import type { Thought } from "../Thought.ts"

/**
 * A step of a pipeline failed.
 *
 * `path` leads from the pipeline through every connector to the step, `cause` is the error as the step raised it.
 * `before` has the failures that were tried again or passed over on the way, such as the earlier attempts of a retry and
 * the alternatives of a fallback, `beside` those of branches that ran at the same time; each with its own path, cause and
 * duration. `thought` is the last one that was stored whole (running on from it repeats nothing that is in it),
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
  /** A line, and an indented one for each failure before and beside it. */
  override get message(): string {
    return [line(this, "  "), ...others(this, "  ")].join("\n")
  }
  /** What happened and where, as plain data of bounded size, without the notes of the thought. */
  override toJSON(): unknown {
    const { _tag, durationMillis, message, thought } = this
    const { before, beside, cause, path } = failureToJson(this)
    return { _tag, message, path, cause, before, beside, thoughtId: thought?.id, durationMillis }
  }
  override [NodeInspectSymbol](): unknown {
    const { cause, stack } = this as { readonly cause: unknown; readonly stack?: string }
    if (!(cause instanceof Error)) return stack
    return `${stack}\n[cause]: ${cut(readable(() => cause.stack) ?? describe(cause), mostStack)}`
  }
}

/** In code points. */
const mostStack = 20_000
const mostWords = 1_000

/** Of failures before, or beside, another one. */
const mostLines = 20

const line = ({ cause, durationMillis, path }: Failure, indent: string): string => {
  const words = cut(describe(cause), mostWords).split(/\r\n|[\n\r]/)
  const where = path.map(escapeHidden).join("/")
  return `${where} failed after ${durationMillis} ms: ${words.join(`\n${indent}`)}`
}

/** A line for each failure before and beside another one, and for those before and beside these. */
const others = ({ before, beside }: Failure, indent: string): ReadonlyArray<string> => {
  const listed = (word: string, failures: ReadonlyArray<Failure>): ReadonlyArray<string> => [
    ...failures.slice(0, mostLines).flatMap((failure) => {
      const deeper = `${indent}  `
      return [`${indent}${word}: ${line(failure, deeper)}`, ...others(failure, deeper)]
    }),
    ...(failures.length > mostLines ? [`${indent}${word}: ${failures.length - mostLines} more failures`] : [])
  ]
  return [...listed("before", before), ...listed("beside", beside)]
}

const failureToJson = ({ before, beside, cause, durationMillis, path }: Failure): Failure => ({
  path,
  cause: plain(cause),
  durationMillis,
  before: before.map(failureToJson),
  beside: beside.map(failureToJson)
})

/** An error of any type in a few words. */
const describe = (error: unknown): string => {
  if (error instanceof Error) {
    const words = readable(() => error.message)
    return `${error.name}: ${words ?? "its message cannot be read"}`
  }
  if (typeof error !== "object" || error === null) return String(error)
  return "_tag" in error && typeof error._tag === "string" ? error._tag : "an error that is no Error"
}
