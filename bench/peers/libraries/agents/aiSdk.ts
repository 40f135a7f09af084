import type { LanguageModelV4, LanguageModelV4Prompt } from "@ai-sdk/provider"
import { isStepCount, tool, ToolLoopAgent } from "ai"
import { z } from "zod"
import { answer, description, instructions, message, type Open, type Script } from "./task.ts"

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 10, text: 10, reasoning: 0 }
}

const stub = (script: Script): LanguageModelV4 => ({
  specificationVersion: "v4",
  provider: "stub",
  modelId: "stub",
  supportedUrls: {},
  doGenerate: ({ prompt }) => {
    const calls = script.next(prompt)
    return Promise.resolve({
      content:
        calls === undefined
          ? [{ type: "text", text: answer }]
          : calls.map(({ id, page }) => ({
              type: "tool-call" as const,
              toolCallId: id,
              toolName: "read",
              input: JSON.stringify({ page })
            })),
      finishReason:
        calls === undefined
          ? { unified: "stop" as const, raw: "stop" }
          : { unified: "tool-calls" as const, raw: "tool_calls" },
      usage,
      warnings: []
    })
  },
  doStream: () => Promise.reject(new Error("The benchmark does not stream."))
})

const shown = (sent: unknown): ReadonlyArray<unknown> =>
  // what `doGenerate` has kept
  (sent as LanguageModelV4Prompt).flatMap(({ content, role }) =>
    role !== "tool"
      ? []
      : content.map((part) =>
          part.type === "tool-result" && part.output.type === "text" ? part.output.value : undefined
        )
  )

export const loop: Open = async (script, { rounds }) => {
  const read = tool({
    description,
    inputSchema: z.object({ page: z.number().int() }),
    execute: (params) => script.read(params)
  })
  const agent = new ToolLoopAgent({
    model: stub(script),
    instructions,
    tools: { read },
    stopWhen: isStepCount(rounds + 1)
  })
  let given = ""
  return {
    run: async () => {
      script.restart()
      given = (await agent.generate({ prompt: message })).text
    },
    check: () => script.check(given, shown),
    close: async () => {}
  }
}
