/**
 * A server of the Realtime API in text, which keeps the rules of the vendor: it speaks first, one response at a time, results
 * only of calls that were made, and every error names the event that failed. It reports what it has read from what it holds.
 */
import * as Effect from "effect/Effect"
import * as http from "node:http"
import type { Duplex } from "node:stream"
import { type WebSocket, WebSocketServer } from "ws"
import { Session } from "cogito"
import { key } from "../faults/clean.ts"
import { type Called, pieces, textOf } from "../faults/dialect.ts"
import { met } from "../soon.ts"

type Json = Record<string, any>

/** How a response ends instead of well. */
export type Ending =
  | { readonly _tag: "Cut"; readonly after: number }
  | { readonly _tag: "Stall"; readonly after: number }
  | { readonly _tag: "Error"; readonly code: string; readonly type: string }
  | { readonly _tag: "Status"; readonly status: string; readonly details: Json }

export interface Script {
  readonly model: (view: ReadonlyArray<string>, session: Json) => string | Called
  readonly ending?: (count: number) => Ending | undefined
  /** An event in the place of the beginning of a session. */
  readonly greeting?: Json
  /** Whether the events of a response come a second time when the next one has begun. */
  readonly isLate?: boolean
  /** Events that come as well when a response has begun. */
  readonly among?: ReadonlyArray<Json>
}

const viewOf = (item: Json): string => {
  if (item["type"] === "function_call") return `call ${item["call_id"]} ${item["name"]} ${item["arguments"] || "{}"}`
  if (item["type"] === "function_call_output") return `result ${item["call_id"]} ${item["output"]}`
  const text = textOf(item["content"])
  return `${item["role"]}: ${item["role"] === "assistant" ? text.trim() : text}`
}

const countOf = (item: Json): number =>
  Session.estimateTokens(item["arguments"] ?? item["output"] ?? textOf(item["content"]))

/** What the API refuses of an item. */
const refusal = (item: Json, held: ReadonlyArray<Json>): string | undefined => {
  if (item["type"] === "function_call_output") {
    const isKnown = held.some(({ call_id, type }) => type === "function_call" && call_id === item["call_id"])
    return isKnown ? undefined : "there is no such call"
  }
  if (item["type"] !== "message") return undefined
  const expected = item["role"] === "assistant" ? "output_text" : "input_text"
  return item["content"].every(({ type }: Json) => type === expected) ? undefined : `content must be ${expected}`
}

