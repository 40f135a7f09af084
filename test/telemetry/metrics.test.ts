/** What the metrics of a program say, without an exporter. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Metric, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Embedder, Memory, Pipeline, Primitive, type Provider, Step, Thought } from "cogito"
import { Telemetry } from "cogito/telemetry"
import { Testing } from "cogito/testing"
import { providerError } from "../pipeline/triage.ts"

/** The histograms of this name, with their attributes. */
const histograms = (name: string) =>
  Effect.map(Metric.snapshot, (all) =>
    all.flatMap((metric) =>
      metric.id === name && metric.type === "Histogram"
        ? [
            {
              count: metric.state.count,
              sum: metric.state.sum,
              of: { ...metric.attributes }
            }
          ]
        : []
    )
  )

/** The sums of the counters, and the counts and sums of the histograms about models, by their names and attributes. */
const about = (names: ReadonlyArray<string>) =>
  Effect.map(Metric.snapshot, (all) =>
    Object.fromEntries(
      all.flatMap((metric) => {
        const { unit: _, ...of } = metric.attributes ?? {}
        if (!names.includes(metric.id) || of["gen_ai.operation.name"] === "embeddings") return []
        const state = metric.state as unknown as Record<"count" | "sum", number>
        const key = [metric.id, ...Object.entries(of).flatMap(([name, value]) => [name, value])].join(" ")
        return [[key, metric.type === "Histogram" ? [state.count, state.sum] : state.count]]
      })
    )
  )

/** Runs a program with metrics of its own. Its steps let the test's clock go on. */
const measured = <A, E>(
  program: Effect.Effect<A, E, Memory.Memory>,
  memory: Layer.Layer<Memory.Memory, unknown> = Testing.memory,
  names: ReadonlyArray<string> = []
) =>
  Effect.gen(function* () {
    const services = Layer.fresh(memory).pipe(Layer.provideMerge(Layer.fresh(Telemetry.layer())))
    const exit = yield* Effect.exit(Effect.provide(program, services))
    return {
      exit,
      counted: yield* about(names),
      steps: yield* histograms("cogito.step.duration"),
      durations: yield* histograms("gen_ai.client.operation.duration")
    }
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))

