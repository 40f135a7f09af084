/** Runs the program that docs/coming-from-mastra.md quotes with a model that answers from a script. */
import assert from "node:assert/strict"
import { MockLanguageModelV3 } from "ai/test"
import { run } from "./triage.ts"

const sure = { confidence: 0.9, reasoning: ["The message says so."] }
const replies = [
  { customer: "Jane Doe", issue: "charged twice", signals: ["today"] },
  { primary: "billing", ...sure },
  { decision: true, ...sure }
]
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 }
}
const model = new MockLanguageModelV3({
  doGenerate: replies.map((reply) => ({
    content: [{ type: "text" as const, text: JSON.stringify(reply) }],
    finishReason: { unified: "stop" as const, raw: "stop" },
    usage,
    warnings: []
  }))
})
// The model is one of AI SDK; the type that Mastra has for it asks for a stream in every result.
const ended = await run("I was charged twice!", model as never, async () => ["Charged two times"])
assert.deepEqual(ended, { category: { primary: "billing", ...sure }, escalate: { decision: true, ...sure } })
assert.equal(model.doGenerateCalls.length, 3)
process.stdout.write("the program returns what the guide says\n")
