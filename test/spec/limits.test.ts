import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Pipeline, type Step, Thought } from "cogito"
import { Spec } from "cogito/spec"
import { Testing } from "cogito/testing"
import { none, noting, settle } from "../../src/spec/model/limits.ts"

const services = Layer.merge(Testing.memory, Testing.scripted([]).layer)

/** A file kept in memory with one step, and the way to edit it. */
const file = (step: object) => {
  const texts = { current: "" }
  const write = (step: object, others: object = {}) =>
    Effect.sync(() => {
      texts.current = JSON.stringify({ cogito: 1, name: "limited", step, ...others })
    })
  Effect.runSync(write(step))
  return { read: () => Effect.sync(() => texts.current), write }
}

/** Long enough for an edit to be seen twice. */
const seen = TestClock.adjust("1 second")

const run = (step: Step.Step<{}, {}, unknown, any>) =>
  Effect.flatMap(Thought.make("run"), (thought) => Effect.result(Pipeline.run(step, thought))).pipe(
    Effect.map((result) =>
      result._tag === "Success" ? "done" : String((result.failure.cause as { _tag?: string })._tag)
    )
  )

const work = { type: "tap", name: "work", run: { function: "work" } }
const registryOf = (work: () => Effect.Effect<unknown, any>) => Spec.registry({ functions: { work } })

