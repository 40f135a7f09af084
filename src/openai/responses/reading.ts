/** Reads the events of responses over a socket, where those of an earlier one may come late. */
import { parse } from "../../http/decoding.ts"
import { type Endpoint, fail } from "../../http/Endpoint.ts"
import { errorIn, type Problem, reasonOf } from "../../http/failure.ts"
import type { Opened } from "../../http/webSocket.ts"
import { errorAfter } from "../../provider/spent.ts"
import type { Reason, Received } from "../../Provider.ts"
import { isObject } from "../../schema/jsonSchema.ts"
import { reader } from "./stream.ts"

/** A socket, with the ids of responses and their items that have ended on it. */
export interface Line extends Opened {
  readonly ended: Set<string>
}

/** Errors after which the server does not have the conversation any more. */
const forgotten: ReadonlySet<unknown> = new Set([
  // without a store, a connection has only its last response
  "previous_response_not_found",
  "websocket_connection_limit_reached",
  "session_expired"
])
/** Those of connections that have lasted for an hour. */
const tooOld: ReadonlySet<unknown> = new Set(["websocket_connection_limit_reached", "session_expired"])

/** Why a request is refused. No response follows. */
const refusals: ReadonlySet<string> = new Set<Reason["_tag"]>([
  "Authentication",
  "ContextTooLong",
  "InvalidRequest",
  "QuotaExhausted",
  "RateLimited",
  "Refused"
])

export type Body = Readonly<Record<string, unknown>>

const textAt = (value: unknown, name: string): string | undefined => {
  const found = isObject(value) ? value[name] : undefined
  return typeof found === "string" ? found : undefined
}

/** The error that an event states, which has its status and headers beside it. */
const problemIn = (body: Body): Problem => {
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
    // only headers of plain characters are of use
    if (/^[\w-]+$/.test(name) && typeof value === "string" && /^[\x20-\x7e]*$/.test(value)) headers.set(name, value)
  }
  return headers
}

/** The events that end a response. */
const last: ReadonlySet<unknown> = new Set(
  ["completed", "incomplete", "failed", "cancelled"].map((status) => `response.${status}`)
)

/** The ids of the response and of the item that an event belongs to. */
const idsOf = (body: Body) => ({
  response: textAt(body["response"], "id") ?? textAt(body, "response_id"),
  item: textAt(body["item"], "id") ?? textAt(body, "item_id")
})

/**
 * Reads the events of one response. Those of another one are left out: events of an earlier response that come late, and all
 * responses of which an event had come before this one was requested.
 */
export const reading = (
  line: Line,
  endpoint: Endpoint,
  hasTools: boolean,
  /** Makes an event one of the Responses API. */
  translate: (event: Body) => Body = (event) => event
): ((frame: string, millis: number) => Received) => {
  const { take, usage } = reader(endpoint, hasTools)
  const own = new Set<string>()
  let current: string | undefined

  for (const frame of line.unread()) {
    const body = parse(frame)
    if (!isObject(body)) continue
    for (const id of Object.values(idsOf(body))) if (id !== undefined) line.ended.add(id)
  }

  /** Whether an event belongs to another response. */
  const isForeign = (body: Body): boolean => {
    const { item, response } = idsOf(body)
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
    let data = frame
    let isLast = false
    if (isObject(body)) {
      if (body["type"] === "error") {
        end()
        const problem = problemIn(body)
        const error = fail(endpoint, reasonOf(problem, endpoint, now), { requestId: problem.requestId })
        return {
          _tag: "Failed",
          error,
          isForgotten: forgotten.has(problem.code),
          isClosing: tooOld.has(problem.code),
          mayContinue: !forgotten.has(problem.code) && !refusals.has(error.reason._tag)
        }
      }
      if (isForeign(body)) return { _tag: "Nothing" }
      const translated = translate(body)
      isLast = last.has(translated["type"])
      if (translated !== body) data = JSON.stringify(translated)
    }
    const step = take({ data, event: "message", headers: new Headers(), received: now })
    if (step._tag === "Failed") {
      end()
      const error = errorAfter(fail(endpoint, step.reason, { requestId: step.requestId }), usage())
      return { _tag: "Failed", error, mayContinue: !isLast }
    }
    if (step._tag === "Done" || (step._tag === "Parts" && step.parts.at(-1)?._tag === "Done")) end()
    return step
  }
}
