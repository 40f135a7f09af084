/** Events for a reader that is slower than the writer, including those that an interrupted writer leaves. */
import { assert, describe, it } from "@effect/vitest"
import { type Cause, Effect, Fiber, Queue } from "effect"
import { tellerOf } from "../../src/synapse/teller.ts"

const full = Effect.gen(function* () {
  const queue = yield* Queue.bounded<string, Cause.Done>(2)
  const teller = tellerOf<string, never>(queue)
  yield* teller.tell("a")
  yield* teller.tell("b")
  return { ...teller, take: Queue.take(queue) }
})

/** Starts an effect, and lets it run until it waits. */
const started = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

describe("events without room", () => {
  it.effect("are queued before the next one, in order", () =>
    Effect.gen(function* () {
      const { leave, take, tell } = yield* full
      yield* leave("left 1")
      yield* leave("left 2")
      const telling = yield* started(tell("c"))
      const read: Array<string> = []
      for (let i = 0; i < 5; i++) read.push(yield* take)
      yield* Fiber.join(telling)
      assert.deepStrictEqual(read, ["a", "b", "left 1", "left 2", "c"])
    })
  )

  it.effect("are not overtaken by one that is left when there is room again", () =>
    Effect.gen(function* () {
      const { leave, take, tell } = yield* full
      yield* leave("left 1")
      const read = [yield* take]
      yield* leave("left 2")
      read.push(yield* take)
      const telling = yield* started(tell("c"))
      for (let i = 0; i < 3; i++) read.push(yield* take)
      yield* Fiber.join(telling)
      assert.deepStrictEqual(read, ["a", "b", "left 1", "left 2", "c"])
    })
  )

  it.effect("are kept if the event that follows them is interrupted while it waits", () =>
    Effect.gen(function* () {
      const { leave, take, tell } = yield* full
      yield* leave("left")
      const telling = yield* started(tell("c"))
      yield* Fiber.interrupt(telling)
      const again = yield* started(tell("d"))
      const read: Array<string> = []
      for (let i = 0; i < 4; i++) read.push(yield* take)
      yield* Fiber.join(again)
      assert.deepStrictEqual(read, ["a", "b", "left", "d"])
    })
  )
})
