import { assert, describe, it } from "@effect/vitest"
import { PGlite } from "@electric-sql/pglite"
import { Effect, Layer, Schema } from "effect"
import { vi } from "vitest"
import { Memory, Pipeline, Primitive, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { Kept } from "../../src/pglite/engine/kept.ts"
import { answered, newRun, step } from "../../src/testing/contract/ledger/rows.ts"
import { commit, note, thought } from "../../src/testing/contract/stage/rows.ts"
import { makeStore, wordsOnly } from "./prefilled.ts"

/** Runs an effect and returns the beginnings of the statements that it sends. */
const statementsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const spies = [vi.spyOn(PGlite.prototype, "query"), vi.spyOn(Kept.prototype, "query")] as const
    return Effect.map(effect, () => {
      const sent = spies.flatMap(({ mock }) =>
        mock.calls.map(([statement], i) => ({ statement, order: mock.invocationCallOrder[i] ?? 0 }))
      )
      for (const spy of spies) spy.mockRestore()
      return sent
        .toSorted((a, b) => a.order - b.order)
        .map(({ statement }) => statement.replace("/* kept */", "").trim().split(/\s+/).slice(0, 3).join(" "))
    })
  })

const memory = wordsOnly()
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

  it.effect("are one for the rows of a durable run, and none more for those that a commit brings along", () =>
    Effect.gen(function* () {
      const store = yield* makeStore()
      const row = thought()
      const run = newRun(row.id)
      yield* store.commit("a", commit(row, { ledger: { runId: run.id, epoch: 1, begins: [run] } }))
      const rows = { runId: run.id, epoch: 1, steps: [step("/a@0")], calls: [answered("/a@0", 0)] }
      const withRows = commit(row, { version: 1, notes: [note(row.id, 1)], ledger: rows })
      const sent = yield* statementsOf(
        Effect.gen(function* () {
          yield* store.ledger.record("a", rows)
          yield* store.ledger.renew("a", run.id, 1, { owner: "a", millis: 1000 })
          yield* store.ledger.record("a", { ...rows, urgent: true })
          yield* store.commit("a", withRows)
        })
      )
      const begin = "begin isolation level"
      assert.deepStrictEqual(
        sent.filter((statement) => !statement.startsWith("select oid")),
        ["with held as", "update cogito.run r", begin, "with held as", "commit", begin, "with moved as", "commit"]
      )
    }).pipe(Effect.scoped)
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
