/** The client of the `openai` package, and what all its calls have in common. */
import type { OpenAI } from "openai"
import { type Client as Connected, connectTo } from "../../http/client.ts"

export type Client = Connected<OpenAI>

/** What all calls of one provider have in common. */
export interface Target {
  readonly provider: string
  readonly model: string
  /** Whether the model may reason before it answers. */
  readonly reasons: boolean
  /** Whether the server is OpenAI's own. */
  readonly official: boolean
  /** Calls with the same key share a prompt cache. */
  readonly cacheKey: string | undefined
  /** From how many tokens of a conversation on a form is described in its text. `false` for never. */
  readonly formInText: number | false
}

/** Builds the client. Nothing is sent yet. */
export const connect = connectTo<OpenAI>({
  name: "openai",
  package: "openai",
  baseUrl: "https://api.openai.com/v1",
  keyName: "OPENAI_API_KEY",
  addressEnd: "where the API begins, often in /v1",
  load: async () => {
    const { OpenAI } = await import("openai")
    return (settings) =>
      // Settings that the SDK would read from the environment may be meant for another server.
      new OpenAI({ ...settings, adminAPIKey: null, organization: null, project: null, webhookSecret: null })
  }
})
