/** Reads the answers of chat completions. */
import * as Schema from "effect/Schema"
import type { Reading } from "../../http/answers.ts"
import { maybe } from "../../http/decoding.ts"
import { type Ending, problemOf } from "../../provider/ending.ts"
import type { ToolCall } from "../../Provider.ts"
import type { Reply } from "../api/api.ts"
import { toUsage } from "../api/usage.ts"
import { Calls } from "./calls.ts"

/** Text, or a list of parts with text and reasoning, as Mistral's reasoning models send it. */
export const Content = Schema.Union([
  Schema.String,
  Schema.NonEmptyArray(Schema.Struct({ type: Schema.String, text: maybe(Schema.String) }))
])

/** The text of a content, without the reasoning of the model. */
export const textOf = (content: typeof Content.Type | null | undefined): string =>
  typeof content === "string"
    ? content
    : (content ?? []).map(({ text, type }) => (type === "text" ? (text ?? "") : "")).join("")

const Completion = Schema.Struct({
  id: maybe(Schema.String),
  model: maybe(Schema.String),
  choices: Schema.NonEmptyArray(
    Schema.Struct({
      finish_reason: maybe(Schema.String),
      message: Schema.Struct({
        content: maybe(Content),
        refusal: maybe(Schema.String),
        tool_calls: maybe(Schema.Unknown)
      })
    })
  )
})
export type Completion = typeof Completion.Type

export const endings: Readonly<Record<string, Ending>> = {
  stop: "finished",
  length: "cut",
  content_filter: "filtered",
  tool_calls: "waiting"
}

/** Why the answer, as far as it has come, is invalid. Undefined if it is valid. */
export const problemIn = (
  text: string,
  calls: ReadonlyArray<ToolCall>,
  finish: string | null | undefined,
  declined: boolean
) => problemOf(declined ? "declined" : endings[finish ?? ""], text, calls)

const expected = "a chat completion: check that baseUrl is that of an OpenAI-style API"

export const reading = (hasTools: boolean): Reading<Completion, Reply> => ({
  decode: Schema.decodeUnknownOption(Completion),
  usage: toUsage,
  expected,
  take: ({ choices: [{ finish_reason, message }], id }, { host }) => {
    const text = textOf(message.content)
    const called = new Calls(id)
    const isRead = !hasTools || called.add(message.tool_calls, { whole: true }) !== undefined
    const { calls } = called.end() ?? {}
    if (!isRead || calls === undefined) return { _tag: "InvalidResponse", message: `${host} did not send ${expected}` }
    return (
      problemIn(text, calls, finish_reason, Boolean(message.refusal)) ?? (calls.length > 0 ? { text, calls } : { text })
    )
  }
})
