/** A memory with thoughts and a waiting run, its studio, and requests as any program on the machine may send them. */
import { Deferred, Effect, Layer, Schema } from "effect"
import { request as send, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http"
import { Note, Pipeline, Primitive, type Step, Thought } from "../../src/index.ts"
import { Studio } from "../../src/studio/index.ts"
import { Testing } from "../../src/testing/index.ts"

export interface Got {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

interface Sent {
  readonly method?: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string
}

/** Sends a request with the headers given, which may lie. */
export const sent = (address: URL, { body, headers = {}, method = "GET" }: Sent = {}): Promise<Got> =>
  new Promise((resolve, reject) => {
    const { hostname, pathname, port, search } = address
    const path = `${pathname}${search}`
    const request = send({ hostname, port, path, method, headers, agent: false }, (response) => {
      let body = ""
      response.setEncoding("utf8").on("data", (piece) => (body += piece))
      response.once("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
    request.once("error", reject)
    request.end(body)
  })

export interface Desk {
  /** The address that the studio gave. */
  readonly address: URL
  /** A page or data, with the cookie of a browser that has opened that address. */
  readonly get: (path: string, headers?: OutgoingHttpHeaders) => Promise<Got>
  readonly post: (path: string, body: unknown, headers?: OutgoingHttpHeaders) => Promise<Got>
  readonly cookie: string
}

/** Serves the studio of a memory until the scope closes. */
export const open = Effect.gen(function* () {
  const ready = yield* Deferred.make<string>()
  const onReady = (address: string) => Deferred.doneUnsafe(ready, Effect.succeed(address))
  yield* Layer.build(Studio.layer({ onReady }))
  const address = new URL(yield* Deferred.await(ready))
  const first = yield* Effect.promise(() => sent(address))
  const cookie = first.headers["set-cookie"]?.[0]?.split(";")[0] ?? ""
  const desk: Desk = {
    address,
    cookie,
    get: (path, headers = {}) => sent(new URL(path, address), { headers: { cookie, ...headers } }),
    post: (path, body, headers = {}) =>
      sent(new URL(path, address), {
        method: "POST",
        headers: { cookie, origin: address.origin, "content-type": "application/json", ...headers },
        body: JSON.stringify(body)
      })
  }
  return desk
})

const message = Note.handle("message", Schema.String)

/** Asks a model, then a person two things at once. */
export const refund = Pipeline.sequence("refund", [
  Primitive.decide("fraud", { question: "Does this look like fraud?" }),
  Pipeline.concurrent("people", [
    Primitive.approve("ok", { prompt: Note.prompt`May we refund ${message}?` }),
    Pipeline.waitFor("amount", { schema: Schema.Finite, prompt: "How much, in EUR?" })
  ])
])

export const model = Testing.scripted(() => ({ decision: false, confidence: 0.9, reasoning: ["It says so."] }), {
  name: "house",
  model: "m-1",
  usage: { inputTokens: 9, outputTokens: 3 }
})

/** Runs a pipeline on a new thought, to its end or until it waits. */
export const begin = <R>(
  step: Step.Step<any, any, unknown, R>,
  { id, intent = "refund an order", text }: { readonly id: string; readonly intent?: string; readonly text: string }
) =>
  Effect.flatMap(Thought.make(intent, { message: text }), (thought) =>
    Effect.as(Effect.exit(Pipeline.run(step, thought, { durable: { id, keep: "answers" } })), thought.id)
  )
