/** Tests of stores: what notes were derived from, and redaction of everything derived. */
import * as Effect from "effect/Effect"
import type { Store } from "../../Store.ts"
import { each } from "./stage/each.ts"
import { assert } from "./stage/assert.ts"
import { loadAll } from "./stage/forest.ts"
import { asStored, commit, entry, newNote, note, notes, plain, thought, uuid } from "./stage/rows.ts"
import { freshScope, refusal, scene, unbounded } from "./stage/scene.ts"
import { type StoreTest, suite } from "./stage/suite.ts"

const millis = 1_800_000_000_000

/** The ids of the notes of a scope that have no text. */
const emptied = (store: Store, scope: string) =>
  Effect.map(loadAll(store, scope), (all) =>
    [
      ...new Set(all.flatMap(({ notes: own }) => own.filter(({ content }) => content === "").map(({ id }) => id)))
    ].toSorted()
  )

export const derivationTests = (): ReadonlyArray<StoreTest> =>
  suite("what notes were derived from", { fresh: false, set: scene }, ({ describe, test }) => {
    test("is returned as it was committed, appended and restored", function* (my) {
      const other = freshScope()
      const row = thought()
      const [one, two] = notes(row.id, 1, [{}, {}])
      const three = note(row.id, 3, { derivedFrom: [two!.id, uuid(), one!.id, two!.id] })
      yield* my.write(row, { notes: [one!, two!, three] })
      const [four] = (yield* my.append({ id: row.id }, [newNote({ derivedFrom: [three.id] })])) ?? []
      assert.deepStrictEqual(four?.derivedFrom, [three.id])
      const stored = yield* my.load(row)
      assert.deepStrictEqual(each(stored?.notes, "derivedFrom"), [[], [], three.derivedFrom, [three.id]])
      yield* my.store.restore(other, stored!)
      assert.deepStrictEqual(plain(yield* my.store.load(other, { id: row.id })), plain(stored))
    })

    test("is kept for notes from a thought that is stored later", function* (my) {
      const [first, second] = [thought(), thought()]
      const source = note(first.id, 1)
      const derived = note(second.id, 1, { derivedFrom: [source.id] })
      yield* my.write(second, { notes: [derived] })
      yield* my.write(first, { notes: [source] })
      assert.deepStrictEqual(yield* my.redact(source.id, millis), [source.id, derived.id])
    })

    test("is passed on when intermediate notes are removed", function* (my) {
      const [first, between, last] = [thought(), thought(), thought()]
      const source = note(first.id, 1)
      const one = note(between.id, 1, { derivedFrom: [source.id] })
      const two = note(between.id, 2, { derivedFrom: [one.id] })
      const derived = note(last.id, 1, { derivedFrom: [two.id] })
      const open = note(last.id, 2)
      yield* my.write(first, { notes: [source] })
      yield* my.write(between, { notes: [one, two] })
      yield* my.write(last, { notes: [derived, open] })
      assert.isTrue(yield* my.remove({ id: between.id }, { materialize: false }))
      const loaded = yield* my.load(last)
      assert.deepStrictEqual(loaded?.notes[0]?.derivedFrom, [two.id, source.id])
      assert.deepStrictEqual(loaded?.notes[1]?.derivedFrom, [])
      assert.deepStrictEqual(yield* my.redact(source.id, millis), [source.id, derived.id])
    })

    test("stays with notes that a fork inherits", function* (my) {
      const row = thought()
      const source = note(row.id, 1)
      const derived = note(row.id, 2, { derivedFrom: [source.id] })
      const fork = thought({ parent: { id: row.id, seq: 2 } })
      yield* my.write(row, { notes: [source, derived] })
      yield* my.write(fork)
      assert.isTrue(yield* my.remove({ id: row.id }, { materialize: true }))
      const loaded = yield* my.load(fork)
      assert.deepStrictEqual(each(loaded?.notes, "derivedFrom"), [[], [source.id]])
      assert.deepStrictEqual(yield* my.redact(source.id, millis), [source.id, derived.id])
    })

    describe("redact", () => {
      test("redacts everything derived in every thought of the scope, and nothing else", function* (my) {
        const other = freshScope()
        const [row, asking, again] = [thought(), thought(), thought()]
        const [secret, open] = notes(row.id, 1, [{}, {}])
        const answer = note(asking.id, 1, { derivedFrom: [open!.id, secret!.id] })
        const apart = note(asking.id, 2, { derivedFrom: [open!.id] })
        const nested = note(again.id, 1, { derivedFrom: [answer.id], source: "seek" })
        const entries = [entry(0, { carries: [answer.id] }), entry(1, { carries: [apart.id] })]
        for (const tenant of [my.scope, other]) {
          yield* my.store.commit(tenant, commit(row, { notes: [secret!, open!] }))
          yield* my.store.commit(tenant, commit(asking, { notes: [answer, apart], entries, nextIndex: 2 }))
          yield* my.store.commit(tenant, commit(again, { notes: [nested] }))
        }
        const gone = [secret!.id, answer.id, nested.id].toSorted()
        assert.deepStrictEqual(yield* my.redact(secret!.id, millis), gone)
        assert.deepStrictEqual(yield* emptied(my.store, my.scope), gone)
        const after = yield* Effect.forEach([row, asking, again], ({ id }) => my.load({ id }))
        assert.deepStrictEqual(
          after.map((stored) => stored?.version),
          [2, 2, 2]
        )
        assert.deepStrictEqual(after[1]?.entries, [entries[1]])
        assert.deepStrictEqual(
          after[1]?.notes.map(({ redacted }) => redacted?.epochMilliseconds),
          [millis, undefined]
        )
        assert.deepStrictEqual(yield* emptied(my.store, other), [])
      })

      test("redacts all of a long chain and of a cycle", function* (my) {
        const row = thought()
        const ids = Array.from({ length: 600 }, uuid)
        const line = ids.map((id, i) => note(row.id, i + 1, { id, derivedFrom: [ids.at(i - 1)!] }))
        yield* my.write(row, { notes: line })
        assert.deepStrictEqual(yield* my.redact(ids[300]!, millis), ids.toSorted())
      })

      test("redacts the note of a summary that covers a derived note, and what derives from it", function* (my) {
        const [row, elsewhere] = [thought(), thought()]
        const [secret, derived, summary, open, apart] = notes(row.id, 1, [{}, {}, {}, {}, {}])
        const made = note(elsewhere.id, 1, { derivedFrom: [summary!.id] })
        const last = note(elsewhere.id, 2)
        const all = [secret!, { ...derived!, derivedFrom: [secret!.id] }, summary!, open!, apart!]
        const entries = [
          entry(0, { kind: "summary", carries: [summary!.id], covers: [derived!.id] }),
          entry(1, { kind: "summary", carries: [apart!.id], covers: [open!.id] })
        ]
        yield* my.write(row, { notes: all, entries, nextIndex: 2 })
        const more = [entry(0), entry(1, { kind: "summary", carries: [last.id], covers: [made.id] })]
        yield* my.write(elsewhere, { notes: [made, last], entries: more, nextIndex: 2 })
        const gone = [secret!, derived!, summary!, made, last].map(({ id }) => id).toSorted()
        assert.deepStrictEqual(yield* my.redact(secret!.id, millis), gone)
        assert.deepStrictEqual(yield* emptied(my.store, my.scope), gone)
        assert.deepStrictEqual((yield* my.load(row))?.entries, [entries[1]])
        assert.deepStrictEqual((yield* my.load(elsewhere))?.entries, [more[0]])
      })

      test("redacts requests whose answers are derived, with everything they showed", function* (my) {
        const row = thought()
        const [secret, open, answer, apart] = notes(row.id, 1, [{}, {}, {}, {}])
        const derived = { ...answer!, derivedFrom: [secret!.id] }
        const entries = [
          entry(0, { carries: [secret!.id] }),
          entry(1, { role: "assistant", carries: [apart!.id] }),
          entry(2, { carries: [open!.id], text: "Is what they wrote, the secret, true?" }),
          entry(3, { role: "assistant" }),
          entry(4, { role: "assistant", carries: [derived.id] }),
          entry(5)
        ]
        const commits = commit(row, { notes: [secret!, open!, derived, apart!], entries, nextIndex: 6 })
        yield* my.store.commit(my.scope, commits)
        yield* my.redact(secret!.id, millis)
        const loaded = yield* my.load(row)
        assert.deepStrictEqual(each(loaded?.entries, "index"), [1, 3, 5])
      })

      test("as copies keeps what was made of the text, but removes it from conversations", function* (my) {
        const row = thought()
        const secret = note(row.id, 1)
        const answer = note(row.id, 2, { derivedFrom: [secret.id], source: "decide" })
        const found = note(row.id, 3, { derivedFrom: [secret.id], source: "seek" })
        const summary = note(row.id, 4, { derivedFrom: [found.id], source: "seek" })
        const later = note(row.id, 5, { derivedFrom: [found.id], source: "survey" })
        const ofAnswer = note(row.id, 6, { derivedFrom: [answer.id], source: "survey" })
        const covering = note(row.id, 7, { derivedFrom: [answer.id], source: "compress" })
        const all = [secret, answer, found, summary, later, ofAnswer, covering]
        const entries = [
          entry(0, { carries: [secret.id] }),
          entry(1, { role: "assistant", carries: [answer.id] }),
          entry(2),
          entry(3, { kind: "summary", carries: [covering.id], covers: [secret.id] })
        ]
        yield* my.write(row, { notes: all, entries, nextIndex: 4 })
        const gone = [secret, found, summary, later, covering].map(({ id }) => id).toSorted()
        assert.deepStrictEqual(yield* my.redact(secret.id, millis, "copies"), gone)
        assert.deepStrictEqual(yield* emptied(my.store, my.scope), gone)
        const loaded = yield* my.load(row)
        assert.deepStrictEqual(each(loaded?.entries, "index"), [2])
        // notes derived from a remaining one are stored, and redacted with it
        const more = note(row.id, 8, { derivedFrom: [answer.id] })
        yield* my.write(row, { version: 2, notes: [more], nextIndex: 4 })
        assert.deepStrictEqual(yield* my.redact(secret.id, millis + 1), [...all, more].map(({ id }) => id).toSorted())
      })

      test("as copies redacts copies in forks, including branches with prefixed keys", function* (my) {
        const [row, fork, deeper] = [thought(), thought(), thought()]
        const made = { source: "analyze", step: "all/one/ticket" }
        const secret = note(row.id, 1, { ...made, key: "one.ticket" })
        const original = { ...made, content: secret.content, created: secret.created }
        const copy = note(fork.id, 1, { ...original, key: "ticket", derivedFrom: [secret.id] })
        const again = note(deeper.id, 1, { ...original, key: "ticket", derivedFrom: [copy.id] })
        // each differs from a copy in one field
        const others = [
          note(fork.id, 2, { ...original, key: "ticket", derivedFrom: [secret.id], source: "decide" }),
          note(fork.id, 3, { ...original, key: "ticket", derivedFrom: [secret.id], step: "all/two/ticket" }),
          note(fork.id, 4, { ...original, key: "cket", derivedFrom: [secret.id] }),
          note(fork.id, 5, { ...made, key: "ticket", content: secret.content, derivedFrom: [secret.id] }),
          note(fork.id, 6, { ...original, key: "ticket" })
        ]
        yield* my.write(row, { notes: [secret] })
        yield* my.write(fork, { notes: [copy, ...others], entries: [entry(0, { carries: [copy.id] })] })
        yield* my.write(deeper, { notes: [again] })
        const gone = [secret, copy, again].map(({ id }) => id).toSorted()
        assert.deepStrictEqual(yield* my.redact(secret.id, millis, "copies"), gone)
        assert.deepStrictEqual(yield* emptied(my.store, my.scope), gone)
        assert.deepStrictEqual((yield* my.load(fork))?.entries, [])
        assert.deepStrictEqual(yield* my.redact(secret.id, millis, "copies"), gone)
        // a restore does not bring a copy back either
        const back = thought()
        const restored = note(back.id, 1, { ...original, key: "ticket", derivedFrom: [secret.id] })
        assert.strictEqual(yield* refusal(my.restore(asStored(back, { notes: [restored] }))), "ConcurrencyConflict")
      })

      test("refuses to add derived notes, even concurrently", function* (my) {
        for (let round = 0; round < 10; round++) {
          const { one, row } = yield* my.addOne()
          const derive = Effect.suspend(() => {
            const asking = thought()
            return my.write(asking, { notes: [note(asking.id, 1, { derivedFrom: [one.id] })] })
          })
          const append = Effect.suspend(() => my.append({ id: row.id }, [newNote({ derivedFrom: [one.id] })]))
          yield* Effect.all(
            [
              Effect.result(derive),
              Effect.result(append),
              Effect.result(derive),
              my.redact(one.id, millis),
              Effect.result(append),
              Effect.result(derive)
            ],
            unbounded
          )
          assert.strictEqual(yield* refusal(derive), "ConcurrencyConflict")
          assert.strictEqual(yield* refusal(append), "ConcurrencyConflict")
          const texts = (yield* loadAll(my.store, my.scope)).flatMap((stored) =>
            stored.notes.map(({ content }) => content)
          )
          assert.deepStrictEqual([...new Set(texts)], [""])
        }
      })

      test("allows restoring kept notes, but not copies of the content", function* (my) {
        const { one } = yield* my.addOne()
        yield* my.redact(one.id, millis, "copies")
        const [answered, searched] = [thought(), thought()]
        const answer = note(answered.id, 1, { derivedFrom: [one.id], source: "decide" })
        yield* my.restore(asStored(answered, { notes: [answer] }))
        const found = note(searched.id, 1, { derivedFrom: [one.id], source: "seek" })
        assert.strictEqual(yield* refusal(my.restore(asStored(searched, { notes: [found] }))), "ConcurrencyConflict")
        const redacted = { ...found, content: "", redacted: found.created }
        yield* my.restore(asStored(searched, { notes: [redacted] }))
        assert.strictEqual((yield* my.load(answered))?.notes[0]?.content, "content 1")
      })
    })
  })
