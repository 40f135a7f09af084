/** The client of the Anthropic package. */
import type { Anthropic } from "@anthropic-ai/sdk"
import { type Call, connectTo } from "../http/client.ts"
import type { Body } from "./request.ts"

/** Nothing is sent yet. */
export const connect = connectTo<Anthropic>({
  name: "anthropic",
  package: "@anthropic-ai/sdk",
  baseUrl: "https://api.anthropic.com",
  keyName: "ANTHROPIC_API_KEY",
  addressEnd: "before /v1",
  load: async () => {
    const { Anthropic } = await import("@anthropic-ai/sdk")
    // A key and an address in code keep the SDK from reading others in the environment and in files.
    return (settings) => new Anthropic({ ...settings, webhookKey: null, openTelemetry: false })
  }
})

/** `messages.create` sends the same, but writes to the console for some models and refuses long answers in one piece. */
export const call =
  (body: Body): Call<Anthropic> =>
  (client, signal) =>
    client.post("/v1/messages", { body, signal, stream: body.stream ?? false })
