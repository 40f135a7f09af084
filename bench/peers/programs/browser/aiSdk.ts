import { generateText, type LanguageModel, Output } from "ai"
import { z } from "zod"

const schema = z.object({ decision: z.boolean(), confidence: z.number(), reasoning: z.array(z.string()) })

export const run = async (message: string, ask: (text: string) => Promise<string>): Promise<boolean> => {
  const usage = {
    inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 0, text: 0, reasoning: 0 }
  }
  const model: LanguageModel = {
    specificationVersion: "v4",
    provider: "own",
    modelId: "own",
    supportedUrls: {},
    doGenerate: async ({ prompt }) => ({
      content: [{ type: "text", text: await ask(JSON.stringify(prompt.at(-1))) }],
      finishReason: { unified: "stop", raw: "stop" },
      usage,
      warnings: []
    }),
    doStream: () => Promise.reject(new Error("It does not stream."))
  }
  const prompt = `${message}\n\nDoes this need an answer today?`
  return (await generateText({ model, output: Output.object({ schema }), prompt })).output.decision
}
