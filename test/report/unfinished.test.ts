import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { Pipeline, Primitive, Thought } from "cogito"
import { Report } from "cogito/report"
import { Testing } from "cogito/testing"
import { missing } from "../browser/chromium.ts"
import { countOf, opener, textAt } from "./opened.ts"

const decide = (name: string) => Primitive.decide(name, { question: `Is it ${name}?` })

/** Answers every question but one, which it never answers. A call without an answer can use 50 output tokens. */
const services = () =>
  Layer.merge(
    Testing.scripted(
      ({ messages }) =>
        messages.at(-1)?.text.includes("slow") === true
          ? Effect.never
          : { decision: true, confidence: 0.9, reasoning: ["It is down."] },
      {
        usage: { inputTokens: 100, outputTokens: 10 },
        capabilities: { prices: { input: 1, output: 10, asOf: "2026-11-01" }, outputTokens: 50 }
      }
    ).layer,
    Testing.memory
  )

/** A race that has interrupted the slower call. */
const race = Effect.gen(function* () {
  const steps = Pipeline.race("first", [decide("slow"), decide("quick")])
  const thought = yield* Thought.make("race", { message: "The shop is down!" }, { traceId: "race" })
  yield* Pipeline.run(steps, thought, { durable: { id: "race-1" } })
  return yield* Report.collect({ runId: "race-1" })
}).pipe((program) => Effect.suspend(() => Effect.provide(program, services())))

describe("the report of calls without a known outcome", () => {
  it.effect("tells the most that they can have used from what others used", () =>
    Effect.gen(function* () {
      const report = yield* race
      const [slow, quick] = ["slow", "quick"].map((name) =>
        report.runs[0]!.calls.find(({ path }) => path.includes(name))
      )
      assert.strictEqual(slow?.state, "interrupted")
      assert.isTrue(slow?.isBound)
      assert.isAbove(slow?.usage?.inputTokens ?? 0, 100)
      assert.isUndefined(quick?.isBound)
      assert.deepInclude(quick?.usage, { inputTokens: 100, outputTokens: 10 })
    })
  )
})

describe.skipIf(missing !== undefined)("the page of calls without a known outcome in Chromium", () => {
  const openReport = opener()

  it("leaves the most that they can have used out of the figures, and says it beside them", async () => {
    const page = await openReport(await Effect.runPromise(race))
    const figures = await textAt(page, ".figures")
    assert.include(figures, "Tokens\n110\n100 in, 10 out")
    assert.include(figures, "Cost\n$0.0002")
    assert.match(
      await textAt(page, ".at-most"),
      /^\+ at most [\d,]+ tokens, \$0\.0[\d]+ of 1 call without a known outcome$/
    )
    const slow: string = await page.evaluate(
      `[...document.querySelectorAll(".exchange")].map((one) => one.innerText).find((text) => text.includes("slow"))`
    )
    assert.match(slow, /≤ [\d,]+ in, [\d,]+ out · ≤ \$0/)
  })
})
