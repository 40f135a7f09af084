import { assert, describe, it } from "@effect/vitest"
import { Cause, Data, Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { Memory, Note, Pipeline, type Provider, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { category, providerError, replies, start, ticket, withModel } from "./triage.ts"

// Another step in the place of one that fails.

class Unpaid extends Data.TaggedError("Unpaid")<{ readonly amount: number }> {}
class Closed extends Data.TaggedError("Closed")<{}> {}

const message = Note.handle("message", Schema.String)
const size = Step.make("size", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) })
const one = Step.make("one", { schema: Schema.Finite, run: () => 1 })
const unpaid = Step.make("pay", { run: Effect.fail(new Unpaid({ amount: 1 })) })
const failing = Pipeline.sequence("order", [one, unpaid])

const keys = (thought: Thought.Thought<any>) => Thought.notes(thought).map(({ key }) => key)

/** A run, what it was on, and what is stored of it. */
const run = <Out, E>(step: Step.Step<{ readonly message: string }, Out, E, Provider.Provider | Memory.Memory>) =>
  Effect.gen(function* () {
    const thought = yield* start
    const done = yield* Pipeline.run(step, thought)
    return { done, stored: yield* Memory.load(thought.id) }
  })

const dead = withModel(Testing.scripted([]))

describe("recovering", () => {
  it.effect("does not run the other step when the step succeeds", () =>
    Effect.gen(function* () {
      const step = Step.recover(size, one, { name: "sure" })
      const { done, stored } = yield* run(step)
      assert.strictEqual(done.get("size"), 59)
      assert.deepStrictEqual(keys(stored), ["message", "size"])
      assert.strictEqual(stored.note("size")?.step, "sure/size")
    }).pipe(dead)
  )

  it.effect("runs the other step on the original thought; the failed step leaves nothing behind", () =>
    Effect.gen(function* () {
      const seen: Array<ReadonlyArray<string>> = []
      const look = Step.make("size", {
        schema: Schema.Finite,
        run: (thought) => {
          seen.push(keys(thought))
          return thought.length
        }
      })
      const { done, stored } = yield* run(Step.recover(failing, look, { name: "sure" }))
      assert.deepStrictEqual(seen, [["message"]])
      assert.strictEqual(done.get("size"), 1)
      assert.isUndefined(done.get("one"))
      assert.deepStrictEqual(keys(stored), ["message", "size"])
      assert.deepStrictEqual(stored.toJSON(), done.toJSON())
      assert.strictEqual(stored.note("size")?.step, "sure/with/size")
    }).pipe(dead)
  )

  it.effect("calls the model as if the step had never run", () => {
    const model = Testing.scripted([replies.ticket, replies.category])
    const fresh = Testing.scripted([replies.category])
    return Effect.gen(function* () {
      const thought = yield* start
      const step = Step.recover(Pipeline.sequence("order", [ticket, unpaid]), category, { name: "sure" })
      const done = yield* Effect.gen(function* () {
        const recovered = yield* Pipeline.run(step, thought)
        assert.deepStrictEqual((yield* Memory.load(thought.id)).toJSON(), recovered.toJSON())
        return recovered
      }).pipe(withModel(model))
      yield* Pipeline.run(category, thought).pipe(withModel(fresh))
      assert.lengthOf(model.requests, 2)
      assert.deepStrictEqual(model.requests[1]?.messages, fresh.requests[0]?.messages)
      assert.deepStrictEqual(keys(done), ["message", "category"])
      assert.strictEqual(done.session.length, 2)
    })
  })

  it.effect("stores nothing before one of the two has succeeded", () =>
    Effect.gen(function* () {
      const seen: Array<ReadonlyArray<string>> = []
      const peek = Step.make("peek", {
        run: (thought) => Effect.map(Memory.load(thought.id), (stored) => seen.push(keys(stored)))
      })
      const step = Step.recover(
        Pipeline.sequence("order", [one, peek, unpaid]),
        Pipeline.sequence("other", [size, peek]),
        { name: "sure" }
      )
      const { stored } = yield* run(step)
      assert.deepStrictEqual(seen, [["message"], ["message"]])
      assert.deepStrictEqual(keys(stored), ["message", "size"])
    }).pipe(dead)
  )

  it.effect("that fails too has the error of the recovery, with the failure of the step before it", () =>
    Effect.gen(function* () {
      const closed = Step.make("shop", { run: Effect.fail(new Closed()) })
      const thought = yield* start
      const error = yield* Effect.flip(
        Pipeline.run(Step.recover(failing, Pipeline.sequence("other", [one, closed]), { name: "sure" }), thought)
      )
      assert.deepStrictEqual([error.cause._tag, error.path], ["Closed", ["sure", "with", "other", "shop"]])
      assert.deepStrictEqual(
        error.before.map(({ cause, path }) => [(cause as Unpaid)._tag, path]),
        [["Unpaid", ["sure", "order", "pay"]]]
      )
      assert.deepStrictEqual(keys(yield* Memory.load(thought.id)), ["message"])
    }).pipe(dead)
  )

  it.effect("recovers only from the errors that `when` selects", () =>
    Effect.gen(function* () {
      let calls = 0
      const other = Step.make("other", { run: () => ++calls })
      const asked: Array<number> = []
      const step = (amount: number) =>
        Step.recover(unpaid, other, {
          when: (error) => asked.push(error.amount) > 0 && error.amount === amount,
          name: "sure"
        })
      yield* run(step(1))
      assert.strictEqual(calls, 1)
      const error = yield* Effect.flip(run(step(2)))
      assert.strictEqual(calls, 1)
      assert.deepStrictEqual(asked, [1, 1])
      assert.deepStrictEqual([error._tag, "path" in error && error.path], ["PipelineError", ["sure", "pay"]])
      assert.deepStrictEqual("before" in error && error.before, [])
    }).pipe(dead)
  )

  it.effect("signals that another way is taken", () =>
    Effect.gen(function* () {
      const told: Array<unknown> = []
      yield* Signal.listen((signal) => {
        if (signal._tag === "AttemptFailed") told.push([signal.path, signal.attempt, signal.error, signal.waitMillis])
      })(run(Step.recover(failing, one, { name: "sure" })))
      assert.deepStrictEqual(told, [[["sure"], 1, "Unpaid", 0]])
    }).pipe(dead)
  )

  it.effect("does not recover from defects, nor from a bug in `when`", () =>
    Effect.gen(function* () {
      let calls = 0
      const other = Step.make("other", { run: () => ++calls })
      const bug = Step.make("bug", { run: Effect.die(new Error("a bug")) })
      const steps = [
        Step.recover(bug, other, { name: "sure" }),
        Step.recover(unpaid, other, {
          when: () => {
            throw new Error("a bug")
          },
          name: "sure"
        })
      ]
      for (const step of steps) {
        const exit = yield* Effect.exit(run(step))
        assert.isTrue(Exit.isFailure(exit) && exit.cause.reasons.every(({ _tag }) => _tag === "Die"), String(exit))
      }
      assert.strictEqual(calls, 0)
    }).pipe(dead)
  )

  it.effect("does not recover from interruption", () =>
    Effect.gen(function* () {
      let calls = 0
      const called = yield* Deferred.make<void>()
      const hanging = Step.make("hang", { run: Effect.andThen(Deferred.succeed(called, undefined), Effect.never) })
      const other = Step.make("other", { run: () => ++calls })
      const fiber = yield* Effect.forkChild(run(Step.recover(hanging, other, { name: "sure" })))
      yield* Deferred.await(called)
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.strictEqual(calls, 0)
    }).pipe(dead)
  )

  it.effect("distinguishes the two in paths, whatever their names", () =>
    Effect.gen(function* () {
      const paths: Array<string> = []
      const fail = Step.make("with", { run: Effect.fail("no" as const) })
      yield* Signal.listen((signal) => {
        if (signal._tag === "StepStarted") paths.push(signal.path.join("/"))
      })(run(Step.recover(fail, Step.make("with", { run: () => {} }), { name: "sure" })))
      assert.deepStrictEqual(paths, ["sure", "sure/step", "sure/step/with", "sure/with"])
    }).pipe(dead)
  )

  it("is in the outline with both ways", () => {
    const { node } = Step.recover(failing, size, { name: "sure" })
    assert.deepStrictEqual(
      [node.kind, node.reads, node.writes, node.surely, node.children.map(({ name }) => name), node.settings],
      ["recover", ["message"], ["one", "size"], [], ["order", "with"], undefined]
    )
    const same = Step.recover(one, one, { name: "sure" })
    assert.deepStrictEqual([same.node.writes, same.node.surely], [["one"], ["one"]])
  })
})

