import { assert, describe, it } from "@effect/vitest"
import type { Request } from "cogito/Provider"
import { Effect, Stream } from "effect"
import { adapters } from "./adapters.ts"
import { key } from "./clean.ts"
import { reply, serve, stream } from "./server.ts"

const request: Request = {
  messages: [{ role: "user", text: "Hello" }],
  task: { kind: "greet", instruction: "Hello", questions: [], context: [] },
  phase: "reason",
  sampling: {}
}

describe("an answer that says it has ended, and goes on", () => {
  it.live("is no answer where a block of it is still open: messages", () =>
    Effect.gen(function* () {
      const { dialect, make } = adapters.messages
      const events = dialect.events("good", "hello there").filter((event) => !event.includes("content_block_stop"))
      const server = yield* serve(stream(events))
      const provider = yield* make(new URL(server.baseUrl).origin, { apiKey: key })
      const { reason } = yield* Effect.flip(Stream.runCollect(provider.stream(request)))
      assert.include(["InvalidResponse", "Truncated"], reason._tag)
    }).pipe(Effect.scoped)
  )

  it.live("is no answer where one of its messages is incomplete: responses", () =>
    Effect.gen(function* () {
      const { dialect, make } = adapters.responses
      const good = dialect.body("good", "half") as { readonly output: ReadonlyArray<{ readonly type: string }> }
      const output = good.output.map((item) => (item.type === "message" ? { ...item, status: "incomplete" } : item))
      const server = yield* serve(reply(200, { ...good, output }))
      const provider = yield* make(new URL(server.baseUrl).origin, { apiKey: key })
      const { reason, usage } = yield* Effect.flip(provider.complete(request))
      assert.strictEqual(reason._tag, "Truncated")
      assert.isDefined(usage)
    }).pipe(Effect.scoped)
  )
})
