/** Reads the answers of a Responses call. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Reading } from "../../http/answers.ts"
import { maybe } from "../../http/decoding.ts"
import { type Endpoint, identifier } from "../../http/Endpoint.ts"
import { declined, problemOf } from "../../provider/ending.ts"
import type { Reason } from "../../Provider.ts"
import { toUsage } from "../api/usage.ts"

const Part = Schema.Struct({ type: Schema.String, text: maybe(Schema.String) })

const Item = Schema.Struct({
  type: Schema.String,
  phase: maybe(Schema.String),
  status: maybe(Schema.String),
  content: maybe(Schema.Unknown)
})

export const Whole = Schema.Struct({
  id: maybe(Schema.String),
  model: maybe(Schema.String),
  status: Schema.String,
  incomplete_details: maybe(Schema.Struct({ reason: maybe(Schema.String) })),
  output: maybe(Schema.Array(Item))
})

export type Whole = typeof Whole.Type

const decodeParts = Schema.decodeUnknownOption(Schema.Array(Part))

/** Whether an item of the output is a message that precedes the answer. */
export const isCommentary = ({ phase }: { readonly phase?: string | null }): boolean => phase === "commentary"

/** The text of an answer's messages, and whether one of them is a refusal. */
interface Spoken {
  readonly text: string
  readonly isDeclined: boolean
}

const spoken = (output: NonNullable<Whole["output"]>): Spoken => {
  const parts = output
    .filter((item) => item.type === "message" && !isCommentary(item))
    .flatMap(({ content }) => Option.getOrElse(decodeParts(content), () => []))
  return {
    text: parts.flatMap(({ text, type }) => (type === "output_text" ? [text ?? ""] : [])).join(""),
    isDeclined: parts.some(({ type }) => type === "refusal")
  }
}

/**
 * Why a response is not a valid answer. Undefined if it is: its status is `completed`, all its messages are complete, and
 * it has text.
 */
const unfinished = (
  { incomplete_details, output, status }: Whole,
  text: string,
  endpoint: Endpoint
): Reason | undefined => {
  switch (status) {
    case "completed":
      return output?.some((item) => item.type === "message" && !isCommentary(item) && item.status === "incomplete")
        ? { _tag: "Truncated", message: "a message of the answer is not complete: raise maxTokens or ask for less" }
        : problemOf("finished", text)
    case "incomplete": {
      const why = incomplete_details?.reason
      if (why === "content_filter") return problemOf("filtered", text)
      const what = identifier(why, endpoint) ?? "no reason given"
      return { _tag: "Truncated", message: `the answer was cut off (${what}): raise maxTokens or ask for less` }
    }
    case "cancelled":
      return { _tag: "Truncated", message: "the server cancelled the answer: try again" }
    default:
      return problemOf(undefined, text)
  }
}

/** The text of a response, or why it is invalid. `pieces` is what a stream delivered before. */
export const take = (
  whole: Whole,
  endpoint: Endpoint,
  pieces: Spoken = { text: "", isDeclined: false }
): { readonly text: string } | Reason => {
  const { isDeclined, text } = spoken(whole.output ?? [])
  const answer = text === "" ? pieces.text : text
  if (isDeclined || pieces.isDeclined) return declined
  const problem = unfinished(whole, answer, endpoint)
  if (problem !== undefined) return problem
  return pieces.text !== "" && pieces.text !== answer
    ? { _tag: "InvalidResponse", message: "the pieces of the answer differ from the whole answer: try again" }
    : { text: answer }
}

export const reading: Reading<Whole, { readonly text: string }> = {
  decode: Schema.decodeUnknownOption(Whole),
  usage: toUsage,
  expected: 'a response: use api: "chat", or check baseUrl',
  take
}
