import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Schema } from "effect"
import { Memory, Pipeline, Primitive, Step, Store, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { vi } from "vitest"
import { soon } from "../soon.ts"
import { type Going, machine, machineOn, resumeOf, runOf, start } from "./machine.ts"
import { at } from "./process.ts"
import { asks } from "./scenarios/parts.ts"
import { stored } from "./seen.ts"

const step = Pipeline.sequence("all", [asks("a"), asks("b")]) as Step.Any

describe("a run that has ended", () => {
  it.effect("gives its thought to whoever resumes it or begins it again, and asks and writes nothing", () =>
    Effect.gen(function* () {
      const { store, within, world } = yield* machine
      const done = yield* within()(runOf(step))
      const before = yield* stored(store)
      const ids = (thought: Thought.Thought<any>) => Thought.notes(thought).map(({ id }) => id)
      for (const again of [resumeOf(step), runOf(step)]) {
        const found = yield* within()(again)
        assert.deepStrictEqual(ids(found), ids(done))
        const values = ["message", "a", "b"].map((key) => found.get(key))
        assert.deepStrictEqual(values, ["Hello", done.get("a"), done.get("b")])
      }
      assert.deepStrictEqual(yield* within()(Pipeline.resumeAll([step])), [])
      assert.strictEqual(world.requests.length, 2)
      assert.deepStrictEqual(yield* stored(store), before)
    })
  )

  it.effect("keeps its answers only if its options say so", () =>
    Effect.gen(function* () {
      for (const keep of [undefined, "answers"] as const) {
        const { store, within } = yield* machine
        yield* within()(runOf(step, keep === undefined ? {} : { keep }))
        const calls = (yield* store.ledger.load("local", "run"))?.calls ?? []
        assert.strictEqual(calls.length, 2)
        for (const { request, response } of calls) {
          assert.strictEqual(request !== undefined, keep === "answers")
          assert.strictEqual(response !== undefined, keep === "answers")
        }
      }
    })
  )
})

describe("the start of a run", () => {
  it.effect("is read from where the thought had no run before", () => {
    const step = Primitive.truncate("shorten")
    const notes = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`note-${i}`, `What the note ${i} says`]))
    /** How many characters of JSON the effect writes. */
    const written = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.gen(function* () {
        const spy = vi.spyOn(JSON, "stringify")
        let characters = 0
        const counted = Effect.sync(() => {
          for (const { value } of spy.mock.results) characters += String(value).length
          spy.mockRestore()
        })
        return [yield* Effect.ensuring(effect, counted), characters] as const
      })
    return Effect.gen(function* () {
      const start = yield* Memory.commit(yield* Thought.make("work", notes))
      const run = (thought: Thought.Thought) => written(Pipeline.run(step, thought, { durable: true }))
      const [thought, first] = yield* run(start)
      const [, second] = yield* run(thought)
      assert.isAbove(first, 20_000)
      assert.isBelow(second, 2_000)
    }).pipe(Effect.provide(Testing.memory))
  })
})