describe("the state of limits", () => {
  const limited = (options: object, name = "limited") => ({
    type: "rateLimit",
    name,
    per: "1 hour",
    onExceeded: "fail",
    step: work,
    ...options
  })

  it.effect("of a rate goes on in the next version, with its numbers", () =>
    Effect.gen(function* () {
      const disk = file(limited({ limit: 2 }))
      const { current, step } = yield* Spec.watch(
        registryOf(() => Effect.void),
        "l.json",
        { read: disk.read }
      )
      assert.deepStrictEqual([yield* run(step), yield* run(step), yield* run(step)], ["done", "done", "RateLimited"])

      // another step inside: what was used up stays used up
      yield* disk.write(limited({ limit: 2, step: { type: "enrich", name: "optional", step: work } }))
      yield* seen
      assert.strictEqual((yield* current).version, 2)
      assert.strictEqual(yield* run(step), "RateLimited")

      // twice as much in the hour
      yield* disk.write(limited({ limit: 3_600, burst: 10 }))
      yield* seen
      assert.strictEqual((yield* current).version, 3)
      assert.deepInclude(step.node.settings, { limit: 3_600, burst: 10 })
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* run(step), "done")

      // a burst that is said no more is again what it is by default
      yield* disk.write(limited({ limit: 2 }))
      yield* seen
      assert.deepInclude(step.node.settings, { limit: 2, burst: 2 })

      // which is one at least
      yield* disk.write(limited({ limit: 0.5 }))
      yield* seen
      assert.deepInclude(step.node.settings, { limit: 0.5, burst: 1 })
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.effect("is not touched by an edit that is refused", () =>
    Effect.gen(function* () {
      const disk = file(limited({ limit: 1 }))
      const { current, step } = yield* Spec.watch(
        registryOf(() => Effect.void),
        "l.json",
        { read: disk.read }
      )
      assert.strictEqual(yield* run(step), "done")
      const twice = { type: "sequence", name: "all", steps: [limited({ limit: 100 }), work, work] }
      yield* disk.write(twice)
      yield* seen
      yield* disk.write({ type: "sequence", name: "all", steps: [limited({ limit: 100, burst: 0 })] })
      yield* seen
      yield* disk.write(limited({ limit: 1, per: "0 seconds" }))
      yield* seen
      assert.strictEqual((yield* current).version, 1)
      assert.strictEqual(yield* run(step), "RateLimited")
      assert.deepInclude(step.node.settings, { limit: 1, burst: 1 })
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.effect("is kept by the path of names, and begins anew under another one", () =>
    Effect.gen(function* () {
      const disk = file(limited({ limit: 1 }))
      const { step } = yield* Spec.watch(
        registryOf(() => Effect.void),
        "l.json",
        { read: disk.read }
      )
      assert.deepStrictEqual([yield* run(step), yield* run(step)], ["done", "RateLimited"])
      yield* disk.write(limited({ limit: 1 }, "other"))
      yield* seen
      assert.deepStrictEqual([yield* run(step), yield* run(step)], ["done", "RateLimited"])
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.effect("of a definition is one, wherever it is used", () =>
    Effect.gen(function* () {
      const definitions = { shared: limited({ limit: 1 }) }
      const using = (name: string) => ({ type: "named", name, step: { use: "shared" } })
      const disk = file(using("one"))
      yield* disk.write(using("one"), { definitions })
      const { step } = yield* Spec.watch(
        registryOf(() => Effect.void),
        "l.json",
        { read: disk.read }
      )
      assert.deepStrictEqual([yield* run(step), yield* run(step)], ["done", "RateLimited"])
      yield* disk.write(using("two"), { definitions })
      yield* seen
      assert.strictEqual(yield* run(step), "RateLimited")
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.effect("of a definition is separate from another limit of the same name", () =>
    Effect.gen(function* () {
      const definitions = { one: limited({ limit: 1 }), three: limited({ limit: 3 }) }
      const around = (use: string) => limited({ limit: 2, step: { use } })
      const disk = file(around("one"))
      yield* disk.write(around("one"), { definitions })
      const { step } = yield* Spec.watch(
        registryOf(() => Effect.void),
        "l.json",
        { read: disk.read }
      )
      assert.deepInclude(step.node.settings, { limit: 2 })
      assert.deepStrictEqual([yield* run(step), yield* run(step)], ["done", "RateLimited"])
      yield* disk.write({ use: "three" }, { definitions })
      yield* seen
      assert.deepStrictEqual([yield* run(step), yield* run(step)], ["done", "done"])
      yield* disk.write({ use: "one" }, { definitions })
      yield* seen
      assert.strictEqual(yield* run(step), "RateLimited")
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.effect("of a circuit goes on in the next version, with its numbers", () =>
    Effect.gen(function* () {
      const guarded = (options: object) => ({ type: "circuitBreaker", name: "guard", step: work, ...options })
      const disk = file(guarded({ failures: 2 }))
      const { step } = yield* Spec.watch(
        registryOf(() => Effect.fail({ _tag: "Down" })),
        "l.json",
        { read: disk.read }
      )
      assert.deepStrictEqual([yield* run(step), yield* run(step), yield* run(step)], ["Down", "Down", "CircuitOpen"])
      yield* disk.write(guarded({ failures: 3, reset: "10 minutes", successes: 2 }))
      yield* seen
      assert.strictEqual(yield* run(step), "CircuitOpen")
      assert.deepInclude(step.node.settings, { failures: 3, reset: "10m", successes: 2 })
      yield* disk.write(guarded({}))
      yield* seen
      assert.deepInclude(step.node.settings, { failures: 5, reset: "1m", successes: 1 })
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* run(step), "Down")
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.effect("of workers counts those of both versions", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      let active = 0
      const registry = registryOf(() =>
        Effect.andThen(
          Effect.sync(() => active++),
          Effect.andThen(
            Deferred.await(gate),
            Effect.sync(() => active--)
          )
        )
      )
      const pool = (workers: number) => ({ type: "workerLimit", name: "pool", workers, step: work })
      const disk = file(pool(1))
      const { step } = yield* Spec.watch(registry, "l.json", { read: disk.read })
      const first = yield* Effect.forkChild(run(step), { startImmediately: true })
      const waiting = yield* Effect.forkChild(run(step), { startImmediately: true })
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(active, 1)
      yield* disk.write(pool(2))
      yield* seen
      assert.strictEqual(active, 2)
      const third = yield* Effect.forkChild(run(step), { startImmediately: true })
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(active, 2)
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(yield* Effect.forEach([first, waiting, third], Fiber.join), ["done", "done", "done"])
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  const guard = (use: string, name = "guard") => ({
    type: "circuitBreaker",
    name,
    failures: 1,
    reset: "1 hour",
    step: { type: "tap", name: use, run: { function: use } }
  })
  const fallback = (...alternatives: ReadonlyArray<unknown>) => ({ type: "fallback", name: "one of", alternatives })
  const circuits = Effect.fnUntraced(function* (first: object) {
    const ran: Array<string> = []
    const registry = Spec.registry({
      functions: {
        bad: () =>
          Effect.andThen(
            Effect.sync(() => ran.push("bad")),
            Effect.fail({ _tag: "Down" })
          ),
        good: () => Effect.sync(() => ran.push("good"))
      }
    })
    const disk = file(first)
    const { changes, current, step } = yield* Spec.watch(registry, "l.json", { read: disk.read })
    const told: Array<string> = []
    yield* Effect.forkScoped(
      Stream.runForEach(changes, (change) =>
        Effect.sync(() => told.push(change._tag === "Loaded" ? "loaded" : String(change.errors[0]?.message)))
      ),
      { startImmediately: true }
    )
    const edit = (step: object) => Effect.andThen(disk.write(step), seen)
    const tried = Effect.suspend(() => {
      ran.length = 0
      return Effect.map(run(step), (end) => [...ran, end].join(" "))
    })
    return { current, edit, told, tried }
  })

  it.effect("stays with its step when steps change their order", () =>
    Effect.gen(function* () {
      const { edit, tried } = yield* circuits(fallback(guard("bad", "of bad"), guard("good", "of good")))
      assert.deepStrictEqual([yield* tried, yield* tried], ["bad good done", "good done"])
      yield* edit(fallback(guard("good", "of good"), guard("bad", "of bad")))
      assert.strictEqual(yield* tried, "good done")
      yield* edit(fallback(guard("bad", "of bad"), guard("good", "of good")))
      assert.strictEqual(yield* tried, "good done")
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.effect("stays with its step when that is put into another one, removed and put back", () =>
    Effect.gen(function* () {
      const { current, edit, tried } = yield* circuits(guard("bad"))
      assert.deepStrictEqual([yield* tried, yield* tried], ["bad Down", "CircuitOpen"])
      yield* edit({ type: "retry", name: "again", times: 0, step: guard("bad") })
      assert.strictEqual(yield* tried, "CircuitOpen")
      yield* edit(guard("bad").step)
      assert.strictEqual(yield* tried, "bad Down")
      // whatever versions there are in between
      yield* edit({ type: "named", name: "between", step: guard("bad").step })
      assert.strictEqual(yield* tried, "bad Down")
      yield* edit({ type: "named", name: "other", step: guard("bad") })
      assert.strictEqual(yield* tried, "CircuitOpen")
      assert.strictEqual((yield* current).version, 5)
      // under another name it is another one
      yield* edit({ type: "named", name: "other", step: guard("bad", "fresh") })
      assert.strictEqual(yield* tried, "bad Down")
    }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.effect(
    "is identified by the steps around those that share a name, and not found if these do not identify it",
    () =>
      Effect.gen(function* () {
        const named = (name: string, step: object) => ({ type: "named", name, step })
        const { edit, told, tried } = yield* circuits(fallback(named("a", guard("bad")), named("b", guard("good"))))
        assert.deepStrictEqual([yield* tried, yield* tried], ["bad good done", "good done"])
        yield* edit(fallback(named("b", guard("good")), named("a", guard("bad"))))
        assert.strictEqual(yield* tried, "good done")
        yield* edit(fallback(guard("bad"), guard("good")))
        assert.deepStrictEqual(told, [
          "loaded",
          "l.json has a problem:\n" +
            '- step.alternatives[1]: Another limit of this kind is named "guard" in the same place: rename one.'
        ])
        yield* edit(named("a", guard("good")))
        assert.deepStrictEqual(told.slice(2), ["loaded"])
      }).pipe(Effect.scoped, Effect.provide(services))
  )

  it.effect("is kept for the thousand steps that were removed last", () =>
    Effect.gen(function* () {
      const declaring = (...names: ReadonlyArray<string>) => {
        const said = noting()
        for (const name of names) said.workerPool([name], { workers: 1 })
        return said
      }
      const many = Array.from({ length: 1_001 }, (_, i) => `p${i}`)
      const first = yield* settle(none, declaring(...many))
      const removed = yield* settle(first, declaring())
      const { workerPools } = yield* settle(removed, declaring(...many))
      const isKept = [...workerPools.present].map(
        ([place, { value }]) => value === first.workerPools.present.get(place)?.value
      )
      assert.deepStrictEqual(isKept, [false, ...Array.from({ length: 1_000 }, () => true)])
    })
  )

  it.effect("of two that shared a name is that of neither, when one of that name is left elsewhere", () =>
    Effect.gen(function* () {
      const named = (name: string, step: object) => ({ type: "named", name, step })
      const { edit, told, tried } = yield* circuits(fallback(named("a", guard("bad")), named("b", guard("bad"))))
      assert.deepStrictEqual([yield* tried, yield* tried], ["bad bad Down", "CircuitOpen"])
      yield* edit(named("c", guard("bad")))
      assert.deepStrictEqual(told, ["loaded"])
      assert.deepStrictEqual([yield* tried, yield* tried], ["bad Down", "CircuitOpen"])
    }).pipe(Effect.scoped, Effect.provide(services))
  )
})
