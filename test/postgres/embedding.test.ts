import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Embedder, Memory, Thought } from "cogito"
import { moody } from "../memory/embedder.ts"
import { available, makeStore, type Server, start } from "./server.ts"

describe.skipIf(!available)("an embedder that never answers, with a single connection", () => {
  let server: Server
  beforeAll(() => {
    server = start()
  })
  afterAll(() => server.stop())

  for (const connections of [1, 2]) {
    it.live(
      `keeps no connection from others: ${connections} in the pool`,
      () =>
        Effect.gen(function* () {
          const { embedder, mood } = yield* moody()
          yield* mood.gate.close
          const store = yield* makeStore(() => server, { connections, waitTimeout: "5 seconds" })
          const memory = yield* Memory.make({ store, scope: "local" }).pipe(
            Effect.provideService(Embedder.Embedder, embedder)
          )
          const ids = yield* Effect.forEach(
            Array.from({ length: 50 }, (_, i) => i),
            (i) =>
              Effect.gen(function* () {
                const thought = yield* memory.commit(yield* Thought.make("test", { a: `apples ${i}` }))
                return (yield* memory.load(thought.id)).id
              }),
            { concurrency: "unbounded" }
          )
          assert.strictEqual(new Set(ids).size, 50)
          assert.strictEqual(yield* memory.pending, 50)
          // the worker has asked, and waits
          while (mood.calls.length === 0) yield* Effect.sleep("10 millis")
          // searches embed their queries, while others load
          const searches = Effect.forEach(Array.from({ length: 20 }), () => memory.search("apples", { limit: 50 }), {
            concurrency: "unbounded"
          })
          const [found] = yield* Effect.all(
            [
              searches,
              Effect.andThen(
                Effect.forEach(ids, memory.load, { concurrency: "unbounded", discard: true }),
                mood.gate.open
              )
            ],
            { concurrency: "unbounded" }
          )
          for (const { matches } of found) assert.strictEqual(matches.length, 50)
          yield* memory.flush
          assert.strictEqual(yield* memory.pending, 0)
        }).pipe(Effect.scoped),
      30_000
    )
  }
})
