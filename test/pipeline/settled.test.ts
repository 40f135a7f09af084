import { assert, describe, it } from "@effect/vitest"
import { Data, Deferred, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Pipeline, Primitive, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { start, write } from "./branching.ts"

// What is left for after a commit, and what is derived from branches: cases that random programs met by chance only.

class Busy extends Data.TaggedError("Busy")<{ readonly retryAfter: Duration.Duration }> {}

describe("an effect after the commit", () => {
  const counting = () => {
    const seen: Array<string> = []
    const once = (name: string) => Step.once(name, () => Effect.sync(() => void seen.push(name)))
    return { seen, once }
  }

  it.effect("before branches runs once, not in each of them again", () =>
    Effect.gen(function* () {
      const { once, seen } = counting()
      const branches = Pipeline.concurrent("c", [
        Pipeline.sequence("one", [write("a"), once("in one")]),
        Pipeline.sequence("two", [write("b"), once("in two")])
      ])
      const steps = Pipeline.sequence("s", [once("before"), branches, once("after")])
      yield* Pipeline.run(Step.retry(steps, { name: "r" }), yield* start)
      assert.deepStrictEqual(seen, ["before", "in one", "in two", "after"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("before branches inside branches also runs once, and so do others", () =>
    Effect.gen(function* () {
      const { once, seen } = counting()
      const inner = Pipeline.concurrent("inner", [write("a"), write("b")])
      const outer = Pipeline.concurrent("outer", [
        Pipeline.sequence("one", [once("in one"), inner]),
        Pipeline.sequence("two", [once("in two"), write("c")])
      ])
      const left = Pipeline.sequence("left", [once("left"), Primitive.checkpoint("here"), write("d")])
      yield* Pipeline.run(Step.retry(Pipeline.sequence("s", [left, outer]), { name: "r" }), yield* start)
      assert.deepStrictEqual(seen, ["left", "in one", "in two"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("of a fork that was made before branches also runs once, and before theirs", () =>
    Effect.gen(function* () {
      const { once, seen } = counting()
      const onFork = (name: string) =>
        Step.make(`fork ${name}`, {
          run: (thought) =>
            Effect.flatMap(Thought.fork(thought), (fork) => Pipeline.run(once(name), fork)).pipe(Effect.orDie)
        })
      const branches = Pipeline.concurrent("c", [
        Pipeline.sequence("one", [onFork("in one"), write("a")]),
        Pipeline.sequence("two", [write("b"), onFork("in two")])
      ])
      const steps = Pipeline.sequence("s", [Step.enrich(onFork("before")), branches])
      yield* Pipeline.run(Step.retry(steps, { name: "r" }), yield* start)
      assert.deepStrictEqual(seen, ["before", "in one", "in two"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it("is refused in a branch whose notes get other keys", () => {
    const branch = Pipeline.sequence("one", [write("a"), Step.once("tell", Effect.void)])
    assert.throws(
      () => Pipeline.concurrent("c", { one: branch }, { conflicts: "namespace" }),
      /may have another key or value/
    )
  })

  it.effect("begins although the run is interrupted, if another one has begun", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const told: Array<string> = []
      const first = Step.once("first", Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
      const behind = Step.make("behind", { run: Effect.sync(() => void told.push("behind")) })
      const steps = Pipeline.sequence("s", [first, Pipeline.scaffold("later", { step: behind })])
      const run = Pipeline.run(Step.retry(steps, { name: "r" }), yield* start)
      yield* Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(run)
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(fiber)
      }).pipe(Effect.provide(Pipeline.supervisor()))
      assert.deepStrictEqual(told, ["behind"])
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("a wait that an error requests", () => {
  it.effect("may be exactly as long as the cap", () =>
    Effect.gen(function* () {
      let calls = 0
      const step = Step.make("step", {
        run: Effect.suspend(() => (++calls === 1 ? new Busy({ retryAfter: Duration.seconds(5) }) : Effect.void))
      })
      const backoff = Step.backoff(step, { times: 1, cap: "5 seconds", jitter: false, name: "b" })
      const fiber = yield* Effect.forkChild(Pipeline.run(backoff, yield* start))
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(fiber)
      assert.strictEqual(calls, 2)
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("the report of branches", () => {
  it.effect("is trusted only as far as the notes it rests on", () =>
    Effect.gen(function* () {
      const step = Pipeline.concurrent("c", [write("a")], { report: "how" })
      for (const trust of ["trusted", "untrusted"] as const) {
        const done = yield* Pipeline.run(step, yield* Thought.make("test", { text: "Hello" }, { trust }))
        assert.strictEqual(done.note("how")?.trust, trust)
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("names each key that a branch has written once, in their order", () =>
    Effect.gen(function* () {
      const again = Pipeline.sequence("again", [write("b")])
      const branch = Pipeline.sequence("one", [write("b"), write("a"), again], { overwrite: true })
      const step = Pipeline.concurrent("c", { one: branch }, { report: "how" })
      const done = yield* Pipeline.run(step, yield* start)
      assert.deepStrictEqual(done.get("how"), [{ name: "one", outcome: "success", keys: ["b", "a"] }])
    }).pipe(Effect.provide(Testing.memory))
  )
})
