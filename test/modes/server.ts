/**
 * A server of the Responses API over HTTP and WebSockets, which keeps the rules of the vendor: a socket has its last
 * response only, one response at a time, and forgets it after a failure. It counts what it is sent, and reports what it has
 * read from what it really holds.
 */
import * as Effect from "effect/Effect"
import * as http from "node:http"
import type { Duplex } from "node:stream"
import { type WebSocket, WebSocketServer } from "ws"
import { Session } from "cogito"
import { key } from "../faults/clean.ts"
import { type Called, type Dialect, textOf } from "../faults/dialect.ts"
import { responses } from "../faults/responses.ts"
import { met } from "../soon.ts"

type Json = Record<string, any>

/** One request for an answer. */
export interface Recorded {
  readonly over: "http" | "socket"
  /** The number of the socket, from 1. 0 for HTTP. */
  readonly socket: number
  readonly body: Json
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly bytes: number
  /** Tokens of the conversation in the request. */
  readonly sent: number
  /** Tokens of the conversation that the model reads. */
  readonly processed: number
  /** The whole conversation, one text for each item. */
  readonly view: ReadonlyArray<string>
}

/** What a server does with a request instead of answering it well. */
export type Fault =
  /** The socket is destroyed after so many events. */
  | { readonly _tag: "Cut"; readonly after: number }
  /** An error event, after which the socket stays open unless `closes` is set. */
  | {
      readonly _tag: "Error"
      readonly code: string
      readonly status: number
      readonly param?: string
      readonly closes?: boolean
      readonly headers?: Json
    }
  /** An error event, and the response all the same, before that to the next request over the socket. */
  | { readonly _tag: "Late"; readonly code: string; readonly status: number }
  /** The last event says that the response has failed, and what was billed for it. */
  | { readonly _tag: "Failed"; readonly code: string }
  /** A frame that is not JSON comes first. */
  | { readonly _tag: "Garbage" }
  /** Another response follows that was not requested. */
  | { readonly _tag: "Unrequested" }
  /** Nothing more comes after so many events. */
  | { readonly _tag: "Stall"; readonly after: number }

export interface Script {
  /** What the model says to a conversation. */
  readonly model: (view: ReadonlyArray<string>, body: Json) => string | Called
  /** What goes wrong with a request over a socket. `count` is its number, from 1. */
  readonly fault?: (count: number, request: Recorded) => Fault | undefined
  /** How the server refuses a socket. `count` is the number of the attempt, from 1. */
  readonly refuse?: (
    count: number
  ) => { readonly status: number; readonly body?: unknown; readonly headers?: Json } | undefined
  /** Whether the last events of a response come a second time when the next one has begun. */
  readonly isLate?: boolean
}

const spacing = (name: string) => (name === "" ? "" : `${name}: `)

/** An item as a model reads it, whichever way it came. */
const viewOf = (item: Json): string => {
  if (item["type"] === "function_call") return `call ${item["call_id"]} ${item["name"]} ${item["arguments"]}`
  if (item["type"] === "function_call_output") return `result ${item["call_id"]} ${item["output"]}`
  return `${spacing(item["role"])}${textOf(item["content"])}`
}

/** The texts of an item that count as tokens. */
const countOf = (item: Json): number => {
  const text = item["arguments"] ?? item["output"] ?? textOf(item["content"])
  return item["type"] === "reasoning" ? 0 : Session.estimateTokens(text)
}

const sum = (items: ReadonlyArray<Json>): number => items.reduce((total, item) => total + countOf(item), 0)

/** An item of an output as an input has it. */
const asInput = (item: Json): Json => {
  const { id: _, phase: __, status: ___, ...rest } = item
  if (item["type"] === "message") return { role: "assistant", content: textOf(item["content"]).trim() }
  // a call without parameters
  return rest["arguments"] === "" ? { ...rest, arguments: "{}" } : rest
}

const isVisible = (item: Json): boolean => item["type"] !== "reasoning"

/** The parsed events of a dialect's stream, with ids of their own. */
const eventsOf = (answer: string | Called, model: string, count: number, input: number): ReadonlyArray<Json> => {
  const dialect: Dialect = responses
  const events = typeof answer === "string" ? dialect.events("good", answer) : dialect.called(answer, model).events
  return events.map((event) => {
    const data = event.slice(event.indexOf("data: ") + 6)
    const own = data.replaceAll(/"(resp|msg|rs|fc)_(\d+)"/g, (_, kind, n) => `"${kind}_${count}_${n}"`)
    const json: Json = JSON.parse(own)
    if (json["response"]?.usage) json["response"].usage.input_tokens = input
    return json
  })
}

