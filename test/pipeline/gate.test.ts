import { assert, describe, it } from "@effect/vitest"
import { Cause, Data, Effect, Exit, Layer, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"

class Stop extends Data.TaggedError("Stop")<{}> {}
type Verdict = "pass" | "skip" | "fail"

const message = Note.handle("message", Schema.String)
const verdict = Note.from(message, (text) => text as Verdict)
const sent = Step.make("sent", { schema: Schema.Boolean, run: () => true })

const start = (text: string) => Thought.make("test", { message: text })
const keysOf = (thought: Thought.Thought<any>) => Thought.notes(thought).map(({ key }) => key)

describe("gate", () => {
  it.effect('runs its step on "pass", omits it on "skip", and fails on "fail" [W25]', () =>
    Effect.gen(function* () {
      const gated = Pipeline.gate("gated", { check: verdict, step: sent, reason: "nobody has approved it" })
      const passed = yield* Pipeline.run(gated, yield* start("pass"))
      assert.deepStrictEqual([passed.get("sent"), passed.note("sent")?.step], [true, "gated/sent"])
      assert.deepStrictEqual(keysOf(yield* Pipeline.run(gated, yield* start("skip"))), ["message"])
      const thought = yield* start("fail")
      const error = yield* Effect.flip(Pipeline.run(gated, thought))
      assert.deepStrictEqual(error._tag === "PipelineError" && error.path, ["gated"])
      const { cause } = error
      assert.isTrue(cause instanceof Error && cause instanceof Pipeline.GateClosed)
      assert.deepStrictEqual(cause instanceof Pipeline.GateClosed && [cause._tag, cause.gate, cause.reason], [
        "GateClosed",
        "gated",
        "nobody has approved it"
      ])
      assert.deepStrictEqual(keysOf(yield* Memory.load(thought.id)), ["message"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("asks the model only when it is open", () => {
    const model = Testing.scripted([{ decision: true, confidence: 0.9, reasoning: ["It is."] }])
    const gated = Pipeline.gate("gated", { check: verdict, step: Primitive.decide("spam", { question: "Spam?" }) })
    return Effect.gen(function* () {
      yield* Pipeline.run(gated, yield* start("skip"))
      yield* Effect.flip(Pipeline.run(gated, yield* start("fail")))
      assert.strictEqual(model.requests.length, 0)
      const done = yield* Pipeline.run(gated, yield* start("pass"))
      assert.isTrue(done.get("spam")?.decision)
      assert.strictEqual(model.requests.length, 1)
      assert.include(model.requests[0]?.messages.at(-1)?.text, "Spam?")
    }).pipe(Effect.provide(Layer.merge(model.layer, Testing.memory)))
  })

  it.effect("without a step lets the thought through or fails", () =>
    Effect.gen(function* () {
      const gated = Pipeline.gate("gated", { check: Note.from(message, (text) => (text === "yes" ? "pass" : "fail")) })
      const all = Pipeline.sequence("all", [gated, sent])
      assert.deepStrictEqual(keysOf(yield* Pipeline.run(all, yield* start("yes"))), ["message", "sent"])
      const error = yield* Effect.flip(Pipeline.run(all, yield* start("no")))
      assert.deepStrictEqual(error._tag === "PipelineError" && error.path, ["all", "gated"])
      assert.include(String(error), 'The gate "gated" is closed: its check said so')
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("is not retried when it is closed", () =>
    Effect.gen(function* () {
      let asked = 0
      const check = () => (++asked > 1 ? "pass" : "fail")
      const error = yield* Effect.flip(
        Pipeline.run(Pipeline.gate("gated", { check }).pipe(Step.retry({ times: 3 })), yield* start("Hello"))
      )
      assert.isTrue(error.cause instanceof Pipeline.GateClosed && !error.cause.isRetryable)
      assert.strictEqual(asked, 1)
    }).pipe(Effect.provide(Testing.memory))
  )

  const checks: ReadonlyArray<readonly [string, Step.Runnable<Verdict>]> = [
    ["a reader", Note.from(message, () => "fail" as const)],
    ["a reader that computes an effect", Note.from(message, () => Effect.succeed("fail" as const))],
    ["a function of the thought", (thought) => (thought.length === 1 ? "fail" : "pass")],
    ["a function that gives an effect", () => Effect.succeed("fail" as const)],
    ["an effect", Effect.succeed("fail" as const)]
  ]
  it.effect.each(checks)("takes %s as its check", ([, check]) =>
    Effect.gen(function* () {
      const gated = Pipeline.gate("gated", { check, step: sent })
      const error = yield* Effect.flip(Pipeline.run(gated, yield* start("Hello")))
      assert.isTrue(error.cause instanceof Pipeline.GateClosed)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("fails like its check or its step, with the path", () =>
    Effect.gen(function* () {
      const stop = Step.make("stop", { run: Effect.fail(new Stop()) })
      const inside = yield* Effect.flip(
        Pipeline.run(Pipeline.gate("gated", { check: () => "pass", step: stop }), yield* start("Hello"))
      )
      assert.deepStrictEqual(inside._tag === "PipelineError" && inside.path, ["gated", "stop"])
      const check = Effect.fail(new Stop()) as Effect.Effect<"pass" | "fail", Stop>
      const asking = yield* Effect.flip(Pipeline.run(Pipeline.gate("gated", { check }), yield* start("Hello")))
      assert.deepStrictEqual(asking._tag === "PipelineError" && [asking.path, asking.cause], [["gated"], new Stop()])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("a check with any other result, or that throws, is a defect that names the step and no text", () =>
    Effect.gen(function* () {
      for (const answer of ["canary", true, undefined]) {
        const gated = Pipeline.gate("gated", { check: () => answer as "pass" | "fail" })
        const exit = yield* Effect.exit(Pipeline.run(gated, yield* start("Hello")))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause) && !Cause.hasFails(exit.cause))
        const told = Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
        assert.include(told, '"gated" must give "pass", "skip" or "fail"')
        assert.notInclude(told, "canary")
      }
      const check = (): "pass" | "fail" => {
        throw new Error("a bug")
      }
      const exit = yield* Effect.exit(Pipeline.run(Pipeline.gate("gated", { check }), yield* start("Hello")))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("signals which way it went, and that it failed", () =>
    Effect.gen(function* () {
      const signals: Array<Signal.Signal> = []
      const listen = Signal.listen((signal) => void signals.push(signal))
      const gated = Pipeline.gate("gated", { check: verdict, step: sent })
      for (const text of ["pass", "skip", "fail"]) yield* Effect.exit(listen(Pipeline.run(gated, yield* start(text))))
      assert.deepStrictEqual(
        signals.flatMap((signal) =>
          signal._tag === "Routed" ? [signal.route] : signal._tag === "StepFailed" ? [signal.error] : []
        ),
        ["sent", undefined, "GateClosed"]
      )
    }).pipe(Effect.provide(Testing.memory))
  )

  it("shows its step and its reason in its outline", () => {
    const gated = Pipeline.gate("gated", {
      check: Note.from(message, (): "pass" | "fail" => "pass"),
      step: sent,
      reason: "nobody has approved it"
    })
    assert.deepStrictEqual(gated.node, {
      name: "gated",
      kind: "gate",
      reads: ["message"],
      writes: ["sent"],
      surely: [],
      children: [sent.node],
      settings: { reason: "nobody has approved it" },
      layout: { _tag: "Choice", labels: ["pass"], past: "skip", fails: "fail" }
    })
    const alone = Pipeline.gate("alone", { check: () => "pass" })
    assert.deepStrictEqual(alone.node, {
      name: "alone",
      kind: "gate",
      reads: [],
      writes: [],
      surely: [],
      children: [],
      layout: { _tag: "Choice", labels: ["pass"], past: "pass", fails: "fail" }
    })
  })

  it("refuses an invalid check, by name", () => {
    assert.throws(() => Pipeline.gate("gated", { check: "pass" as never }), /"gated".*`check`/)
  })
})
