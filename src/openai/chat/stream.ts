/**
 * Chunks of a chat completions stream.
 *
 * The answer is complete when a reason to stop was told and the end too: `[DONE]`, or the chunk with the token counts that
 * was asked for, which comes after everything else.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Endpoint, named } from "../../http/Endpoint.ts"
import type { Reason, Usage } from "../../Provider.ts"
import { maybe, parse } from "../api/decoding.ts"
import { errorIn, reasonOf } from "../api/failure.ts"
import { isObject } from "../../schema/jsonSchema.ts"
import { nothing, type Reader, type Step } from "../api/streamed.ts"
import { Content, textOf, toProblem, toUsage } from "./response.ts"

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

const failed = (reason: Reason): Step => ({ _tag: "Failed", reason })

const garbled = ({ host }: Endpoint): Step =>
  failed({ _tag: "InvalidResponse", message: `${host} sent an event that is no piece of a chat completion: try again` })

/** `toAnswer` makes the final text of what the pieces add up to. */
export const reader = (endpoint: Endpoint, toAnswer: (text: string) => string): Reader => {
  let text = ""
  let declined = false
  let finish: string | undefined
  let usage: Usage = {}
  let told: { readonly model?: string; readonly id?: string } = {}

  const end = (): Step => {
    const problem = toProblem({ text, declined, finish })
    if (problem !== undefined) return failed(problem)
    return { _tag: "Done", response: { text: toAnswer(text), usage, ...told } }
  }

  return {
    usage: () => usage,
    take: ({ data, event, headers }, now) => {
      if (event !== "message" && event !== "error") return nothing
      if (data === "[DONE]") return end()
      const body = parse(data)
      const problem = errorIn(body, event)
      if (problem !== undefined) return failed(reasonOf({ headers, ...problem }, endpoint, now))
      const chunk = decodeChunk(body)
      if (Option.isNone(chunk)) return garbled(endpoint)
      const { choices, id, model } = chunk.value
      told = { ...told, ...named({ id, model }, endpoint) }
      // later counts are of the whole answer until then
      usage = { ...usage, ...toUsage(body) }
      const choice = choices?.find(({ index }) => (index ?? 0) === 0)
      if (choice === undefined) {
        const isLast = finish !== undefined && isObject(body) && isObject(body["usage"])
        return isLast ? end() : nothing
      }
      const delta = textOf(choice.delta?.content)
      // Two answers in one stream: neither of them is it.
      if (finish !== undefined && delta !== "") return garbled(endpoint)
      if (choice.delta?.refusal) declined = true
      finish = choice.finish_reason ?? finish
      text += delta
      return delta === "" ? nothing : { _tag: "Text", delta }
    }
  }
}
