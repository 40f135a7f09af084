import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Agent } from "cogito/agent"
import { Thought } from "cogito"
import { Report } from "cogito/report"
import { Testing } from "cogito/testing"
import { missing } from "../browser/chromium.ts"
import { countOf, opener, textAt } from "./opened.ts"

const order = Tool.make("order", {
  description: "Finds an order.",
  parameters: Schema.Struct({ number: Schema.Int }),
  success: Schema.String
}).annotate(Tool.Readonly, true)
const toolkit = Toolkit.make(order)
const support = Agent.make("support", { instructions: "You help.", toolkit, triage: false })

/** A script that has not been used. */
const services = () =>
  Layer.mergeAll(
    Testing.scripted([
      Testing.calls([{ name: "order", params: { number: 17 } }]),
      Testing.calls([{ name: "order", params: { number: 18 } }]),
      "They are on their way."
    ]).layer,
    toolkit.toLayer({ order: ({ number }) => Effect.succeed(`order ${number}`) }),
    Testing.memory
  )

/** An agent that makes no mistake: two rounds with calls of tools, and the answer. */
const rounds = Effect.gen(function* () {
  const thought = yield* Thought.make("support", {}, { traceId: "support" })
  yield* Agent.say(support, thought, "Where are my orders?", { durable: { id: "say-1", keep: "answers" } })
  return yield* Report.collect({ traceId: "support" })
}).pipe((program) => Effect.suspend(() => Effect.provide(program, services())))

describe("the report of an agent", () => {
  it.effect("names the tools that a request offers, and those that an answer calls", () =>
    Effect.gen(function* () {
      const report = yield* rounds
      const calls = report.runs[0]!.calls.filter(({ kind }) => kind === "complete")
      assert.deepStrictEqual(
        calls.map(({ called, tools }) => [tools, called]),
        [
          [["order"], ["order"]],
          [["order"], ["order"]],
          [["order"], undefined]
        ]
      )
      assert.deepStrictEqual(report, JSON.parse(JSON.stringify(report)))
    })
  )
})

describe.skipIf(missing !== undefined)("the page of an agent in Chromium", () => {
  const openReport = opener()

  it("takes no round of tools for a rejected answer", async () => {
    const page = await openReport(await Effect.runPromise(rounds))
    assert.strictEqual(await countOf(page, ".exchange"), 3)
    assert.notInclude(await textAt(page, ".outcome"), "rejected")
    const text = await textAt(page, "main")
    assert.notInclude(text, "repair")
    assert.notInclude(text, "rejected")
  })
})
