import type { LanguageModelV4 } from "@ai-sdk/provider"
import { generateText, type ModelMessage, Output } from "ai"
import { z } from "zod"
import { counted, type Decision, instructions, message, type Prepare, question, reply, steps } from "./task.ts"

export const schema = z.object({
  decision: z.boolean(),
  confidence: z.number().min(0).max(1),
  reasoning: z.array(z.string()).min(1)
})

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 10, text: 10, reasoning: 0 }
}

export const stub = (latency: number, next = () => reply) => {
  const { call, calls } = counted(latency)
  const model: LanguageModelV4 = {
    specificationVersion: "v4",
    provider: "stub",
    modelId: "stub",
    supportedUrls: {},
    doGenerate: () =>
      call(() => ({
        content: [{ type: "text", text: next() }],
        finishReason: { unified: "stop", raw: "stop" },
        usage,
        warnings: []
      })),
    doStream: () => Promise.reject(new Error("The benchmark does not stream."))
  }
  return { model, calls }
}

/** Each question with the message alone. */
export const plain: Prepare = async (latency) => {
  const { calls, model } = stub(latency)
  const output = Output.object({ schema })
  const run = async () => {
    const answers: Array<Decision> = []
    for (let step = 0; step < steps; step++) {
      const prompt = `${message}\n\n${question(step)}`
      answers.push((await generateText({ model, output, instructions, prompt })).output)
    }
    return answers
  }
  return { run, calls, close: async () => {} }
}

/** Each question with the questions and answers before it. */
export const withHistory: Prepare = async (latency) => {
  const { calls, model } = stub(latency)
  const output = Output.object({ schema })
  const run = async () => {
    const answers: Array<Decision> = []
    const messages: Array<ModelMessage> = []
    for (let step = 0; step < steps; step++) {
      const content = step === 0 ? `${message}\n\n${question(step)}` : question(step)
      messages.push({ role: "user", content })
      const result = await generateText({ model, output, instructions, messages })
      messages.push(...result.response.messages)
      answers.push(result.output)
    }
    return answers
  }
  return { run, calls, close: async () => {} }
}
