/** Streams as OpenAI's two APIs write them, and what is made of them. */
import type { Request } from "cogito/Provider"
import { Provider } from "cogito/Provider"
import { OpenAi } from "cogito/openai"
import { Effect, Stream } from "effect"
import type { Answer } from "./server.ts"

export const key = "sk-canary-7f3a9c"

export const request = (rest: Partial<Request> = {}): Request => ({
  messages: [
    { role: "system", text: "Be brief." },
    { role: "user", text: "canary prompt" }
  ],
  task: { kind: "analyze", instruction: "canary prompt", questions: [], context: [] },
  phase: "reason",
  sampling: {},
  ...rest
})

/** A request for an answer of a form. */
export const withOutput = (jsonSchema: Record<string, unknown>): Request =>
  request({ task: { ...request().task, output: { name: "ticket", jsonSchema, instructions: "Answer with JSON." } } })

/** Sends calls for api.openai.com to the server of a test. */
export const redirectTo =
  (baseUrl: string): typeof fetch =>
  (input, init) =>
    fetch(new globalThis.Request(input).url.replace("https://api.openai.com/v1", baseUrl), init)

/** Answers with events, a string each; the body ends after the last one. */
export const sse =
  (events: ReadonlyArray<string>, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream", "x-request-id": "req-123", ...headers })
    response.end(events.join(""))
  }

/** Events whose body breaks off after some bytes: the connection is closed, or the body ends as if it were complete. */
export const cutAfter =
  (events: ReadonlyArray<string>, bytes: number, how: "end" | "destroy"): Answer =>
  (response, incoming) => {
    response.writeHead(200, { "content-type": "text/event-stream", "x-request-id": "req-123" })
    const part = Buffer.from(events.join("")).subarray(0, bytes)
    if (how === "end") response.end(part)
    else response.write(part, () => incoming.socket.destroy())
  }

export const data = (body: unknown): string => `data: ${typeof body === "string" ? body : JSON.stringify(body)}\n\n`

/** An event with its name, as the Responses API sends it. */
export const named = (body: { readonly type: string; readonly [field: string]: unknown }): string =>
  `event: ${body.type}\n${data(body)}`

/** What a call streams: its pieces, and the response at its end. */
export const collect = (options: OpenAi.Options, asked: Request = request()) =>
  Effect.gen(function* () {
    const provider = yield* Provider
    const parts = yield* Stream.runCollect(provider.stream(asked))
    const texts = parts.flatMap((part) => (part._tag === "Text" ? [part.delta] : []))
    const responses = parts.flatMap((part) => (part._tag === "Done" ? [part.response] : []))
    return { texts, response: responses[0], isLast: parts.at(-1)?._tag === "Done" && responses.length === 1 }
  }).pipe(Effect.provide(OpenAi.layer(options)))

/** Every how many bytes a stream is cut; the cuts that all adapters share are closer. */
export const cutStep = process.env["COGITO_STREAM_CUTS"] === "all" ? 1 : 37
