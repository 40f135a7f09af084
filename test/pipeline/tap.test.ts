import { assert, describe, it } from "@effect/vitest"
import { Data, Effect, Exit, Schema } from "effect"
import { Memory, Note, Pipeline, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { start } from "./triage.ts"

// Something done beside the pipeline.

class Offline extends Data.TaggedError("Offline")<{}> {}

const message = Note.handle("message", Schema.String)

describe("a tap", () => {
  const seen: Array<string> = []
  const look = (text: string) => Effect.sync(() => seen.push(text))
  const taps = [
    ["a reader", Pipeline.tap("look", Note.from(message, look))],
    [
      "a function of the thought",
      Pipeline.tap("look", (thought: Thought.Thought<{ readonly message: string }>) =>
        seen.push(thought.get("message"))
      )
    ],
    [
      "a function that gives an effect",
      Pipeline.tap("look", (thought: Thought.Thought<{ readonly message: string }>) => look(thought.get("message")))
    ],
    ["an effect", Pipeline.tap("look", look("Hello"))]
  ] as const

  it.effect.each(taps)("runs %s once and passes the thought on as it is [C376] [C373] [C378]", ([, tap]) =>
    Effect.gen(function* () {
      seen.length = 0
      const thought = yield* Thought.make("test", { message: "Hello" })
      const done = yield* Pipeline.run(tap, thought)
      assert.deepStrictEqual(seen, ["Hello"])
      const stored = yield* Memory.load(thought.id)
      assert.deepStrictEqual(done.toJSON(), thought.toJSON())
      assert.deepStrictEqual(stored.toJSON(), thought.toJSON())
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("that fails fails the step, which names it [C377]", () =>
    Effect.gen(function* () {
      let after = 0
      const all = Pipeline.sequence("all", [
        Pipeline.tap("look", Effect.fail(new Offline())),
        Step.make("after", { run: () => ++after })
      ])
      const error = yield* Effect.flip(Pipeline.run(all, yield* start))
      assert.deepStrictEqual([error.cause._tag, error.path], ["Offline", ["all", "look"]])
      assert.strictEqual(after, 0)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("that throws is a defect [C379]", () =>
    Effect.gen(function* () {
      const tap = Pipeline.tap("look", () => {
        throw new Error("a bug")
      })
      const exit = yield* Effect.exit(Pipeline.run(tap, yield* start))
      assert.isTrue(Exit.isFailure(exit) && exit.cause.reasons.every(({ _tag }) => _tag === "Die"))
      assert.include(String(exit), "a bug")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("is done again in every attempt, with the same key for each", () =>
    Effect.gen(function* () {
      const keys: Array<string> = []
      const tap = Pipeline.tap(
        "look",
        Effect.map(Step.idempotencyKey, (key) => keys.push(key))
      )
      const flaky = Step.make("flaky", {
        run: Effect.suspend(() => (keys.length < 3 ? Effect.fail("no" as const) : Effect.void))
      })
      yield* Pipeline.run(Pipeline.sequence("all", [tap, flaky]).pipe(Step.retry()), yield* start)
      assert.lengthOf(keys, 3)
      assert.lengthOf(new Set(keys), 1)
    }).pipe(Effect.provide(Testing.memory))
  )

  it("is in the outline with what it reads", () => {
    assert.deepStrictEqual(Pipeline.tap("look", Note.from(message, look)).node, {
      name: "look",
      kind: "tap",
      reads: ["message"],
      writes: [],
      surely: [],
      children: []
    })
  })

  it("refuses what cannot be run", () => {
    assert.throws(() => Pipeline.tap("look", "Hello" as never), /"look" needs a function, an effect or a reader/)
  })
})