export const serveModes = (script: Script) =>
  Effect.gen(function* () {
    const requests: Array<Recorded> = []
    const sockets = new Set<WebSocket>()
    const active = new Set<WebSocket>()
    let dials = 0
    let opened = 0
    let closed = 0
    let count = 0
    let overSockets = 0

    const take = (
      over: Recorded["over"],
      socket: number,
      text: string,
      { headers, url: path = "" }: http.IncomingMessage,
      before: ReadonlyArray<Json>
    ) => {
      const body: Json = JSON.parse(text)
      const input: ReadonlyArray<Json> = body["input"]
      const whole = [...before, ...input]
      const record: Recorded = {
        over,
        socket,
        body,
        path,
        headers,
        bytes: Buffer.byteLength(text),
        sent: sum(input),
        processed: sum(whole),
        view: whole.filter(isVisible).map(viewOf)
      }
      requests.push(record)
      return { record, whole }
    }

    const answerHttp = (request: http.IncomingMessage, response: http.ServerResponse, text: string): void => {
      const { record, whole } = take("http", 0, text, request, [])
      const send = (status: number, body: unknown): void => {
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
      }
      if (request.headers.authorization !== `Bearer ${key}`) return send(401, responses.error("invalid_api_key", "no"))
      const refused = responses.refusal({ ...record.body, input: whole })
      if (refused !== undefined) return send(400, responses.error("invalid_request_error", refused))
      const answer = script.model(record.view, record.body)
      const events = eventsOf(answer, record.body["model"], ++count, record.processed)
      if (record.body["stream"] !== true) return send(200, events.at(-1)?.["response"])
      response.writeHead(200, { "content-type": "text/event-stream" })
      for (const event of events) response.write(`event: ${event["type"]}\ndata: ${JSON.stringify(event)}\n\n`)
      response.end()
    }

    const server = http.createServer((request, response) => {
      let text = ""
      request.setEncoding("utf8")
      request.on("data", (chunk) => (text += chunk))
      request.on("end", () => answerHttp(request, response, text))
    })
    const upgrading = new WebSocketServer({ noServer: true })

    server.on("upgrade", (request: http.IncomingMessage, stream: Duplex, head) => {
      const wrong = request.headers.authorization === `Bearer ${key}` ? undefined : { status: 401 }
      const refusal = script.refuse?.(++dials) ?? wrong
      if (refusal !== undefined) {
        const body = JSON.stringify("body" in refusal ? refusal.body : responses.error("some_error", "no"))
        const headers = { "content-length": body.length, ...("headers" in refusal ? refusal.headers : {}) }
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`)
        stream.end(`HTTP/1.1 ${refusal.status} No\r\n${lines.join("")}\r\n${body}`)
        return
      }
      upgrading.handleUpgrade(request, stream, head, (socket) => serve(socket, request))
    })

    const serve = (socket: WebSocket, request: http.IncomingMessage): void => {
      const number = ++opened
      let held: { readonly id: string; readonly items: ReadonlyArray<Json> } | undefined
      let late: ReadonlyArray<Json> = []
      const owed: Array<Json> = []
      let isActive = false
      sockets.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => {
        active.delete(socket)
        closed++
        sockets.delete(socket)
      })
      const send = (event: Json): void => socket.send(JSON.stringify(event))
      const fail = (code: string, message: string, status = 400, param: string | null = null, others?: Json): void =>
        send({ type: "error", status, headers: others, error: { type: "invalid_request_error", code, message, param } })

      socket.on("message", (data: Buffer) => {
        const text = data.toString()
        const previous: unknown = JSON.parse(text)["previous_response_id"]
        if (isActive) return fail("response_already_active", "one at a time")
        const isKnown = previous === undefined || previous === held?.id
        const { record, whole } = take(
          "socket",
          number,
          text,
          request,
          previous === undefined ? [] : (held?.items ?? [])
        )
        const fault = script.fault?.(++overSockets, record)
        if (fault?._tag === "Error") {
          held = undefined
          fail(fault.code, `it is ${key}`, fault.status, fault.param, fault.headers)
          if (fault.closes === true) socket.close()
          return
        }
        if (!isKnown) {
          held = undefined
          return fail("previous_response_not_found", `no response ${JSON.stringify(previous)}`)
        }
        const refused = responses.refusal({ ...record.body, input: whole })
        if (refused !== undefined) {
          held = undefined
          return fail("invalid_request_error", refused)
        }
        const events = eventsOf(script.model(record.view, record.body), record.body["model"], ++count, record.processed)
        if (fault?._tag === "Failed") {
          held = undefined
          for (const event of events.slice(0, -1)) send(event)
          const error = { code: fault.code, message: `it is ${key}` }
          return send({
            type: "response.failed",
            response: { ...events.at(-1)?.["response"], status: "failed", error }
          })
        }
        for (const event of owed.splice(0)) send(event)
        isActive = true
        active.add(socket)
        const stop = fault !== undefined && "after" in fault ? Math.min(fault.after, events.length) : events.length
        if (fault?._tag === "Garbage") socket.send("not JSON")
        if (fault?._tag === "Late") {
          fail(fault.code, "try again", fault.status)
          owed.push(...events)
          return
        }
        for (const [i, event] of events.slice(0, stop).entries()) {
          send(event)
          if (i === 0 && script.isLate === true) for (const old of late) send(old)
        }
        if (stop < events.length || fault?._tag === "Cut") {
          held = undefined
          if (fault?._tag === "Cut") setImmediate(() => socket.terminate())
          return
        }
        if (fault?._tag === "Unrequested") {
          for (const event of eventsOf("unrequested", record.body["model"], ++count, 0)) send(event)
        }
        isActive = false
        active.delete(socket)
        const { response } = events.at(-1) ?? {}
        // its own reasoning needs no proof
        held = { id: response["id"], items: [...whole, ...response["output"].filter(isVisible).map(asInput)] }
        late = events.slice(1)
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
    const host = `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
    return {
      baseUrl: `http://${host}/v1`,
      host,
      requests,
      dials: () => dials,
      opened: () => opened,
      open: () => sockets.size,
      /** How many responses are not complete. */
      answering: () => active.size,
      /** Waits until so many sockets were closed. */
      closed: (many: number) => met(`${many} sockets are closed`, () => closed >= many),
      /** Closes all sockets, as a server does that restarts. */
      restart: Effect.suspend(() => {
        const many = closed + sockets.size
        for (const socket of sockets) socket.terminate()
        return met("the sockets are closed", () => closed >= many)
      })
    }
  })
