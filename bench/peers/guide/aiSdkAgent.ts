import { type LanguageModel, type ModelMessage, tool, ToolLoopAgent } from "ai"
import { z } from "zod"

const tools = {
  order: tool({
    description: "Looks up an order by its number",
    inputSchema: z.object({ number: z.number().int() }),
    execute: async () => ({ item: "kite", eur: 12 })
  }),
  refund: tool({
    description: "Pays the price of an order back",
    inputSchema: z.object({ number: z.number().int() }),
    needsApproval: true,
    execute: async ({ number }) => `Order ${number} was refunded.`
  })
}

export const run = async (model: LanguageModel, approve: (call: string) => Promise<boolean>) => {
  const agent = new ToolLoopAgent({ model, instructions: "You are the support of a toy shop.", tools })
  const messages: Array<ModelMessage> = [{ role: "user", content: "My kite is torn (order 17). I want my money back." }]
  while (true) {
    const { content, response, text } = await agent.generate({ messages })
    messages.push(...response.messages)
    const asked = content.filter((part) => part.type === "tool-approval-request")
    if (asked.length === 0) return text
    for (const { approvalId, toolCall } of asked) {
      const approved = await approve(`${toolCall.toolName} ${JSON.stringify(toolCall.input)}`)
      messages.push({ role: "tool", content: [{ type: "tool-approval-response", approvalId, approved }] })
    }
  }
}
