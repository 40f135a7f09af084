/** A process dies while it embeds all notes anew with another embedder. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Embedder, Memory, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { join } from "node:path"
import { folder } from "./folder.ts"
import { spawnChild } from "./process.ts"
import { makeStore } from "./prefilled.ts"

it.live(
  "a process that is killed while it embeds anew leaves what it has done, and the next one does the rest",
  () =>
    Effect.gen(function* () {
      const dataDir = join(yield* folder, "memory")
      const count = 600
      const notes = Object.fromEntries(Array.from({ length: count }, (_, i) => [`key ${i}`, `note${i} of many`]))
      const words = yield* Effect.provide(Embedder.Embedder, Testing.embedder)
      const space = { embedder: "another", dimensions: words.dimensions, metric: words.metric }
      yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* makeStore({ dataDir })
          const memory = yield* Effect.provideService(Memory.make({ store, scope: "local" }), Embedder.Embedder, words)
          yield* memory.commit(yield* Thought.make("test", notes))
          yield* memory.flush
        })
      )

      const child = yield* spawnChild("rebuild", dataDir)
      assert.deepStrictEqual(yield* child.line, ["started"])
      // what the third call follows is stored
      for (let call = 0; call < 3; call++) assert.deepStrictEqual(yield* child.line, ["embeds", "128"])
      yield* child.kill

      let embedded = 0
      yield* Effect.scoped(
        Effect.gen(function* () {
          const store = yield* makeStore({ dataDir })
          const states = Effect.map(store.spaces, (known) => known.map(({ embedder, state }) => [embedder, state]))
          assert.deepStrictEqual(yield* states, [
            [words.id, "active"],
            ["another", "building"]
          ])
          yield* store.openSpace(space)
          const left = yield* store.countPending("local", space)
          assert.isAtMost(left, count - 128)
          const memory = yield* Effect.provideService(
            Memory.make({ store, scope: "local", onEmbedderChange: "rebuild" }),
            Embedder.Embedder,
            {
              ...words,
              id: "another",
              embedMany: (texts) => {
                embedded += texts.length
                return words.embedMany(texts)
              }
            }
          )
          while ((yield* memory.pending) > 0) yield* Effect.yieldNow
          yield* memory.embedPending
          assert.strictEqual(embedded, left)
          assert.deepStrictEqual(yield* states, [
            [words.id, "retired"],
            ["another", "active"]
          ])
          const { matches } = yield* memory.search("note17", { limit: 1 })
          assert.strictEqual(matches[0]?.note.content, "note17 of many")
        })
      )
    }).pipe(Effect.scoped),
  180_000
)
