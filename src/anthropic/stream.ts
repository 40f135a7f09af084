/** Reads the events of a Messages stream. The answer is complete after `message_stop`. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { maybe, parse } from "../http/decoding.ts"
import { isObject } from "../schema/jsonSchema.ts"
import { type Endpoint, named } from "../http/Endpoint.ts"
import { errorIn, reasonOf } from "../http/failure.ts"
import { failed, garbled, nothing, type Reader, type Step } from "../http/streamed.ts"
import { type Billed, billedOf, problemIn, Stop, toUsage } from "./response.ts"

const Started = Schema.Struct({
  type: Schema.Literal("message_start"),
  message: Schema.Struct({ id: maybe(Schema.String), model: maybe(Schema.String), usage: maybe(Schema.Unknown) })
})

const BlockStarted = Schema.Struct({
  type: Schema.Literal("content_block_start"),
  index: Schema.Int,
  content_block: Schema.Struct({
    type: Schema.String,
    text: maybe(Schema.String),
    // Set when a model declines and another one continues.
    to: maybe(Schema.Struct({ model: maybe(Schema.String) }))
  })
})

const BlockGrew = Schema.Struct({
  type: Schema.Literal("content_block_delta"),
  index: Schema.Int,
  delta: Schema.Struct({ type: Schema.String, text: maybe(Schema.String) })
})

const BlockStopped = Schema.Struct({ type: Schema.Literal("content_block_stop"), index: Schema.Int })

const Changed = Schema.Struct({
  type: Schema.Literal("message_delta"),
  delta: Stop,
  usage: maybe(Schema.Unknown)
})

const Stopped = Schema.Struct({ type: Schema.Literal("message_stop") })

const Known = Schema.Union([BlockGrew, BlockStarted, BlockStopped, Changed, Started, Stopped])

const knownTypes = new Set<unknown>(Known.members.map(({ fields }) => fields.type.literal))

const decodeKnown = Schema.decodeUnknownOption(Known)

const unknown = "an event that does not belong to a message: check that baseUrl points to an Anthropic-style API"
const misplaced = "the events of a message out of their order: try again"

export const reader = (endpoint: Endpoint): Reader => {
  let started: (typeof Started.Type)["message"] | undefined
  let billed: Billed = {}
  let stop: Stop = {}
  let text = ""
  /** The blocks that have not ended, with their types. */
  const open = new Map<number, string>()
  /** Blocks that mark a change of model. Some servers close them, others do not. */
  const between = new Set<number>()
  const disorder = () => garbled(endpoint, misplaced)

  const grow = (kind: string, delta: string | null | undefined): Step => {
    if (kind !== "text" || !delta) return nothing
    text += delta
    return { _tag: "Text", delta }
  }

  /** Some servers announce a message twice. A different message would be a different answer. */
  const start = (message: (typeof Started.Type)["message"]): Step => {
    if (started !== undefined && (started.id ?? message.id) !== (message.id ?? started.id)) return disorder()
    started = { ...message, ...started }
    billed = { ...billedOf(message.usage), ...billed }
    return nothing
  }

  const finish = (): Step => {
    const problem = problemIn(stop, text, endpoint)
    if (problem !== undefined) return failed(problem)
    // a block that has not ended may lack a part of the text
    if (open.size > 0) return disorder()
    return { _tag: "Done", response: { text, usage: toUsage(billed), ...named(started ?? {}, endpoint) } }
  }

  const take = (event: typeof Known.Type): Step => {
    if (event.type === "message_start") return start(event.message)
    if (started === undefined) return disorder()
    switch (event.type) {
      case "content_block_start": {
        if (open.has(event.index)) return disorder()
        const { text: delta, to, type } = event.content_block
        if (type === "fallback") {
          started = { ...started, ...(to?.model && { model: to.model }) }
          between.add(event.index)
          return nothing
        }
        open.set(event.index, type)
        return grow(type, delta)
      }
      case "content_block_delta": {
        const type = open.get(event.index)
        if (type === undefined) return disorder()
        return event.delta.type === "text_delta" ? grow(type, event.delta.text) : nothing
      }
      case "content_block_stop":
        return open.delete(event.index) || between.delete(event.index) ? nothing : disorder()
      case "message_delta":
        if (event.delta.stop_reason) stop = event.delta
        // each count covers the whole answer so far
        billed = { ...billed, ...billedOf(event.usage) }
        return nothing
      default:
        return finish()
    }
  }

  return {
    usage: () => toUsage(billed),
    take: ({ data, headers, received }) => {
      const json = parse(data)
      const problem = errorIn(json)
      if (problem !== undefined) {
        return { ...failed(reasonOf({ headers, ...problem }, endpoint, received)), requestId: problem.requestId }
      }
      // The API adds kinds of events. Unknown ones, and pings, do not affect the text.
      if (isObject(json) && typeof json["type"] === "string" && !knownTypes.has(json["type"])) return nothing
      return Option.match(decodeKnown(json), { onNone: () => garbled(endpoint, unknown), onSome: take })
    }
  }
}
