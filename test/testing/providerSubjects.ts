/** Providers to run the published contract on: each in front of a backend that does as a test says. */
import { Anthropic } from "cogito/anthropic"
import { OpenAi } from "cogito/openai"
import { type Answer as Decided, ProviderError, type Reason, type Request, type Shape } from "cogito/Provider"
import { Testing } from "cogito/testing"
import * as Effect from "effect/Effect"
import { chat } from "../faults/chat.ts"
import { key } from "../faults/clean.ts"
import type { Dialect } from "../faults/dialect.ts"
import { messages } from "../faults/messages.ts"
import { responses } from "../faults/responses.ts"
import { type Answer, reply, send, serve, silent, stream } from "../faults/server.ts"

type Make = Testing.MakeProvider<ProviderError>

// ---------------------------------------------------------------------------------------------------------- scripted

type Said = Pick<Request, "messages" | "task" | "tools">

export const promptOf = ({ messages, task, tools = [] }: Said): string =>
  [
    ...messages.map(({ text }) => text),
    ...messages.flatMap(({ calls = [], results = [] }) => [
      ...calls.map(({ id, params }) => `${id} ${params}`),
      ...results.map(({ text }) => text)
    ]),
    ...tools.map((tool) => JSON.stringify(tool)),
    task.output?.instructions,
    ...task.questions.map(({ question }) => question)
  ].join("\n")

/** The scripted provider. */
export const scripted: Testing.MakeProvider = (backend) =>
  Effect.sync(() => {
    const received: Array<Testing.ProviderAsked> = []
    let open = 0
    const fail = (reason: "Truncated" | "Overloaded" | "RateLimited" | "Refused") =>
      new ProviderError({ provider: "scripted", model: "script", reason: { _tag: reason, message: "as scripted" } })
    const asked = (request: Said, temperature?: number) =>
      Effect.suspend(() => {
        const one = { prompt: promptOf(request), temperature }
        received.push(one)
        open++
        const told = backend(one)
        if (told._tag === "Never") return Effect.never
        if (told._tag === "Broken" || (told._tag === "Calls" && told.isBroken === true)) return fail("Truncated")
        return told._tag === "Failure" ? fail(told.reason as "Overloaded") : Effect.succeed(told)
      }).pipe(Effect.ensuring(Effect.sync(() => open--)))
    const { provider } = Testing.scripted(
      (request) =>
        Effect.map(asked(request, request.sampling.temperature), (told) => {
          if (told._tag === "Calls")
            return Testing.calls(told.calls, told.text === undefined ? {} : { text: told.text })
          return told._tag === "Text" ? told.text : ""
        }),
      {
        usage: { inputTokens: 12, outputTokens: 7 },
        pieceLength: 5,
        decide: (request) => Effect.map(asked(request), (told) => (told._tag === "Answers" ? told.answers : []))
      }
    )
    return { provider, received: () => received, open: () => open }
  })

// ---------------------------------------------------------------------------------------------- behind a real server

const said = `You sent ${key}, and said`

const statuses: Readonly<Partial<Record<Reason["_tag"], number>>> = {
  RateLimited: 429,
  Overloaded: 503,
  Authentication: 401,
  InvalidRequest: 400
}

/** What a server repeats of a request, as real ones do, is no matter of an error's. */
const failing = (
  { body, error, events, tooLong }: Dialect,
  reason: Reason["_tag"],
  asked: string,
  isStream: boolean
) => {
  const status = statuses[reason]
  const message = `${said} ${asked}`
  if (status !== undefined) return reply(status, error("some_error", message))
  if (reason === "ContextTooLong") return reply(400, tooLong(message))
  const kind = reason === "Refused" ? "refused" : reason === "EmptyAnswer" ? "empty" : "length"
  return isStream ? stream(events(kind, "Well")) : reply(200, body(kind, "Well"))
}

/** One half of it, and then the connection breaks. */
const half = (text: string): Answer => send(text.slice(0, Math.ceil(text.length / 2)), "destroyed")

const decision = (answer: Decided) => {
  const { name } = answer
  if (answer._tag === "Refusal") return { type: "refusal", name }
  if (answer._tag === "Predicate") return { type: "predicate", name, probability: answer.probability }
  const entries = Object.entries(answer.distribution)
  return answer._tag === "Choice"
    ? {
        type: "choice",
        name,
        choice: answer.label,
        confidence: 0.5,
        probabilities: entries.map(([value, probability]) => ({ value, probability }))
      }
    : {
        type: "score",
        name,
        score: 1,
        confidence: 0.5,
        probabilities: entries.map(([label, probability], value) => ({ label, value, probability }))
      }
}

const answerOf = (
  dialect: Dialect,
  told: Testing.ProviderReply,
  { model, stream: isStream = false }: { readonly model: string; readonly stream?: boolean },
  prompt: string
): Answer => {
  const { body, events } = dialect
  if (told._tag === "Calls") {
    const { body: whole, events: all } = dialect.called({ thought: "Let me think.", ...told }, model)
    const last = all.findLastIndex((one) => one.includes("Ulm "))
    if (told.isBroken === true) return half(isStream ? all.slice(0, last + 1).join("") : JSON.stringify(whole))
    return isStream ? stream(all) : reply(200, whole)
  }
  if (told._tag === "Failure") return failing(dialect, told.reason, prompt, isStream)
  if (told._tag === "Answers") {
    return reply(200, { model: "gpt-6-luna", answers: told.answers.map(decision), usage: {} })
  }
  const good = events("good", told.text)
  if (told._tag === "Text") return isStream ? stream(good) : reply(200, body("good", told.text))
  if (told._tag === "Broken") return half(isStream ? good.join("") : JSON.stringify(body("good", told.text)))
  return isStream && told.text !== "" ? stream(good.slice(0, Math.ceil(good.length / 2)), { end: "open" }) : silent
}

/** An adapter in front of a server on this machine. */
const behind =
  (dialect: Dialect, connect: (origin: string) => Effect.Effect<Shape, ProviderError>): Make =>
  (backend) =>
    Effect.gen(function* () {
      const asked = (body: any): Testing.ProviderAsked => ({
        prompt: JSON.stringify(body),
        temperature: body.temperature
      })
      const server = yield* serve((response, request, recorded) => {
        const { body } = recorded
        const one = asked(body)
        const refused = Array.isArray(body.questions) ? undefined : dialect.refusal(body)
        const answer =
          refused === undefined
            ? answerOf(dialect, backend(one), body, one.prompt)
            : reply(400, dialect.error("invalid_request_error", refused))
        answer(response, request, recorded)
      })
      return {
        provider: yield* connect(`http://${server.host}`),
        received: () => server.recorded.map(({ body }) => asked(body)),
        open: server.answering,
        secret: key
      }
    })

const openai = (dialect: Dialect, api: "chat" | "responses"): Make =>
  behind(dialect, (origin) =>
    OpenAi.make({ model: "gpt-4o", api, apiKey: key, baseUrl: `${origin}/v1`, decisions: { model: "gpt-6-luna" } })
  )

/** The adapters, each with what its subject can do. */
export const adapters: Readonly<Record<string, { readonly make: Make; readonly decides: boolean }>> = {
  "OpenAI's chat completions": { make: openai(chat, "chat"), decides: true },
  "OpenAI's responses": { make: openai(responses, "responses"), decides: true },
  "Anthropic's messages": {
    make: behind(messages, (origin) => Anthropic.make({ model: "claude-sonnet-4-6", apiKey: key, baseUrl: origin })),
    decides: false
  }
}
