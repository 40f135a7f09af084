/** Tests of stores: redacted notes. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { each } from "../stage/each.ts"
import { assert } from "../stage/assert.ts"
import { loadAll } from "../stage/forest.ts"
import { entry, newNote, note, notes, plain, thought, uuid } from "../stage/rows.ts"
import { freshScope, refusal, type Scene, unbounded } from "../stage/scene.ts"
import type { Define } from "../stage/suite.ts"
import { space } from "./given.ts"

export const redactTests = ({ describe, test }: Define<Scene>): void => {
  describe("redact", () => {
    const millis = 1_800_000_000_000

    test("takes away an entry that repeats the note word for word, and keeps those that repeat others", function* (my) {
      const row = thought()
      const [secret, open] = notes(row.id, 1, [{}, {}])
      const entries = [secret!, open!].map(({ content, id }, index) =>
        entry(index, { role: "assistant", carries: [id], text: content })
      )
      yield* my.write(row, { notes: [secret!, open!], entries, nextIndex: 2 })
      yield* my.redact(secret!.id, millis)
      assert.deepStrictEqual((yield* my.load(row))?.entries, entries.slice(1))
    })

    test("takes away a reply with the call of a tool, and what it says of other calls", function* (my) {
      const row = thought()
      const called = (content: string) => ({ content, metadata: { tool: "read", tool_call: content } })
      const [secret, open] = notes(row.id, 1, [called("secret"), called("open")])
      const replies = [[secret!, open!], [open!], [secret!]].map((carried, index) =>
        entry(index, {
          role: "assistant",
          carries: carried.map(({ id }) => id),
          text: ["I look.", "", ...carried.map(({ content }) => `[calls read with ${content}]`)].slice(index).join("\n")
        })
      )
      yield* my.write(row, { notes: [secret!, open!], entries: replies, nextIndex: 3 })
      yield* my.redact(secret!.id, millis)
      assert.deepStrictEqual((yield* my.load(row))?.entries, [replies[1]])
      const stored = yield* my.store.history(my.scope, row.id)
      assert.deepStrictEqual(
        stored?.removed.map(({ entry: { text } }) => text),
        ["", ""]
      )
    })

    test("removes the content everywhere and keeps everything else", function* (my) {
      const row = thought()
      const [secret, open, summary, late] = notes(row.id, 1, [
        { metadata: { secret: "yes" } },
        {},
        { key: "summary" },
        {}
      ])
      const entries = [
        entry(0, { role: "system" }),
        entry(1, { carries: [secret!.id, open!.id] }),
        entry(2, { carries: [open!.id], role: "assistant" }),
        entry(3, { kind: "summary", carries: [summary!.id], covers: [open!.id, secret!.id] }),
        entry(4, { carries: [summary!.id] }),
        entry(5, { kind: "omission", covers: [secret!.id] })
      ]
      yield* my.write(row, { notes: [secret!, open!, summary!], entries, nextIndex: 6, usage: { inputTokens: 1 } })
      const fork = thought({ parent: { id: row.id, seq: 3 } })
      const apart = thought({ parent: { id: row.id, seq: 0 } })
      yield* my.write(fork, { entries: [entry(0, { carries: [secret!.id] }), entry(1)], nextIndex: 2 })
      const beside = note(apart.id, 1)
      yield* my.write(apart, { notes: [beside] })
      yield* my.write(row, { version: 1, notes: [late!], removed: [1], nextIndex: 6 })
      yield* my.putVectors(
        space,
        [secret!, open!].map(({ id }) => ({ noteId: id, vector: Float32Array.of(1, 0) }))
      )
      const before = yield* my.countPending(space)
      assert.deepStrictEqual(yield* my.redact(secret!.id, millis), [secret!.id, summary!.id].toSorted())
      const gone = (one: typeof secret) => ({
        ...one!,
        content: "",
        metadata: {},
        redacted: DateTime.makeUnsafe(millis)
      })
      const loaded = yield* my.load(row)
      assert.deepStrictEqual(
        loaded?.notes.map((one) => ({ ...one, redacted: one.redacted?.epochMilliseconds })),
        [gone(secret), open!, gone(summary), late!].map((one) => ({
          ...one,
          redacted: "redacted" in one ? millis : undefined
        }))
      )
      assert.deepStrictEqual(
        loaded?.entries,
        entries.filter(({ index }) => index === 0 || index === 2)
      )
      assert.deepStrictEqual([loaded?.version, loaded?.nextIndex], [3, 6])
      const forked = yield* my.load(fork)
      assert.deepStrictEqual(forked?.entries, [entry(1)])
      assert.deepStrictEqual([forked?.version, forked?.notes[0]?.content], [2, ""])
      assert.strictEqual((yield* my.load(apart))?.version, 1)
      // the summary had no vector; the secret had one
      assert.strictEqual(yield* my.countPending(space), before - 1)
      yield* my.putVectors(space, [{ noteId: secret!.id, vector: Float32Array.of(1, 0) }])
      assert.strictEqual(yield* my.countPending(space), before - 1)
      const pending = yield* my.store.pending(space, { scope: my.scope, limit: 100 })
      assert.deepStrictEqual(each(pending, "id"), [beside.id, late!.id])
    })

    test("does nothing a second time, and affects only notes of the scope", function* (my) {
      const { one, row } = yield* my.addOne()
      yield* my.redact(one.id, millis)
      const before = plain(yield* my.load(row))
      assert.deepStrictEqual(yield* my.redact(one.id, millis + 5), [one.id])
      assert.deepStrictEqual(plain(yield* my.load(row)), before)
      assert.isUndefined(yield* my.store.redact(freshScope(), one.id, millis))
      assert.isUndefined(yield* my.redact(uuid(), millis))
      assert.isUndefined(yield* my.redact("no id", millis))
    })

    test("prevents conversations from restoring the content", function* (my) {
      const { one, row } = yield* my.addOne()
      yield* my.redact(one.id, millis)
      const showing = { entries: [entry(0, { covers: [one.id] })], nextIndex: 1 }
      const fork = thought({ parent: { id: row.id, seq: 1 } })
      assert.strictEqual(yield* refusal(my.write(fork, showing)), "ConcurrencyConflict")
      assert.isUndefined(yield* my.load(fork))
      assert.strictEqual(yield* refusal(my.write(row, { version: 2, ...showing })), "ConcurrencyConflict")
      yield* my.write(fork)
    })

    test("leaves a repeated append unchanged", function* (my) {
      const { row } = yield* my.add([])
      const one = newNote()
      yield* my.append({ id: row.id }, [one])
      yield* my.redact(one.id, millis)
      const [again] = (yield* my.append({ id: row.id }, [one])) ?? []
      assert.deepStrictEqual([again?.content, again?.redacted?.epochMilliseconds], ["", millis])
    })

    test("leaves no text of concurrent commits", function* (my) {
      for (let round = 0; round < 10; round++) {
        const { one, row } = yield* my.addOne()
        const showing = { entries: [entry(0, { carries: [one.id] })], nextIndex: 1 }
        const forks = Array.from({ length: 4 }, () => thought({ parent: { id: row.id, seq: 1 } }))
        yield* Effect.all(
          [
            ...forks.map((fork) => Effect.result(my.write(fork, showing))),
            my.redact(one.id, millis),
            Effect.result(my.write(row, { version: 1, ...showing }))
          ],
          unbounded
        )
        for (const { entries, notes } of yield* loadAll(my.store, my.scope)) {
          assert.deepStrictEqual(entries, [])
          assert.deepStrictEqual(
            notes.map(({ content: text }) => text),
            [""]
          )
        }
      }
    })
  })
}
