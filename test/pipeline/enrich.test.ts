import { assert, describe, it } from "@effect/vitest"
import { Cause, Data, Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { Memory, Pipeline, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { category, providerError, replies, start, ticket, withModel } from "./triage.ts"

// Steps whose failure is no failure of the pipeline.

class Offline extends Data.TaggedError("Offline")<{ readonly canary: string }> {}

const offline = Step.make("weather", {
  schema: Schema.String,
  run: Effect.fail(new Offline({ canary: "secret text" }))
})
const sunny = Step.make("weather", { schema: Schema.String, run: () => "sunny" })

const keys = (thought: Thought.Thought<any>) => Thought.notes(thought).map(({ key }) => key)
const dead = withModel(Testing.scripted([]))

describe("an optional step", () => {
  it.effect("adds its notes when it succeeds [C380]", () =>
    Effect.gen(function* () {
      const done = yield* Pipeline.run(Step.enrich(sunny, { report: "missing", name: "optional" }), yield* start)
      assert.strictEqual(done.get("weather"), "sunny")
      assert.isUndefined(done.get("missing"))
      const stored = yield* Memory.load(done.id)
      assert.deepStrictEqual(keys(stored), ["message", "weather"])
      assert.deepStrictEqual(stored.toJSON(), done.toJSON())
    }).pipe(dead)
  )

  it.effect("leaves the thought as it was when it fails, and emits a signal [C381]", () =>
    Effect.gen(function* () {
      const ignored: Array<unknown> = []
      const thought = yield* start
      const many = Pipeline.sequence("many", [Step.make("one", { schema: Schema.Finite, run: () => 1 }), offline])
      const done = yield* Pipeline.run(many.pipe(Step.enrich()), thought).pipe(
        Signal.listen((signal) => {
          if (signal._tag === "FailureIgnored") ignored.push([signal.path, signal.step, signal.error])
        })
      )
      assert.deepStrictEqual(keys(done), ["message"])
      assert.deepStrictEqual((yield* Memory.load(thought.id)).toJSON(), done.toJSON())
      assert.deepStrictEqual(ignored, [[["enrich(many)"], "many", "Offline"]])
    }).pipe(dead)
  )

  it.effect("writes where and how it failed, never its message", () =>
    Effect.gen(function* () {
      const step = Step.enrich(offline, { report: "missing", name: "optional" })
      const done = yield* Pipeline.run(Pipeline.sequence("all", [step]), yield* start)
      assert.deepStrictEqual(done.get("missing"), { path: ["all", "optional", "weather"], error: "Offline" })
      const stored = yield* Memory.load(done.id)
      assert.deepStrictEqual(keys(stored), ["message", "missing"])
      assert.deepStrictEqual(stored.toJSON(), done.toJSON())
      const note = stored.note("missing")
      assert.deepStrictEqual([note?.source, note?.step, note?.trust], ["enrich", "all/optional", "untrusted"])
      assert.notInclude(JSON.stringify(stored), "secret")
    }).pipe(dead)
  )

  it.effect("tells the next model call what is missing, and nothing of the failed call", () => {
    const model = Testing.scripted([replies.ticket, Effect.fail(providerError("Connection")), replies.category])
    return Effect.gen(function* () {
      const facts = Pipeline.sequence("facts", [ticket, category])
      const again = category.pipe(Step.named("again"))
      const done = yield* Pipeline.run(
        Pipeline.sequence("all", [facts.pipe(Step.enrich({ report: "missing" })), again], { overwrite: true }),
        yield* start
      )
      const sent = JSON.stringify(model.requests[2]?.messages)
      assert.include(sent, "ProviderError")
      assert.notInclude(sent, 'charged twice\\"')
      assert.notInclude(sent, "try again later")
      assert.deepStrictEqual(keys(done), ["message", "missing", "category"])
      assert.strictEqual(done.session.length, 2)
      assert.deepStrictEqual(Thought.unpublished(done), [])
    }).pipe(withModel(model))
  })

  it.effect("is tried anew in each run [C382]", () =>
    Effect.gen(function* () {
      let calls = 0
      const flaky = Step.make("weather", {
        schema: Schema.String,
        run: Effect.suspend(() => (++calls === 2 ? Effect.fail("rain" as const) : Effect.succeed("sunny")))
      }).pipe(Step.enrich())
      const results: Array<string | undefined> = []
      for (let i = 0; i < 3; i++) results.push((yield* Pipeline.run(flaky, yield* start)).get("weather"))
      assert.deepStrictEqual(results, ["sunny", undefined, "sunny"])
    }).pipe(dead)
  )

  it.effect("beside others that work keeps their notes, whichever are down [C640]", () =>
    Effect.gen(function* () {
      const service = <const K extends string>(key: K, up: boolean) =>
        Step.make(key, {
          schema: Schema.String,
          run: up ? Effect.succeed(`of ${key}`) : Effect.fail(new Offline({ canary: "secret text" }))
        }).pipe(Step.enrich({ report: `${key} missing` as const }))
      const down: Array<string> = []
      const page = Pipeline.sequence("page", [
        service("reviews", false),
        service("stock", true),
        service("offers", false),
        Step.make("page", { schema: Schema.String, run: (thought) => keys(thought).join(", ") })
      ])
      const done = yield* Pipeline.run(page, yield* start).pipe(
        Signal.listen((signal) => {
          if (signal._tag === "FailureIgnored") down.push(signal.step)
        })
      )
      assert.deepStrictEqual(
        [done.get("reviews"), done.get("stock"), done.get("offers")],
        [undefined, "of stock", undefined]
      )
      assert.strictEqual(done.get("page"), "message, reviews missing, stock, offers missing")
      assert.deepStrictEqual(down, ["reviews", "offers"])
    }).pipe(dead)
  )

  it.effect("does not swallow a defect [C383]", () =>
    Effect.gen(function* () {
      const bug = Step.make("bug", { run: Effect.die(new Error("a bug")) }).pipe(Step.enrich({ report: "missing" }))
      const thought = yield* start
      const exit = yield* Effect.exit(Pipeline.run(bug, thought))
      assert.isTrue(Exit.isFailure(exit) && exit.cause.reasons.every(({ _tag }) => _tag === "Die"))
      assert.deepStrictEqual(keys(yield* Memory.load(thought.id)), ["message"])
    }).pipe(dead)
  )

  it.effect("does not swallow interruption", () =>
    Effect.gen(function* () {
      const called = yield* Deferred.make<void>()
      const hanging = Step.make("hang", { run: Effect.andThen(Deferred.succeed(called, undefined), Effect.never) })
      const fiber = yield* Effect.forkChild(Pipeline.run(hanging.pipe(Step.enrich()), yield* start))
      yield* Deferred.await(called)
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
    }).pipe(dead)
  )

  it.effect("stores nothing before it has ended", () =>
    Effect.gen(function* () {
      const seen: Array<ReadonlyArray<string>> = []
      const peek = Step.make("peek", {
        run: (thought) => Effect.map(Memory.load(thought.id), (stored) => seen.push(keys(stored)))
      })
      const done = yield* Pipeline.run(Pipeline.sequence("many", [sunny, peek]).pipe(Step.enrich()), yield* start)
      assert.deepStrictEqual(seen, [["message"]])
      assert.deepStrictEqual(keys(yield* Memory.load(done.id)), ["message", "weather"])
    }).pipe(dead)
  )

  it("is in the outline with what it may write", () => {
    assert.deepStrictEqual(Step.enrich(offline, { report: "missing" }).node, {
      name: "enrich(weather)",
      kind: "enrich",
      reads: [],
      writes: ["weather", "missing"],
      surely: [],
      children: [offline.node],
      settings: { report: "missing" }
    })
    assert.isUndefined(Step.enrich(offline).node.settings)
  })

  it("refuses a report under the key of a note of the step, and an invalid key", () => {
    assert.throws(() => Step.enrich(sunny, { report: "weather", name: "optional" }), /"optional" write "weather"/)
    assert.throws(() => Step.enrich(sunny, { report: "", name: "optional" }), /1 to 200 characters/)
  })
})
