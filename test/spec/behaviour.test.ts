import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Note, Pipeline, type Provider, Signal, Step, Thought } from "cogito"
import { Spec } from "cogito/spec"
import { Testing } from "cogito/testing"

/** Code that documents of these tests name, and how often it ran. */
const workshop = () => {
  const calls: Array<string> = []
  const total = Note.handle("total", Schema.Finite)
  const tier = Note.handle("tier", Schema.String)
  const step = <A extends string | number>(
    name: string,
    schema: Schema.Codec<A, any>,
    run: Effect.Effect<A, { readonly _tag: string }>
  ) =>
    Step.make(name, {
      schema,
      run: Effect.andThen(
        Effect.sync(() => calls.push(name)),
        run
      )
    })
  let failures = 0
  const registry = Spec.registry({
    steps: {
      cheap: step("answer", Schema.String, Effect.succeed("cheap")),
      strong: step("answer", Schema.String, Effect.succeed("strong")),
      broken: step("answer", Schema.String, Effect.fail({ _tag: "Broken" })),
      slow: step("answer", Schema.String, Effect.delay(Effect.succeed("slow"), "10 seconds")),
      flaky: step(
        "answer",
        Schema.String,
        Effect.suspend(() => (++failures < 3 ? Effect.fail({ _tag: "Flaky" }) : Effect.succeed("at last")))
      ),
      discount: Step.make("discounted", {
        schema: Schema.Finite,
        run: Note.from(total, (value) => {
          calls.push("discount")
          return value * 0.9
        })
      }),
      one: step("one", Schema.Finite, Effect.succeed(1)),
      two: step("two", Schema.Finite, Effect.delay(Effect.succeed(2), "5 seconds")),
      three: step("three", Schema.Finite, Effect.succeed(3))
    },
    readers: {
      isLarge: Note.from(total, (value) => value >= 100),
      tier: Note.from(tier, (name) => name),
      size: Note.from(total, (value) => value),
      sizes: Note.from(total, (value) => [value]),
      text: Note.from(tier, (name) => name)
    },
    functions: {
      note: (failure: Pipeline.Failure<{ readonly _tag: string }>) =>
        Effect.sync(() => calls.push(`saw ${failure.cause._tag}`)),
      onlyFlaky: (error: { readonly _tag: string }) => error._tag === "Flaky"
    },
    handles: [total, tier]
  })
  const build = (step: unknown, others: object = {}) =>
    Effect.flatMap(Spec.decode(registry, { cogito: 1, name: "test", step, ...others }), (document) =>
      Spec.build(registry, document, { reads: [total, tier] })
    )
  const run = (step: unknown, others: object = {}) =>
    Effect.gen(function* () {
      const built = yield* build(step, others)
      const start = yield* Thought.make("test", { total: "200", tier: "gold" })
      return yield* Pipeline.run(built as Step.Step<{}, {}, any, Provider.Provider>, start)
    })
  return { calls, registry, build, run }
}

const services = Layer.merge(Testing.memory, Testing.scripted([]).layer)
const use = (name: string) => ({ use: name })
const sequence = (name: string, ...steps: ReadonlyArray<unknown>) => ({ type: "sequence", name, steps })

const answer = (thought: Thought.Thought<any>) => thought.note("answer")?.content

