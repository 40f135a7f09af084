import * as Data from "effect/Data"
import { NodeInspectSymbol } from "effect/Inspectable"
import type { Failure } from "../internal/failure.ts"
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
  override get message(): string {
    return [line(this), ...others(this, "  ")].join("\n")
  }
  /** What happened and where, without the notes of the thought. */
  override toJSON(): unknown {
    const { _tag, before, beside, cause, durationMillis, message, path, thought } = this
    return { _tag, message, path, cause, before, beside, thoughtId: thought?.id, durationMillis }
  }
  override [NodeInspectSymbol](): unknown {
    const { cause, stack } = this as { readonly cause: unknown; readonly stack?: string }
    return cause instanceof Error ? `${stack}\n[cause]: ${cause.stack}` : stack
  }
}

const line = ({ cause, durationMillis, path }: Failure): string =>
  `${path.join("/")} failed after ${durationMillis} ms: ${describe(cause)}`

/** A line for each failure before and beside another one, and for those before and beside these. */
const others = ({ before, beside }: Failure, indent: string): ReadonlyArray<string> => [
  ...before.flatMap((failure) => [`${indent}before: ${line(failure)}`, ...others(failure, `${indent}  `)]),
  ...beside.flatMap((failure) => [`${indent}beside: ${line(failure)}`, ...others(failure, `${indent}  `)])
]

/** An error of any type in a few words. */
const describe = (error: unknown): string => {
  if (error instanceof Error) return `${error.name}: ${error.message}`
  if (typeof error !== "object" || error === null) return String(error)
  return "_tag" in error && typeof error._tag === "string" ? error._tag : "an error that is no Error"
}
