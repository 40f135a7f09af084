import { Effect, Schema, Stream } from "effect"
import { LanguageModel } from "effect/ai"
import { instructions, message, type Prepare, question, reply, steps } from "./task.ts"

const Decision = Schema.Struct({
  decision: Schema.Boolean,
  confidence: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
  reasoning: Schema.NonEmptyArray(Schema.String)
})

export const stub = async (latency: number, next = () => reply) => {
  let calls = 0
  const model = await Effect.runPromise(
    LanguageModel.make({
      generateText: () =>
        Effect.suspend(() => {
          calls++
          const parts = Effect.succeed([
            { type: "text" as const, text: next() },
            { type: "finish" as const, reason: "stop" as const, response: undefined, usage }
          ])
          return latency === 0 ? parts : Effect.delay(parts, latency)
        }),
      streamText: () => Stream.empty
    })
  )
  return { model, calls: () => calls }
}

const usage = {
  inputTokens: { total: 10, uncached: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 10, text: 10, reasoning: 0 }
}

/** Each question with the message alone. */
export const plain: Prepare = async (latency) => {
  const { calls, model } = await stub(latency)
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
  return { run: () => Effect.runPromise(program), calls, close: async () => {} }
}
