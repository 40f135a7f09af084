/** Reads the events of a Messages stream. The answer is complete after `message_stop`. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { maybe, parse } from "../http/decoding.ts"
import { isObject } from "../schema/jsonSchema.ts"
import { type Endpoint, named } from "../http/Endpoint.ts"
import { errorIn, reasonOf } from "../http/failure.ts"
import { failed, garbled, nothing, type Reader, several, type Step } from "../http/streamed.ts"
import { isWhole } from "../provider/ending.ts"
import { addUsage, type Usage } from "../Provider.ts"
import { Block, Growing } from "./blocks.ts"
import { type Billed, billedOf, endings, replyIn, Stop, toUsage } from "./response.ts"

const Started = Schema.Struct({
  type: Schema.Literal("message_start"),
  message: Schema.Struct({ id: maybe(Schema.String), model: maybe(Schema.String), usage: maybe(Schema.Unknown) })
})

const BlockStarted = Schema.Struct({
  type: Schema.Literal("content_block_start"),
  index: Schema.Int,
  content_block: Block
})

const BlockGrew = Schema.Struct({
  type: Schema.Literal("content_block_delta"),
  index: Schema.Int,
  delta: Schema.StructWithRest(Schema.Struct({ type: Schema.String }), [Schema.Record(Schema.String, Schema.Unknown)])
})

const BlockStopped = Schema.Struct({ type: Schema.Literal("content_block_stop"), index: Schema.Int })

const Changed = Schema.Struct({
  type: Schema.Literal("message_delta"),
  delta: Stop,
  usage: maybe(Schema.Unknown)
})

const Stopped = Schema.Struct({ type: Schema.Literal("message_stop") })

/** Set when a model declines and another one continues. */
const Replaced = Schema.Struct({ to: Schema.Struct({ model: Schema.String }) })

const decodeReplaced = Schema.decodeUnknownOption(Replaced)

const Known = Schema.Union([BlockGrew, BlockStarted, BlockStopped, Changed, Started, Stopped])

const knownTypes = new Set<unknown>(Known.members.map(({ fields }) => fields.type.literal))

const decodeKnown = Schema.decodeUnknownOption(Known)

const unknown = "an event that does not belong to a message: check that baseUrl points to an Anthropic-style API"
const nameless = "a call without id or name: try again"
const misplaced = "the events of a message out of their order: try again"

/** A turn that the model paused, with the tokens billed until then. */
export interface Paused {
  readonly blocks: ReadonlyArray<Block>
  readonly usage: Usage
}

/** Reads one stream, of a turn that may have been paused before. `pause` is called if it is paused now. */
export const reader = (
  endpoint: Endpoint,
  hasTools: boolean,
  before: Paused,
  pause: (blocks: ReadonlyArray<Block>) => void
): Reader => {
  let started: (typeof Started.Type)["message"] | undefined
  let billed: Billed = {}
  let stop: Stop = {}
  const blocks: Array<Growing> = []
  /** The blocks that have not ended. */
  const open = new Map<number, Growing>()
  /** Blocks that mark a change of model. Some servers close them, others do not. */
  const between = new Set<number>()
  const disorder = () => garbled(endpoint, misplaced)

  let isCounted = false
  const usage = () => addUsage(before.usage, toUsage(billed))
  /** The count of output at the start does not cover what came later. */
  const known = (): Usage => {
    const { outputTokens: _, reasoningTokens: __, ...others } = usage()
    return isCounted ? usage() : others
  }

  /** Some servers announce a message twice. A different message would be a different answer. */
  const start = (message: (typeof Started.Type)["message"]): Step => {
    if (started !== undefined && (started.id ?? message.id) !== (message.id ?? started.id)) return disorder()
    started = { ...message, ...started }
    billed = { ...billedOf(message.usage), ...billed }
    return nothing
  }

  const finish = (): Step => {
    const all = [...before.blocks, ...blocks.map(({ block }) => block)]
    const reply = replyIn(stop, all, hasTools, endpoint)
    if ("_tag" in reply) return failed(reply)
    // a block that has not ended may lack a part of the text
    if (open.size > 0) return disorder()
    const { paused, ...rest } = reply
    if (paused !== undefined) pause(paused)
    return { _tag: "Done", response: { ...rest, usage: known(), ...named(started ?? {}, endpoint) } }
  }

  const take = (event: typeof Known.Type): Step => {
    if (event.type === "message_start") return start(event.message)
    if (started === undefined) return disorder()
    switch (event.type) {
      case "content_block_start": {
        if (open.has(event.index)) return disorder()
        if (event.content_block.type === "fallback") {
          const { to } = Option.getOrElse(decodeReplaced(event.content_block), () => ({ to: {} }))
          started = { ...started, ...to }
          between.add(event.index)
          return nothing
        }
        const block = new Growing(event.content_block, hasTools)
        open.set(event.index, block)
        blocks.push(block)
        const parts = block.begin(hasTools)
        return parts === undefined ? garbled(endpoint, nameless) : several(parts)
      }
      case "content_block_delta": {
        const block = open.get(event.index)
        return block === undefined ? disorder() : several(block.grow(event.delta))
      }
      case "content_block_stop": {
        const block = open.get(event.index)
        open.delete(event.index)
        if (block !== undefined) return several(block.end())
        return between.delete(event.index) ? nothing : disorder()
      }
      case "message_delta":
        if (event.delta.stop_reason && (!stop.stop_reason || isWhole(endings[stop.stop_reason]))) stop = event.delta
        // each count covers the whole answer so far
        billed = { ...billed, ...billedOf(event.usage) }
        isCounted ||= billedOf(event.usage).output !== undefined
        return nothing
      default:
        return finish()
    }
  }

  return {
    usage: known,
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
