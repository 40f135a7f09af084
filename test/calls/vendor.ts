/** Servers that call tools, keep the rules of their vendor, and record what they were sent. */
import { Anthropic } from "cogito/anthropic"
import { OpenAi } from "cogito/openai"
import type { ProviderError, Shape } from "cogito/Provider"
import type { Effect } from "effect"
import { chat } from "../faults/chat.ts"
import { key } from "../faults/clean.ts"
import type { Called, Dialect } from "../faults/dialect.ts"
import { messages } from "../faults/messages.ts"
import { responses } from "../faults/responses.ts"
import { type Answer, reply, serve, stream } from "../faults/server.ts"

/** Answers with a text, or with calls. What breaks the vendor's rules is refused. */
export const speaking = (dialect: Dialect, model: (body: any, call: number) => string | Called) => {
  let calls = 0
  const answer: Answer = (response, request, asked) => {
    const { body } = asked
    const refused = dialect.refusal(body)
    const found = refused === undefined ? model(body, calls++) : ""
    const isStream = body.stream === true
    if (refused !== undefined) reply(400, dialect.error("invalid_request_error", refused))(response, request, asked)
    else if (typeof found === "string") {
      const good = isStream ? stream(dialect.events("good", found)) : reply(200, dialect.body("good", found))
      good(response, request, asked)
    } else {
      const called = dialect.called(found, body.model)
      const good = isStream ? stream(called.events) : reply(200, called.body)
      good(response, request, asked)
    }
  }
  return serve(answer)
}

type Make = (
  host: string,
  options?: { readonly model?: string; readonly name?: string }
) => Effect.Effect<Shape, ProviderError>

const openai =
  (api: "chat" | "responses"): Make =>
  (host, options) =>
    OpenAi.make({ model: "gpt-5-mini", apiKey: key, baseUrl: `http://${host}/v1`, api, ...options })

export const vendors: ReadonlyArray<{ readonly dialect: Dialect; readonly make: Make }> = [
  { dialect: chat, make: openai("chat") },
  { dialect: responses, make: openai("responses") },
  {
    dialect: messages,
    make: (host, options) =>
      Anthropic.make({ model: "claude-opus-5", apiKey: key, baseUrl: `http://${host}`, ...options })
  }
]
