/** The Responses API over a WebSocket, which keeps the conversation for the next call. */
import * as Effect from "effect/Effect"
import { parse } from "../../http/decoding.ts"
import { type Endpoint, fail } from "../../http/Endpoint.ts"
import { errorIn, type Problem, reasonOf } from "../../http/failure.ts"
import type { Opened } from "../../http/webSocket.ts"
import type { Plan, Protocol } from "../../provider/resumable/Protocol.ts"
import { errorAfter } from "../../provider/spent.ts"
import { ended } from "../api/messages.ts"
import { isInWords } from "../api/format.ts"
import type { Received } from "../../Provider.ts"
import { isObject } from "../../schema/jsonSchema.ts"
import type { Client, Target } from "../api/client.ts"
import { type Planned, tokensFrom } from "../api/api.ts"
import { toInput } from "./input.ts"
import { toBody } from "./request.ts"
import { reader } from "./stream.ts"

/** A socket, with the ids of responses and their items that have ended on it. */
interface Line extends Opened {
  readonly ended: Set<string>
}

/** What the server forgets: without a store, a connection has only its last response. */
const forgotten = "previous_response_not_found"
/** A connection lasts for an hour. */
const tooOld = "websocket_connection_limit_reached"

const textAt = (value: unknown, name: string): string | undefined => {
  const found = isObject(value) ? value[name] : undefined
  return typeof found === "string" ? found : undefined
}

/** The error that an event states, which has its status and headers beside it. */
const problemIn = (body: Readonly<Record<string, unknown>>): Problem => {
  const { headers, status } = body
  const found = errorIn(body) ?? {}
  const given = isObject(headers) ? Object.entries(headers) : []
  return {
    ...found,
    ...(typeof status === "number" && status >= 400 && status < 600 && { status }),
    headers: headersOf(given)
  }
}

const headersOf = (entries: ReadonlyArray<readonly [string, unknown]>): Headers => {
  const headers = new Headers()
  for (const [name, value] of entries) {
    // a header with other characters is none that is read
    if (/^[\w-]+$/.test(name) && typeof value === "string" && /^[\x20-\x7e]*$/.test(value)) headers.set(name, value)
  }
  return headers
}

/** Reads the events of one response. Those of an earlier one that come late are left out. */
const reading = (line: Line, endpoint: Endpoint, hasTools: boolean): ((frame: string, millis: number) => Received) => {
  const { take, usage } = reader(endpoint, hasTools)
  const own = new Set<string>()
  let current: string | undefined

  /** Whether an event belongs to another response. */
  const isForeign = (body: Readonly<Record<string, unknown>>): boolean => {
    const response = textAt(body["response"], "id") ?? textAt(body, "response_id")
    const item = textAt(body["item"], "id") ?? textAt(body, "item_id")
    if (response !== undefined) {
      if (line.ended.has(response) || (current !== undefined && response !== current)) return true
      current = response
      own.add(response)
    }
    if (item === undefined) return false
    if (line.ended.has(item)) return true
    own.add(item)
    return false
  }
  const end = (): void => {
    for (const id of own) line.ended.add(id)
  }

  return (frame, now) => {
    const body = parse(frame)
    if (isObject(body)) {
      if (body["type"] === "error") {
        end()
        const problem = problemIn(body)
        const error = fail(endpoint, reasonOf(problem, endpoint, now), { requestId: problem.requestId })
        return {
          _tag: "Failed",
          error,
          isForgotten: problem.code === forgotten || problem.code === tooOld,
          isClosing: problem.code === tooOld
        }
      }
      if (isForeign(body)) return { _tag: "Nothing" }
    }
    const step = take({ data: frame, event: "message", headers: new Headers(), received: now })
    if (step._tag === "Failed") {
      end()
      return { _tag: "Failed", error: errorAfter(fail(endpoint, step.reason, { requestId: step.requestId }), usage()) }
    }
    if (step._tag === "Done" || (step._tag === "Parts" && step.parts.at(-1)?._tag === "Done")) end()
    return step
  }
}

/** How calls are made over sockets of the Responses API. */
export const overSockets = (
  { dial, endpoint }: Pick<Client, "dial" | "endpoint">,
  target: Target
): Protocol<Line, Planned> => ({
  connect: Effect.map(dial("/responses"), (opened): Line => ({ ...opened, ended: new Set() })),
  restarts: true,
  // the next call names the answer
  resumes: ({ id }) => id !== undefined,
  plan: (planned): Plan<Line> => {
    const { format, hasTools, refused, request } = planned
    const { input: _, ...body } = toBody({ ...request, messages: [] }, format, target, !refused.include)
    // each of these may differ from call to call
    const { max_output_tokens: __, parallel_tool_calls: ___, reasoning: _____, tool_choice: ____, ...settings } = body
    const { output } = request.task
    return {
      messages: ended(request.messages, isInWords(output, format) ? output.instructions : undefined),
      settings: JSON.stringify(settings),
      tokens: (from) => tokensFrom(planned, from),
      frames: (lacking, previous) => [
        JSON.stringify({
          type: "response.create",
          ...body,
          ...(previous !== undefined && { previous_response_id: previous.id }),
          input: toInput(lacking, target)
        })
      ],
      reader: (line) => reading(line, endpoint, hasTools)
    }
  }
})
