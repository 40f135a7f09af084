import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Memory, Pipeline, Primitive, type Provider, Step, Thought } from "cogito"
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
  it.effect("is on for every reasoning step inside it, and for no step outside", () =>
    Effect.gen(function* () {
      const inner = Pipeline.introspect(Pipeline.sequence("inner", [ask("a"), ask("b")]))
      const { done, keys, phases } = yield* run(Pipeline.sequence("outer", [ask("before"), inner, ask("after")]))
      assert.deepStrictEqual(keys, ["message", "before", "a", "a_summary", "b", "b_summary", "after"])
      assert.deepStrictEqual(phases, ["reason", "reason", "introspect", "reason", "introspect", "reason"])
      assert.strictEqual(done.note("a_summary")?.content, "after call 2")
      assert.strictEqual(done.note("b_summary")?.source, "decide-introspection")
    })
  )

  it.effect("does not affect a run on another thought inside a step, but affects its background steps", () => {
    const script = model()
    const seen: Array<ReadonlyArray<string>> = []
    const keysOf = (thought: Thought.Thought<any>) => Thought.notes(thought).map(({ key }) => key)
    const apart = Step.make("apart", {
      run: (thought: Thought.Thought<{ readonly message: string }>) =>
        Effect.gen(function* () {
          for (const own of [yield* Thought.make("apart"), yield* Thought.fork(thought)]) {
            seen.push(keysOf(yield* Pipeline.run(ask("inner"), own)))
          }
        }).pipe(Effect.orDie)
    })
    const background = Pipeline.scaffold("background", { step: ask("behind") })
    const step = Pipeline.sequence("all", [apart, background, ask("own")])
    return Effect.gen(function* () {
      const done = yield* Pipeline.run(Pipeline.introspect(step), yield* start).pipe(
        Effect.provide(Pipeline.supervisor())
      )
      assert.deepStrictEqual(seen, [["inner"], ["message", "inner"]])
      assert.deepStrictEqual(keysOf(done), ["message", "own", "own_summary"])
      const children = yield* Memory.children(done.id)
      const stored = yield* Effect.forEach(children, ({ id }) => Effect.map(Memory.load(id), keysOf))
      // its outline has the summary of what goes on in the background
      assert.includeDeepMembers(stored, [["message", "behind", "behind_summary"]])
    }).pipe(withModel(script))
  })

  it.effect("does not affect steps that call no model", () =>
    Effect.gen(function* () {
      const plain = Step.make("plain", { schema: Schema.Finite, run: () => 1 })
      const { keys } = yield* run(Pipeline.introspect(plain))
      assert.deepStrictEqual(keys, ["message", "plain"])
    })
  )

  it.effect("is off for a step with `introspect: false`", () =>
    Effect.gen(function* () {
      const steps = Pipeline.sequence("steps", [ask("a", { introspect: false }), ask("b")])
      const { keys } = yield* run(Pipeline.introspect(steps))
      assert.deepStrictEqual(keys, ["message", "a", "b", "b_summary"])
    })
  )

  it.effect("yields to the options of a step, key, prompt and failures included", () =>
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

  it.effect("fails the step if introspection fails, and continues without it on request", () =>
    Effect.gen(function* () {
      const script = () => Testing.scripted([answer, providerError()])
      const error = yield* Effect.flip(run(Pipeline.introspect(ask("a")), script()))
      assert.strictEqual(error._tag === "PipelineError" && error.cause._tag, "ProviderError")
      const { keys } = yield* run(Pipeline.introspect(ask("a"), { onFailure: "skip" }), script())
      assert.deepStrictEqual(keys, ["message", "a"])
    })
  )

  it.effect("follows the innermost pipeline", () =>
    Effect.gen(function* () {
      const quiet = Pipeline.introspect(Pipeline.sequence("quiet", [ask("b"), Pipeline.introspect(ask("c"))]), false)
      const { keys } = yield* run(Pipeline.introspect(Pipeline.sequence("all", [ask("a"), quiet, ask("d")])))
      assert.deepStrictEqual(keys, ["message", "a", "a_summary", "b", "c", "c_summary", "d", "d_summary"])
    })
  )

  it("does not appear in paths, nor in an outline of its own", () => {
    const { name, node } = Pipeline.introspect(Pipeline.sequence("steps", [ask("a")]))
    assert.deepStrictEqual([name, node.name, node.kind, node.children[0]?.name], ["steps", "steps", "sequence", "a"])
  })
})

