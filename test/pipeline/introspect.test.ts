import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { type Memory, Pipeline, Primitive, type Provider, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { providerError, start, withModel } from "./triage.ts"

// Introspection for a whole pipeline: what is asked after each answer, and who has the last word.

const answer = { decision: true, confidence: 0.8, reasoning: ["It says so."] }
const ask = (key: string, options: Primitive.Options = {}) => Primitive.decide(key, { question: `${key}?`, ...options })

/** Answers each decision, and each looking back with the number of calls so far. */
const model = () => {
  let calls = 0
  return Testing.scripted(({ phase }) => {
    calls++
    return phase === "introspect" ? `after call ${calls - 1}` : answer
  })
}

const run = <Out, E>(step: Step.Step<{}, Out, E, Provider.Provider | Memory.Memory>, script = model()) =>
  Effect.gen(function* () {
    const done = yield* Pipeline.run(step, yield* start)
    return { done, keys: Thought.notes(done).map(({ key }) => key), phases: script.requests.map(({ phase }) => phase) }
  }).pipe(withModel(script))

describe("introspection of a pipeline", () => {
  it.effect("is on for every reasoning step in it, and for none outside", () =>
    Effect.gen(function* () {
      const inner = Pipeline.introspect(Pipeline.sequence("inner", [ask("a"), ask("b")]))
      const { done, keys, phases } = yield* run(Pipeline.sequence("outer", [ask("before"), inner, ask("after")]))
      assert.deepStrictEqual(keys, ["message", "before", "a", "a_summary", "b", "b_summary", "after"])
      assert.deepStrictEqual(phases, ["reason", "reason", "introspect", "reason", "introspect", "reason"])
      assert.strictEqual(done.note("a_summary")?.content, "after call 2")
      assert.strictEqual(done.note("b_summary")?.source, "decide-introspection")
    })
  )

  it.effect("does nothing to steps that ask no model", () =>
    Effect.gen(function* () {
      const plain = Step.make("plain", { schema: Schema.Finite, run: () => 1 })
      const { keys } = yield* run(Pipeline.introspect(plain))
      assert.deepStrictEqual(keys, ["message", "plain"])
    })
  )

  it.effect("is off for a step that says so", () =>
    Effect.gen(function* () {
      const steps = Pipeline.sequence("steps", [ask("a", { introspect: false }), ask("b")])
      const { keys } = yield* run(Pipeline.introspect(steps))
      assert.deepStrictEqual(keys, ["message", "a", "b", "b_summary"])
    })
  )

  it.effect("gives way to what a step says itself, key, prompt and failures included", () =>
    Effect.gen(function* () {
      const script = model()
      const own = ask("a", { introspect: { summaryKey: "why", prompt: "Why?" } })
      const { keys } = yield* run(
        Pipeline.introspect(Pipeline.sequence("steps", [own, ask("b")]), { prompt: "What follows?" }),
        script
      )
      assert.deepStrictEqual(keys, ["message", "a", "why", "b", "b_summary"])
      assert.deepStrictEqual(
        script.requests.filter(({ phase }) => phase === "introspect").map(({ task }) => task.instruction),
        ["Why?", "What follows?"]
      )
    })
  )

  it.effect("takes sampling for all of them", () =>
    Effect.gen(function* () {
      const script = model()
      yield* run(Pipeline.introspect(ask("a"), { sampling: { temperature: 0, maxTokens: 40 } }), script)
      assert.deepStrictEqual(script.requests[1]?.sampling, { temperature: 0, maxTokens: 40 })
    })
  )

  it.effect("fails the step when looking back fails, and goes on without where that is wished", () =>
    Effect.gen(function* () {
      const script = () => Testing.scripted([answer, providerError()])
      const error = yield* Effect.flip(run(Pipeline.introspect(ask("a")), script()))
      assert.strictEqual(error._tag === "PipelineError" && error.cause._tag, "ProviderError")
      const { keys } = yield* run(Pipeline.introspect(ask("a"), { onFailure: "skip" }), script())
      assert.deepStrictEqual(keys, ["message", "a"])
    })
  )

  it.effect("is what the innermost pipeline says", () =>
    Effect.gen(function* () {
      const quiet = Pipeline.introspect(Pipeline.sequence("quiet", [ask("b"), Pipeline.introspect(ask("c"))]), false)
      const { keys } = yield* run(Pipeline.introspect(Pipeline.sequence("all", [ask("a"), quiet, ask("d")])))
      assert.deepStrictEqual(keys, ["message", "a", "a_summary", "b", "c", "c_summary", "d", "d_summary"])
    })
  )

  it("stands in no path and no outline of its own", () => {
    const step = Pipeline.sequence("steps", [ask("a")])
    assert.strictEqual(Pipeline.introspect(step).node, step.node)
    assert.strictEqual(Pipeline.introspect(step).name, "steps")
  })
})
