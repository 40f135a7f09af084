/** Events of a Responses stream. Its last one holds the whole answer, which the pieces before it must add up to. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Endpoint } from "../../http/Endpoint.ts"
import type { Reason, Usage } from "../../Provider.ts"
import { maybe, parse } from "../api/decoding.ts"
import { errorIn, reasonOf } from "../api/failure.ts"
import { nothing, type Reader, type Step } from "../api/streamed.ts"
import { isCommentary, read, toUsage } from "./response.ts"

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

const failed = (reason: Reason): Step => ({ _tag: "Failed", reason })

const garbled = ({ host }: Endpoint): Step =>
  failed({ _tag: "InvalidResponse", message: `${host} sent an event that is no piece of a response: try again` })

/** `toAnswer` makes the final text of what the pieces add up to. */
export const reader = (endpoint: Endpoint, toAnswer: (text: string) => string): Reader => {
  let text = ""
  let declined = false
  let usage: Usage = {}
  const commentary = new Set<number>()

  return {
    usage: () => usage,
    take: ({ data, event: name, headers }, now) => {
      if (data === "[DONE]") return nothing
      const body = parse(data)
      const decoded = decodeEvent(body)
      if (Option.isNone(decoded)) {
        const problem = errorIn(body, name)
        return problem === undefined ? garbled(endpoint) : failed(reasonOf({ headers, ...problem }, endpoint, now))
      }
      const { delta, item, output_index, response, type } = decoded.value
      switch (type) {
        case "response.output_item.added":
          if (isCommentary(Option.getOrElse(decodeItem(item), () => ({})))) commentary.add(output_index ?? 0)
          return nothing
        case "response.output_text.delta":
          if (typeof delta !== "string") return garbled(endpoint)
          if (delta === "" || commentary.has(output_index ?? 0)) return nothing
          text += delta
          return { _tag: "Text", delta }
        case "response.refusal.delta":
        case "response.refusal.done":
          declined = true
          return nothing
        case "response.completed":
        case "response.incomplete":
        case "response.failed":
        case "response.cancelled": {
          const found = read(response, headers, endpoint, now, { text, declined })
          usage = found?.usage ?? toUsage(response)
          if (found === undefined) return garbled(endpoint)
          if ("reason" in found.answer) return failed(found.answer.reason)
          const whole = found.answer.response
          return { _tag: "Done", response: { ...whole, text: toAnswer(whole.text) } }
        }
        case "error":
          return failed(reasonOf({ headers, ...errorIn(body, name) }, endpoint, now))
        default:
          return nothing
      }
    }
  }
}
