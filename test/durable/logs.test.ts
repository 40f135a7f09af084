import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { TestClock } from "effect/testing"
import { Memory, Note, Pipeline, Primitive, Provider, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"

const message = Note.handle("message", Schema.String)
const refund = Pipeline.sequence("refund", [
  Primitive.decide("fraud", { question: "Does this look like fraud?" }),
  Primitive.approve("ok", { prompt: Note.prompt`May we refund ${message}?` })
])

const within = () =>
  Effect.provide(
    Layer.merge(
      Testing.scripted([{ decision: false, confidence: 0.9, reasoning: ["An ordinary refund."] }]).layer,
      Testing.memory
    )
  )

const begun = Effect.gen(function* () {
  const start = yield* Thought.make("refund", { message: "Order 17, please." })
  assert.isTrue(Exit.isFailure(yield* Effect.exit(Pipeline.run(refund, start, { durable: { id: "refund-17" } }))))
  return start.id
})

describe("Pipeline.logs", () => {
  it.effect("has the notes and questions of a run, while it waits and afterwards", () =>
    Effect.gen(function* () {
      yield* begun
      const soFar = ["message: Order 17, please.", "fraud: no (0.9)"]
      const waiting = yield* Pipeline.logs("refund-17")
      assert.deepStrictEqual(waiting.slice(0, 2), soFar)
      assert.match(waiting[2] ?? "", /^ok: asks May we refund .*Order 17, please\./)
      assert.lengthOf(waiting, 3)
      yield* Pipeline.answer("refund-17", "ok", { approved: true }, { by: "jane" })
      yield* Pipeline.resume(refund, "refund-17")
      const after = yield* Pipeline.logs("refund-17")
      assert.isTrue(
        after.some((line) => line.startsWith("ok: answered by jane with ")),
        after.join("\n")
      )
    }).pipe(within())
  )

  it.effect("has times and costs, and what failed, by mode", () =>
    Effect.gen(function* () {
      yield* begun
      const lines = yield* Pipeline.logs("refund-17", { mode: "performance" })
      assert.isTrue(lines.some((line) => line.startsWith("/refund/fraud: decide, completed, ")))
      assert.match(lines.at(-1) ?? "", /^Total: \d steps?, 1 model call/)
      assert.deepStrictEqual(yield* Pipeline.logs("refund-17", { mode: "errors" }), [])
    }).pipe(within())
  )

  it.effect("has the thought that the run has gone on with, once it has ended", () =>
    Effect.gen(function* () {
      const fraud = Primitive.decide("fraud", { question: "Does this look like fraud?" })
      const moving = Pipeline.sequence("moving", [Primitive.checkpoint("point"), fraud])
      const start = yield* Thought.make("refund", { message: "Order 17, please." })
      const done = yield* Pipeline.run(moving, start, { durable: { id: "moving" } })
      assert.notStrictEqual(done.id, start.id)
      assert.include(yield* Pipeline.logs("moving"), "fraud: no (0.9)")
      assert.notInclude(Thought.logs(yield* Memory.load(start.id)), "fraud: no (0.9)")
    }).pipe(within())
  )

  it.effect("has nothing of other runs on the same thought, nor what was appended to it later", () =>
    Effect.gen(function* () {
      const agent = Agent.make("shop", { instructions: "Help.", toolkit: Toolkit.empty, triage: false })
      const first = yield* Agent.say(agent, yield* Thought.make("chat"), "Hello", { durable: { id: "turn-1" } })
      yield* Memory.append(first.id, [{ key: "remark", content: "appended between them" }])
      const chat = yield* Memory.load(first.id)
      const second = yield* Agent.say(agent, chat, "And now?", { durable: { id: "turn-2" } })
      yield* Memory.append(second.id, [{ key: "remark", content: "appended later" }])
      assert.deepStrictEqual(yield* Pipeline.logs("turn-1"), ["message: Hello", "answer: one"])
      assert.deepStrictEqual(yield* Pipeline.logs("turn-2"), [
        "remark: appended between them",
        "message: And now?",
        "answer: two"
      ])
    }).pipe(Effect.provide(Layer.merge(Testing.scripted(["one", "two"]).layer, Testing.memory)))
  )

  it.effect("has nothing that was appended while the run waited", () =>
    Effect.gen(function* () {
      const start = yield* begun
      yield* Memory.append(start, [{ key: "remark", content: "in between" }])
      yield* TestClock.adjust("1 minute")
      yield* Pipeline.answer("refund-17", "ok", { approved: true })
      yield* TestClock.adjust("1 minute")
      yield* Pipeline.resume(refund, "refund-17")
      const lines = yield* Pipeline.logs("refund-17")
      assert.notInclude(lines, "remark: in between")
      assert.strictEqual(lines.at(-1), 'ok: {"approved":true}')
    }).pipe(within())
  )

  it.effect("has what the run did before it left a thought behind, also while it waits", () =>
    Effect.gen(function* () {
      const decide = (key: string) => Primitive.decide(key, { question: `Is it ${key}?` })
      const moving = Pipeline.sequence("moving", [
        Primitive.checkpoint("point"),
        decide("a"),
        Primitive.restore("back", { from: { checkpoint: "point" } }),
        decide("b"),
        Primitive.forget("less", { drop: ["b"] }),
        decide("c"),
        Primitive.compress("short"),
        Primitive.approve("ok", { prompt: "May we?" }),
        decide("d")
      ])
      const start = yield* Thought.make("move", { message: "Hello" })
      const waiting = Effect.flip(Pipeline.run(moving, start, { durable: { id: "moving" } }))
      yield* Effect.andThen(waiting, TestClock.adjust("1 minute"))
      const soFar = [
        "message: Hello",
        "a: yes (0.9)",
        "b: yes (0.9)",
        "c: yes (0.9)",
        "conversation: 2 notes in a summary",
        "short: in short",
        "ok: asks May we?"
      ]
      assert.deepStrictEqual(yield* Pipeline.logs("moving"), soFar)
      yield* Effect.andThen(Pipeline.answer("moving", "ok", { approved: true }), TestClock.adjust("1 minute"))
      yield* Pipeline.resume(moving, "moving")
      assert.deepStrictEqual(yield* Pipeline.logs("moving"), [
        ...soFar,
        'ok: answered with {"approved":true}',
        'ok: {"approved":true}',
        "d: yes (0.9)"
      ])
    }).pipe(
      Effect.provide(
        Layer.merge(
          Testing.scripted(({ task }) =>
            task.output === undefined ? "in short" : { decision: true, confidence: 0.9, reasoning: ["so it is"] }
          ).layer,
          Testing.memory
        )
      )
    )
  )

  it.effect("fails for an unknown run or thought", () =>
    Effect.gen(function* () {
      const thought = yield* begun
      const unknown = yield* Effect.flip(Pipeline.logs("refund-18"))
      assert.strictEqual(unknown.reason._tag, "NotFound")
      assert.strictEqual(unknown.message, 'There is no run "refund-18" in this scope.')
      yield* Memory.remove(thought)
      assert.strictEqual((yield* Effect.flip(Pipeline.logs("refund-17"))).reason._tag, "NotFound")
    }).pipe(within())
  )

  it("refuses an unknown mode", () => {
    const mode: any = "costs"
    assert.throws(() => Pipeline.logs("refund-17", { mode }), /mode/)
  })
})

describe("the rows of a run", () => {
  const usage = { inputTokens: 1_000_000, outputTokens: 1_000_000 }
  const prices = { input: 2, output: 1, asOf: "2026-11-01" }
  const text = JSON.stringify({ decision: true, confidence: 1, reasoning: ["yes"] })
  const failure = new Provider.ProviderError({
    provider: "own",
    model: "m",
    reason: { _tag: "Refused", message: "no" },
    usage
  })
  const answers: ReadonlyArray<
    readonly [string, Effect.Effect<Provider.Response, Provider.ProviderError>, number | undefined]
  > = [
    ["the called provider's prices", Effect.succeed({ text, usage }), 3],
    [
      "nothing that is known, if another provider has answered",
      Effect.succeed({ text, usage, provider: "other" }),
      undefined
    ],
    ["what the answer says", Effect.succeed({ text, usage, usd: 0.5, provider: "other" }), 0.5],
    ["nothing that is known, if the call has failed", Effect.fail(failure), undefined]
  ]
  it.effect.each(answers)("have the cost of a call: %s", ([, answer, usd]) =>
    Effect.gen(function* () {
      const model = Provider.make({ name: "own", model: "m", capabilities: { prices }, complete: () => answer })
      const step = Primitive.decide("fraud", { question: "Is it fraud?", via: "text" })
      yield* Effect.exit(
        Effect.flatMap(Thought.make("refund"), (start) => Pipeline.run(step, start, { durable: { id: "run" } })).pipe(
          Effect.provideService(Provider.Provider, model)
        )
      )
      const { ledger } = yield* Memory.Memory
      const stored = yield* ledger.load("run")
      assert.deepStrictEqual(
        stored?.calls.map((call) => [call.usage, call.usd]),
        [[usage, usd]]
      )
    }).pipe(Effect.provide(Testing.memory))
  )
})
