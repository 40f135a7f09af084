/** A recorded call as a provider that returns its answer, or fails as the call did. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { make } from "../provider/Provider.ts"
import type { Parts, Shape } from "../provider/Shape.ts"
import { ProviderError } from "../provider/ProviderError.ts"
import type { DecideResponse, Response, StreamPart } from "../provider/request.ts"
import { type Call, fromLines } from "./Recording.ts"

/** Whose call it was, and where it is written. */
interface Recorded extends Pick<Parts, "name" | "model" | "capabilities"> {
  readonly path: string
}

export const playing = (call: Call, { path, ...whose }: Recorded): Shape & Required<Pick<Shape, "decide">> => {
  const { answer, failure, interrupted = false } = call
  const fail = (rest: NonNullable<Call["failure"]>) =>
    Effect.fail(new ProviderError({ provider: whose.name, model: whose.model, ...rest }))
  const wrongWay = (asked: "text" | "native") => {
    const message = `replay of ${path}: the answer of call ${call.call} is not one to a ${asked} call`
    return fail({ reason: { _tag: "Unsupported", message } })
  }

  const ended = interrupted ? Effect.never : failure && fail(failure)
  const complete = (): Effect.Effect<Response, ProviderError> => {
    if (ended !== undefined) return ended
    if (answer === undefined || "answers" in answer) return wrongWay("text")
    const { usage = {} } = answer
    if ("text" in answer) return Effect.succeed({ ...answer, text: fromLines(answer.text), usage })
    const { json, ...rest } = answer
    return Effect.succeed({ ...rest, text: JSON.stringify(json), usage })
  }
  const decide = (): Effect.Effect<DecideResponse, ProviderError> => {
    if (ended !== undefined) return ended
    if (answer === undefined || !("answers" in answer)) return wrongWay("native")
    return Effect.succeed({ ...answer, usage: answer.usage ?? {} })
  }
  const begun = answer !== undefined && "text" in answer ? fromLines(answer.text) : ""
  const stream = (): Stream.Stream<StreamPart> =>
    Stream.concat(Stream.fromIterable(piecesOf(begun, call.pieces)), Stream.never)
  const made = make({ ...whose, complete, decide, ...(interrupted && { stream }) })
  return { ...made, decide: made.decide ?? decide }
}

/** A text in pieces of these lengths; what is left over is the last one. */
const piecesOf = (text: string, lengths: ReadonlyArray<number> = []): ReadonlyArray<StreamPart> => {
  const pieces: Array<StreamPart> = []
  let at = 0
  for (const length of lengths) pieces.push({ _tag: "Text", delta: text.slice(at, (at += length)) })
  return at < text.length ? [...pieces, { _tag: "Text", delta: text.slice(at) }] : pieces
}
