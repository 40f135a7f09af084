/**
 * Reads the events of a Responses stream. The last one holds the whole answer, which must equal the pieces before it.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { maybe, parse } from "../../http/decoding.ts"
import { type Endpoint, named } from "../../http/Endpoint.ts"
import { errorIn, type Problem, reasonOf } from "../../http/failure.ts"
import { failed, garbled, nothing, type Reader, several } from "../../http/streamed.ts"
import type { StreamPart, Usage } from "../../Provider.ts"
import { Calls } from "./calls.ts"
import { isCommentary, Item } from "./output.ts"
import { reading as readingOf, take, type Whole } from "./response.ts"

const Event = Schema.Struct({
  type: Schema.String,
  delta: maybe(Schema.Unknown),
  output_index: maybe(Schema.Finite),
  summary_index: maybe(Schema.Finite),
  arguments: maybe(Schema.Unknown),
  item: maybe(Schema.Unknown),
  response: maybe(Schema.Unknown)
})

const Phased = Schema.Struct({ phase: maybe(Schema.String) })

const decodePhased = Schema.decodeUnknownOption(Phased)
const decodeEvent = Schema.decodeUnknownOption(Event)
const decodeItem = Schema.decodeUnknownOption(Item)

const strange = "an event that does not belong to a response: try again"

/** The output of the last event, or the items that came before it, whose encrypted reasoning is the complete one. */
const completed = (whole: Whole, items: ReadonlyMap<number, Item>): Whole => {
  const output = whole.output ?? []
  const alone = [...items].toSorted(([a], [b]) => a - b).map(([, item]) => item)
  return {
    ...whole,
    output:
      output.length === 0
        ? alone.filter(({ type }) => type !== "message")
        : output.map((item, place) => {
            const done = items.get(place)
            return item.type === "reasoning" && done?.type === "reasoning" ? done : item
          })
  }
}

export const reader = (endpoint: Endpoint, hasTools: boolean): Reader => {
  let text = ""
  let isDeclined = false
  let usage: Usage = {}
  const commentary = new Set<number>()
  const calls = new Calls()
  const items = new Map<number, Item>()
  const reading = readingOf(hasTools)
  const called = (parts: ReadonlyArray<StreamPart> | undefined) =>
    parts === undefined ? garbled(endpoint, strange) : several(parts)

  return {
    usage: () => usage,
    take: ({ data, event: name, headers, received }) => {
      const broken = (problem: Problem | undefined) => ({
        ...failed(reasonOf({ headers, ...problem }, endpoint, received)),
        requestId: problem?.requestId
      })
      if (data === "[DONE]") return nothing
      const body = parse(data)
      const decoded = decodeEvent(body)
      if (Option.isNone(decoded)) {
        const problem = errorIn(body, name)
        return problem === undefined ? garbled(endpoint, strange) : broken(problem)
      }
      const { arguments: params, delta, item, output_index, response, summary_index, type } = decoded.value
      const place = output_index ?? 0
      switch (type) {
        case "response.output_item.added":
        case "response.output_item.done": {
          if (isCommentary(Option.getOrElse(decodePhased(item), () => ({})))) commentary.add(place)
          const found = Option.getOrUndefined(decodeItem(item))
          if (found === undefined) return nothing
          const isDone = type === "response.output_item.done"
          if (isDone) items.set(place, found)
          return hasTools && found.type === "function_call" ? called(calls.item(place, found, isDone)) : nothing
        }
        case "response.function_call_arguments.delta":
          return hasTools ? called(calls.grow(place, delta)) : nothing
        case "response.function_call_arguments.done":
          return hasTools ? called(calls.whole(place, params)) : nothing
        case "response.reasoning_summary_part.added":
          return summary_index ? { _tag: "Reasoning", delta: "\n\n" } : nothing
        case "response.reasoning_summary_text.delta":
        case "response.reasoning_text.delta":
          return typeof delta === "string" && delta !== "" ? { _tag: "Reasoning", delta } : nothing
        case "response.output_text.delta":
          if (typeof delta !== "string") return garbled(endpoint, strange)
          if (delta === "" || commentary.has(place)) return nothing
          text += delta
          return { _tag: "Text", delta }
        case "response.refusal.delta":
        case "response.refusal.done":
          isDeclined = true
          return nothing
        case "response.completed":
        case "response.incomplete":
        case "response.failed":
        case "response.cancelled": {
          usage = reading.usage(response)
          const problem = errorIn(response)
          if (problem !== undefined) return broken(problem)
          const whole = Option.getOrUndefined(reading.decode(response))
          if (whole === undefined) return garbled(endpoint, strange)
          const taken = take(completed(whole, items), endpoint, hasTools, { text, isDeclined, params: calls.params })
          if ("_tag" in taken) return failed(taken)
          const done: StreamPart = { _tag: "Done", response: { ...taken, usage, ...named(whole, endpoint) } }
          return several([...calls.rest(taken.calls ?? []), done])
        }
        case "error":
          return broken(errorIn(body, name))
        default:
          // the event of an error says so, whatever type the error has
          return name === "error" ? broken(errorIn(body, name)) : nothing
      }
    }
  }
}
