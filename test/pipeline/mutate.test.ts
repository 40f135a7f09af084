import { assert, describe, it } from "@effect/vitest"
import { Data, Effect, Exit, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { start, withModel } from "./triage.ts"

// A new value in the place of a note's.

class NoRate extends Data.TaggedError("NoRate")<{}> {}

const score = Step.make("score", { schema: Schema.Finite, run: () => 1.5, trust: "trusted" })
const double = Pipeline.mutate("double", { note: score, update: (value) => value * 2 })

const values = (thought: Thought.Thought<any>) => Thought.history(thought, "score").map(({ content }) => content)

const run = <Out, E>(step: Step.Step<{ readonly message: string }, Out, E, Memory.Memory>) =>
  Effect.gen(function* () {
    const done = yield* Pipeline.run(step, yield* start)
    return { done, stored: yield* Memory.load(done.id) }
  }).pipe(Effect.provide(Testing.memory))

describe("mutating a note", () => {
  it("reads the note in its outline, and surely writes it if it has no condition", () => {
    const own = { kind: "mutate", writes: ["score"], updates: ["score"], children: [] }
    assert.deepStrictEqual<object>(double.node, { ...own, name: "double", reads: ["score"], surely: ["score"] })
    const when = Note.from(Note.handle("message", Schema.String), (text) => text !== "")
    const maybe = Pipeline.mutate("maybe", { note: score, update: (value) => value, when })
    assert.deepStrictEqual<object>(maybe.node, { ...own, name: "maybe", reads: ["score", "message"], surely: [] })
  })

  it.effect("writes a new value and keeps the earlier in its history [C384] [C387]", () =>
    Effect.gen(function* () {
      const { done, stored } = yield* run(Pipeline.sequence("all", [score, double]))
      assert.strictEqual(done.get("score"), 3)
      assert.deepStrictEqual(values(stored), ["1.5", "3"])
      assert.deepStrictEqual(stored.toJSON(), done.toJSON())
      const note = stored.note("score")
      assert.deepStrictEqual([note?.source, note?.step, note?.seq], ["mutate", "all/double", 3])
      assert.strictEqual(yield* Thought.read(stored, score), 3)
    })
  )

  const conditions = [
    [-1, true, true],
    [1, true, false],
    [1, false, true],
    [-1, false, false]
  ] as const
  it.effect.each(conditions)("does so only if `when` holds: %s, %s [C384] [C385]", ([limit, allowed, expected]) =>
    Effect.gen(function* () {
      let calls = 0
      const step = Pipeline.mutate("double", {
        note: Note.handle("message", Schema.String),
        update: (text) => {
          calls++
          return `${text}?`
        },
        when: (thought) => Effect.succeed(thought.length > limit === allowed)
      })
      const { done, stored } = yield* run(step)
      assert.strictEqual(done.get("message").endsWith("?"), expected)
      assert.strictEqual(calls, expected ? 1 : 0)
      assert.strictEqual(stored.length, expected ? 2 : 1)
    })
  )

  it.effect("takes a reader as `when`, and an effect as the new value", () =>
    Effect.gen(function* () {
      const step = Pipeline.mutate("double", {
        note: score,
        update: (value, thought) => Effect.succeed(value + thought.length),
        when: Note.from(score, (value) => value > 1)
      })
      const { done } = yield* run(Pipeline.sequence("all", [score, step]))
      assert.strictEqual(done.get("score"), 3.5)
      assert.deepStrictEqual(step.node.reads, ["score"])
    })
  )

  it.effect("changes nothing when it fails, and has the path", () =>
    Effect.gen(function* () {
      const failing = Pipeline.mutate("rate", { note: score, update: () => Effect.fail(new NoRate()) })
      const thought = yield* start
      const error = yield* Effect.flip(Pipeline.run(Pipeline.sequence("all", [score, failing]), thought))
      assert.deepStrictEqual([error.cause._tag, error.path], ["NoRate", ["all", "rate"]])
      assert.deepStrictEqual(values(yield* Memory.load(thought.id)), ["1.5"])
    }).pipe(Effect.provide(Testing.memory))
  )

  const broken = [
    [
      "an update that throws",
      Pipeline.mutate("bug", {
        note: score,
        update: () => {
          throw new Error("a bug")
        }
      })
    ],
    [
      "a condition that throws",
      Pipeline.mutate("bug", {
        note: score,
        update: (value) => value,
        when: () => {
          throw new Error("a bug")
        }
      })
    ],
    ["a value outside the schema", Pipeline.mutate("bug", { note: score, update: () => Number.NaN })]
  ] as const
  it.effect.each(broken)("%s is a defect and changes nothing [C386] [C390]", ([, step]) =>
    Effect.gen(function* () {
      const thought = yield* start
      const exit = yield* Effect.exit(Pipeline.run(Pipeline.sequence("all", [score, step]), thought))
      assert.isTrue(Exit.isFailure(exit) && exit.cause.reasons.every(({ _tag }) => _tag === "Die"), String(exit))
      assert.deepStrictEqual(values(yield* Memory.load(thought.id)), ["1.5"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("is shown to the model instead of the earlier value", () => {
    const yes = { decision: true, confidence: 0.9, reasoning: ["It is high."] }
    const model = Testing.scripted([yes, yes])
    return Effect.gen(function* () {
      const ask = <const K extends string>(key: K) => Primitive.decide(key, { question: "Is it high?" })
      yield* Pipeline.run(Pipeline.sequence("all", [score, ask("first"), double, ask("second")]), yield* start)
      const [first, second] = model.requests.map(({ messages }) => messages.at(-1)?.text)
      assert.include(first, "1.5")
      assert.include(second, "score")
      assert.match(second ?? "", /^3$/m)
      assert.notInclude(second, "1.5")
    }).pipe(withModel(model))
  })

  it.effect("leaves the value as it was if a connector around it discards the new one", () =>
    Effect.gen(function* () {
      const order = Pipeline.sequence("order", [double, Step.make("pay", { run: Effect.fail(new NoRate()) })])
      const { done, stored } = yield* run(Pipeline.sequence("all", [score, order.pipe(Step.enrich())]))
      assert.strictEqual(done.get("score"), 1.5)
      assert.deepStrictEqual(values(stored), ["1.5"])
    })
  )
})

describe("a mutated note", () => {
  it.effect("derives from notes of other thoughts that its code uses", () =>
    Effect.gen(function* () {
      const mail = yield* Memory.commit(yield* Thought.make("mail", { message: "Half of it." }))
      const looked = Pipeline.mutate("looked", {
        note: score,
        update: (value) => Effect.as(Effect.orDie(Memory.load(mail.id)), value / 2)
      })
      const named = Pipeline.mutate("named", {
        note: score,
        update: (value) => Effect.as(Step.derivedFrom([mail.note("message")!]), value / 2)
      })
      const trusted = yield* Thought.make("rate", {}, { trust: "trusted" })
      for (const step of [looked, named]) {
        const done = yield* Pipeline.run(Pipeline.sequence("all", [score, step]), yield* Thought.fork(trusted))
        const [before, after] = Thought.history(done, "score")
        assert.sameMembers([...(after?.derivedFrom ?? [])], [before?.id, mail.note("message")?.id])
        assert.deepStrictEqual([before?.trust, after?.trust], ["trusted", "untrusted"])
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("is untrusted when anything that the update could read is", () =>
    Effect.gen(function* () {
      const outside = yield* run(Pipeline.sequence("all", [score, double]))
      assert.deepStrictEqual(
        Thought.history(outside.stored, "score").map(({ trust }) => trust),
        ["trusted", "untrusted"]
      )
      const own = yield* Thought.make("test", { message: "Hello" }, { trust: "trusted" })
      const done = yield* Pipeline.run(Pipeline.sequence("all", [score, double]), own)
      assert.strictEqual(done.note("score")?.trust, "trusted")
    }).pipe(Effect.provide(Testing.memory))
  )

  it("does not count as a second writer of its key in a sequence, unlike a second step", () => {
    const all = Pipeline.sequence("all", [score, double])
    assert.deepStrictEqual([all.node.reads, all.node.writes, all.node.surely], [[], ["score"], ["score"]])
    assert.isUndefined(all.node.updates)
    assert.throws(() => Pipeline.sequence("all", [score, double, score.pipe(Step.named("again"))]), /write "score"/)
  })

  it("appears in the outline as read and updated", () => {
    assert.deepStrictEqual(double.node, {
      name: "double",
      kind: "mutate",
      reads: ["score"],
      writes: ["score"],
      surely: ["score"],
      updates: ["score"],
      children: []
    })
    const maybe = Pipeline.mutate("maybe", { note: score, update: (value) => value, when: () => false })
    assert.deepStrictEqual(maybe.node.surely, [])
  })

  it("refuses an update or a condition that cannot be run", () => {
    assert.throws(() => Pipeline.mutate("it", { note: score, update: 1 as never }), /"it" needs .* as `update`/)
    assert.throws(
      () => Pipeline.mutate("it", { note: score, update: (value) => value, when: true as never }),
      /"it" needs .* as `when`/
    )
  })
})
