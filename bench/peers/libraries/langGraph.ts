import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput
} from "@langchain/core/language_models/chat_models"
import { AIMessageChunk, type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages"
import type { ChatResult } from "@langchain/core/outputs"
import { Annotation, END, MemorySaver, START, StateGraph } from "@langchain/langgraph"
import { z } from "zod"
import { answer, counted, type Decision, instructions, message, type Prepare, question, reply, steps } from "./task.ts"

const schema = z.object({
  decision: z.boolean(),
  confidence: z.number().min(0).max(1),
  reasoning: z.array(z.string()).min(1)
})

/** A model that answers each call by calling the tool it was given last. */
export class Stub extends BaseChatModel<BaseChatModelCallOptions> {
  readonly answered: () => Promise<string>
  constructor(answered: () => Promise<string>) {
    super({})
    this.answered = answered
  }
  override _llmType(): string {
    return "stub"
  }
  private tool = "decision"
  override bindTools(tools: Array<BindToolsInput>) {
    this.tool = (tools[0] as { readonly function: { readonly name: string } }).function.name
    return this.withConfig({})
  }
  override async _generate(_messages: Array<BaseMessage>): Promise<ChatResult> {
    const args: Record<string, unknown> = JSON.parse(await this.answered())
    const call = { name: this.tool, args, id: "call", type: "tool_call" as const }
    return { generations: [{ text: "", message: new AIMessageChunk({ content: "", tool_calls: [call] }) }] }
  }
}

const keys = Array.from({ length: steps }, (_, step) => `d${step}`)
const State = Annotation.Root({
  message: Annotation<string>(),
  ...Object.fromEntries(keys.map((key) => [key, Annotation<Decision>()]))
})
type Node = (state: { readonly message: string }) => Promise<Record<string, unknown>>

const graph = (node: (step: number) => Node, saver: MemorySaver | undefined) => {
  const builder = new StateGraph(State)
  // The builder's type grows with each node; a loop cannot follow it.
  const open = builder as unknown as {
    addNode: (name: string, node: Node) => void
    addEdge: (from: string, to: string) => void
  }
  keys.forEach((key, step) => {
    open.addNode(`n${step}`, node(step))
    open.addEdge(step === 0 ? START : `n${step - 1}`, `n${step}`)
    if (key === keys.at(-1)) open.addEdge(`n${step}`, END)
  })
  return builder.compile(saver === undefined ? {} : { checkpointer: saver })
}

const prepare =
  (withModel: boolean, withSaver: boolean): Prepare =>
  async (latency) => {
    const { call, calls } = counted(latency)
    const model = new Stub(() => call(() => reply)).withStructuredOutput(schema, { name: "decision" })
    const asking =
      (step: number): Node =>
      async (state) => ({
        [`d${step}`]: schema.parse(
          await model.invoke([
            new SystemMessage(instructions),
            new HumanMessage(`${state.message}\n\n${question(step)}`)
          ])
        )
      })
    // Without a model the node itself is what answers, so it is what counts and waits.
    const answering =
      (step: number): Node =>
      () =>
        call(() => ({ [`d${step}`]: answer }))
    const app = graph(withModel ? asking : answering, withSaver ? new MemorySaver() : undefined)
    let threads = 0
    const run = async () => {
      const config = { configurable: { thread_id: String(threads++) }, recursionLimit: 50 }
      const state = (await app.invoke({ message }, config)) as unknown as Record<string, Decision>
      return keys.flatMap((key) => state[key] ?? [])
    }
    return { run, calls, close: async () => {} }
  }

export const nodes = prepare(false, false)
export const nodesWithSaver = prepare(false, true)
export const model = prepare(true, false)
export const modelWithSaver = prepare(true, true)
