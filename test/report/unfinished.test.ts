import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Pipeline, Primitive, Step, Thought } from "cogito"
import { Report } from "cogito/report"
import { Testing } from "cogito/testing"
import { setImmediate } from "node:timers/promises"
import { faultsOf } from "../browser/axe.ts"
import { missing } from "../browser/chromium.ts"
import { soon } from "../soon.ts"
import { countOf, opener, textAt } from "./opened.ts"

const openReport = opener()

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

/** A run in which one step has ended, and the next one does not end, in its call. */
const begun = Effect.gen(function* () {
  const steps = Pipeline.sequence("mail", [
    decide("urgent"),
    Pipeline.sequence("inner", [decide("slow")]),
    decide("after")
  ])
  const thought = yield* Thought.make("mail", { message: "The shop is down!" }, { traceId: "mail" })
  const fiber = yield* Effect.forkChild(Pipeline.run(steps, thought, { durable: { id: "mail-1" } }))
  const read = Report.collect({ runId: "mail-1" }).pipe(
    Effect.delay("20 millis"),
    Effect.catchReason("MemoryError", "NotFound", () => Effect.undefined),
    Effect.repeat({ until: (report) => report?.runs[0]?.calls.some(({ state }) => state === "begun") === true })
  )
  return { fiber, report: (yield* read)! }
})

/** The reports of that run five seconds after its start, and when it has been interrupted. */
const running = Effect.gen(function* () {
  const { fiber, report } = yield* begun
  yield* Fiber.interrupt(fiber)
  const stopped = yield* Report.collect({ runId: "mail-1" })
  return { report: { ...report, collectedMillis: report.runs[0]!.createdMillis + 5000 }, stopped }
}).pipe((program) => Effect.suspend(() => Effect.provide(program, services())))

const outcomesOf = (report: Report.RunReport) =>
  Object.fromEntries(report.runs[0]!.steps.map(({ frame, kind, outcome }) => [frame, [kind, outcome]]))

describe("the report of a run under way", () => {
  it.live("has the steps that it is in, which the ledger has no rows of yet", () =>
    Effect.gen(function* () {
      const { report, stopped } = yield* running
      assert.deepStrictEqual(outcomesOf(report), {
        "/mail": ["sequence", "running"],
        "/mail/urgent": ["decide", "completed"],
        "/mail/inner": ["sequence", "running"],
        "/mail/inner/slow": ["decide", "running"]
      })
      const slow = report.runs[0]!.steps.find(({ path }) => path.at(-1) === "slow")
      assert.deepStrictEqual(slow?.path, ["mail", "inner", "slow"])
      assert.strictEqual(
        slow?.startedMillis,
        report.runs[0]!.calls.find(({ state }) => state === "begun")?.startedMillis
      )
      assert.isUndefined(slow?.endedMillis)
      const [, outcome] = outcomesOf(stopped)["/mail/inner/slow"]!
      assert.strictEqual(outcome, "interrupted")
    })
  )

  it.live(
    "has them as interrupted once another process has ended the run, which the process of the run did not note",
    () =>
      Effect.gen(function* () {
        const { fiber } = yield* begun
        const { ledger } = yield* Memory.Memory
        const claim = yield* ledger.claim("mail-1", { owner: "other", millis: 60_000, seize: true })
        const ends = { status: "interrupted", end: undefined, error: undefined, endedMillis: Date.now() } as const
        yield* ledger.record({ runId: "mail-1", epoch: claim?.run.epoch ?? 0, ends })
        const report = yield* Report.collect({ runId: "mail-1" })
        assert.isUndefined(report.runs[0]!.isLeft)
        assert.deepStrictEqual(outcomesOf(report), {
          "/mail": ["sequence", "interrupted"],
          "/mail/urgent": ["decide", "completed"],
          "/mail/inner": ["sequence", "interrupted"],
          "/mail/inner/slow": ["decide", "interrupted"]
        })
        yield* Fiber.interrupt(fiber)
      }).pipe((program) => Effect.suspend(() => Effect.provide(program, services())))
  )
})

