/** Reads the answers of chat completions. */
import * as Schema from "effect/Schema"
import type { Reading } from "../../http/answers.ts"
import { maybe } from "../../http/decoding.ts"
import { type Ending, problemOf } from "../../provider/ending.ts"
import { toUsage } from "../api/usage.ts"

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
      message: Schema.Struct({ content: maybe(Content), refusal: maybe(Schema.String) })
    })
  )
})
export type Completion = typeof Completion.Type

const endings: Readonly<Record<string, Ending>> = { stop: "finished", length: "cut", content_filter: "filtered" }

/** Why the answer, as far as it has come, is invalid. Undefined if it is valid. */
export const problemIn = (text: string, finish: string | null | undefined, declined: boolean) =>
  problemOf(declined ? "declined" : endings[finish ?? ""], text)

export const reading: Reading<Completion, { readonly text: string }> = {
  decode: Schema.decodeUnknownOption(Completion),
  usage: toUsage,
  expected: "a chat completion: check that baseUrl is that of an OpenAI-style API",
  take: ({ choices: [{ finish_reason, message }] }) => {
    const text = textOf(message.content)
    return problemIn(text, finish_reason, Boolean(message.refusal)) ?? { text }
  }
}
