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
import { failed, garbled, nothing, type Reader, several, type Step } from "../../http/streamed.ts"
import { isWhole } from "../../provider/ending.ts"
import type { StreamPart, Usage } from "../../Provider.ts"
import { toUsage } from "../api/usage.ts"
import { Calls } from "./calls.ts"
import { Content, endings, problemIn, textOf } from "./response.ts"

const Chunk = Schema.Struct({
  id: maybe(Schema.String),
  model: maybe(Schema.String),
  choices: maybe(
    Schema.Array(
      Schema.Struct({
        index: maybe(Schema.Finite),
        finish_reason: maybe(Schema.String),
        delta: maybe(
          Schema.Struct({
            content: maybe(Content),
            refusal: maybe(Schema.String),
            tool_calls: maybe(Schema.Unknown),
            // the names that servers give it
            reasoning_content: maybe(Schema.Unknown),
            reasoning: maybe(Schema.Unknown)
          })
        )
      })
    )
  )
})

const decodeChunk = Schema.decodeUnknownOption(Chunk)

const strange = "an event that does not belong to a chat completion: try again"

const reasoningIn = (delta: unknown): ReadonlyArray<StreamPart> =>
  typeof delta === "string" && delta !== "" ? [{ _tag: "Reasoning", delta }] : []

export const reader = (endpoint: Endpoint, hasTools: boolean): Reader => {
  let text = ""
  let declined = false
  let finish: string | undefined
  let usage: Usage = {}
  let names: { readonly model?: string; readonly id?: string } = {}
  const called = new Calls()

  const end = (): Step => {
    const ended = called.end()
    if (ended === undefined) return garbled(endpoint, strange)
    const { calls, rest } = ended
    const problem = problemIn(text, calls, finish, declined)
    if (problem) return failed(problem)
    const response = { text, usage, ...(calls.length > 0 && { calls }), ...names }
    return several([...rest, { _tag: "Done", response }])
  }

  return {
    usage: () => usage,
    take: ({ data, event, headers, received }) => {
      if (event !== "message" && event !== "error") return nothing
      if (data === "[DONE]") return end()
      const body = parse(data)
      const problem = errorIn(body, event)
      if (problem !== undefined) {
        return { ...failed(reasonOf({ headers, ...problem }, endpoint, received)), requestId: problem.requestId }
      }
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
      const calls = hasTools ? called.add(choice.delta?.tool_calls, names.id ? { answer: names.id } : {}) : []
      if (calls === undefined) return garbled(endpoint, strange)
      // Two answers in one stream: neither of them can be trusted.
      if (finish !== undefined && (delta !== "" || calls.length > 0)) return garbled(endpoint, strange)
      if (choice.delta?.refusal) declined = true
      if (!finish || isWhole(endings[finish])) finish = choice.finish_reason ?? finish
      text += delta
      const texts: ReadonlyArray<StreamPart> = delta === "" ? [] : [{ _tag: "Text", delta }]
      const reasoning = reasoningIn(choice.delta?.reasoning_content ?? choice.delta?.reasoning)
      return several([...reasoning, ...texts, ...calls])
    }
  }
}