export const serveRealtime = (script: Script) =>
  Effect.gen(function* () {
    const frames: Array<{ readonly socket: number; readonly frame: Json }> = []
    const responses: Array<{ readonly view: ReadonlyArray<string>; readonly session: Json; readonly read: number }> = []
    const sockets = new Set<WebSocket>()
    const paths: Array<string> = []
    let opened = 0
    let closed = 0
    let sent = 0
    const server = http.createServer((_, response) => response.writeHead(426).end())
    const upgrading = new WebSocketServer({ noServer: true })
    server.on("upgrade", (request: http.IncomingMessage, stream: Duplex, head) => {
      paths.push(request.url ?? "")
      if (request.headers.authorization === `Bearer ${key}`) upgrading.handleUpgrade(request, stream, head, serve)
      else stream.end("HTTP/1.1 401 No\r\ncontent-length: 0\r\n\r\n")
    })

    const serve = (socket: WebSocket): void => {
      const number = ++opened
      const items: Array<Json> = []
      let session: Json = { instructions: "You speak.", output_modalities: ["audio"] }
      let late: ReadonlyArray<Json> = []
      let isActive = false
      let events = 0
      sockets.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => {
        closed++
        sockets.delete(socket)
      })
      const send = (event: Json): void => socket.send(JSON.stringify({ event_id: `event_${++events}`, ...event }))
      const fail = (message: string, code = "invalid_value", type = "invalid_request_error"): void =>
        send({ type: "error", error: { type, code, message: `${message} ${key}`, param: null, event_id: null } })

      const respond = (): void => {
        if (isActive) return fail("one at a time", "conversation_already_has_active_response")
        const count = responses.length + 1
        const ending = script.ending?.(count)
        const answer = script.model(items.map(viewOf), session)
        const read = items.reduce((sum, item) => sum + countOf(item), Session.estimateTokens(session["instructions"]))
        responses.push({ view: items.map(viewOf), session, read })
        if (ending?._tag === "Error") return fail("so it is", ending.code, ending.type)
        const { calls, text = "" } = typeof answer === "string" ? { calls: [], text: answer } : answer
        const output: ReadonlyArray<Json> = [
          ...(text === "" ? [] : [{ type: "message", role: "assistant", content: [{ type: "output_text", text }] }]),
          ...calls.map(({ id, name, params }) => ({ type: "function_call", call_id: id, name, arguments: params }))
        ].map((item, i) => ({ id: `item_${count}_${i}`, status: "completed", ...item }))
        const response_id = `resp_${count}`
        const status = ending?._tag === "Status" ? ending.status : "completed"
        const ofItem = (item: Json, output_index: number): ReadonlyArray<Json> => {
          const at = { response_id, item_id: item["id"], output_index }
          const isCall = item["type"] === "function_call"
          const type = isCall ? "response.function_call_arguments" : "response.output_text"
          const whole: string = isCall ? item["arguments"] : text
          const begun = isCall ? { ...item, arguments: "" } : { ...item, content: [] }
          return [
            { type: "response.output_item.added", response_id, output_index, item: begun },
            { type: "conversation.item.added", item: begun },
            ...pieces(whole).map((delta) => ({ type: `${type}.delta`, ...at, content_index: 0, delta })),
            { type: `${type}.done`, ...at, ...(isCall ? { arguments: whole } : { text: whole }) },
            { type: "response.output_item.done", response_id, output_index, item }
          ]
        }
        const all: ReadonlyArray<Json> = [
          { type: "response.created", response: { id: response_id, status: "in_progress", output: [] } },
          ...output.flatMap(ofItem),
          {
            type: "response.done",
            response: {
              id: response_id,
              status,
              status_details: ending?._tag === "Status" ? ending.details : null,
              output,
              usage: {
                total_tokens: read + 7,
                input_tokens: read,
                output_tokens: 7,
                input_token_details: { cached_tokens: 2, text_tokens: read }
              }
            }
          },
          { type: "rate_limits.updated", rate_limits: [] }
        ]
        const stop = ending === undefined || ending._tag === "Status" ? all.length : ending.after
        isActive = stop < all.length
        for (const [i, event] of all.slice(0, stop).entries()) {
          send(event)
          if (i === 0 && script.isLate === true) for (const old of late) send(old)
          if (i === 0) for (const other of script.among ?? []) send(other)
        }
        late = all.slice(1)
        items.push(...output)
        if (ending?._tag === "Cut") setImmediate(() => socket.terminate())
      }

      send(script.greeting ?? { type: "session.created", session })
      socket.on("message", (data: Buffer) => {
        const frame: Json = JSON.parse(data.toString())
        frames.push({ socket: number, frame })
        if (frame["type"] === "response.create") return respond()
        if (frame["type"] === "session.update") {
          session = { ...session, ...frame["session"] }
          sent += Session.estimateTokens(session["instructions"])
          return send({ type: "session.updated", session })
        }
        const { item } = frame
        const refused = frame["type"] === "conversation.item.create" ? refusal(item, items) : "an unknown event"
        if (refused !== undefined) return fail(refused)
        sent += countOf(item)
        items.push(item)
        send({ type: "conversation.item.added", item: { id: `own_${items.length}`, ...item } })
        send({ type: "conversation.item.done", item: { id: `own_${items.length}`, ...item } })
      })
    }

    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.callback<void>((resume) => {
          for (const socket of sockets) socket.terminate()
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    )
    const address = server.address()
    return {
      baseUrl: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/v1`,
      frames,
      responses,
      paths,
      opened: () => opened,
      /** Tokens of the conversation that were received. */
      sent: () => sent,
      closed: (many: number) => met(`${many} sockets are closed`, () => closed >= many)
    }
  })
