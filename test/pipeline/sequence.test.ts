import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Note, Pipeline, Primitive, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"

const message = Note.handle("message", Schema.String)
const number = <const K extends string>(name: K, value = 1) =>
  Step.make(name, { schema: Schema.Finite, run: () => value })
const silent = (name: string) => Step.make(name, { run: () => {} })

const run = <In, Out, E>(step: Step.Step<In, Out, E>, notes: Record<string, string> = {}) =>
  Effect.gen(function* () {
    return yield* Pipeline.run(step as unknown as Step.Step<{}, Out, E>, yield* Thought.make("test", notes))
  }).pipe(Effect.provide(Testing.memory))

describe("a sequence", () => {
  it.effect("runs its steps one after the other, each on the result of the previous one", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      const size = Step.make("size", {
        schema: Schema.Finite,
        run: Note.from(message, (text) => Effect.as(Effect.yieldNow, (order.push("size"), text.length)))
      })
      const double = Step.make("double", {
        schema: Schema.Finite,
        run: Note.from(size, (n) => (order.push("double"), n * 2))
      })
      const triple = Step.make("triple", {
        schema: Schema.Finite,
        run: Note.from(double, (n) => (order.push("triple"), n * 3))
      })
      const done = yield* run(Pipeline.sequence("sums", [size, double, triple]), { message: "four" })
      assert.strictEqual(done.get("triple"), 24)
      assert.deepStrictEqual(order, ["size", "double", "triple"])
      assert.deepStrictEqual(
        Thought.notes(done).map(({ key, step }) => [key, step]),
        [
          ["message", ""],
          ["size", "sums/size"],
          ["double", "sums/double"],
          ["triple", "sums/triple"]
        ]
      )
    })
  )

  it.effect("without steps returns its thought", () =>
    Effect.gen(function* () {
      const done = yield* run(Pipeline.sequence("nothing", []), { message: "x" })
      assert.strictEqual(done.length, 1)
    })
  )

  it.effect("ends at the first failure", () =>
    Effect.gen(function* () {
      let ran = false
      const stop = Step.make("stop", { run: Effect.fail("stop" as const) })
      const never = Step.make("never", { run: () => (ran = true) })
      const error = yield* Effect.flip(run(Pipeline.sequence("all", [number("one"), stop, never])))
      assert.strictEqual(error.cause, "stop")
      assert.strictEqual(error.message, "all/stop failed after 0 ms: stop")
      assert.isFalse(ran)
    })
  )

  it.effect("of two hundred steps runs them all", () =>
    Effect.gen(function* () {
      const steps = Array.from({ length: 200 }, (_, i) => number(`n${i}`, i))
      const done = yield* run(Pipeline.sequence("many", steps))
      assert.strictEqual(done.length, 200)
      assert.strictEqual(done.note("n199")?.content, "199")
    })
  )

  it.effect("can be run twice, and inside others", () =>
    Effect.gen(function* () {
      const inner = Pipeline.sequence("inner", [number("one")])
      const done = yield* run(Pipeline.sequence("outer", [Pipeline.sequence("middle", [inner]), number("two")]))
      assert.strictEqual(done.note("one")?.step, "outer/middle/inner/one")
      assert.strictEqual(done.note("two")?.step, "outer/two")
      assert.strictEqual((yield* run(inner)).note("one")?.step, "inner/one")
    })
  )
})

