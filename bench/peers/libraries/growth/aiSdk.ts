import { generateText, type ModelMessage, Output } from "ai"
import { schema, stub } from "../aiSdk.ts"
import { check, instructions, message, question, steps } from "../task.ts"
import type { Grow } from "./grow.ts"

/** A chat with every question and answer in its history. */
export const all: Grow = async () => {
  const output = Output.object({ schema })
  const { model } = stub(0)
  return {
    start: async () => {
      const messages: Array<ModelMessage> = [{ role: "user", content: message }]
      let length = 0
      return {
        length: () => length,
        next: () => async () => {
          const answers = []
          for (let step = 0; step < steps; step++) {
            messages.push({ role: "user", content: question(step) })
            const result = await generateText({ model, output, instructions, messages })
            messages.push(...result.response.messages)
            answers.push(result.output)
            length++
          }
          check(answers)
        }
      }
    },
    close: async () => {}
  }
}