describe("catching by tag", () => {
  const other = Step.make("other", { schema: Schema.String, run: () => "other" })
  const fail = <E>(error: E) => Step.make("it", { schema: Schema.String, run: Effect.fail(error) })

  it.effect("recovers from errors with the tag, or one of the tags", () =>
    Effect.gen(function* () {
      const first = yield* run(fail<Unpaid | Closed>(new Closed()).pipe(Step.recover(other, { when: "Closed" })))
      assert.strictEqual(first.done.get("other"), "other")
      const both = yield* run(
        fail<Unpaid | Closed>(new Unpaid({ amount: 1 })).pipe(Step.recover(other, { when: ["Closed", "Unpaid"] }))
      )
      assert.strictEqual(both.done.get("other"), "other")
    }).pipe(dead)
  )

  it.effect("lets other errors pass, and those without a tag", () =>
    Effect.gen(function* () {
      const errors: ReadonlyArray<Unpaid | Closed | string | undefined> = [
        new Unpaid({ amount: 1 }),
        "Closed",
        undefined
      ]
      for (const error of errors) {
        const raised: Error = yield* Effect.flip(
          run(fail<typeof error>(error).pipe(Step.recover(other, { when: "Closed" })))
        )
        assert.isTrue(raised instanceof Pipeline.PipelineError)
        assert.strictEqual(raised.cause, error)
      }
    }).pipe(dead)
  )

  it.effect("recovers from a provider that is down, without a trace of it", () => {
    const model = Testing.scripted([Effect.fail(providerError("Connection")), replies.ticket])
    return Effect.gen(function* () {
      const step = Step.recover(category, ticket, { when: "ProviderError" })
      const { done, stored } = yield* run(step)
      assert.strictEqual(done.get("ticket")?.customer, "Ada")
      assert.deepStrictEqual(keys(stored), ["message", "ticket"])
      assert.lengthOf(model.requests, 2)
      assert.deepStrictEqual(stored.toJSON(), done.toJSON())
    }).pipe(withModel(model))
  })

  it.effect("keeps the handle when the recovery surely writes the same note", () =>
    Effect.gen(function* () {
      const same = Step.make("it", { schema: Schema.String, run: () => "recovered" })
      const step = fail(new Closed()).pipe(Step.recover(same, { when: "Closed" }))
      const { stored } = yield* run(step)
      assert.strictEqual(yield* Thought.read(stored, step), "recovered")
      assert.isFalse(Note.isHandle(fail(new Closed()).pipe(Step.recover(other, { when: "Closed" }))))
    }).pipe(dead)
  )

  it("refuses a condition that is neither tags nor a function", () => {
    const odd: any = Step.recover
    assert.throws(
      () => odd(one, other, { when: 42 }),
      "Step.recover needs a function, a tag or an array of tags as the option when."
    )
    assert.throws(() => odd(one, other, { when: ["Closed", 42] }), /a tag or an array of tags as the option when/)
  })

  it("has its tags in the outline", () => {
    const { name, node } = fail<Unpaid | Closed>(new Closed()).pipe(Step.recover(other, { when: ["Closed", "Unpaid"] }))
    assert.deepStrictEqual([name, node.kind, node.settings], ["recover(it)", "recover", { tags: "Closed, Unpaid" }])
  })
})
