/** Reads the answers of a Messages call. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Reading } from "../http/answers.ts"
import { countsAt } from "../http/counts.ts"
import { maybe } from "../http/decoding.ts"
import { isObject } from "../schema/jsonSchema.ts"
import { type Endpoint, identifier } from "../http/Endpoint.ts"
import { declined, type Ending, problemOf } from "../provider/ending.ts"
import { carryOf, type Piece } from "../provider/carry.ts"
import type { Reason, Response, ToolCall, Usage } from "../Provider.ts"
import { Block, piecesIn } from "./blocks.ts"

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
  content: Schema.Array(Block)
})

const decodeIterated = Schema.decodeUnknownOption(Iterated)

/**
 * The tokens that were billed. An invalid count is left out; the others stay. If several models ran one after the
 * other, or the conversation was summarized first, the totals may be those of the last run only. `iterations` lists
 * each run, and their sum was billed.
 */
export const billedOf = (usage: unknown): Billed => {
  const totals = countsAt(usage, places)
  const { iterations } = Option.getOrElse(decodeIterated(usage), () => ({ iterations: [] }))
  const runs = iterations.map((run) => countsAt(run, places))
  return { ...totals, ...Object.fromEntries(counted.flatMap((name) => billedFor(name, totals, runs))) }
}

const counted = ["input", "read", "written", "output"] as const

/** The total or the sum of the runs, whichever is larger. Nothing if the server gives neither. */
const billedFor = (name: (typeof counted)[number], totals: Billed, runs: ReadonlyArray<Billed>) => {
  const counts = runs.flatMap((run) => run[name] ?? [])
  const sum = counts.reduce((one, other) => one + other, 0)
  return counts.length === 0 ? [] : [[name, Math.max(totals[name] ?? 0, sum)] as const]
}

/** The counts as usage, whose input includes tokens in the cache. */
export const toUsage = ({ input, output, read, thinking, written }: Billed): Usage => ({
  ...(input !== undefined && { inputTokens: input + (read ?? 0) + (written ?? 0) }),
  ...(output !== undefined && { outputTokens: output }),
  ...(read !== undefined && { cachedInputTokens: read }),
  ...(written !== undefined && { cacheWriteTokens: written }),
  ...(thinking !== undefined && { reasoningTokens: thinking })
})

export const endings: Readonly<Record<string, Ending>> = {
  end_turn: "finished",
  stop_sequence: "finished",
  max_tokens: "cut",
  pause_turn: "waiting",
  tool_use: "waiting"
}

/** Why the answer is invalid. Undefined if it is complete and has text or calls. */
const problemIn = (
  { stop_details, stop_reason }: Stop,
  text: string,
  calls: ReadonlyArray<ToolCall>,
  endpoint: Endpoint
): Reason | undefined => {
  if (stop_reason === "model_context_window_exceeded") {
    return { _tag: "ContextTooLong", message: "the answer did not fit into the model's context: send less" }
  }
  if (stop_reason !== "refusal") return problemOf(endings[stop_reason ?? ""], text, calls)
  const category = identifier(stop_details?.category, endpoint)
  return category === undefined ? declined : { _tag: "Refused", message: `${declined.message} (${category})`, category }
}

/** What an answer says. `paused` has its blocks if the model paused its turn, to go on when it gets them back. */
export interface Reply extends Pick<Response, "text" | "calls" | "carry"> {
  readonly paused?: ReadonlyArray<Block>
}

/** The answer in these blocks, or why it is invalid. */
export const replyIn = (
  stop: Stop,
  blocks: ReadonlyArray<Block>,
  hasTools: boolean,
  endpoint: Endpoint
): Reply | Reason => {
  const pieces: ReadonlyArray<Piece> | undefined = piecesIn(blocks, hasTools)
  if (pieces === undefined) {
    return { _tag: "InvalidResponse", message: `${endpoint.host} sent a call without id or name: try again` }
  }
  const text = pieces.map((piece) => (piece._tag === "Text" ? piece.text : "")).join("")
  const calls = pieces.flatMap((piece) => (piece._tag === "Call" ? [piece.call] : []))
  if (hasTools && stop.stop_reason === "pause_turn") return { text, paused: blocks }
  const problem = problemIn(stop, text, calls, endpoint)
  if (problem !== undefined) return problem
  return calls.length === 0 ? { text } : { text, calls, ...carryOf(endpoint, pieces) }
}

/** `before` are the blocks of a turn that the model paused. */
export const reading = (hasTools: boolean, before: ReadonlyArray<Block>): Reading<typeof Message.Type, Reply> => ({
  decode: Schema.decodeUnknownOption(Message),
  usage: (body) => toUsage(billedOf(isObject(body) ? body["usage"] : undefined)),
  expected: "a message: check that baseUrl is that of an Anthropic-style API",
  take: ({ content, ...stop }, endpoint) => replyIn(stop, [...before, ...content], hasTools, endpoint)
})
