/** The Realtime API, in text. A connection is a session, which keeps its conversation. */
import * as Effect from "effect/Effect"
import { parse } from "../../http/decoding.ts"
import { fail } from "../../http/Endpoint.ts"
import { errorIn, reasonOf } from "../../http/failure.ts"
import type { Plan, Protocol } from "../../provider/resumable/Protocol.ts"
import { repeatedTokens, tokensOf } from "../../provider/resumable/tokens.ts"
import type { Sampling } from "../../Provider.ts"
import { isObject } from "../../schema/jsonSchema.ts"
import type { Planned } from "../api/api.ts"
import type { Client } from "../api/client.ts"
import { isInWords } from "../api/format.ts"
import { ended } from "../api/messages.ts"
import { type Body, type Line, reading } from "../responses/reading.ts"
import { divided, toChoice, toItems, toTool } from "./items.ts"

/** The most tokens of an answer that the API lets a session ask for. */
const mostOutput = 4096

/** This API has neither temperature, effort, seed nor stop words. */
export const sent = ({ maxTokens }: Sampling): Sampling =>
  maxTokens === undefined ? {} : { maxTokens: Math.min(maxTokens, mostOutput) }

const renamed = (usage: unknown): unknown => {
  if (!isObject(usage)) return usage
  const { input_token_details: input, output_token_details: output, ...counts } = usage
  return { ...counts, input_tokens_details: input, output_tokens_details: output }
}

/** The last event of a response, with the names of the Responses API. The other events are the same. */
const translate = (event: Body): Body => {
  const { response, type } = event
  if (type !== "response.done" || !isObject(response)) return event
  const { status, status_details: details, usage, ...rest } = response
  const { error, reason } = isObject(details) ? details : {}
  return {
    type: `response.${String(status)}`,
    response: { ...rest, status, usage: renamed(usage), incomplete_details: { reason: reason ?? null }, error }
  }
}

/** How calls are made over sessions. */
export const overSessions = ({ dial, endpoint }: Pick<Client, "dial" | "endpoint">): Protocol<Line, Planned> => ({
  connect: Effect.gen(function* () {
    const opened = yield* dial(`/realtime?model=${encodeURIComponent(endpoint.model)}`)
    const first = parse(yield* opened.receive)
    const problem = errorIn(first)
    if (problem !== undefined) return yield* fail(endpoint, reasonOf(problem, endpoint, 0))
    if (isObject(first) && first["type"] === "session.created") return { ...opened, ended: new Set<string>() }
    const message = `${endpoint.host} did not begin a session: check model and baseUrl`
    return yield* fail(endpoint, { _tag: "InvalidResponse", message })
  }),
  restarts: false,
  resumes: () => true,
  plan: ({ format, hasTools, request }): Plan<Line> => {
    const { parallelCalls, sampling, task, toolChoice, tools = [] } = request
    const { output } = task
    const messages = ended(request.messages, isInWords(output, format) ? output.instructions : undefined)
    const { instructions } = divided(messages)
    const session = {
      type: "realtime",
      output_modalities: ["text"],
      instructions,
      tools: tools.map(toTool),
      // otherwise the oldest messages would be left out without a word
      truncation: "disabled"
    }
    const { maxTokens } = sent(sampling)
    const response = {
      ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
      ...(hasTools && toolChoice !== undefined && { tool_choice: toChoice(toolChoice) }),
      ...(hasTools && parallelCalls !== undefined && { parallel_tool_calls: parallelCalls })
    }
    return {
      messages,
      settings: JSON.stringify(session),
      // the session keeps its tools
      tokens: (from) =>
        tokensOf(request.messages.slice(from)) + repeatedTokens({ task, tools: from === 0 ? tools : [] }),
      frames: (lacking, previous) => {
        const isWhole = previous === undefined
        const { rest } = isWhole ? divided(lacking) : { rest: lacking }
        const frames = [
          ...(isWhole ? [{ type: "session.update", session }] : []),
          ...rest.flatMap(toItems).map((item) => ({ type: "conversation.item.create", item })),
          { type: "response.create", response }
        ]
        return frames.map((frame) => JSON.stringify(frame))
      },
      reader: (line) => reading(line, endpoint, hasTools, translate)
    }
  }
})
