/** Tests of stores: notes that are appended from outside. */
import * as Effect from "effect/Effect"
import type { NewNote } from "../../../Store.ts"
import { each } from "../stage/each.ts"
import { assert } from "../stage/assert.ts"
import { asStored, awkwardTexts, commit, entry, newNote, note, plain, plainNote, thought } from "../stage/rows.ts"
import { freshScope, refusal, type Scene, unbounded } from "../stage/scene.ts"
import type { Define } from "../stage/suite.ts"

export const appendTests = ({ describe, test }: Define<Scene>, writers: number, rounds: number): void => {
  describe("append", () => {
    test("adds notes after the last one at any version, and increments the version", function* (my) {
      const row = thought()
      const first = note(row.id, 1)
      yield* my.write(row, { notes: [first], entries: [entry(0)], nextIndex: 4, usage: {} })
      const given = awkwardTexts
        .slice(0, 12)
        .map((text) => newNote({ content: text, source: text, metadata: { [text]: text } }))
      const stored = yield* my.append({ id: row.id }, given.slice(0, 5))
      const more = yield* my.append({ traceId: row.traceId }, given.slice(5))
      const expected = given.map((one, i) => ({ ...one, thoughtId: row.id, seq: i + 2 }))
      assert.deepStrictEqual([...(stored ?? []), ...(more ?? [])].map(plainNote), expected.map(plainNote))
      assert.deepStrictEqual(
        plain(yield* my.load(row)),
        plain(asStored(row, { version: 3, notes: [first, ...expected], entries: [entry(0)], nextIndex: 4, usage: {} }))
      )
    })

    test("succeeds at any version, but then a commit on an older version is refused", function* (my) {
      const { row } = yield* my.add([])
      yield* my.append({ id: row.id }, [newNote()])
      const late = commit(row, { version: 1, notes: [note(row.id, 1)] })
      assert.strictEqual(yield* refusal(my.store.commit(my.scope, late)), "ConcurrencyConflict")
      assert.strictEqual(yield* my.write(row, { version: 2, notes: [note(row.id, 2)] }), 3)
    })

    test("finds no thought to append to if there is none", function* (my) {
      const row = thought()
      yield* my.store.commit(freshScope(), commit(row))
      assert.isUndefined(yield* my.append({ id: row.id }, [newNote()]))
      assert.isUndefined(yield* my.append({ id: "no id" }, [newNote()]))
      assert.isUndefined(yield* my.append({ traceId: row.traceId }, [newNote()]))
      assert.isUndefined(yield* my.append({ id: row.id }, []))
    })

    test("adds a note once, however often and with whatever other notes it is sent", function* (my) {
      const { row } = yield* my.add([])
      const [a, b, c] = [newNote(), newNote(), newNote()]
      const append = (...given: ReadonlyArray<NewNote>) => my.append({ id: row.id }, given)
      const sent = yield* Effect.forEach(Array.from({ length: 6 }), () => append(a, b), unbounded)
      for (const one of sent) assert.deepStrictEqual(each(one, "seq"), [1, 2])
      const mixed = yield* append(b, c, c, a)
      assert.deepStrictEqual(each(mixed, "seq"), [2, 3, 3, 1])
      assert.deepStrictEqual(yield* append(), [])
      const loaded = yield* my.load(row)
      assert.deepStrictEqual(each(loaded?.notes, "id"), [a.id, b.id, c.id])
      assert.strictEqual(loaded?.version, 3)
      // the repeated notes have taken no numbers
      assert.deepStrictEqual(each(yield* append(newNote()), "seq"), [4])
      yield* my.write(row, { version: 4, notes: [note(row.id, 5)] })
    })

    test("refuses the id of another note, and then adds none of the notes", function* (my) {
      const [row, other] = [thought(), thought()]
      const [mine, theirs] = [note(row.id, 1, { key: "added", content: "text" }), note(other.id, 1)]
      yield* my.write(row, { notes: [mine] })
      yield* my.write(other, { notes: [theirs] })
      for (const wrong of [
        { ...newNote(), id: theirs.id },
        newNote({ id: mine.id, content: "else" }),
        newNote({ id: mine.id, key: "else", content: "text" })
      ]) {
        assert.strictEqual(yield* refusal(my.append({ id: row.id }, [newNote(), wrong])), "Query 23505")
      }
      const twice = newNote()
      assert.strictEqual(
        yield* refusal(my.append({ id: row.id }, [twice, { ...twice, content: "other" }])),
        "Query 23505"
      )
      const loaded = yield* my.load(row)
      assert.deepStrictEqual([loaded?.version, loaded?.notes.length], [1, 1])
    })

    test("continues a fork after its fork point, and does not show there what is appended to the parent", function* (my) {
      const { row } = yield* my.add([{}, {}, {}])
      const fork = thought({ parent: { id: row.id, seq: 2 } })
      yield* my.write(fork)
      const [added] = (yield* my.append({ id: fork.id }, [newNote()])) ?? []
      assert.strictEqual(added?.seq, 3)
      yield* my.append({ id: row.id }, [newNote()])
      assert.deepStrictEqual(
        (yield* my.load(fork))?.notes.map(({ id, seq }) => [seq, id === added?.id]),
        [
          [1, false],
          [2, false],
          [3, true]
        ]
      )
    })

    test(
      `loses nothing and leaves no gap when ${writers} writers add ${rounds} times each`,
      function* (my) {
        const { row } = yield* my.add([])
        const acknowledged = yield* Effect.forEach(
          Array.from({ length: writers }, (_, writer) => writer),
          (writer) =>
            Effect.forEach(Array.from({ length: rounds }), (_, round) =>
              Effect.map(
                my.append({ id: row.id }, [newNote({ key: `writer ${writer}`, content: String(round) })]),
                (stored) => stored?.[0]
              )
            ),
          unbounded
        )
        const loaded = yield* my.load(row)
        const count = writers * rounds
        assert.strictEqual(loaded?.version, 1 + count)
        assert.deepStrictEqual(
          each(loaded?.notes, "seq"),
          Array.from({ length: count }, (_, i) => i + 1)
        )
        const bySeq = new Map(loaded?.notes.map((one) => [one.seq, one.id]))
        for (const [writer, own] of acknowledged.entries()) {
          for (const one of own) assert.strictEqual(bySeq.get(one?.seq ?? 0), one?.id)
          assert.deepStrictEqual(
            loaded?.notes.filter(({ key }) => key === `writer ${writer}`).map((one) => one.content),
            Array.from({ length: rounds }, (_, round) => String(round))
          )
        }
      },
      { timeout: 60_000 + writers * rounds * 20 }
    )
  })
}
