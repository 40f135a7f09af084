/** Names and questions of an unusual kind, on one database. */
import { assert, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Store } from "cogito"
import { answered, newRun, step, wait } from "../../src/testing/contract/ledger/rows.ts"
import { ask } from "../../src/testing/contract/stage/query.ts"
import { commit, notes, thought } from "../../src/testing/contract/stage/rows.ts"
import { makeStore } from "./prefilled.ts"

class Shared extends Context.Service<Shared, Store.Store>()("test/pglite/unusual.test/Shared") {}

/** Ids with what separates or quotes the items of a list in SQL. */
const oddIds = [
  "a,b",
  "a",
  "b",
  "{a}",
  "{",
  "}",
  '"',
  '"a"',
  "'",
  "a\\",
  "\\",
  "\\,",
  "NULL",
  "null",
  " a",
  "a ",
  "a\0b"
]

/** Stores notes with these contents in one thought. */
const stored = (store: Store.Store, scope: string, contents: ReadonlyArray<string>) => {
  const row = thought()
  const drafts = contents.map((content) => ({ content }))
  return store.commit(scope, commit(row, { notes: notes(row.id, 1, drafts) }))
}

const words = Array.from({ length: 17 }, (_, i) => `fruit${String.fromCharCode(97 + i)}`)
const others = words.slice(0, -1)
const [copied = ""] = words.slice(-1)

layer(Layer.effect(Shared, makeStore()))("a database", (it) => {
  it.effect("sketches runs whose ids have quotes, commas, braces and backslashes, each with its own rows", () =>
    Effect.gen(function* () {
      const store = yield* Shared
      const row = thought()
      yield* store.commit("odd", commit(row))
      for (const id of oddIds) {
        const rows = { steps: [step(`/step of ${id}`)], calls: [answered(`/call of ${id}`, 0)] }
        const waits = [wait(id, row.id, `/wait of ${id}`)]
        yield* store.ledger.record("odd", { runId: id, epoch: 1, begins: [newRun(row.id, { id })], ...rows, waits })
      }
      const wanted = oddIds.toReversed()
      const sketches = yield* store.ledger.sketches("odd", wanted)
      assert.deepStrictEqual(
        sketches.map(({ calls, run, steps, waits }) => [
          run.id,
          ...[steps, calls, waits].flat().map((one) => one.frame)
        ]),
        wanted.map((id) => [id, `/step of ${id}`, `/call of ${id}`, `/wait of ${id}`])
      )
    })
  )

  for (const [name, opened] of [
    ["PGlite", Shared],
    ["memory", Store.makeInMemory]
  ] as const) {
    it.effect(`in ${name} looks for the rarest words of a long question, and copies make a word no more common`, () =>
      Effect.gen(function* () {
        const store: Store.Store = yield* opened
        // each of the others is in two notes
        yield* stored(store, "rare", [...others, ...others.map((word) => `more of ${word}`)])
        yield* stored(store, "rare", [copied])
        for (let i = 0; i < 5; i++) yield* stored(store, "rare", [copied])
        const query = ask({ text: words.join(" "), limit: 50 })
        const { matches, terms } = yield* store.search("rare", undefined, query)
        const found = matches.map(({ note }) => note.content)
        assert.deepStrictEqual(found.slice(0, 1), [copied])
        assert.notInclude(found, others.at(-1))
        assert.includeMembers(found, others.slice(0, -1))
        assert.deepStrictEqual([matches.length, matches[0]?.copies, terms], [31, 6, 16])
      })
    )

    it.effect(`in ${name} lets four hits for each candidate count for the notes beside them`, () =>
      Effect.gen(function* () {
        const store: Store.Store = yield* opened
        const best = (candidates: number) => {
          const query = ask({ text: "kiwi plum", candidates, limit: 1, context: { neighbours: 0.5, task: 0 } })
          return Effect.map(store.search("beside", undefined, query), ({ matches: [match] }) => {
            assert.strictEqual(match?.note.content, "kiwi plum")
            return match?.score ?? 0
          })
        }
        // the second note is the second hit at first, and the fifth one then
        yield* stored(store, "beside", ["kiwi plum", "plum"])
        for (let i = 0; i < 12; i++) yield* stored(store, "beside", [`plum cake with flour, sugar and ${i} eggs`])
        assert.strictEqual(yield* best(1), yield* best(50))
        for (const word of ["one", "two", "three"]) yield* stored(store, "beside", [`kiwi ${word}`])
        assert.isBelow(yield* best(1), yield* best(50))
        assert.strictEqual(yield* best(2), yield* best(50))
      })
    )

    it.effect(`in ${name} copies vectors from any note with the text that still has some`, () =>
      Effect.gen(function* () {
        const store: Store.Store = yield* opened
        const space = { embedder: "copied", dimensions: 3, metric: "cosine" } as const
        yield* store.openSpace(space)
        const row = thought()
        const same = notes(
          row.id,
          1,
          Array.from({ length: 4 }, () => ({ content: "apples" }))
        )
        const [first = "", second = "", third = "", fourth = ""] = same.map(({ id }) => id)
        yield* store.commit("copied", commit(row, { notes: same }))
        const vectors = [first, second].map((noteId) => ({ noteId, vector: Float32Array.of(1, 0, 0) }))
        yield* store.putVectors("copied", space, vectors)
        yield* store.redact("copied", first, 1_800_000_000_000)
        assert.deepStrictEqual(yield* store.copyVectors("copied", space, [first, second, third]), [third])
        yield* store.redact("copied", second, 1_800_000_000_000)
        yield* store.redact("copied", third, 1_800_000_000_000)
        assert.deepStrictEqual(yield* store.copyVectors("copied", space, [fourth]), [])
      })
    )
  }
})
