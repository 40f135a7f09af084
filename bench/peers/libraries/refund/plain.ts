/** The refund as many programs are written: each call has the question first, then the message and all earlier results. */
import { createOpenAI } from "@ai-sdk/openai"
import { generateText, Output } from "ai"
import type { z } from "zod"
import { key, model } from "./loopback.ts"
import { type Outcome, questions, schemas } from "./task.ts"

const sure = "Say how sure you are, from 0 to 1, and give your reasons."

export const refund = async (message: string, baseUrl: string): Promise<Outcome> => {
  const openai = createOpenAI({ baseURL: baseUrl, apiKey: key })
  const results: Record<string, unknown> = {}
  const prompt = (question: string): string =>
    `${question}\n\nThe customer's message:\n${message}\n\nResults so far:\n${JSON.stringify(results)}`
  const text = async (name: string, question: string): Promise<string> => {
    const result = await generateText({ model: openai(model), prompt: prompt(question) })
    results[name] = result.text
    return result.text
  }
  const object = async <A>(name: string, question: string, schema: z.ZodType<A>): Promise<A> => {
    const output = Output.object({ schema })
    const result = await generateText({ model: openai(model), output, prompt: prompt(question) })
    results[name] = result.output
    return result.output
  }
  const ticket = await object("ticket", `${questions.ticket}.`, schemas.ticket)
  results["history"] = "Earlier tickets: none was found."
  const kind = await object("kind", `${questions.kind} ${sure}`, schemas.kind)
  const mood = await object("mood", `${questions.mood} ${sure}`, schemas.mood)
  const urgent = await object("urgent", `${questions.urgent} ${sure}`, schemas.decision)
  const stock = await text("stock", questions.stock)
  const refund = await object("refund", `${questions.refund} ${sure}`, schemas.decision)
  await text("doubts", questions.doubts)
  const ranking = `Rank by ${questions.order}, the most helpful first: refund, apologise, check the shop. ${sure}`
  const order = await object("order", ranking, schemas.order)
  const close = await object("close", `${questions.close} ${sure}`, schemas.decision)
  return {
    ticket,
    kind: kind.primary,
    mood: mood.overall,
    urgent: urgent.decision,
    stock,
    refund: refund.decision,
    order: order.ranked,
    close: close.decision
  }
}
