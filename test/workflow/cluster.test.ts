/** Durable runs on a cluster, on a real server: on one process, and on processes that are killed. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Option } from "effect"
import { Memory, Pipeline } from "cogito"
import { available, migrated, type Server, start } from "../postgres/server.ts"
import { soon } from "../soon.ts"
import { Broken, Unlisted, client, flows, layer, memory, model, single } from "./flows.ts"
import { worker } from "./processes.ts"
import { amounts, asks, calls, contents, ends, madeAgain, thoughtOf, unbroken } from "./runs.ts"

describe.skipIf(!available)("a workflow", () => {
  let server: Server
  beforeAll(() => {
    server = start()
  })
  afterAll(() => server.stop())

  /** A program in a process that executes runs itself. */
  const alone = <A, E>(program: Effect.Effect<A, E, any>) =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => migrated(server))
      const services = Layer.provideMerge(model, Layer.merge(single(url), memory(url)))
      return yield* Effect.provide(program, Layer.provideMerge(layer, services))
    }).pipe(Effect.scoped) as Effect.Effect<A, unknown>

  /** A program in a process that leaves runs to others. */
  const apart = <A, E>(program: (url: string) => Effect.Effect<A, E, any>) =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => migrated(server))
      const services = Layer.provideMerge(model, Layer.merge(client(url), memory(url)))
      return yield* Effect.provide(program(url), services)
    }).pipe(Effect.scoped) as Effect.Effect<A, unknown>

  it.live("runs to its end on one process, and wakes when it is answered", () =>
    alone(
      Effect.gen(function* () {
        yield* flows.order.start(yield* thoughtOf(1), { id: "order-1" })
        assert.isTrue(Option.isNone(yield* flows.order.poll("order-1")))
        for (const n of amounts) {
          yield* asks("order-1", `amount${n}`)
          yield* flows.order.answer("order-1", `amount${n}`, n, { by: "jane" })
        }
        yield* ends("order-1", "completed")
        const done = Option.getOrThrow(yield* flows.order.poll("order-1"))
        assert.strictEqual(done.get("amount4"), 4)
        assert.deepStrictEqual(contents(done), yield* unbroken(1))
        assert.deepStrictEqual(
          (yield* calls).map(({ part }) => part),
          ["1", "2", "3", "4", "5"]
        )
      })
    )
  )

  it.live("gives its thought to whoever executes it, with the notes that it began with", () =>
    alone(
      Effect.gen(function* () {
        const running = yield* Effect.forkChild(flows.both.execute(yield* thoughtOf(2), { id: "both-2" }))
        yield* asks("both-2", "amount1", "amount2")
        yield* flows.both.answer("both-2", "amount2", 2)
        yield* asks("both-2", "amount1")
        yield* flows.both.answer("both-2", "amount1", 1)
        const done = yield* soon("the thought")(Fiber.join(running))
        assert.deepStrictEqual([done.get("amount1"), done.get("amount2")], [1, 2])
        assert.strictEqual(done.get("message"), "Please refund order 2")
      })
    )
  )

  it.live("wakes when the ledger alone is answered, within the time of its poll", () =>
    alone(
      Effect.gen(function* () {
        yield* flows.order.start(yield* thoughtOf(3), { id: "order-3" })
        for (const n of amounts) {
          yield* asks("order-3", `amount${n}`)
          yield* Pipeline.answer("order-3", `amount${n}`, n)
        }
        yield* ends("order-3", "completed")
      })
    )
  )

  it.live("goes on without an answer after its timeout", () =>
    alone(
      Effect.gen(function* () {
        yield* flows.late.start(yield* thoughtOf(4), { id: "late-4" })
        yield* ends("late-4", "completed")
        const done = Option.getOrThrow(yield* flows.late.poll("late-4"))
        assert.strictEqual(done.get("amount"), -1)
      })
    )
  )

  it.live("is one run, however often its id is started", () =>
    alone(
      Effect.gen(function* () {
        const thought = yield* thoughtOf(5)
        yield* Effect.all(
          Array.from({ length: 5 }, () => flows.late.start(thought, { id: "late-5" })),
          { concurrency: 5 }
        )
        yield* ends("late-5", "completed")
        yield* flows.late.start(yield* thoughtOf(5), { id: "late-5" }) // the same start, with other ids
        assert.lengthOf(yield* calls, 1)
        assert.lengthOf(yield* Pipeline.runs(), 1)
        const other = yield* Effect.flip(flows.late.start(yield* thoughtOf(6), { id: "late-5" }))
        assert.strictEqual(other._tag, "ReplayMismatch")
        const changed = yield* Effect.flip(flows.order.start(thought, { id: "late-5" }))
        assert.strictEqual(changed._tag, "PipelineChanged")
      })
    )
  )

  it.live("fails as its pipeline, with errors of its own where a schema has them", () =>
    alone(
      Effect.gen(function* () {
        const error = yield* Effect.flip(flows.broken.execute(yield* thoughtOf(6), { id: "broken-6" }))
        assert.ok(error._tag === "PipelineError" && error.cause instanceof Broken)
        assert.strictEqual(error.cause.part, 7)
        assert.deepStrictEqual(error.path, ["broken", "ship"])
        const again = yield* Effect.exit(flows.broken.poll("broken-6"))
        assert.isTrue(Exit.isFailure(again))

        const plain = yield* Effect.flip(flows.unlisted.execute(yield* thoughtOf(6), { id: "unlisted-6" }))
        assert.ok(plain._tag === "PipelineError" && plain.cause._tag === "Unlisted")
        assert.isFalse(plain.cause instanceof Unlisted)
        assert.strictEqual(plain.cause.part, 7)
      })
    )
  )

  it.live("works in the scope in which it is started", () =>
    alone(
      Effect.gen(function* () {
        const inAcme = Memory.withScope("acme")
        yield* inAcme(Effect.flatMap(thoughtOf(7), (thought) => flows.late.start(thought, { id: "late-7" })))
        yield* flows.late.start(yield* thoughtOf(8), { id: "late-7" })
        yield* inAcme(ends("late-7", "completed"))
        yield* ends("late-7", "completed")
        assert.deepStrictEqual((yield* calls).map(({ run }) => run).toSorted(), ["7", "8"])
      })
    )
  )

  it.live(
    "moves to another process when its own is killed, or to a later one, and asks nothing twice that was answered",
    () =>
      apart((url) =>
        Effect.gen(function* () {
          const workers = yield* Effect.all([worker(url), worker(url)], { concurrency: 2 })
          const numbers = Array.from({ length: 4 }, (_, i) => i + 1)
          for (const number of numbers) yield* flows.order.start(yield* thoughtOf(number), { id: `order-${number}` })
          const answer = (number: number, n: number) =>
            Effect.andThen(
              asks(`order-${number}`, `amount${n}`),
              flows.order.answer(`order-${number}`, `amount${n}`, n, { by: "jane" })
            )
          yield* Effect.forEach(numbers, (number) => answer(number, 1), { concurrency: 4, discard: true })
          // one that has executed runs
          const own = (yield* calls)[0]?.process
          const killed = workers.find(({ pid }) => pid === own) ?? workers[0]
          yield* killed.kill
          for (const n of [2, 3, 4]) {
            yield* Effect.forEach(numbers, (number) => answer(number, n), { concurrency: 4, discard: true })
          }
          for (const number of numbers) yield* ends(`order-${number}`, "completed")
          for (const number of numbers.slice(0, 3)) {
            const done = Option.getOrThrow(yield* flows.order.poll(`order-${number}`))
            assert.deepStrictEqual(contents(done), yield* unbroken(number))
          }
          const made = yield* calls
          assert.sameMembers(
            [...new Set(made.map((call) => call.process))],
            workers.map(({ pid }) => pid)
          )
          // only what was in flight in the killed process is asked again
          const again = madeAgain(made)
          assert.isTrue(again.every((call) => call.process === killed.pid))
          assert.strictEqual(made.length - again.length, numbers.length * 5)

          // one that waits when its only process is killed goes on once there is another
          yield* flows.order.start(yield* thoughtOf(9), { id: "order-9" })
          yield* asks("order-9", "amount1")
          for (const { kill } of workers) yield* kill
          yield* flows.order.answer("order-9", "amount1", 1)
          yield* worker(url)
          for (const n of [2, 3, 4]) yield* answer(9, n)
          yield* ends("order-9", "completed")
          assert.lengthOf(
            (yield* calls).filter(({ run }) => run === "9"),
            5
          )
        })
      ),
    300_000
  )
})
