/** Messages that two processes say to one conversation at the same time. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { Memory, Pipeline, Store, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { calls, Done, guide } from "./kit.ts"

/** A memory whose first two readers of the open runs have read them before either goes on, as two processes may. */
const readTogether = Effect.gen(function* () {
  const store = yield* Store.makeInMemory
  const both = yield* Deferred.make<void>()
  let arrived = 0
  const arriving = Effect.suspend(() => (++arrived < 2 ? Deferred.await(both) : Deferred.succeed(both, undefined)))
  const { runs } = store.ledger
  const read: typeof runs = (...words) => Effect.tap(runs(...words), () => arriving)
  const ledger = { ...store.ledger, runs: read }
  return Layer.effect(Memory.Memory, Memory.make({ store: { ...store, ledger }, scope: "local", embedder: "none" }))
})

describe("of two messages that are said at once", () => {
  it.effect("one is answered, and the other is refused before it is paid or shown", () =>
    Effect.gen(function* () {
      const isRefused = yield* Deferred.make<void>()
      const model = Testing.scripted([Effect.as(Deferred.await(isRefused), calls(["note", "a"])), "Noted.", "Noted."])
      const done = new Done()
      const services = Layer.mergeAll(model.layer, done.layer, yield* readTogether)
      yield* Effect.gen(function* () {
        const start = yield* Memory.commit(yield* Thought.make("trip"))
        const say = (text: string) => Agent.say(guide, start, text, { durable: { id: text } })
        const [answered, refused] = yield* Effect.all(
          [say("Note this"), Effect.ensuring(Effect.flip(say("Note that")), Deferred.succeed(isRefused, undefined))],
          { concurrency: 2 }
        )
        assert.strictEqual(answered.get("answer"), "Noted.")
        assert.instanceOf(refused, Pipeline.RunBusy)
        assert.strictEqual(model.requests.length, 2)
        assert.deepStrictEqual(done.all, ["note a"])
        const stored = yield* Memory.load(start.id)
        assert.deepStrictEqual(
          Thought.history(stored, "message").map(({ content }) => content),
          ["Note this"]
        )
      }).pipe(Effect.provide(services))
    })
  )

  it.effect("one is added to the notes that a program has appended meanwhile", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(["Noted."])
      yield* Effect.gen(function* () {
        const start = yield* Memory.commit(yield* Thought.make("trip"))
        yield* Memory.append(start.id, [{ key: "hint", content: "by train" }])
        const said = yield* Agent.say(guide, start, "Note this")
        assert.deepStrictEqual(
          Thought.notes(said).map(({ key }) => key),
          ["hint", "message", "answer"]
        )
      }).pipe(Effect.provide(Layer.mergeAll(model.layer, new Done().layer, Testing.memory)))
    })
  )
})
