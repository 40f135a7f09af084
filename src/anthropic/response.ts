/** Reads the answers of a Messages call. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Reading } from "../http/answers.ts"
import { countsAt } from "../http/counts.ts"
import { maybe } from "../http/decoding.ts"
import { isObject } from "../schema/jsonSchema.ts"
import { type Endpoint, identifier } from "../http/Endpoint.ts"
import { declined, type Ending, problemOf } from "../provider/ending.ts"
import type { Reason, Usage } from "../Provider.ts"

/** The billed tokens as the server counts them: `input` does not include tokens in the cache. */
const places = {
  input: ["input_tokens"],
  read: ["cache_read_input_tokens"],
  written: ["cache_creation_input_tokens"],
  output: ["output_tokens"],
  thinking: ["output_tokens_details", "thinking_tokens"]
}
export type Billed = { readonly [K in keyof typeof places]?: number }

/** Why an answer ended. */
export const Stop = Schema.Struct({
  stop_reason: maybe(Schema.String),
  stop_details: maybe(Schema.Struct({ category: maybe(Schema.String) }))
})
export type Stop = typeof Stop.Type

const Iterated = Schema.Struct({ iterations: Schema.Array(Schema.Unknown) })

const Message = Schema.Struct({
  ...Stop.fields,
  id: maybe(Schema.String),
  model: maybe(Schema.String),
  content: Schema.Array(Schema.Struct({ type: Schema.String, text: maybe(Schema.String) }))
})

const decodeIterated = Schema.decodeUnknownOption(Iterated)

/**
 * The tokens that were billed. An invalid count is left out; the others stay. If several models ran one after the
 * other, or the conversation was summarized first, the totals may be those of the last run only. `iterations` lists
 * each run, and their sum was billed.
 */
export const billedOf = (usage: unknown): Billed => {
  const told = countsAt(usage, places)
  const { iterations } = Option.getOrElse(decodeIterated(usage), () => ({ iterations: [] }))
  const runs = iterations.map((run) => countsAt(run, places))
  return runs.length === 0 ? told : largerOf(told, summed(runs))
}

const counted = ["input", "read", "written", "output"] as const

const summed = (runs: ReadonlyArray<Billed>): Billed =>
  Object.fromEntries(counted.map((name) => [name, runs.reduce((sum, run) => sum + (run[name] ?? 0), 0)]))

const largerOf = (told: Billed, sum: Billed): Billed => ({
  ...told,
  ...Object.fromEntries(counted.map((name) => [name, Math.max(told[name] ?? 0, sum[name] ?? 0)]))
})

/** The counts as usage, whose input includes tokens in the cache. */
export const toUsage = ({ input, output, read, thinking, written }: Billed): Usage => ({
  ...(input !== undefined && { inputTokens: input + (read ?? 0) + (written ?? 0) }),
  ...(output !== undefined && { outputTokens: output }),
  ...(read !== undefined && { cachedInputTokens: read }),
  ...(written !== undefined && { cacheWriteTokens: written }),
  ...(thinking !== undefined && { reasoningTokens: thinking })
})

const endings: Readonly<Record<string, Ending>> = {
  end_turn: "finished",
  stop_sequence: "finished",
  max_tokens: "cut",
  pause_turn: "waiting",
  tool_use: "waiting"
}

/** Why the answer is invalid. Undefined if it is complete and has text. */
export const problemIn = (
  { stop_details, stop_reason }: Stop,
  text: string,
  endpoint: Endpoint
): Reason | undefined => {
  if (stop_reason === "model_context_window_exceeded") {
    return { _tag: "ContextTooLong", message: "the answer did not fit into the model's context: send less" }
  }
  if (stop_reason !== "refusal") return problemOf(endings[stop_reason ?? ""], text)
  const category = identifier(stop_details?.category, endpoint)
  return category === undefined ? declined : { _tag: "Refused", message: `${declined.message} (${category})`, category }
}

export const reading: Reading<typeof Message.Type, { readonly text: string }> = {
  decode: Schema.decodeUnknownOption(Message),
  usage: (body) => toUsage(billedOf(isObject(body) ? body["usage"] : undefined)),
  expected: "a message: check that baseUrl is that of an Anthropic-style API",
  take: ({ content, ...stop }, endpoint) => {
    const text = content.map((block) => (block.type === "text" ? (block.text ?? "") : "")).join("")
    return problemIn(stop, text, endpoint) ?? { text }
  }
}
