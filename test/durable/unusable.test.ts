/** Answers that are no use: a failed run asks again, one that was interrupted goes on with what it has. */
import { assert, describe, it } from "@effect/vitest"
import { Data, Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Pipeline, Primitive, Step, Synapse, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"

const good = { decision: true, confidence: 1, reasoning: ["It is."] }
const bad = { choice: "perhaps" }
const decide = Primitive.decide("d", { question: "Is it?" })
class Unsaid extends Data.TaggedError("Unsaid")<{}> {}
const alone = Step.make("alone", {
  schema: Schema.Boolean,
  run: Effect.mapError(
    Effect.map(Synapse.binary({ question: "Is it?" })("a text"), ({ decision }) => decision),
    () => new Unsaid()
  )
})

/** What each of three executions of a run comes to, with the number of calls until then. */
const executions = (step: Step.Any, model: ReturnType<typeof Testing.scripted>) =>
  Effect.gen(function* () {
    const thought = yield* Thought.make("x", { message: "m" })
    const first = Pipeline.run(step, thought, { durable: { id: "r" } })
    const ends: Array<string> = []
    for (const execution of [first, Pipeline.resume(step, "r"), Pipeline.resume(step, "r")]) {
      const end = yield* Effect.match(execution, {
        onSuccess: () => "done",
        onFailure: (error) => ("cause" in error ? (error.cause as Error).name : error._tag)
      })
      ends.push(`${end} after ${model.requests.length}`)
    }
    return ends
  }).pipe(Effect.provide(Layer.merge(model.layer, Testing.memory)))

describe("a durable run that failed with an answer of no use", () => {
  const steps: ReadonlyArray<readonly [string, Step.Step<{}, {}, unknown, any>]> = [
    ["a primitive", decide],
    ["a synapse in a step whose error is another one", alone],
    ["a primitive in a sequence", Pipeline.sequence("all", [decide])]
  ]
  it.effect.each(steps)("asks again once it is resumed: %s", ([, step]) =>
    Effect.gen(function* () {
      const ends = yield* executions(step, Testing.scripted([bad, bad, good]))
      assert.match(ends[0] ?? "", /(?:ResponseError|Unsaid) after 2$/)
      assert.deepStrictEqual(ends.slice(1), ["done after 3", "done after 3"])
    })
  )

  it.effect("asks for each attempt again, and no more than fails", () =>
    Effect.gen(function* () {
      const retried = Pipeline.sequence("all", [
        Primitive.decide("first", { question: "Is it first?" }),
        decide.pipe(Step.retry({ times: 1 }))
      ])
      const ends = yield* executions(retried, Testing.scripted([good, bad, bad, bad, bad, good]))
      assert.deepStrictEqual(ends, ["ResponseError after 5", "done after 6", "done after 6"])
    })
  )

  it.effect("keeps an answer of no use after which it went on", () =>
    Effect.gen(function* () {
      const next = Primitive.decide("next", { question: "And next?" })
      const other = Primitive.decide("other", { question: "Is it not?" })
      const step = Pipeline.sequence("all", [Pipeline.fallback("either", [decide, other]), next])
      const model = Testing.scripted([bad, bad, good, bad, bad, good])
      const ends = yield* executions(step, model)
      assert.deepStrictEqual(ends, ["ResponseError after 5", "done after 6", "done after 6"])
    })
  )

  it.effect("asks an agent again whose answer was empty", () =>
    Effect.gen(function* () {
      const poet = Agent.make("poet", { instructions: "You write poems.", toolkit: Toolkit.empty, triage: false })
      const ends = yield* executions(poet as Step.Any, Testing.scripted([" ", "A poem."]))
      assert.deepStrictEqual(ends, ["ProviderError after 1", "done after 2", "done after 2"])
    })
  )

  it.effect("asks again after an empty text and after an unsound native answer", () =>
    Effect.gen(function* () {
      const reflecting = Pipeline.introspect(decide)
      const empty = yield* executions(reflecting, Testing.scripted([good, " ", "It has decided."]))
      assert.deepStrictEqual(empty, ["ProviderError after 2", "done after 3", "done after 3"])
      const probabilities = [2, 0.8]
      const model = Testing.scripted([], {
        decide: () => [{ _tag: "Predicate", name: "decision", probability: probabilities.shift() ?? 0 }]
      })
      const natively = Primitive.decide("d", { question: "Is it?", via: "native" })
      const native = yield* executions(natively, model)
      assert.deepStrictEqual(native, ["ProviderError after 0", "done after 0", "done after 0"])
      assert.lengthOf(model.decisions, 2)
    })
  )
})
