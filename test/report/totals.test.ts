import { assert, describe, it } from "@effect/vitest"
import { totalsOf } from "../../src/logs/totals.ts"
import type { CallRow, RunSketch } from "../../src/memory/model/Ledger.ts"
import { answered, begun, call, newRun, open, step, wait } from "../../src/testing/contract/ledger/rows.ts"

const run = { ...begun(newRun("thought")), leaseUntilMillis: undefined }

const totals = (calls: ReadonlyArray<CallRow>, more: Partial<RunSketch> = {}) =>
  totalsOf({ run, steps: [], calls, waits: [], ...more })

describe("the totals of a run", () => {
  it("count failed calls of models only, whatever else has failed", () => {
    const failed = (["complete", "decide", "search", "effect", "decision", "once"] as const).map((kind, n) =>
      call("/a", n, { kind, state: "failed" })
    )
    const { failedCalls, modelCalls } = totals([...failed, answered("/b", 0), call("/c", 0)])
    assert.deepStrictEqual([modelCalls, failedCalls], [4, 2])
  })

  it("add up what models have used, and keep apart the most that calls under way can have used", () => {
    const usage = { inputTokens: 10, outputTokens: 1 }
    const found = totals([
      answered("/a", 0, { usage, usd: 0.5 }),
      call("/a", 1, { state: "failed", usage, usd: 0.25 }),
      answered("/a", 2, { kind: "effect", usage, usd: 8 }),
      call("/b", 0, { usage: { inputTokens: 100 }, usd: 1 }),
      call("/b", 1, { state: "interrupted", usage: { inputTokens: 1000 } }),
      call("/b", 2)
    ])
    assert.deepInclude(found, { modelCalls: 5, usd: 0.75 })
    assert.deepInclude(found.usage, { inputTokens: 20, outputTokens: 2 })
    assert.deepInclude(found.atMost, { calls: 2, usd: 1 })
    assert.strictEqual(found.atMost?.usage.inputTokens, 1100)
  })

  it("have no money and no bound where none is known", () => {
    const found = totals([answered("/a", 0, { usd: undefined }), call("/b", 0)])
    assert.doesNotHaveAnyKeys(found, ["usd", "atMost"])
  })

  it("count questions, and those that are open", () => {
    const question = open(wait(run.id, "thought", "/a"))
    const done = { ...question, answer: "1", answeredMillis: 5 }
    const found = totals([], { steps: [step("/a")], waits: [question, done, question] })
    assert.deepInclude(found, { modelCalls: 0, questions: 3, openQuestions: 2 })
  })
})
