/** Runs the programs that the guides "Coming from …" quote, with models that answer from a script, and checks what they return. */
import assert from "node:assert/strict"
import { MockLanguageModelV4 } from "ai/test"
import { Stub } from "../libraries/langGraph.ts"
import { checkTriage } from "../libraries/loading/triage.ts"
import { run as agent } from "./aiSdkAgent.ts"
import { run as approval } from "./langGraphApproval.ts"

for (const program of ["aiSdk", "langGraph"]) await checkTriage(program)

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 }
}
const calling = (toolName: string) => ({
  content: [{ type: "tool-call" as const, toolCallId: toolName, toolName, input: '{"number":17}' }],
  finishReason: { unified: "tool-calls" as const, raw: "tool_calls" },
  usage,
  warnings: []
})
const answering = (text: string) => ({
  content: [{ type: "text" as const, text }],
  finishReason: { unified: "stop" as const, raw: "stop" },
  usage,
  warnings: []
})
const model = new MockLanguageModelV4({
  doGenerate: [calling("order"), calling("refund"), answering("You get 12 EUR back.")]
})
const asked: Array<string> = []
const text = await agent(model, async (call) => {
  asked.push(call)
  return true
})
assert.equal(text, "You get 12 EUR back.")
assert.deepEqual(asked, ['refund {"number":17}'])
assert.match(JSON.stringify(model.doGenerateCalls.at(-1)?.prompt), /Order 17 was refunded\./)

const stub = new Stub(async () => JSON.stringify({ decision: false, confidence: 0.9, reasoning: ["a known customer"] }))
assert.deepEqual(await approval(stub), { question: "May we refund order 17, 49.90 EUR?", approved: true })
process.stdout.write("the programs return what the guides say\n")
