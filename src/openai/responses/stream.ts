/**
 * Reads the events of a Responses stream. The last one holds the whole answer, which must equal the pieces before it.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { maybe, parse } from "../../http/decoding.ts"
import { type Endpoint, named } from "../../http/Endpoint.ts"
import { errorIn, type Problem, reasonOf } from "../../http/failure.ts"
import { failed, garbled, nothing, type Reader } from "../../http/streamed.ts"
import type { Usage } from "../../Provider.ts"
import { isCommentary, reading, take } from "./response.ts"

const Event = Schema.Struct({
  type: Schema.String,
  delta: maybe(Schema.Unknown),
  output_index: maybe(Schema.Finite),
  item: maybe(Schema.Unknown),
  response: maybe(Schema.Unknown)
})

const Item = Schema.Struct({ phase: maybe(Schema.String) })

const decodeEvent = Schema.decodeUnknownOption(Event)
const decodeItem = Schema.decodeUnknownOption(Item)

const strange = "an event that does not belong to a response: try again"

export const reader = (endpoint: Endpoint): Reader => {
  let text = ""
  let isDeclined = false
  let usage: Usage = {}
  const commentary = new Set<number>()

  return {
    usage: () => usage,
    take: ({ data, event: name, headers, received }) => {
      const broken = (problem: Problem | undefined) => failed(reasonOf({ headers, ...problem }, endpoint, received))
      if (data === "[DONE]") return nothing
      const body = parse(data)
      const decoded = decodeEvent(body)
      if (Option.isNone(decoded)) {
        const problem = errorIn(body, name)
        return problem === undefined ? garbled(endpoint, strange) : broken(problem)
      }
      const { delta, item, output_index, response, type } = decoded.value
      switch (type) {
        case "response.output_item.added":
          if (isCommentary(Option.getOrElse(decodeItem(item), () => ({})))) commentary.add(output_index ?? 0)
          return nothing
        case "response.output_text.delta":
          if (typeof delta !== "string") return garbled(endpoint, strange)
          if (delta === "" || commentary.has(output_index ?? 0)) return nothing
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
          const taken = take(whole, endpoint, { text, isDeclined })
          return "_tag" in taken
            ? failed(taken)
            : { _tag: "Done", response: { ...taken, usage, ...named(whole, endpoint) } }
        }
        case "error":
          return broken(errorIn(body, name))
        default:
          return nothing
      }
    }
  }
}