describe("metrics of a program", () => {
  it.effect("have the seconds that a step took, and how it failed", () =>
    Effect.gen(function* () {
      const slow = Step.make("slow", { run: TestClock.adjust("3 seconds") })
      const broken = Step.make("broken", {
        run: Effect.andThen(TestClock.adjust("2 seconds"), Effect.fail({ _tag: "Broken" as const }))
      })
      const program = Effect.flatMap(Thought.make("work"), (thought) =>
        Pipeline.run(Pipeline.sequence("all", [slow, broken]), thought)
      )
      const { exit, steps } = yield* measured(program)
      assert.isTrue(Exit.isFailure(exit))
      assert.sameDeepMembers(steps, [
        { count: 1, sum: 3, of: { "cogito.step.kind": "step", unit: "s" } },
        { count: 1, sum: 2, of: { "cogito.step.kind": "step", "error.type": "Broken", unit: "s" } },
        { count: 1, sum: 5, of: { "cogito.step.kind": "sequence", "error.type": "Broken", unit: "s" } }
      ])
    })
  )

  it.effect("have a step once that a resumed run has done before", () =>
    Effect.gen(function* () {
      const step = Pipeline.sequence("all", [
        Step.make("slow", { run: TestClock.adjust("3 seconds") }),
        Pipeline.waitFor("answer", { schema: Schema.String, prompt: "Well?" })
      ])
      const program = Effect.gen(function* () {
        const thought = yield* Thought.make("work", { message: "Hello" })
        yield* Effect.flip(Pipeline.run(step, thought, { durable: { id: "run" } }))
        yield* Pipeline.answer("run", "answer", "Yes")
        return yield* Pipeline.resume(step, "run")
      })
      const { exit, steps } = yield* measured(program)
      assert.isTrue(Exit.isSuccess(exit))
      assert.deepStrictEqual(
        steps.filter(({ of }) => of["cogito.step.kind"] === "step"),
        [{ count: 1, sum: 3, of: { "cogito.step.kind": "step", unit: "s" } }]
      )
    })
  )

  it.effect("have a call once that a resumed run has made before, and its cost where prices are known", () =>
    Effect.gen(function* () {
      for (const prices of [undefined, { input: 1, output: 10, asOf: "2026-11-01" }]) {
        const question = (key: string) => Primitive.decide(key, { question: `Is it ${key}?`, via: "text" })
        const step = Step.retry(
          Pipeline.sequence("all", [
            question("good"),
            Step.recover(question("bad"), Pipeline.waitFor("answer", { schema: Schema.String, prompt: "Well?" }))
          ])
        )
        const slow = <A, E>(reply: Effect.Effect<A, E>) => Effect.andThen(TestClock.adjust("2 seconds"), reply)
        const model = Testing.scripted(
          [
            slow(Effect.succeed({ decision: true, confidence: 0.9, reasoning: ["so"] })),
            slow(providerError("Overloaded", { inputTokens: 7 }))
          ],
          { usage: { inputTokens: 100, outputTokens: 20 }, capabilities: { prices } as Partial<Provider.Capabilities> }
        )
        const program = Effect.gen(function* () {
          const thought = yield* Thought.make("work", { message: "Hello" })
          yield* Effect.flip(Pipeline.run(step, thought, { durable: { id: "run" } }))
          yield* Pipeline.answer("run", "answer", "Yes")
          return yield* Pipeline.resume(step, "run")
        })
        const names = ["gen_ai.client.operation.duration", "gen_ai.client.token.usage"]
        names.push("cogito.cost", "cogito.calls.active", "cogito.cache.hits")
        const { counted, exit } = yield* measured(Effect.provide(program, model.layer), Testing.memory, names)
        assert.isTrue(Exit.isSuccess(exit), String(exit))
        assert.strictEqual(model.requests.length, 2)
        const failed = "gen_ai.operation.name chat gen_ai.provider.name scripted gen_ai.request.model script"
        const answered = `${failed} gen_ai.response.model script`
        assert.deepStrictEqual(counted, {
          "cogito.calls.active": 0,
          [`gen_ai.client.operation.duration ${answered}`]: [1, 2],
          [`gen_ai.client.operation.duration ${failed} error.type Overloaded`]: [1, 2],
          [`gen_ai.client.token.usage ${answered} gen_ai.token.type input`]: [1, 100],
          [`gen_ai.client.token.usage ${answered} gen_ai.token.type output`]: [1, 20],
          [`gen_ai.client.token.usage ${failed} gen_ai.token.type input`]: [1, 7],
          ...(prices && { [`cogito.cost ${answered}`]: 0.0003 })
        })
      }
    })
  )

  it.effect("count the waits for a limit, and the seconds of those whose length is known", () =>
    Effect.gen(function* () {
      const program = Effect.gen(function* () {
        const rate = Step.rateLimit(Step.make("now", { run: () => undefined }), { limit: 1, per: "4 seconds" })
        const work = yield* Thought.make("work")
        yield* Pipeline.run(rate, work)
        const second = yield* Effect.forkChild(Pipeline.run(rate, work))
        yield* TestClock.adjust("4 seconds")
        return yield* Fiber.join(second)
      })
      const names = ["cogito.throttle.waits", "cogito.throttle.wait.duration"]
      const { counted, exit } = yield* measured(program, Testing.memory, names)
      assert.isTrue(Exit.isSuccess(exit), String(exit))
      assert.deepStrictEqual(counted, { "cogito.throttle.waits": 1, "cogito.throttle.wait.duration": [1, 4] })
    })
  )

  it.effect("have the seconds that an embedder took, whether it failed or not", () =>
    Effect.gen(function* () {
      for (const isDown of [false, true]) {
        const down = new Embedder.EmbedderError({ embedder: "slow", message: "no", retryable: false })
        const embedder = Layer.succeed(Embedder.Embedder, {
          id: "slow",
          dimensions: 2,
          maxTokens: 10,
          metric: "cosine",
          embedMany: (texts) =>
            Effect.andThen(
              TestClock.adjust("4 seconds"),
              isDown ? Effect.fail(down) : Effect.succeed(texts.map(() => Float32Array.of(1, 0)))
            )
        })
        const memory = Layer.provide(Memory.layerInMemory(), embedder)
        const { durations, exit } = yield* measured(Memory.search("what"), memory)
        assert.strictEqual(Exit.isSuccess(exit), !isDown)
        const of = {
          "gen_ai.operation.name": "embeddings",
          "gen_ai.provider.name": "_OTHER",
          "gen_ai.request.model": "slow",
          ...(isDown && { "error.type": "EmbedderError" }),
          unit: "s"
        }
        // after a failure it is asked once more
        const count = isDown ? 2 : 1
        assert.deepStrictEqual(durations, [{ count, sum: 4 * count, of }])
      }
    })
  )
})
