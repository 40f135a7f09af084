import { Effect, Schema, Stream } from "effect"
import { LanguageModel } from "effect/ai"
import { instructions, message, type Prepare, question, reply, steps } from "./task.ts"

const Decision = Schema.Struct({
  decision: Schema.Boolean,
  confidence: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
  reasoning: Schema.NonEmptyArray(Schema.String)
})

/** Each question with the message alone. */
export const plain: Prepare = async (latency) => {
  let calls = 0
  const model = await Effect.runPromise(
    LanguageModel.make({
      generateText: () =>
        Effect.suspend(() => {
          calls++
          const parts = Effect.succeed([
            { type: "text" as const, text: reply },
            {
              type: "finish" as const,
              reason: "stop" as const,
              response: undefined,
              usage: {
                inputTokens: { total: 10, uncached: 10, cacheRead: 0, cacheWrite: 0 },
                outputTokens: { total: 10, text: 10, reasoning: 0 }
              }
            }
          ])
          return latency === 0 ? parts : Effect.delay(parts, latency)
        }),
      streamText: () => Stream.empty
    })
  )
  const program = Effect.gen(function* () {
    const answers: Array<typeof Decision.Type> = []
    for (let step = 0; step < steps; step++) {
      const { value } = yield* LanguageModel.generateObject({
        prompt: [
          { role: "system", content: instructions },
          { role: "user", content: [{ type: "text", text: `${message}\n\n${question(step)}` }] }
        ],
        schema: Decision,
        objectName: "decision"
      })
      answers.push(value)
    }
    return answers
  }).pipe(Effect.provideService(LanguageModel.LanguageModel, model), Effect.withTracerEnabled(false))
  return { run: () => Effect.runPromise(program), calls: () => calls, close: async () => {} }
}
