import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"

const schema = Schema.Struct({
  decision: Schema.Boolean,
  confidence: Schema.Finite,
  reasoning: Schema.Array(Schema.String)
})

export const run = (message: string, ask: (text: string) => Promise<string>): Promise<boolean> => {
  const usage = {
    inputTokens: { total: 0, uncached: 0, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 0, text: 0, reasoning: 0 }
  }
  const model = LanguageModel.make({
    generateText: ({ prompt }) =>
      Effect.map(
        Effect.promise(() => ask(JSON.stringify(prompt.content.at(-1)))),
        (text) => [
          { type: "text" as const, text },
          { type: "finish" as const, reason: "stop" as const, response: undefined, usage }
        ]
      ),
    streamText: () => Stream.empty
  })
  return LanguageModel.generateObject({ prompt: `${message}\n\nDoes this need an answer today?`, schema }).pipe(
    Effect.map(({ value }) => value.decision),
    Effect.provideServiceEffect(LanguageModel.LanguageModel, model),
    Effect.runPromise
  )
}
