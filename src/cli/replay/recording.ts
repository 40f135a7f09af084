/** Opens a recording for the commands, and describes the outcomes of its calls. */
import * as Effect from "effect/Effect"
import { expand, type Expanded } from "../../recording/expand.ts"
import { readText } from "../../recording/files.ts"
import { decode, fromLines, type Recording } from "../../recording/Recording.ts"
import type { Message } from "../../Provider.ts"
import { CommandError } from "../console/failure.ts"
import { counted } from "../console/output.ts"

export interface Opened {
  readonly path: string
  readonly recording: Recording
  readonly calls: ReadonlyArray<Expanded>
}

export const open = Effect.fnUntraced(function* (path: string): Effect.fn.Return<Opened, CommandError> {
  // a failure of the file system begins with the path too
  const refuse = (what: string) =>
    new CommandError({ message: `Cannot read the recording ${path}: ${what.replace(`${path}: `, "")}.` })
  const text = yield* Effect.mapError(readText(path), refuse)
  const recording = yield* Effect.mapError(Effect.fromResult(decode(text)), refuse)
  const calls = yield* Effect.mapError(Effect.fromResult(expand(recording)), refuse)
  return { path, recording, calls }
})

/** The outcome of a call as text. */
export const answerOf = ({ call: { answer, failure } }: Expanded): string => {
  if (failure !== undefined) return `${failure.reason._tag}: ${failure.reason.message}`
  if (answer === undefined) return ""
  if ("text" in answer) return shownOf({ ...answer, text: fromLines(answer.text) })
  return JSON.stringify("json" in answer ? answer.json : answer.answers, undefined, 2)
}

/** What a message or an answer says: its text, its calls of tools, and their results. */
export const shownOf = ({ calls = [], results = [], text }: Pick<Message, "calls" | "results" | "text">): string => {
  const called = calls.map(({ name, params }) => `${name}(${params})`)
  const ended = results.map((result) => `${result.name}${result.isFailure ? " failed" : ""}: ${result.text}`)
  const tools = [...called, ...ended]
  return (text === "" && tools.length > 0 ? tools : [text, ...tools]).join("\n")
}

/** The outcome of a call in a few words. */
export const outcomeOf = (expanded: Expanded): string => {
  const { answer, failure, interrupted = false } = expanded.call
  if (interrupted) return "interrupted"
  if (failure !== undefined) return `failed: ${failure.reason._tag}`
  return answer !== undefined && "answers" in answer
    ? counted(answer.answers.length, "answer")
    : counted(answerOf(expanded).length, "character")
}
