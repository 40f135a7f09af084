import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Pipeline, Primitive, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"

// Connectors nested far deeper than the call stack would bear a call for each.

type Any = Step.Step<{}, {}, unknown>

const deep = 2000
const leaf = Step.make("leaf", { schema: Schema.Finite, run: () => 1 })

const connectors: Readonly<Record<string, (step: Any, name: string) => Step.Any>> = {
  retry: (step, name) => Step.retry(step, { name }),
  sequence: (step, name) => Pipeline.sequence(name, [step]),
  filter: (step, name) => Pipeline.filter(name, { when: () => true, step }),
  fallback: (step, name) => Pipeline.fallback(name, [step]),
  concurrent: (step, name) => Pipeline.concurrent(name, [step]),
  race: (step, name) => Pipeline.race(name, { only: step }),
  gen: (step, name) =>
    Pipeline.gen(
      name,
      function* () {
        yield* Pipeline.ask(step)
      },
      { steps: [step] }
    ),
  scaffold: (step, name) => Pipeline.scaffold(name, { step }),
  compact: (step, name) => Pipeline.compact(Step.named(step, name)),
  introspect: (step, name) =>
    Pipeline.introspect(
      Pipeline.sequence(name, step === leaf ? [Primitive.decide("go", { question: "Go on?" }), step] : [step])
    ),
  piped: (step, name) => Step.timeout(Step.named(step, name), "1 second")
}

const nested = (wrap: (step: Any, name: string) => Step.Any): Step.Any =>
  Array.from({ length: deep }).reduce<Step.Any>((step, _, i) => wrap(step as Any, `s${i}`), leaf)

describe("connectors 2,000 deep", () => {
  for (const [name, wrap] of Object.entries(connectors)) {
    it(`are built, outlined, drawn and identified: ${name}`, async () => {
      const step = nested(wrap)
      const places = [...Pipeline.steps(step)]
      assert.isAbove(places.length, deep)
      assert.strictEqual(places.at(-1)?.node.name, "leaf")
      assert.strictEqual(Pipeline.outline(step).split("\n").length, places.length)
      assert.include(Pipeline.toMermaid(step), "leaf<br/>step")
      assert.match(await Effect.runPromise(Pipeline.fingerprint(step)), /^[0-9a-f]{64}$/)
      // what looks through all that is inside
      assert.strictEqual(Pipeline.introspect(step).name, step.name)
      assert.strictEqual(Pipeline.concurrent("branches", [step]).node.children.length, 1)
    })
  }

  it.effect("run", () =>
    Effect.gen(function* () {
      const step = nested((inner, name) => Step.retry(inner, { name })) as Any
      const done = yield* Pipeline.run(step, yield* Thought.make("deep"))
      assert.strictEqual(done.note("leaf")?.content, "1")
    }).pipe(Effect.provide(Testing.memory))
  )
})
