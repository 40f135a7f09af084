/**
 * Reads the chunks of a chat completions stream.
 *
 * The answer is complete after a reason to stop and an end: `[DONE]`, or the chunk with the requested token counts,
 * which comes last.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { maybe, parse } from "../../http/decoding.ts"
import { isObject } from "../../schema/jsonSchema.ts"
import { type Endpoint, named } from "../../http/Endpoint.ts"
import { errorIn, reasonOf } from "../../http/failure.ts"
import { failed, garbled, nothing, type Reader, type Step } from "../../http/streamed.ts"
import type { Usage } from "../../Provider.ts"
import { toUsage } from "../api/usage.ts"
import { Content, problemIn, textOf } from "./response.ts"

const Chunk = Schema.Struct({
  id: maybe(Schema.String),
  model: maybe(Schema.String),
  choices: maybe(
    Schema.Array(
      Schema.Struct({
        index: maybe(Schema.Finite),
        finish_reason: maybe(Schema.String),
        delta: maybe(Schema.Struct({ content: maybe(Content), refusal: maybe(Schema.String) }))
      })
    )
  )
})

const decodeChunk = Schema.decodeUnknownOption(Chunk)

const strange = "an event that does not belong to a chat completion: try again"

export const reader = (endpoint: Endpoint): Reader => {
  let text = ""
  let declined = false
  let finish: string | undefined
  let usage: Usage = {}
  let names: { readonly model?: string; readonly id?: string } = {}

  const end = (): Step => {
    const problem = problemIn(text, finish, declined)
    return problem ? failed(problem) : { _tag: "Done", response: { text, usage, ...names } }
  }

  return {
    usage: () => usage,
    take: ({ data, event, headers, received }) => {
      if (event !== "message" && event !== "error") return nothing
      if (data === "[DONE]") return end()
      const body = parse(data)
      const problem = errorIn(body, event)
      if (problem !== undefined) return failed(reasonOf({ headers, ...problem }, endpoint, received))
      const chunk = decodeChunk(body)
      if (Option.isNone(chunk)) return garbled(endpoint, strange)
      const { choices, id, model } = chunk.value
      names = { ...names, ...named({ id, model }, endpoint) }
      // each count covers the whole answer so far
      usage = { ...usage, ...toUsage(body) }
      const choice = choices?.find(({ index }) => (index ?? 0) === 0)
      if (choice === undefined) {
        const isLast = finish !== undefined && isObject(body) && isObject(body["usage"])
        return isLast ? end() : nothing
      }
      const delta = textOf(choice.delta?.content)
      // Two answers in one stream: neither of them can be trusted.
      if (finish !== undefined && delta !== "") return garbled(endpoint, strange)
      if (choice.delta?.refusal) declined = true
      finish = choice.finish_reason ?? finish
      text += delta
      return delta === "" ? nothing : { _tag: "Text", delta }
    }
  }
}
