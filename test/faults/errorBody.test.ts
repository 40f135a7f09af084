import { assert, describe, it } from "@effect/vitest"
import type { Request } from "cogito/Provider"
import { Effect } from "effect"
import { adapters } from "./adapters.ts"
import { key } from "./clean.ts"
import { reply, serve } from "./server.ts"

const request: Request = {
  messages: [{ role: "user", text: "Hello" }],
  task: { kind: "greet", instruction: "Hello", questions: [], context: [] },
  phase: "reason",
  sampling: {}
}

describe("the body of an error", () => {
  for (const name of ["chat", "responses", "messages"] as const) {
    it.live(`that never ends is read up to a bound, and its connection closed: ${name}`, () =>
      Effect.gen(function* () {
        const { make } = adapters[name]
        const piece = Buffer.alloc(256 * 1024, "x")
        let sent = 0
        const isClosed = Promise.withResolvers<void>()
        const server = yield* serve((response) => {
          response.writeHead(503, { "content-type": "text/plain", "retry-after": "7" })
          response.on("close", isClosed.resolve)
          const write = (): void => {
            if (response.destroyed || sent > 200e6) return
            sent += piece.byteLength
            response.write(piece, (error) => void (error ?? setImmediate(write)))
          }
          write()
        })
        const provider = yield* make(new URL(server.baseUrl).origin, { apiKey: key, timeout: "20 seconds" })
        const { reason } = yield* Effect.flip(provider.complete(request))
        assert.strictEqual(reason._tag, "Overloaded")
        assert.property(reason, "retryAfter")
        yield* Effect.promise(() => isClosed.promise)
        // what lies in the buffers of the connection was sent as well
        assert.isBelow(sent, 16 * 1024 * 1024)
      }).pipe(Effect.scoped)
    )

    it.live(`that is long is read as any other: ${name}`, () =>
      Effect.gen(function* () {
        const { dialect, make } = adapters[name]
        const long = `temperature: not taken. ${"x".repeat(500_000)}`
        const server = yield* serve(reply(400, dialect.error("unsupported_parameter", long, "temperature")))
        const provider = yield* make(new URL(server.baseUrl).origin, { apiKey: key })
        const { reason } = yield* Effect.flip(provider.complete(request))
        assert.deepInclude(reason, { _tag: "InvalidRequest", parameter: "temperature" })
      }).pipe(Effect.scoped)
    )
  }
})
