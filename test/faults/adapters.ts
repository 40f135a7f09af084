/** Each adapter with the dialect that its servers speak. */
import { Anthropic } from "cogito/anthropic"
import { OpenAi } from "cogito/openai"
import type { Capabilities, ProviderError, Shape } from "cogito/Provider"
import type { Effect } from "effect"
import { chat } from "./chat.ts"
import type { Dialect } from "./dialect.ts"
import type { Deadlines } from "./matrix.ts"
import { messages } from "./messages.ts"
import { responses } from "./responses.ts"

/** Builds a provider; `origin` is where the server is, such as `http://127.0.0.1:8080`. */
export type Make = (
  origin: string,
  options: Deadlines & {
    readonly apiKey: string
    readonly allowInsecureHttp?: boolean
    readonly capabilities?: Partial<Capabilities>
    readonly fetch?: typeof globalThis.fetch
  }
) => Effect.Effect<Shape, ProviderError>

export interface Adapter {
  readonly dialect: Dialect
  readonly make: Make
}

const ofOpenAi =
  (api: "chat" | "responses"): Make =>
  (origin, options) =>
    OpenAi.make({ model: "gpt-4o", api, baseUrl: `${origin}/v1`, ...options })

export const adapters: Readonly<Record<Dialect["name"], Adapter>> = {
  chat: { dialect: chat, make: ofOpenAi("chat") },
  responses: { dialect: responses, make: ofOpenAi("responses") },
  messages: {
    dialect: messages,
    make: (origin, options) => Anthropic.make({ model: "claude-sonnet-4-6", baseUrl: origin, ...options })
  }
}
