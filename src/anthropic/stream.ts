/** Events of a Messages stream. The answer is complete when the last one says so. */
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
    // Where a model declines and another goes on after it.
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

const unknown = "an event that is none of a message: check that baseUrl is that of an Anthropic-style API"
const misplaced = "the events of a message out of their order: try again"

export const reader = (endpoint: Endpoint): Reader => {
  let started: (typeof Started.Type)["message"] | undefined
  let billed: Billed = {}
  let stop: Stop = {}
  let text = ""
  /** The blocks that have not ended, by what they hold. */
  const open = new Map<number, string>()
  /** Places between two models, which servers close or not. */
  const between = new Set<number>()
  const disorder = () => garbled(endpoint, misplaced)

  const grow = (kind: string, delta: string | null | undefined): Step => {
    if (kind !== "text" || !delta) return nothing
    text += delta
    return { _tag: "Text", delta }
  }

  /** Some servers announce a message twice; another message would be another answer. */
  const start = (message: (typeof Started.Type)["message"]): Step => {
    if (started !== undefined && (started.id ?? message.id) !== (message.id ?? started.id)) return disorder()
    started = { ...message, ...started }
    billed = { ...billedOf(message.usage), ...billed }
    return nothing
  }

  const finish = (): Step => {
    const problem = problemIn(stop, text, endpoint)
    if (problem !== undefined) return failed(problem)
    // what has not ended may be a part of the text
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
        // later counts are of the whole answer until then
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
      // Kinds of events come and go: what is not known, a ping too, says nothing of the text.
      if (isObject(json) && typeof json["type"] === "string" && !knownTypes.has(json["type"])) return nothing
      return Option.match(decodeKnown(json), { onNone: () => garbled(endpoint, unknown), onSome: take })
    }
  }
}
