import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BindToolsInput
} from "@langchain/core/language_models/chat_models"
import { AIMessage, type BaseMessage, ToolMessage } from "@langchain/core/messages"
import type { ChatResult } from "@langchain/core/outputs"
import { MemorySaver } from "@langchain/langgraph"
import { createAgent, tool } from "langchain"
import { z } from "zod"
import { bytesIn } from "../storage/langGraph.ts"
import { answer, description, instructions, message, type Open, type Script } from "./task.ts"

class Stub extends BaseChatModel<BaseChatModelCallOptions> {
  readonly script: Script
  constructor(script: Script) {
    super({})
    this.script = script
  }
  override _llmType(): string {
    return "stub"
  }
  override bindTools(_tools: Array<BindToolsInput>) {
    return this.withConfig({})
  }
  override async _generate(messages: Array<BaseMessage>): Promise<ChatResult> {
    const calls = this.script.next(messages)
    const message =
      calls === undefined
        ? new AIMessage({ content: answer })
        : new AIMessage({
            content: "",
            // an adapter reads the parameters from JSON, which the other libraries do themselves
            tool_calls: calls.map(({ id, page }) => ({
              id,
              name: "read",
              args: JSON.parse(JSON.stringify({ page })) as Record<string, unknown>,
              type: "tool_call" as const
            }))
          })
    return { generations: [{ text: calls === undefined ? answer : "", message }] }
  }
}

const shown = (sent: unknown): ReadonlyArray<unknown> =>
  // what `_generate` has kept
  (sent as ReadonlyArray<BaseMessage>).filter((one) => ToolMessage.isInstance(one)).map((one) => one.content)

const open =
  (hasSaver: boolean): Open =>
  async (script, { rounds }) => {
    const saver = hasSaver ? new MemorySaver() : undefined
    const read = tool((params: { readonly page: number }) => script.read(params), {
      name: "read",
      description,
      schema: z.object({ page: z.number().int() })
    })
    const agent = createAgent({
      model: new Stub(script),
      tools: [read],
      systemPrompt: instructions,
      ...(saver && { checkpointer: saver })
    })
    let threads = 0
    let given: unknown
    return {
      run: async () => {
        script.restart()
        const config = { configurable: { thread_id: String(threads++) }, recursionLimit: 2 * rounds + 10 }
        const { messages } = await agent.invoke({ messages: [{ role: "user", content: message }] }, config)
        given = messages.at(-1)?.content
      },
      check: () => script.check(given, shown),
      ...(saver && { stored: async () => bytesIn(saver.storage) + bytesIn(saver.writes) }),
      close: async () => {}
    }
  }

export const loop = open(false)
export const loopWithSaver = open(true)
