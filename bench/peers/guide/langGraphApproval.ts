import type { BaseChatModel } from "@langchain/core/language_models/chat_models"
import { Annotation, Command, END, interrupt, MemorySaver, START, StateGraph } from "@langchain/langgraph"
import { z } from "zod"

const Fraud = z.object({ decision: z.boolean(), confidence: z.number(), reasoning: z.array(z.string()) })
const State = Annotation.Root({
  message: Annotation<string>,
  fraud: Annotation<z.infer<typeof Fraud>>,
  approved: Annotation<boolean>
})

const graphWith = (model: BaseChatModel) =>
  new StateGraph(State)
    .addNode("judge", async ({ message }) => {
      const asked = model.withStructuredOutput<z.infer<typeof Fraud>>(Fraud, { name: "answer" })
      return { fraud: Fraud.parse(await asked.invoke(`${message}\n\nDoes this look like fraud?`)) }
    })
    .addNode("approve", ({ message }) => ({ approved: interrupt<string, boolean>(`May we refund ${message}?`) }))
    .addEdge(START, "judge")
    .addEdge("judge", "approve")
    .addEdge("approve", END)
    .compile({ checkpointer: new MemorySaver() }) // a SqliteSaver or PostgresSaver survives the process

export const run = async (model: BaseChatModel) => {
  const graph = graphWith(model)
  const config = { configurable: { thread_id: "refund-17" } }
  await graph.invoke({ message: "order 17, 49.90 EUR" }, config)
  const [task] = (await graph.getState(config)).tasks
  const question = task?.interrupts[0]?.value as string

  // days later, when somebody has answered
  const { approved } = await graph.invoke(new Command({ resume: true }), config)
  return { question, approved }
}
