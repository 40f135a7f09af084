/** Reads the answers of a Responses call. */
import * as Schema from "effect/Schema"
import type { Reading } from "../../http/answers.ts"
import { maybe } from "../../http/decoding.ts"
import { type Endpoint, identifier } from "../../http/Endpoint.ts"
import { carryOf } from "../../provider/carry.ts"
import { declined, problemOf } from "../../provider/ending.ts"
import type { Reason, ToolCall } from "../../Provider.ts"
import type { Reply } from "../api/api.ts"
import { toUsage } from "../api/usage.ts"
import { hasRefusal, isMessage, Item, piecesIn } from "./output.ts"

export const Whole = Schema.Struct({
  id: maybe(Schema.String),
  model: maybe(Schema.String),
  status: Schema.String,
  incomplete_details: maybe(Schema.Struct({ reason: maybe(Schema.String) })),
  output: maybe(Schema.Array(Item))
})

export type Whole = typeof Whole.Type

/**
 * Why a response is not a valid answer. Undefined if it is: its status is `completed`, all its messages and calls are
 * complete, and it has text or calls.
 */
const unfinished = (
  { incomplete_details, output, status }: Whole,
  { calls, text }: { readonly text: string; readonly calls: ReadonlyArray<ToolCall> },
  endpoint: Endpoint
): Reason | undefined => {
  switch (status) {
    case "completed": {
      const isCut = (item: Item) =>
        (isMessage(item) || (item.type === "function_call" && calls.length > 0)) && item.status === "incomplete"
      return output?.some(isCut)
        ? { _tag: "Truncated", message: "a part of the answer is not complete: raise maxTokens or ask for less" }
        : problemOf("finished", text, calls)
    }
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

/** What a stream delivered before its whole answer. */
interface Delivered {
  readonly text: string
  readonly isDeclined: boolean
  /** The parameters of calls, by their ids. Empty for a call that was only announced. */
  readonly params: ReadonlyMap<string, string>
}

const differing: Reason = {
  _tag: "InvalidResponse",
  message: "the pieces of the answer differ from the whole answer: try again"
}

/** What a response says, or why it is invalid. */
export const take = (
  whole: Whole,
  endpoint: Endpoint,
  hasTools: boolean,
  delivered: Delivered = { text: "", isDeclined: false, params: new Map() }
): Reply | Reason => {
  const output = whole.output ?? []
  const pieces = piecesIn(hasTools ? output : output.filter(({ type }) => type !== "function_call"))
  if (pieces === undefined) {
    return { _tag: "InvalidResponse", message: `${endpoint.host} sent a call without id or name: try again` }
  }
  const ownText = pieces.flatMap((piece) => (piece._tag === "Text" ? [piece.text] : [])).join("")
  const calls = pieces.flatMap((piece) => (piece._tag === "Call" ? [piece.call] : []))
  const text = ownText === "" ? delivered.text : ownText
  if (output.some(hasRefusal) || delivered.isDeclined) return declined
  const params = new Map(calls.map((call) => [call.id, call.params]))
  const isOther = [...delivered.params].some(
    ([id, before]) => !params.has(id) || (before.trim() !== "" && params.get(id) !== before)
  )
  const problem = unfinished(whole, { text, calls }, endpoint)
  if (problem !== undefined) return isOther && problem._tag === "EmptyAnswer" ? differing : problem
  if (isOther || (delivered.text !== "" && delivered.text !== text)) return differing
  return calls.length === 0 ? { text } : { text, calls, ...carryOf(endpoint, pieces) }
}

export const reading = (hasTools: boolean): Reading<Whole, Reply> => ({
  decode: Schema.decodeUnknownOption(Whole),
  usage: toUsage,
  expected: 'a response: use api: "chat", or check baseUrl',
  take: (whole, endpoint) => take(whole, endpoint, hasTools)
})
