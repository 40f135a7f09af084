import { assert, describe, it } from "@effect/vitest"
import type { Request } from "cogito/Provider"
import { Effect } from "effect"
import { adapters } from "./adapters.ts"
import { key } from "./clean.ts"
import { reply, serve } from "./server.ts"

const said = {
  chat: ["decimal_above_max_value", "Invalid 'temperature': decimal above maximum value. Expected a value <= 2."],
  responses: ["decimal_above_max_value", "Invalid 'temperature': decimal above maximum value. Expected a value <= 2."],
  messages: ["invalid_request_error", "temperature: range: 0..1"]
} as const

const request = (temperature: number): Request => ({
  messages: [{ role: "user", text: "Hello" }],
  task: { kind: "greet", instruction: "Hello", questions: [], context: [] },
  phase: "reason",
  sampling: { temperature }
})

describe("a temperature that is out of range", () => {
  for (const name of ["chat", "responses", "messages"] as const) {
    it.live(`is refused once, and later calls keep theirs: ${name}`, () =>
      Effect.gen(function* () {
        const { dialect, make } = adapters[name]
        const [code, message] = said[name]
        const server = yield* serve((response, incoming, asked) =>
          (asked.body.temperature > 1
            ? reply(400, dialect.error(code, message, "temperature"))
            : reply(200, dialect.body("good", "fine")))(response, incoming, asked)
        )
        const provider = yield* make(new URL(server.baseUrl).origin, { apiKey: key })
        const { reason } = yield* Effect.flip(provider.complete(request(3)))
        assert.deepInclude(reason, { _tag: "InvalidRequest", parameter: "temperature", outOfRange: true })
        yield* provider.complete(request(0))
        assert.deepStrictEqual(
          server.recorded.map(({ body }) => body.temperature),
          [3, 0]
        )
      }).pipe(Effect.scoped)
    )
  }
})
