/** Runs the triage programs with a model that answers the same for all of them. */
import assert from "node:assert/strict"

const sure = { confidence: 0.9, reasoning: ["The message says so."] }
const replies = [
  { customer: "Jane Doe", issue: "charged twice", signals: ["today"] },
  { primary: "billing", secondary: null, ...sure },
  { overall: "negative", scores: { positive: 0, negative: 0.9, neutral: 0.1 }, emotions: ["anger"], ...sure },
  { decision: true, ...sure }
]
const message = "I was charged twice for my May invoice! Please refund it today. Jane Doe"
const wanted = { category: "billing", mood: "negative", escalate: true, reasons: ["The message says so."] }

const queue = () => {
  let calls = 0
  return () => JSON.stringify(replies[calls++])
}

const programs: Readonly<Record<string, () => Promise<unknown>>> = {
  aiSdk: async () => {
    const [{ run }, { stub }] = [await import("../../programs/aiSdk.ts"), await import("../aiSdk.ts")]
    return run(message, stub(0, queue()).model, async () => [])
  },
  langGraph: async () => {
    const [{ run }, { Stub }] = [await import("../../programs/langGraph.ts"), await import("../langGraph.ts")]
    const next = queue()
    return run(message, new Stub(async () => next()), async () => [])
  },
  effectAi: async () => {
    const { Effect } = await import("effect")
    const { LanguageModel } = await import("effect/ai")
    const [{ run }, { stub }] = [await import("../../programs/effectAi.ts"), await import("../effectAi.ts")]
    const { model } = await stub(0, queue())
    const program = run(message, () => Effect.succeed([]))
    return Effect.runPromise(Effect.provideService(program, LanguageModel.LanguageModel, model))
  },
  cogito: async () => {
    const { Effect, Layer } = await import("effect")
    const { Testing } = await import("cogito/testing")
    const { run } = await import("../../programs/cogito.ts")
    return Effect.runPromise(Effect.provide(run(message), Layer.merge(Testing.scripted(replies).layer, Testing.memory)))
  }
}

export const checkTriage = async (program: string): Promise<void> => {
  assert.deepEqual(await programs[program]?.(), wanted)
}
