import { assert, describe, it } from "@effect/vitest"
import { Memory, Pipeline, Primitive, Thought } from "cogito"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Testing } from "cogito/testing"
import { moody } from "./embedder.ts"

const remember = (message: string, taskId: string) =>
  Effect.flatMap(Thought.make("keep", { message }, { taskId }), Memory.commit)

/** One note a month of 2026, on its 10th, and then the 19th of August, a Wednesday. */
const year = Effect.gen(function* () {
  for (let month = 1; month <= 8; month++) {
    yield* TestClock.setTime(Date.UTC(2026, month - 1, 10))
    yield* remember(`sales report number ${month}`, `month ${month}`)
  }
  yield* TestClock.setTime(Date.UTC(2026, 7, 19, 15))
})

const best = (query: string, options: Memory.SearchOptions = {}) =>
  Effect.map(Memory.search(query, options), ({ matches }) => matches[0]?.note.content)

describe("a question that names a time", () => {
  it.effect("is embedded without the words for the time, unless dates do not count or no other words are left", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody()
      yield* Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 7, 19, 15))
        yield* remember("sales report", "of May")
        yield* Memory.flush
        mood.calls.length = 0
        yield* Memory.search("sales report in May")
        yield* Memory.search("sales report in May", { dates: { weight: 0 } })
        yield* Memory.search("since last week")
        yield* Memory.survey("sales of 2026-02-10")
      }).pipe(Effect.provide(Layer.provide(Memory.layerInMemory(), layer)))
      assert.deepStrictEqual(mood.calls, [["sales report"], ["sales report in May"], ["since last week"], ["sales"]])
    })
  )

  it.effect("prefers notes of that time, relative to the clock, and finds all the others", () =>
    Effect.gen(function* () {
      yield* year
      for (const [time, number] of [
        ["in May", 5],
        ["last month", 7],
        ["2 months ago", 6],
        ["on 10 March", 3],
        ["on 2026-02-10", 2]
      ] as const) {
        assert.strictEqual(yield* best(`sales report ${time}`), `sales report number ${number}`, time)
        const { tasks } = yield* Memory.survey(`sales report ${time}`)
        assert.strictEqual(tasks[0]?.taskId, `month ${number}`, time)
      }
      const { matches } = yield* Memory.search("sales report in May")
      assert.lengthOf(matches, 8)
      const done = yield* Pipeline.run(
        Primitive.seek("history", { query: "sales report in May", limit: 1 }),
        yield* Thought.make("ask", { message: "which one?" })
      )
      assert.strictEqual(done.get("history").matches[0]?.content, "sales report number 5")
    }).pipe(Effect.provide(Layer.fresh(Testing.memory)))
  )

  it.effect("is like any other if the weight is 0, and one without a time does not depend on these options", () =>
    Effect.gen(function* () {
      yield* year
      const scores = (query: string, dates?: Memory.SearchOptions["dates"]) =>
        Effect.map(Memory.search(query, dates === undefined ? {} : { dates }), ({ matches }) =>
          matches.map(({ note, score }) => [note.content, score])
        )
      const plain = yield* scores("sales report")
      assert.deepStrictEqual(yield* scores("sales report", { weight: 0 }), plain)
      assert.deepStrictEqual(yield* scores("sales report", { weight: 5 }), plain)
      const off = yield* scores("sales report in May", { weight: 0 })
      assert.lengthOf(new Set(off.map(([, score]) => score)), 1)
      const on = yield* scores("sales report in May", { weight: 0.25 })
      assert.strictEqual(on[0]?.[0], "sales report number 5")
      assert.approximately(Number(on[0]?.[1]) / Number(on[1]?.[1]), 1.25, 1e-9)
    }).pipe(Effect.provide(Layer.fresh(Testing.memory)))
  )

  it.effect("has days that begin where the time zone says", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 4, 31, 23))
      yield* remember("sales report, late", "a")
      yield* TestClock.setTime(Date.UTC(2026, 5, 1, 1))
      yield* remember("sales report, early", "b")
      const ofJune = (timeZone?: string) =>
        best("sales report today", { dates: timeZone === undefined ? {} : { timeZone } })
      assert.strictEqual(yield* ofJune(), "sales report, early")
      assert.strictEqual(yield* ofJune("+00:00"), "sales report, early")
      const scores = Effect.map(
        Memory.search("sales report today", { dates: { timeZone: "Europe/Berlin" } }),
        ({ matches }) => matches.map(({ score }) => score)
      )
      const [first, second] = yield* scores
      assert.approximately(first! / second!, 1, 0.5)
    }).pipe(Effect.provide(Layer.fresh(Testing.memory)))
  )

  it.effect("is embedded without the words that name it, unless there are no others", () =>
    Effect.gen(function* () {
      const { layer, mood } = yield* moody()
      yield* Effect.gen(function* () {
        yield* Memory.search("which mugs broke in May?")
        yield* Memory.search("last week")
        yield* Memory.search("which mugs broke in May?", { dates: { weight: 0 } })
        assert.deepStrictEqual(mood.calls, [["which mugs broke?"], ["last week"], ["which mugs broke in May?"]])
      }).pipe(Effect.provide(Layer.provide(Memory.layerInMemory(), layer)))
    })
  )

  it.effect("is read with options that are checked", () =>
    Effect.gen(function* () {
      for (const [dates, message] of [
        [{ weight: -1 }, /dates\.weight must be a number of 0 or more/],
        [{ weight: Number.NaN }, /dates\.weight/],
        [{ timeZone: "Mars/Base" }, /dates\.timeZone must be the name of a time zone/],
        [{ timeZone: "" }, /dates\.timeZone/],
        [{ timeZone: 2 as unknown as string }, /dates\.timeZone/],
        [{ zone: "UTC" } as object, /no option "dates\.zone"/]
      ] as const) {
        for (const query of ["yesterday", "apples", ""]) {
          const { reason } = yield* Effect.flip(Memory.search(query, { dates }))
          assert.strictEqual(reason._tag, "Query")
          assert.match(reason.message, message)
        }
      }
      yield* remember("apples", "fruit")
      assert.strictEqual(yield* best("apples today", { dates: { weight: 1e300 } }), "apples")
    }).pipe(Effect.provide(Layer.fresh(Testing.memory)))
  )
})