describe("a step that has not ended", () => {
  it.effect("began with the first thing in it, whatever came later", () =>
    Effect.gen(function* () {
      const minute = (key: string) =>
        Step.make(key, { schema: Schema.Finite, run: Effect.as(TestClock.adjust("1 minute"), 1) })
      const inner = Pipeline.sequence("inner", [minute("two"), decide("slow")])
      const thought = yield* Thought.make("mail", { message: "The shop is down!" })
      const running = Pipeline.run(Pipeline.sequence("mail", [minute("one"), inner]), thought, {
        durable: { id: "mail-2" }
      })
      const fiber = yield* Effect.forkChild(running)
      const run = yield* soon("the call")(
        Effect.gen(function* () {
          while (true) {
            const { runs } = yield* Report.collect({ runId: "mail-2" }).pipe(
              Effect.catchReason("MemoryError", "NotFound", () => Effect.succeed({ runs: [] }))
            )
            if (runs[0]?.calls.some(({ path }) => path.includes("slow")) === true) return runs[0]
            yield* Effect.promise(() => setImmediate())
          }
        })
      )
      assert.deepStrictEqual(
        run.steps.flatMap(({ frame, outcome, startedMillis }) =>
          outcome === "running" ? [[frame, startedMillis]] : []
        ),
        [
          ["/mail", 0],
          ["/mail/inner", 60_000],
          ["/mail/inner/slow", 120_000]
        ]
      )
      yield* Fiber.interrupt(fiber)
    }).pipe((program) => Effect.suspend(() => Effect.provide(program, services())))
  )
})

/** The same run after another process has taken it, and has ended without a trace. */
const left = Effect.gen(function* () {
  const { fiber } = yield* begun
  const { ledger } = yield* Memory.Memory
  yield* ledger.claim("mail-1", { owner: "another process", millis: 60_000, seize: true })
  const report = yield* Report.collect({ runId: "mail-1" })
  yield* Fiber.interrupt(fiber)
  return report
}).pipe((program) => Effect.suspend(() => Effect.provide(program, services())))

describe("the report of a run whose process has ended without a trace", () => {
  it.live("says so, and has no step that is running", () =>
    Effect.gen(function* () {
      const report = yield* left
      assert.deepInclude(report.runs[0], { status: "running", isLeft: true })
      assert.isUndefined((yield* race).runs[0]!.isLeft)
      assert.deepStrictEqual(outcomesOf(report), {
        "/mail": ["sequence", "interrupted"],
        "/mail/urgent": ["decide", "completed"],
        "/mail/inner": ["sequence", "interrupted"],
        "/mail/inner/slow": ["decide", "interrupted"]
      })
    })
  )
})

describe.skipIf(missing !== undefined)("the page of a run that was left in Chromium", () => {
  it("shows it as left, at its last step", async () => {
    const page = await openReport(await Effect.runPromise(left))
    assert.match(
      await textAt(page, ".outcome"),
      /^Left\s+Its process has ended without a trace while the step “slow” was running\. Resume the run to go on\./
    )
    assert.deepStrictEqual(await faultsOf(page), [])
  })
})

describe.skipIf(missing !== undefined)("the page of a run under way in Chromium", () => {
  it("shows where the run is, and how long it has taken so far", async () => {
    const { report } = await Effect.runPromise(running)
    const page = await openReport(report)
    assert.match(await textAt(page, ".outcome"), /^Running\s+The step “slow” has been running since .+ UTC\./)
    assert.include(await textAt(page, ".figures"), "Duration\n5.00 s\nso far")
    assert.match(await textAt(page, `[data-frame="/mail/inner/slow"]`), /, running[\s\S]*≥ [45]\.\d\d s/)
    assert.strictEqual(await countOf(page, "#pipeline .node.running"), 3)
    assert.strictEqual(await countOf(page, "#pipeline .node.skipped"), 1)
    assert.deepStrictEqual(await faultsOf(page), [])
  })
})

/** A run that has sent a step to the background, where it has ended. */
const dispatched = Effect.gen(function* () {
  const steps = Pipeline.sequence("mail", [
    decide("urgent"),
    Pipeline.scaffold("behind", { step: Pipeline.sequence("later", [decide("polite")]) })
  ])
  const thought = yield* Thought.make("mail", { message: "The shop is down!" }, { traceId: "mail" })
  yield* Pipeline.run(steps, thought, { durable: { id: "mail-1" } })
  return yield* Report.collect({ runId: "mail-1" }).pipe(
    Effect.delay("20 millis"),
    Effect.repeat({ until: ({ runs }) => runs.length === 2 && runs.every(({ status }) => status === "completed") })
  )
}).pipe((program) =>
  Effect.suspend(() => Effect.provide(program, Layer.provideMerge(Pipeline.supervisor(), services())))
)

describe.skipIf(missing !== undefined)("the page of a run with a step in the background in Chromium", () => {
  it("draws the step as what its own run has done", async () => {
    const page = await openReport(await Effect.runPromise(dispatched))
    assert.strictEqual(await countOf(page, "#pipeline .node.skipped"), 0)
    assert.strictEqual(await countOf(page, "#pipeline .node.taken"), 5)
    // the steps of the other run are not among those of this one
    assert.strictEqual(await countOf(page, "#pipeline button.node"), 3)
    assert.deepStrictEqual(await faultsOf(page), [])
  })
})
