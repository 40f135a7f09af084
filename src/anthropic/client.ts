/** The client of the Anthropic package. */
import type { Anthropic } from "@anthropic-ai/sdk"
import { type Call, connectTo } from "../http/client.ts"
import type { Body } from "./request.ts"

/** Builds the client. Nothing is sent yet. */
export const connect = connectTo<Anthropic>({
  name: "anthropic",
  package: "@anthropic-ai/sdk",
  baseUrl: "https://api.anthropic.com",
  keyName: "ANTHROPIC_API_KEY",
  addressEnd: "before /v1",
  load: async () => {
    const { Anthropic } = await import("@anthropic-ai/sdk")
    // With a key and an address in code, the SDK reads no others from the environment or from files.
    return (settings) => new Anthropic({ ...settings, webhookKey: null, openTelemetry: false })
  }
})

/**
 * `messages.create` sends the same, but it warns on the console about some models and refuses long answers that are not
 * streamed.
 */
export const call =
  (body: Body): Call<Anthropic> =>
  (client, signal) =>
    client.post("/v1/messages", { body, signal, stream: body.stream ?? false })
