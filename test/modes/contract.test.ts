/** The published contract of providers, over sockets. */
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ProviderError } from "cogito/Provider"
import { Testing } from "cogito/testing"
import { key } from "../faults/clean.ts"
import { making } from "./making.ts"
import { type Fault, type Recorded, serveModes } from "./server.ts"

const receivedOf = ({ body }: Pick<Recorded, "body">): Testing.ProviderAsked => ({
  prompt: JSON.stringify(body),
  temperature: body["temperature"]
})

const errors: Readonly<Record<string, { readonly code: string; readonly status: number }>> = {
  RateLimited: { code: "rate_limit_exceeded", status: 429 },
  Overloaded: { code: "server_error", status: 500 },
  Authentication: { code: "invalid_api_key", status: 401 },
  InvalidRequest: { code: "invalid_value", status: 400 },
  ContextTooLong: { code: "context_length_exceeded", status: 400 }
}

const faultOf = (reply: Testing.ProviderReply): Fault | undefined => {
  if (reply._tag === "Failure") return { _tag: "Error", ...(errors[reply.reason] ?? { code: "some", status: 500 }) }
  if (reply._tag === "Broken") return { _tag: "Cut", after: 9 }
  if (reply._tag === "Calls" && reply.isBroken === true) return { _tag: "Cut", after: 12 }
  return reply._tag === "Never" ? { _tag: "Stall", after: reply.text === "" ? 0 : 9 } : undefined
}

const subject: Testing.MakeProvider<ProviderError> = (backend) =>
  Effect.gen(function* () {
    let reply: Testing.ProviderReply = { _tag: "Text", text: "" }
    const server = yield* serveModes({
      model: () => {
        if (reply._tag === "Calls") return { thought: "Let me think.", ...reply }
        return "text" in reply ? (reply.text ?? "") : ""
      },
      fault: (_, request) => faultOf((reply = backend(receivedOf(request))))
    })
    return {
      provider: yield* making(server.baseUrl, { model: "gpt-4o", decisions: false }),
      received: () => server.requests.map(receivedOf),
      open: server.answering,
      secret: key
    }
  })

describe("OpenAI's responses over sockets as a provider", () => {
  const failures = ["RateLimited", "Overloaded", "Authentication", "InvalidRequest", "ContextTooLong"] as const
  for (const test of Testing.providerContract({ decides: false, failures, tools: true })) {
    it.live(test.path.slice(1).join(" › "), () => test.run(subject))
  }
})
