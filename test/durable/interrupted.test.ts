import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Schema } from "effect"
import { Memory, Pipeline, Step, Store, Thought } from "cogito"
import { type Going, machineOn, resumeOf, runOf } from "./machine.ts"
import { asks } from "./scenarios/parts.ts"
import { both, casesOn } from "./both.ts"

const stores = both()

/** A store that interrupts the fiber as soon as something has been done for it so often. */
const interrupting = (store: Store.Store, fiber: () => Fiber.Fiber<unknown, unknown> | undefined, times: number) => {
  let count = 0
  const counted = <A extends object>(part: A): A =>
    Object.fromEntries(
      Object.entries(part).map(([name, value]) => {
        const after = (done: unknown) =>
          Effect.isEffect(done)
            ? Effect.tap(done, () => Effect.sync(() => void (++count === times && fiber()?.interruptUnsafe())))
            : done
        return [name, typeof value === "function" ? (...args: ReadonlyArray<unknown>) => after(value(...args)) : value]
      })
      // each function returns what it returned
    ) as A
  return { store: { ...counted(store), ledger: counted(store.ledger) }, isOver: () => count < times }
}

const wait = Pipeline.waitFor("wait", { schema: Schema.String, prompt: "What now?" })
const fails = Step.make("fails", { run: Effect.fail({ _tag: "Busy" as const }) })
const step = Pipeline.sequence("all", [
  asks("it"),
  Step.make("made", { schema: Schema.Finite, run: () => 1 })
]) as Step.Any
const waiting = Pipeline.sequence("all", [wait, asks("it")]) as Step.Any
const failing = Pipeline.sequence("all", [asks("it"), fails]) as Step.Any

const start = Thought.make("work", { message: "Hello" })

/** What is prepared, and what is interrupted. */
const runs: Readonly<Record<string, { readonly step: Step.Any; readonly before?: Going; readonly run: Going }>> = {
  "begins on a new thought": { step, run: runOf(step, {}, start as Going) },
  "begins on a stored thought": { step, run: runOf(step, {}, Effect.flatMap(start as Going, Memory.commit)) },
  "begins on a fork": {
    step,
    run: runOf(
      step,
      {},
      Effect.flatMap(Effect.flatMap(start as Going, Memory.commit), (one) => Thought.fork(one))
    )
  },
  "repeats another run": {
    step,
    before: runOf(step, { id: "first", keep: "answers" }, start as Going),
    run: Effect.map(
      Pipeline.rerun(step, "first", { id: "run" }) as Effect.Effect<any, any, any>,
      ({ thought }) => thought
    )
  },
  "goes on after an answer": {
    step: waiting,
    before: Effect.andThen(
      Effect.flip(runOf(waiting, {}, start as Going)),
      Pipeline.answer("run", "wait", "On")
    ) as Going,
    run: resumeOf(waiting)
  },
  "goes on after a failure": {
    step: failing,
    before: Effect.flip(runOf(failing, {}, start as Going)) as Going,
    run: resumeOf(failing)
  }
}

for (const [where, makeStore] of Object.entries(stores)) {
  describe(`a run ${where} that is interrupted, whatever its store has just done,`, () => {
    it.effect.each(casesOn(where, Object.entries(runs)))("is free at once: it %s", ([, { before, run, step: own }]) =>
      Effect.gen(function* () {
        const seen = new Set<string>()
        for (let times = 1, isOver = false; !isOver; times++) {
          assert.isBelow(times, 40)
          const store = yield* makeStore()
          const { within } = machineOn(store)
          if (before !== undefined) yield* within()(before)
          const running: { fiber?: Fiber.Fiber<unknown, unknown> } = {}
          const interrupted = interrupting(store, () => running.fiber, times)
          running.fiber = yield* Effect.forkDetach(machineOn(interrupted.store).within()(run))
          yield* Fiber.await(running.fiber)
          isOver = interrupted.isOver()
          const left = (yield* store.ledger.load("local", "run"))?.run
          seen.add(left?.status ?? "none")
          assert.notStrictEqual(left?.status, "running", `after ${times}`)
          if (left === undefined) continue
          const exit = yield* Effect.exit(within()(resumeOf(own)))
          assert.notInclude(String(exit), "RunBusy")
          // what has failed is tried again, and fails again
          assert.strictEqual(Exit.isSuccess(exit), own !== failing, `after ${times}, ${String(exit)}`)
        }
        assert.isTrue(seen.has("interrupted") || seen.has("failed"))
      })
    )

    const stored: Readonly<Record<string, (made: Step.Any) => Step.Any>> = {
      "a step": (made) => made,
      "a connector": (made) =>
        Step.retry(Pipeline.sequence("both", [made, asks("then")] as any) as Step.Any) as Step.Any
    }
    it.effect.each(casesOn(where, Object.entries(stored)))("makes nothing again of %s that was stored", ([, within]) =>
      Effect.gen(function* () {
        for (let times = 1, isOver = false; !isOver; times++) {
          const store = yield* makeStore()
          const done: Array<string> = []
          const made = Step.make("made", { schema: Schema.Finite, run: () => done.push("made") }) as Step.Any
          const all = Pipeline.sequence("all", [asks("it"), within(made), asks("last")] as any) as Step.Any
          const running: { fiber?: Fiber.Fiber<unknown, unknown> } = {}
          const interrupted = interrupting(store, () => running.fiber, times)
          const [first, second] = [machineOn(interrupted.store), machineOn(store)]
          running.fiber = yield* Effect.forkDetach(first.within()(runOf(all, {}, start as Going)))
          yield* Fiber.await(running.fiber)
          isOver = interrupted.isOver()
          if ((yield* store.ledger.load("local", "run")) === undefined) continue
          yield* second.within()(resumeOf(all))
          const requests = [...first.world.requests, ...second.world.requests]
          assert.deepStrictEqual(done, ["made"], `after ${times}`)
          assert.strictEqual(requests.length, new Set(requests).size, `after ${times}`)
        }
      })
    )
  })
}

describe("a run whose end could not be stored", () => {
  it.effect("is resumed at once by its process", () =>
    Effect.gen(function* () {
      const store = yield* Store.makeInMemory
      let isDown = false
      const down = new Memory.MemoryError({ reason: { _tag: "Connection", message: "the disk is full" } })
      const { process, within, world } = machineOn({
        ...store,
        commit: (scope, commit) => (isDown ? Effect.fail(down) : store.commit(scope, commit)),
        ledger: {
          ...store.ledger,
          record: (scope, rows) => (isDown ? Effect.fail(down) : store.ledger.record(scope, rows))
        }
      })
      const fills = Step.make("fills", { schema: Schema.Finite, run: Effect.sync(() => ((isDown = true), 1)) })
      const step = Pipeline.sequence("all", [asks("a"), fills, asks("b")])
      const one = process()
      assert.match(String(yield* Effect.exit(within(one)(runOf(step)))), /the disk is full/)
      isDown = false
      assert.strictEqual((yield* store.ledger.load("local", "run"))?.run.status, "running")
      const again = Pipeline.sequence("all", [
        asks("a"),
        Step.make("fills", { schema: Schema.Finite, run: () => 2 }),
        asks("b")
      ])
      assert.strictEqual((yield* within(one)(resumeOf(again))).get("fills"), 2)
      assert.strictEqual((yield* store.ledger.load("local", "run"))?.run.status, "completed")
      assert.strictEqual(world.requests.length, 2)
    })
  )
})
