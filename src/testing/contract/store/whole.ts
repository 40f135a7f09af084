/** Tests of stores: exact texts, separate scopes, and atomic commits. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { each } from "../stage/each.ts"
import { assert } from "../stage/assert.ts"
import { nearby, page } from "../stage/query.ts"
import { asStored, awkwardTexts, commit, entry, note, notes, plain, thought } from "../stage/rows.ts"
import { at, freshScope, freshSpace, refusal, type Scene } from "../stage/scene.ts"
import type { Define } from "../stage/suite.ts"

export const wholeTests = ({ describe, test }: Define<Scene>): void => {
  describe("thoughts", () => {
    test("returns every text exactly", function* (my) {
      for (const [i, text] of awkwardTexts.entries()) {
        const scope = `${text} ${freshScope()}`
        const metadata = JSON.parse(`{"__proto__":${JSON.stringify(text)}}`) as Record<string, string>
        const row = thought({
          traceId: text,
          taskId: text,
          intent: text,
          hidden: new Map([
            [text, 1],
            ["b", 2]
          ])
        })
        const written = notes(row.id, 1, [
          { key: text, content: text, source: text, step: text, metadata: { ...metadata, [text]: text, b: "c" } },
          { content: `${i}${text}` }
        ])
        const entries = [entry(0, { text })]
        yield* my.store.commit(scope, commit(row, { notes: written, entries, nextIndex: 1 }))
        assert.deepStrictEqual(
          plain(yield* my.store.load(scope, { traceId: text })),
          plain(asStored(row, { notes: written, entries, nextIndex: 1 }))
        )
      }
    })

    test("distinguishes texts that a database may not distinguish", function* (my) {
      const rows = awkwardTexts.map((traceId) => thought({ traceId }))
      for (const row of rows) yield* my.write(row)
      for (const row of rows) {
        assert.strictEqual((yield* my.load({ traceId: row.traceId }))?.thought.id, row.id)
      }
    })

    test("keeps scopes separate, even with the same ids and trace ids", function* (my) {
      const [one, other] = [freshScope(), freshScope()]
      const row = thought({ traceId: "same" })
      const mine = note(row.id, 1, { content: "mine" })
      const theirs = { ...mine, content: "theirs" }
      yield* my.store.commit(one, commit(row, { notes: [mine] }))
      assert.isUndefined(yield* my.store.load(other, { id: row.id }))
      assert.isUndefined(yield* my.store.load(other, { traceId: "same" }))
      yield* my.store.commit(other, commit(row, { notes: [theirs] }))
      assert.strictEqual((yield* my.store.load(one, { traceId: "same" }))?.notes[0]?.content, "mine")
      assert.strictEqual((yield* my.store.load(other, { traceId: "same" }))?.notes[0]?.content, "theirs")
      const child = thought({ parent: { id: row.id, seq: 1 } })
      assert.strictEqual(yield* refusal(my.store.commit(freshScope(), commit(child))), "ConcurrencyConflict")
    })

    test("keeps scopes separate whose names hardly differ", function* (my) {
      const scope = `${freshScope()} a${"\u00e9".repeat(180)}`
      const row = thought()
      const [written] = notes(row.id, 1, [{}])
      const space = freshSpace()
      yield* my.store.openSpace(space)
      yield* my.store.commit(scope, commit(row, { notes: [written!] }))
      yield* my.store.putVectors(scope, space, [{ noteId: written!.id, vector: at(0) }])
      const alike = [
        scope.toUpperCase(),
        ` ${scope}`,
        `${scope} `,
        `${scope}\n`,
        `${scope}\u0000`,
        scope.normalize("NFD"),
        scope.slice(0, -1),
        `${scope.slice(0, -1)}e`
      ]
      for (const other of alike) {
        assert.isUndefined(yield* my.store.load(other, { id: row.id }))
        assert.deepStrictEqual(yield* my.store.thoughts(other, page()), [])
        assert.deepStrictEqual(yield* my.store.pending(space, { scope: other, limit: 9 }), [])
        assert.deepStrictEqual(yield* nearby(my.store, other, space, at(0)), [])
        yield* my.store.commit(other, commit(row, { notes: [note(row.id, 1, { content: other })] }))
        assert.strictEqual(yield* my.store.countPending(other, space), 1)
        assert.strictEqual(yield* my.store.countPending(scope, space), 0)
      }
      for (const other of alike) {
        assert.strictEqual((yield* my.store.load(other, { id: row.id }))?.notes[0]?.content, other)
        assert.strictEqual(yield* my.store.purge(other), 1)
      }
      assert.strictEqual((yield* nearby(my.store, scope, space, at(0)))[0]?.note.id, written!.id)
    })

    test("keeps nothing of a commit that fails at its last row", function* (my) {
      const row = thought()
      const parent = thought()
      const once = note(row.id, 2)
      // a number that does not follow the others, and an id that another one has
      for (const last of [note(row.id, 5), { ...once, seq: 3 }]) {
        const failed = commit(row, { notes: [note(row.id, 1), once, last], entries: [entry(0)], nextIndex: 1 })
        yield* Effect.flip(my.store.commit(my.scope, failed))
        yield* Effect.flip(
          my.store.commit(my.scope, {
            ...failed,
            thought: { ...row, parent: { id: parent.id, seq: 0 } },
            parent: commit(parent)
          })
        )
        assert.isUndefined(yield* my.load(row))
        assert.isUndefined(yield* my.load(parent))
      }
    })

    test("keeps all or nothing of a commit when its fiber is interrupted", function* (my) {
      for (let turns = 0; turns < 12; turns++) {
        const row = thought()
        const full = commit(row, { notes: notes(row.id, 1, [{}, {}]), entries: [entry(0)], nextIndex: 1 })
        const fiber = yield* Effect.forkChild(my.store.commit(my.scope, full))
        for (let i = 0; i < turns; i++) yield* Effect.promise(() => new Promise((resume) => setImmediate(resume)))
        yield* Fiber.interrupt(fiber)
        const loaded = yield* my.load(row)
        if (loaded !== undefined) {
          const { entries, nextIndex, notes, usage } = full
          assert.deepStrictEqual(plain(loaded), plain(asStored(row, { notes, entries, nextIndex, usage })))
        }
        yield* Effect.ignore(my.store.commit(my.scope, full))
        assert.strictEqual((yield* my.load(row))?.notes.length, 2)
      }
    })

    test("accepts thousands of notes in one commit", function* (my) {
      const row = thought()
      const written = notes(
        row.id,
        1,
        Array.from({ length: 2500 }, () => ({}))
      )
      yield* my.write(row, { notes: written })
      assert.deepStrictEqual(
        each((yield* my.load(row))?.notes, "id"),
        written.map(({ id }) => id)
      )
    })
  })
}
