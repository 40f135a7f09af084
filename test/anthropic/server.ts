/** Messages servers on this machine that answer as a test says, and calls of them. */
import { Anthropic } from "cogito/anthropic"
import { Provider, type Request, type StreamPart } from "cogito/Provider"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { assertClean, key, prompt } from "../faults/clean.ts"
import { sse } from "../faults/dialect.ts"
import { type Answer, type End, reply, serve as start, stream } from "../faults/server.ts"

export { key, prompt, reply }

/** The first call gets the first answer, and so on; the last one is for all that follow. */
export const inTurn = (...answers: readonly [Answer, ...ReadonlyArray<Answer>]): Answer => {
  let calls = 0
  return (response, request, asked) => {
    const answer = answers[Math.min(calls++, answers.length - 1)] ?? answers[0]
    answer(response, request, asked)
  }
}

/** Answers with events, each with its type as its name, or with text as it is. */
export const events = (parts: ReadonlyArray<{ readonly type: string } | string>, end: End = "ended"): Answer =>
  stream(
    parts.map((part) => (typeof part === "string" ? part : sse(part, part.type))),
    { end }
  )

export const usage = {
  input_tokens: 12,
  cache_read_input_tokens: 100,
  cache_creation_input_tokens: 20,
  output_tokens: 7,
  output_tokens_details: { thinking_tokens: 3 },
  service_tier: "standard"
}

export const message = (content: ReadonlyArray<object> | string, rest: object = {}) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-5-20260630",
  content: typeof content === "string" ? [{ type: "text", text: content, citations: null }] : content,
  stop_reason: "end_turn",
  stop_sequence: null,
  stop_details: null,
  usage,
  ...rest
})

export const refusal = (type: string, text: string, details?: object) => ({
  type: "error",
  error: { type, message: text, ...(details && { details }) },
  request_id: "req_body"
})

/** Starts a server for the rest of the scope. */
export const serve = (answer: Answer) =>
  Effect.map(start(answer), (server) => ({ ...server, baseUrl: `http://${server.host}` }))

export const request = (rest: Partial<Request> = {}): Request => ({
  messages: [
    { role: "system", text: "Be brief." },
    { role: "user", text: prompt }
  ],
  task: { kind: "analyze", instruction: prompt, questions: [], context: [] },
  phase: "reason",
  sampling: {},
  ...rest
})

export const withOutput = (jsonSchema: Record<string, unknown>, rest: Partial<Request> = {}): Request =>
  request({
    task: {
      ...request().task,
      output: { name: "ticket", jsonSchema, instructions: "Answer with a JSON object." }
    },
    ...rest
  })

export type Options = Partial<Anthropic.Options>

/** Sends calls for api.anthropic.com to the server of a test. */
export const redirectTo =
  (baseUrl: string): typeof fetch =>
  (input, init) =>
    fetch(new globalThis.Request(input).url.replace("https://api.anthropic.com", baseUrl), init)

const optionsFor = (baseUrl: string, options: Options): Anthropic.Options => ({
  model: "claude-sonnet-5",
  apiKey: key,
  baseUrl,
  ...options
})

/** Sends one request to a server that gives this answer. */
const ask = (answer: Answer, options: Options = {}, asked: Request = request()) =>
  Effect.gen(function* () {
    const server = yield* serve(answer)
    const outcome = yield* Provider.use((provider) => provider.complete(asked)).pipe(
      Effect.provide(Anthropic.layer(optionsFor(server.baseUrl, options))),
      Effect.result
    )
    return { server, outcome }
  })

export const succeed = (answer: Answer, options?: Options, asked?: Request) =>
  Effect.flatMap(ask(answer, options, asked), ({ outcome, server }) =>
    Effect.map(Effect.fromResult(outcome), (response) => ({ response, server }))
  )

/** The failure of a call, checked to hold neither key nor prompt in any of its forms. */
export const failing = (answer: Answer, options?: Options, asked?: Request) =>
  Effect.flatMap(ask(answer, options, asked), ({ outcome, server }) =>
    Effect.map(Effect.flip(Effect.fromResult(outcome)), (error) => {
      assertClean(error)
      return { error, server }
    })
  )

/** The parts of one streamed answer until its end or failure, and that failure, checked as `failing` does. */
export const listen = (answer: Answer, options: Options = {}, asked: Request = request()) =>
  Effect.gen(function* () {
    const server = yield* serve(answer)
    const provider = yield* Anthropic.make(optionsFor(server.baseUrl, options))
    const parts: Array<StreamPart> = []
    const outcome = yield* provider.stream(asked).pipe(
      Stream.runForEach((part) => Effect.sync(() => parts.push(part))),
      Effect.result
    )
    const error = outcome._tag === "Failure" ? outcome.failure : undefined
    if (error !== undefined) assertClean(error)
    return { parts, error, server }
  })