describe("a sequence that would overwrite", () => {
  it("refuses two steps of one name", () => {
    assert.throws(
      () => Pipeline.sequence("all", [silent("a"), silent("b"), silent("a")]),
      /^The sequence "all" has two steps named "a"\. Rename one, or pass \{ overwrite: true \}/
    )
  })

  it("refuses two steps that write one key, and names both", () => {
    const one = Pipeline.sequence("one", [number("score")])
    const two = Pipeline.sequence("two", [number("score")])
    assert.throws(
      () => Pipeline.sequence("all", [one, two]),
      /^The sequence "all" has two steps that write "score": "one" and "two"\. Rename one/
    )
  })

  it("sees steps that were chained before", () => {
    const chained = silent("a").pipe(Step.andThen(silent("b")))
    assert.throws(() => Pipeline.sequence("all", [chained, silent("a")]), /two steps named "a"/)
  })

  it("accepts a chain that was allowed to", () => {
    const allowed = number("score").pipe(
      Step.andThen(number("score").pipe(Step.named("again")), { overwrite: true }),
      Step.when("sometimes", () => true, number("score")),
      Step.andThen(number("other"))
    )
    assert.deepStrictEqual(Pipeline.sequence("all", [allowed, number("more")]).node.writes, ["score", "other", "more"])
    assert.throws(() => allowed.pipe(Step.andThen(number("score").pipe(Step.named("third")))), /write "score"/)
    assert.throws(() => allowed.pipe(Step.andThen(silent("again"))), /named "again"/)
  })

  it("sees what a conditional step may write", () => {
    const maybe = silent("first").pipe(Step.when("sometimes", () => true, number("score")))
    assert.throws(() => Pipeline.sequence("all", [maybe, number("score")]), /two steps that write "score"/)
  })

  it.effect("does so when it is allowed to: the later value wins, the earlier one is history", () =>
    Effect.gen(function* () {
      const asText = Step.make("value", { schema: Schema.String, run: () => "two" })
      const done = yield* run(Pipeline.sequence("all", [number("value"), asText], { overwrite: true }))
      assert.strictEqual(done.get("value"), "two")
      assert.deepStrictEqual(
        Thought.history(done, "value").map(({ content }) => content),
        ["1", "two"]
      )
    })
  )

  it.effect("may overwrite what the thought began with", () =>
    Effect.gen(function* () {
      const done = yield* run(number("score", 5), { score: "old" })
      assert.strictEqual(done.get("score"), 5)
    })
  )
})

describe("the outline of a sequence", () => {
  it("has its steps, what it writes, and what it reads that no step before surely wrote", () => {
    const size = Step.make("size", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) })
    const big = Step.make("big", { schema: Schema.Boolean, run: Note.from(size, (n) => n > 3) })
    const go = Primitive.decide("go", {
      question: Note.from({ big, message, mood: Note.handle("mood", Schema.String) }, () => "?"),
      introspect: true
    })
    const all = Pipeline.sequence("all", [size, Pipeline.sequence("inner", [big, go])])
    assert.strictEqual(all.name, "all")
    assert.deepStrictEqual(all.node, {
      name: "all",
      kind: "sequence",
      layout: "row",
      reads: ["message", "mood"],
      writes: ["size", "big", "go", "go_summary"],
      surely: ["size", "big", "go", "go_summary"],
      children: [
        { name: "size", kind: "step", reads: ["message"], writes: ["size"], surely: ["size"], children: [] },
        {
          name: "inner",
          kind: "sequence",
          layout: "row",
          reads: ["size", "message", "mood"],
          writes: ["big", "go", "go_summary"],
          surely: ["big", "go", "go_summary"],
          children: [
            { name: "big", kind: "step", reads: ["size"], writes: ["big"], surely: ["big"], children: [] },
            {
              name: "go",
              kind: "decide",
              reads: ["big", "message", "mood"],
              writes: ["go", "go_summary"],
              surely: ["go", "go_summary"],
              settings: { introspect: true },
              children: []
            }
          ]
        }
      ]
    })
  })

  it("knows that a conditional step may not have written its note", () => {
    const alarm = number("alarm")
    const notify = Step.make("notify", { run: Note.from(alarm, () => Effect.void) })
    const maybe = silent("first").pipe(Step.when("sometimes", () => true, alarm))
    assert.deepStrictEqual(Pipeline.sequence("all", [maybe, notify]).node.reads, ["alarm"])
    assert.deepStrictEqual(maybe.pipe(Step.andThen(notify)).node.reads, ["alarm"])
    assert.deepStrictEqual(alarm.pipe(Step.andThen(notify)).node.reads, [])
  })
})
