import { assert, describe, it } from "@effect/vitest"
import { PGlite } from "@electric-sql/pglite"
import { Effect, Layer, Schema } from "effect"
import { vi } from "vitest"
import { Memory, Pipeline, Primitive, Step, Thought } from "cogito"
import { PgliteMemory } from "cogito/pglite"
import { Testing } from "cogito/testing"

/** Runs an effect and returns the beginnings of the statements that it sends. */
const statementsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const spy = vi.spyOn(PGlite.prototype, "query")
    return Effect.map(effect, () => {
      const sent = spy.mock.calls.map(([statement]) => statement.trim().split(/\s+/).slice(0, 3).join(" "))
      spy.mockRestore()
      return sent
    })
  })

const memory = PgliteMemory.layer({ embedder: "none", thread: false })
const yes = { decision: true, confidence: 0.9, reasoning: ["It says so."] }

describe("the statements of a step on PGlite", () => {
  it.effect("are a transaction of one statement, whether a program or a model writes the note", () =>
    Effect.gen(function* () {
      const first = yield* Pipeline.run(
        Step.make("first", { schema: Schema.Finite, run: () => 1 }),
        yield* Thought.make("a")
      )
      const steps = Pipeline.sequence("two", [
        Step.make("second", { schema: Schema.Finite, run: () => 2 }),
        Primitive.decide("third", { question: "Go on?" })
      ])
      const sent = yield* statementsOf(Pipeline.run(steps, first))
      const step = ["begin isolation level", "with moved as", "commit"]
      // the statistics are looked after once in a while
      assert.deepStrictEqual(
        sent.filter((statement) => !statement.startsWith("select oid")),
        [...step, ...step]
      )
    }).pipe(Effect.provide(Layer.merge(Testing.scripted([yes]).layer, memory)))
  )

  it.effect("set the scope of the session only when it changes", () =>
    Effect.gen(function* () {
      const counts = Effect.gen(function* () {
        const found: Array<number> = []
        for (const scope of ["acme", "acme", "globex", "acme"]) {
          const { matches } = yield* Memory.withScope(scope)(Memory.search("invoice"))
          found.push(matches.length)
        }
        return found
      })
      const invoice = Effect.flatMap(Thought.make("a", { message: "An invoice" }), Memory.commit)
      yield* Memory.withScope("acme")(invoice)
      let found: ReadonlyArray<number> = []
      const sent = yield* statementsOf(Effect.map(counts, (all) => void (found = all)))
      assert.deepStrictEqual(found, [1, 1, 0, 1])
      assert.lengthOf(
        sent.filter((statement) => statement.startsWith("select set_config")),
        2
      )
    }).pipe(Effect.provide(memory))
  )

  it.effect("leave the session in its scope if a commit is refused", () =>
    Effect.gen(function* () {
      const thought = yield* Effect.flatMap(Thought.make("a", { message: "An invoice" }), Memory.commit)
      const [one, other] = yield* Effect.all([Thought.append(thought, "b", "x"), Thought.append(thought, "b", "y")])
      yield* Memory.commit(one)
      const refused = yield* Effect.flip(Memory.commit(other))
      assert.strictEqual(refused.reason._tag, "ConcurrencyConflict")
      assert.isNotEmpty((yield* Memory.search("invoice")).matches)
      assert.lengthOf((yield* Memory.withScope("globex")(Memory.search("invoice"))).matches, 0)
    }).pipe(Effect.provide(memory))
  )
})