describe("the summaries of a pipeline in its outline", () => {
  const plain = (key: string) => Step.make(key, { schema: Schema.Finite, run: () => 1 })

  it("are written by each step that looks back, and by the steps around it", () => {
    const quiet = Pipeline.introspect(ask("c"), false)
    const steps = Pipeline.sequence("steps", [ask("a"), ask("b", { introspect: false }), quiet, plain("d")])
    const { node } = Pipeline.introspect(steps)
    assert.deepStrictEqual(node.writes, ["a", "a_summary", "b", "c", "d"])
    assert.deepStrictEqual(node.surely, ["a", "a_summary", "b", "c", "d"])
    assert.deepStrictEqual(
      node.children.map(({ writes }) => writes),
      [["a", "a_summary"], ["b"], ["c"], ["d"]]
    )
    assert.strictEqual(Pipeline.introspect(plain("d")).node.writes.length, 1)
  })

  it("are not certain if looking back may fail, or if the step may be omitted", () => {
    const skipped = Pipeline.introspect(ask("a"), { onFailure: "skip" }).node
    assert.deepStrictEqual([skipped.writes, skipped.surely], [["a", "a_summary"], ["a"]])
    const sift = Primitive.sift("a", { question: "a?", step: ask("b") })
    const { surely, writes } = Pipeline.introspect(sift).node
    assert.deepStrictEqual(writes, ["a", "a_summary", "b", "b_summary"])
    assert.deepStrictEqual(surely, ["a", "a_summary"])
    const routes = (two: Step.Any) => Primitive.discern("way", { question: "?", routes: { one: ask("x"), two } })
    assert.include(Pipeline.introspect(routes(ask("x"))).node.surely, "x_summary")
    assert.notInclude(Pipeline.introspect(routes(ask("x", { introspect: false }))).node.surely, "x_summary")
  })

  it("may not take the key of another step, inside or outside", () => {
    assert.throws(
      () => Pipeline.introspect(Pipeline.sequence("steps", [ask("a"), plain("a_summary")])),
      'The step "a" would write its summary under "a_summary", which the step "a_summary" writes'
    )
    const why = ask("b", { introspect: { summaryKey: "a_summary" } })
    assert.throws(() => Pipeline.introspect(Pipeline.sequence("steps", [ask("a"), why])), 'which the step "b" writes')
    const several = [ask("b"), plain("b_summary"), ask("a"), plain("a_summary")]
    assert.throws(
      () => Pipeline.introspect(Pipeline.sequence("steps", several)),
      /^The step "b" would write its summary under "b_summary", which the step "b_summary" writes: rename one of them, or /
    )
    assert.throws(
      () => Pipeline.sequence("outer", [Pipeline.introspect(ask("a")), plain("a_summary")]),
      'two steps that write "a_summary"'
    )
    assert.doesNotThrow(() => Pipeline.introspect(Pipeline.sequence("s", [ask("a"), plain("a_summary")]), false))
  })

  it("may not take the key that a compaction inside writes", () => {
    for (const step of [ask("a"), Pipeline.sequence("steps", [ask("a"), ask("b")])]) {
      const compacted = Pipeline.compact(step, { summaryKey: "a_summary" })
      assert.throws(() => Pipeline.introspect(compacted), `which the compaction of "${step.name}" writes`)
      assert.doesNotThrow(() => Pipeline.introspect(compacted, false))
    }
    const settled = Pipeline.introspect(Pipeline.compact(ask("a"))).node
    assert.deepStrictEqual(settled.writes, ["a", "a_summary", "conversation_summary"])
  })

  it("are not asked for with invalid options", () => {
    const steps = Pipeline.sequence("steps", [ask("a")])
    assert.throws(() => Pipeline.introspect(steps, { prompt: " " }), /"steps"/)
    assert.throws(() => Pipeline.introspect(steps, { sampling: { temperature: Number.NaN } }), /The step "steps"/)
  })

  it("have the introspection options among the settings of the steps", () => {
    const steps = Pipeline.sequence("steps", [ask("a"), ask("b", { introspect: false }), plain("c")])
    const told = (options?: Parameters<typeof Pipeline.introspect>[1]) =>
      Pipeline.introspect(steps, options).node.children.map(({ settings }) => settings)
    assert.deepStrictEqual(told(), [{ introspect: true }, { introspect: false }, undefined])
    assert.deepStrictEqual(told(false)[0], { introspect: false })
    assert.deepStrictEqual(told({ prompt: "Why?", onFailure: "skip", sampling: { seed: 1 } })[0], {
      introspect: true,
      "introspect.prompt": "Why?",
      "introspect.onFailure": "skip",
      "introspect.sampling.seed": 1
    })
  })
})