describe("a pipeline of a document", () => {
  it.effect("runs registered steps in turn [C725] [C697]", () => {
    const { calls, run } = workshop()
    return Effect.gen(function* () {
      yield* run(sequence("all", use("one"), use("two"), use("three")))
      assert.deepStrictEqual(calls, ["one", "two", "three"])
    }).pipe(withTime)
  })

  it.effect("takes an alternative only when it must [C710] [C724] [C728]", () => {
    const { calls, run } = workshop()
    return Effect.gen(function* () {
      const fallback = (...alternatives: ReadonlyArray<unknown>) => ({ type: "fallback", name: "f", alternatives })
      assert.strictEqual(answer(yield* run(fallback(use("cheap"), use("strong")))), "cheap")
      assert.deepStrictEqual(calls, ["answer"])
      assert.strictEqual(
        answer(yield* run(fallback(sequence("s", use("one"), use("broken")), use("strong")))),
        "strong"
      )
      const patient = { type: "retry", name: "r", times: 1, step: use("broken") }
      assert.strictEqual(answer(yield* run(fallback(patient, use("strong")))), "strong")
      const error = yield* Effect.flip(run(fallback(use("broken"), patient)))
      assert.deepInclude(error, { _tag: "PipelineError", path: ["f", "r", "answer"] })
    }).pipe(withTime)
  })

  it.effect("tries again, at once and after waits [C711] [C729]", () => {
    const { calls, run } = workshop()
    return Effect.gen(function* () {
      assert.strictEqual(answer(yield* run({ type: "retry", name: "r", step: use("flaky") })), "at last")
      assert.strictEqual(calls.length, 3)
      const again = workshop()
      const waiting = { type: "backoff", name: "b", step: use("flaky"), base: "1 second", jitter: false }
      assert.strictEqual(answer(yield* again.run(waiting)), "at last")
      const few = workshop()
      const only = { type: "retry", name: "r", times: 1, step: use("flaky"), while: { function: "onlyFlaky" } }
      assert.deepInclude(yield* Effect.flip(few.run(only)), { _tag: "PipelineError" })
      assert.strictEqual(few.calls.length, 2)
    }).pipe(withTime)
  })

  it.effect(
    "goes by readers: filter with and without otherwise, switch with a default [C712] [C713] [C726] [C760]",
    () => {
      const { registry, run } = workshop()
      return Effect.gen(function* () {
        const filter = { type: "filter", name: "f", when: { reader: "isLarge" }, step: use("cheap") }
        assert.strictEqual(answer(yield* run(filter)), "cheap")
        const small = { ...filter, otherwise: use("strong") }
        const document = yield* Spec.decode(registry, { cogito: 1, name: "t", step: small })
        const total = Note.handle("total", Schema.Finite)
        const step = yield* Spec.build(registry, document, { reads: [total] })
        const start = yield* Thought.make("small", { total: "5" })
        assert.strictEqual(
          answer(yield* Pipeline.run(step as Step.Step<{}, {}, any, Provider.Provider>, start)),
          "strong"
        )

        const by = (branches: object, others: object = {}) => ({
          type: "switch",
          name: "s",
          on: { reader: "tier" },
          branches,
          ...others
        })
        assert.strictEqual(answer(yield* run(by({ gold: use("strong"), silver: use("cheap") }))), "strong")
        assert.strictEqual(answer(yield* run(by({ silver: use("cheap") }, { default: use("strong") }))), "strong")
        assert.isUndefined(answer(yield* run(by({ silver: use("cheap") }, { default: "pass" }))))
      }).pipe(withTime)
    }
  )

  it.effect("gives a discount only where it is due [C759]", () => {
    const { calls, run } = workshop()
    return Effect.gen(function* () {
      const done = yield* run({ type: "filter", name: "large", when: { reader: "isLarge" }, step: use("discount") })
      assert.strictEqual(done.note("discounted")?.content, "180")
      assert.deepStrictEqual(calls, ["discount"])
    }).pipe(withTime)
  })

  it.effect("observes a failure that stays one, and is silent on success [C723]", () => {
    const { calls, run } = workshop()
    return Effect.gen(function* () {
      const observed = (name: string) => ({ type: "handle", name: "h", step: use(name), handler: { function: "note" } })
      yield* run(observed("one"))
      assert.deepStrictEqual(calls, ["one"])
      yield* Effect.flip(run(sequence("around", observed("broken"))))
      assert.deepStrictEqual(calls, ["one", "answer", "saw Broken"])
    }).pipe(withTime)
  })

  it.effect("nests five deep, in order, and says the whole way of a failure [C715] [C765] [C774]", () => {
    const { calls, run } = workshop()
    return Effect.gen(function* () {
      const deep = (last: string) =>
        sequence("a", use("one"), {
          type: "timeout",
          name: "b",
          duration: "1 minute",
          step: sequence("c", use("three"), {
            type: "race",
            name: "d",
            branches: { only: { type: "retry", name: "e", times: 0, step: use(last) } }
          })
        })
      yield* run(deep("cheap"))
      assert.deepStrictEqual(calls, ["one", "three", "answer"])
      const error = yield* Effect.flip(run(deep("broken")))
      assert.deepInclude(error, { _tag: "PipelineError", path: ["a", "b", "c", "d", "only", "e", "answer"] })
    }).pipe(withTime)
  })

  it.effect("tries a service three times inside a breaker and a timeout [C761]", () => {
    const { calls, run } = workshop()
    return Effect.gen(function* () {
      const step = {
        type: "timeout",
        name: "t",
        duration: "1 second",
        step: { type: "circuitBreaker", name: "c", step: { type: "retry", name: "r", times: 2, step: use("broken") } }
      }
      yield* Effect.flip(run(step))
      assert.strictEqual(calls.length, 3)
    }).pipe(withTime)
  })

  it.effect("lets the fast one win, and branches overlap [C762] [C764]", () => {
    const { run } = workshop()
    return Effect.gen(function* () {
      assert.strictEqual(
        answer(
          yield* run({
            type: "race",
            name: "r",
            branches: [use("slow"), { type: "named", name: "fast", step: use("cheap") }]
          })
        ),
        "cheap"
      )
      const before = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      yield* run({ type: "concurrent", name: "c", branches: { a: use("two"), b: use("slow") } })
      const after = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      assert.isBelow(after - before, 15_000)
    }).pipe(withTime)
  })

  it.effect("turns off inside what is on around it", () => {
    const decide = (key: string) => ({ type: "decide", key, question: "Is it?" })
    const decides = sequence("all", decide("a"), decide("b"), decide("c"))
    const asked = (step: unknown) =>
      Effect.gen(function* () {
        const model = Testing.scripted(() => ({ decision: true, confidence: 1, reasoning: ["It is."] }))
        yield* workshop()
          .run(step)
          .pipe(Effect.provide(Layer.merge(Testing.memory, model.layer)))
        return model.requests.length
      })
    const compact = { type: "compact", turns: 2 }
    const introspect = { type: "introspect" }
    return Effect.gen(function* () {
      assert.isAbove(yield* asked({ ...compact, step: decides }), 3)
      assert.strictEqual(yield* asked({ ...compact, step: { ...compact, enabled: false, step: decides } }), 3)
      // more turns than compaction has room for where nothing is said of it
      const many = sequence("all", ...Array.from({ length: 25 }, (_, i) => decide(`d${i}`)))
      assert.isAbove(yield* asked({ type: "compact", step: many }), 25)
      assert.strictEqual(yield* asked({ ...compact, step: { type: "compact", enabled: false, step: many } }), 25)
      assert.strictEqual(yield* asked({ ...introspect, step: decides }), 6)
      assert.strictEqual(yield* asked({ ...introspect, step: { ...introspect, enabled: false, step: decides } }), 3)
    })
  })

  it.effect("is signalled under the names of the document [C741]", () => {
    const { run } = workshop()
    const paths: Array<string> = []
    return Effect.gen(function* () {
      yield* run(sequence("outer", { type: "enrich", name: "inner", step: use("one") }))
      assert.deepStrictEqual(paths, ["outer", "outer/inner", "outer/inner/one"])
    }).pipe(
      Signal.listen((signal) => {
        if (signal._tag === "StepStarted") paths.push(signal.path.join("/"))
      }),
      withTime
    )
  })

  it.effect("names the reader that gives something else than a document needs", () => {
    const { run } = workshop()
    return Effect.gen(function* () {
      const wrong: ReadonlyArray<readonly [object, RegExp]> = [
        [
          { type: "filter", name: "f", when: { reader: "text" }, step: use("one") },
          /The registered reader "text" must give true or false where the document has it, and gave a value of type string/
        ],
        [
          { type: "decide", key: "k", question: { reader: "size" } },
          /"size" must give text .* gave a value of type number/
        ],
        [
          { type: "prioritize", key: "k", criteria: "haste", items: { reader: "text" } },
          /"text" must give a list of texts .* gave a value of type string/
        ],
        [
          { type: "prioritize", key: "k", criteria: "haste", items: { reader: "sizes" } },
          /"sizes" must give a list of texts .* gave a list/
        ]
      ]
      for (const [step, words] of wrong) {
        const exit = yield* Effect.exit(run(step))
        assert.match(String(exit), words)
      }
    }).pipe(withTime)
  })
})

/** With the clock going on by itself. */
const withTime = <A, E>(self: Effect.Effect<A, E, any>): Effect.Effect<A, E> =>
  Effect.raceFirst(
    Effect.provide(self, services),
    Effect.forever(Effect.andThen(Effect.yieldNow, TestClock.adjust("100 millis")))
  ) as Effect.Effect<A, E>
