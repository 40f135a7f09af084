import { assert, describe, it } from "@effect/vitest"
import type { Request } from "cogito/Provider"
import { Effect, Stream } from "effect"
import { adapters } from "./adapters.ts"
import { key, prompt } from "./clean.ts"
import { reply, serve, stream } from "./server.ts"

const request: Request = {
  messages: [{ role: "user", text: prompt }],
  task: { kind: "greet", instruction: prompt, questions: [], context: [] },
  phase: "reason",
  sampling: {}
}

const echoes = [
  ["the prompt", prompt],
  ["the key", key],
  ["a text with the key", `model-${key}`],
  ["a part of the key", key.slice(3, -2)]
] as const

describe("the model and id that an answer tells of itself", () => {
  for (const name of ["chat", "responses", "messages"] as const) {
    for (const [what, echo] of echoes) {
      it.live(`are not taken where they are what was sent: ${name}, ${what}`, () =>
        Effect.gen(function* () {
          const { dialect, make } = adapters[name]
          const echoing = (text: string) => text.replaceAll(dialect.model, echo).replaceAll(dialect.id, echo)
          const whole = yield* serve(reply(200, echoing(JSON.stringify(dialect.body("good", "fine")))))
          const streamed = yield* serve(stream(dialect.events("good", "fine").map(echoing)))
          const answers = [
            yield* (yield* make(new URL(whole.baseUrl).origin, { apiKey: key })).complete(request),
            ...(yield* Stream.runCollect(
              (yield* make(new URL(streamed.baseUrl).origin, { apiKey: key })).stream(request)
            )).flatMap((part) => (part._tag === "Done" ? [part.response] : []))
          ]
          assert.lengthOf(answers, 2)
          for (const answer of answers) {
            assert.strictEqual(answer.text, "fine")
            assert.isUndefined(answer.model)
            assert.isUndefined(answer.id)
          }
        }).pipe(Effect.scoped)
      )
    }
  }
})