describe("the id of a run", () => {
  it.effect("of another pipeline or start is refused, and nothing is asked", () =>
    Effect.gen(function* () {
      const { store, within, world } = yield* machine
      yield* within()(runOf(step))
      const before = yield* stored(store)
      const other = Pipeline.sequence("other", [asks("a")]) as Step.Any
      for (const going of [runOf(other), resumeOf(other)]) {
        assert.strictEqual((yield* Effect.flip(within()(going)))._tag, "PipelineChanged")
      }
      const from = Thought.make("work", { message: "Goodbye" }) as Going
      const error = yield* Effect.flip(within()(runOf(step, {}, from)))
      assert.deepInclude(error, { _tag: "ReplayMismatch", differs: ["start"] })
      assert.strictEqual(world.requests.length, 2)
      assert.deepStrictEqual(yield* stored(store), before)
    })
  )

  it.effect("that nobody has begun is not found", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const error = yield* Effect.flip(within()(resumeOf(step)))
      assert.deepStrictEqual([error._tag, error.cause.reason._tag], ["PipelineError", "NotFound"])
      assert.include(error.message, '"run"')
    })
  )

  it.effect("that is empty or too long is refused before any request", () =>
    Effect.gen(function* () {
      const { within, world } = yield* machine
      for (const id of ["", "x".repeat(201)]) {
        const error = yield* Effect.flip(within()(runOf(step, { id })))
        assert.deepStrictEqual([error._tag, error.cause._tag], ["PipelineError", "MemoryError"])
        assert.include(error.message, "200 characters")
      }
      assert.strictEqual(world.requests.length, 0)
      yield* within()(runOf(step, { id: "x".repeat(200) }))
      assert.strictEqual(world.requests.length, 2)
    })
  )

  it.effect("that is a number is refused when Pipeline.run is called", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("work")
      assert.throws(
        () => Pipeline.run(step, thought, { durable: { id: 7 as never } }),
        /Pipeline\.run needs a string as the option durable\.id, but got a number\./
      )
    })
  )

  it.effect.each(["soon", 0, -1, Infinity])("with the lease %s is refused when it is called", (given) =>
    Effect.gen(function* () {
      const lease = given as number
      const thought = yield* Thought.make("work")
      for (const begin of [
        () => Pipeline.run(step, thought, { durable: { lease } }),
        () => Pipeline.resume(step, "run", { lease }),
        () => Pipeline.resumeAll([step], { lease }),
        () => Pipeline.supervisor({ resume: { steps: [step], lease } })
      ]) {
        assert.throws(begin, /lease/)
      }
    })
  )

  it.effect("of a run that is in progress is refused as busy", () =>
    Effect.gen(function* () {
      const { process, within, world } = yield* machine
      const own = process()
      const inner = Step.make("inner", {
        run: Effect.flip(within(own)(resumeOf(step))).pipe(
          Effect.tap((error) => Effect.sync(() => assert.strictEqual(error._tag, "RunBusy")))
        )
      })
      const outer = Pipeline.sequence("all", [asks("a"), inner]) as Step.Any
      yield* within(own)(runOf(outer)).pipe(Effect.exit)
      assert.strictEqual(world.requests.length, 1)
    })
  )

  it.effect.each([
    ["new", start],
    ["stored", Effect.flatMap(Memory.Memory, (memory) => Effect.flatMap(start, (thought) => memory.commit(thought)))]
  ] as const)("that is begun twice at once, on a thought that is %s, begins once", ([, from]) =>
    Effect.gen(function* () {
      const store = yield* Store.makeInMemory
      const all = yield* Deferred.make<void>()
      let arrived = 0
      // both look for the run before one of them begins it
      const arriving = Effect.suspend(() => (++arrived < 2 ? Deferred.await(all) : Deferred.succeed(all, undefined)))
      const load: typeof store.ledger.load = (...args) => Effect.tap(store.ledger.load(...args), () => arriving)
      const { process, within, world } = machineOn({ ...store, ledger: { ...store.ledger, load } })
      const own = process()
      const begun = yield* Deferred.make<void>()
      const pay = Step.make("pay", {
        schema: Schema.Finite,
        run: Effect.andThen(Deferred.await(begun), Effect.as(world.effect(own, "pay"), 1))
      })
      // the one that is refused lets the other one go on
      const twice = Effect.forEach(
        [1, 2],
        () =>
          Effect.tap(Effect.exit(runOf(pay, {}, from as Going)), (exit) => {
            assert.isTrue(Exit.isSuccess(exit) || String(exit).includes("RunBusy"), String(exit))
            return Deferred.succeed(begun, undefined)
          }),
        { concurrency: 2 }
      )
      const exits = yield* soon("both have ended")(within(own)(twice))
      assert.strictEqual(exits.filter(Exit.isSuccess).length, 1)
      assert.strictEqual(world.effects.get("pay"), 1)
      assert.strictEqual((yield* within()(Pipeline.runs()))[0]?.status, "completed")
    })
  )

  it("and the other options are checked", () => {
    const thought = Effect.runSync(Thought.make("work", { message: "Hello" }))
    const run = (durable: object) => () => Pipeline.run(step, thought, { durable } as never)
    assert.throws(run({ keep: "everything" }), /needs "answers" as the option durable.keep/)
    assert.throws(run({ onInterrupted: "retry" }), /needs "rerun" or "fail" as the option durable.onInterrupted/)
  })
})

describe("a process that loses its run", () => {
  it.effect("to another one of its owner's store ends, and the other one goes on", () =>
    Effect.gen(function* () {
      const { crashing, within, world } = yield* machine
      yield* crashing(at("after", "call"))(runOf(step))
      const ends = yield* Effect.forEach([1, 2, 3], () => Effect.exit(within()(resumeOf(step))), {
        concurrency: "unbounded"
      })
      assert.isAtLeast(ends.filter(({ _tag }) => _tag === "Success").length, 1)
      assert.isAtMost(world.requests.length, 2 + 3)
    })
  )
})
