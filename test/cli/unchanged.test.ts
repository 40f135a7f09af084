/** A search of the terminal that names no embedder changes nothing in the memory. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Memory, Store, Thought } from "cogito"
import { Local } from "cogito/local"
import { searchable } from "../../src/cli/memory/embedder.ts"

const stored = (message: string) => Effect.flatMap(Thought.make("report", { message }), Memory.commit)

it.live("a search gives no vectors to notes that have none, unless the embedder is named", () =>
  Effect.gen(function* () {
    const store = yield* Store.makeInMemory
    const named = { store, scope: "shop" }
    const embedded = Effect.gen(function* () {
      yield* Effect.provideService(stored("the parcel was lost"), Memory.Memory, yield* Memory.make(named))
      yield* (yield* Memory.make(named)).embedPending
    })
    yield* Effect.scoped(Effect.provide(embedded, Local.embedder))
    const words = yield* Memory.make({ ...named, embedder: "none" })
    yield* Effect.provideService(stored("the parcel came late"), Memory.Memory, words)
    const pending = Effect.flatMap(store.spaces, ([space]) => store.countPending("shop", space!))
    assert.strictEqual(yield* pending, 1)

    const reading = yield* searchable(store, "shop", { choice: "default", json: true })
    assert.strictEqual(yield* reading.embedPending, 0)
    assert.strictEqual(yield* pending, 1)
    const { arms, matches } = yield* reading.search("parcel")
    assert.deepStrictEqual([arms.vector, arms.pending, matches.length], ["partial", 1, 2])

    yield* searchable(store, "shop", { choice: "local", json: true })
    assert.strictEqual(yield* pending, 0)
  }).pipe(Effect.scoped)
)
