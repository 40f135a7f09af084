/** Tests of stores: thoughts that are committed and loaded. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { each } from "../stage/each.ts"
import { assert } from "../stage/assert.ts"
import { asStored, entry, note, notes, plain, thought, uuid } from "../stage/rows.ts"
import { refusal, type Scene, unbounded } from "../stage/scene.ts"
import type { Define } from "../stage/suite.ts"

export const commitTests = ({ describe, test }: Define<Scene>): void => {
  describe("thoughts", () => {
    test("returns a complete thought by id and by trace id", function* (my) {
      const row = thought({
        taskId: "task 1",
        hidden: new Map([
          ["key 2", 2],
          ["key 1", 1]
        ]),
        checkpoints: new Map([
          ["before", { id: uuid(), seq: 3 }],
          ["\0 \ud800", { id: uuid(), seq: 0 }]
        ])
      })
      const written = notes(row.id, 1, [
        { metadata: { z: "1", a: "2", 7: "3" }, source: "decide", step: "triage/urgent", trust: "trusted" },
        {}
      ])
      const carried = written.map(({ id }) => id)
      const entries = [
        entry(0, { role: "system" }),
        entry(1, { carries: carried }),
        entry(2, { role: "assistant", kind: "summary", covers: carried })
      ]
      const usage = { inputTokens: 0, outputTokens: 12, reasoningTokens: 3 }
      assert.strictEqual(yield* my.write(row, { notes: written, entries, nextIndex: 3, usage }), 1)
      const expected = plain(asStored(row, { notes: written, entries, nextIndex: 3, usage }))
      assert.deepStrictEqual(plain(yield* my.load(row)), expected)
      assert.deepStrictEqual(plain(yield* my.load({ traceId: row.traceId })), expected)
    })

    test("finds nothing for an id or trace id that was never stored", function* (my) {
      yield* my.write(thought())
      assert.isUndefined(yield* my.load({ id: uuid() }))
      assert.isUndefined(yield* my.load({ id: "no id at all" }))
      assert.isUndefined(yield* my.load({ id: "" }))
      assert.isUndefined(yield* my.load({ traceId: "\u0000" }))
    })

    test("adds new notes, removes entries, and replaces version and usage", function* (my) {
      const row = thought()
      const all = notes(row.id, 1, [{}, {}, {}])
      yield* my.write(row, {
        notes: all.slice(0, 1),
        entries: [entry(0), entry(1), entry(2)],
        nextIndex: 3,
        usage: { inputTokens: 1 }
      })
      const version = yield* my.write(row, {
        version: 1,
        notes: all.slice(1),
        entries: [entry(3)],
        removed: [0, 2],
        nextIndex: 9
      })
      assert.strictEqual(version, 2)
      assert.deepStrictEqual(
        plain(yield* my.load(row)),
        plain(asStored(row, { version: 2, notes: all, entries: [entry(1), entry(3)], nextIndex: 9 }))
      )
    })

    test("returns the text of entries that repeat a note word for word, and of those that do not", function* (my) {
      const row = thought()
      const [a, b, c] = notes(row.id, 1, [{}, { content: "\0 \ud800 \ufeff" }, { content: "" }])
      const earlier = [
        entry(0, { role: "assistant", carries: [a!.id], text: a!.content }),
        entry(1, { role: "assistant", carries: [b!.id], text: b!.content }),
        entry(2, { carries: [a!.id, b!.id], text: a!.content }),
        entry(3, { carries: [b!.id], text: a!.content })
      ]
      const later = [
        entry(4, { carries: [c!.id], text: "" }),
        entry(5, { carries: [a!.id], text: a!.content }),
        entry(6, { covers: [c!.id], text: "" })
      ]
      yield* my.write(row, { notes: [a!, b!], entries: earlier, nextIndex: 4 })
      yield* my.write(row, { version: 1, notes: [c!], entries: later, nextIndex: 7 })
      assert.deepStrictEqual((yield* my.load(row))?.entries, [...earlier, ...later])
    })

    test("returns the text of replies that say the calls of tools they carry, and of those that say something else", function* (my) {
      const row = thought()
      const called = (name: string, content: string) => ({ content, metadata: { tool: name, tool_call: name } })
      const [a, b, c] = notes(row.id, 1, [called("read", '{"page":1}'), called("w\0", "\ud800]\n\n"), { content: "x" }])
      const one = '[calls read with {"page":1}]'
      const two = "[calls w\0 with \ud800]\n\n]"
      const texts = ["", one, `${one}\n${two}`, `${two}\n${one}`, ` ${one}`, `\n\n${one}`, `\0\ufeff \n\n${one}`]
      const carried = [[a!.id], [a!.id, b!.id], [b!.id, a!.id], [a!.id, c!.id], []]
      const entries = [
        ...texts.flatMap((text) => carried.map((carries) => ({ text, carries, role: "assistant" as const }))),
        { text: one, carries: [a!.id], role: "user" as const },
        { text: one, carries: [a!.id], role: "assistant" as const, kind: "summary" as const },
        { text: a!.content, carries: [a!.id], role: "assistant" as const }
      ].map((draft, index) => entry(index, draft))
      yield* my.write(row, { notes: [a!, b!, c!], entries, nextIndex: entries.length })
      assert.deepStrictEqual((yield* my.load(row))?.entries, entries)
      const again = entries.map((one, i) => ({ ...one, index: entries.length + i }))
      yield* my.write(row, { version: 1, entries: again, nextIndex: 2 * entries.length })
      assert.deepStrictEqual((yield* my.load(row))?.entries, [...entries, ...again])
    })

    test("refuses a commit on another version and leaves the thought as it is", function* (my) {
      const { row } = yield* my.addOne()
      const before = plain(yield* my.load(row))
      for (const version of [0, 2, 7]) {
        const error = yield* Effect.flip(my.write(row, { version, notes: [note(row.id, 2)] }))
        assert.strictEqual(error.reason._tag, "ConcurrencyConflict")
        assert.strictEqual(error.reason._tag === "ConcurrencyConflict" ? error.reason.thoughtId : "", row.id)
        assert.isFalse(error.isRetryable)
      }
      assert.deepStrictEqual(plain(yield* my.load(row)), before)
      assert.strictEqual(yield* refusal(my.write(thought(), { version: 1 })), "ConcurrencyConflict")
    })

    test("refuses a commit on another version even if it adds no note", function* (my) {
      const row = thought()
      yield* my.write(row, { entries: [entry(0), entry(1)], nextIndex: 2 })
      yield* my.write(row, { version: 1, entries: [entry(2)], nextIndex: 3 })
      const before = plain(yield* my.load(row))
      for (const version of [0, 1, 3]) {
        for (const change of [
          { entries: [entry(4)], nextIndex: 5 },
          { removed: [0], nextIndex: 3 },
          { nextIndex: 9, usage: { inputTokens: 1 } }
        ]) {
          assert.strictEqual(yield* refusal(my.write(row, { version, ...change })), "ConcurrencyConflict")
        }
      }
      assert.deepStrictEqual(plain(yield* my.load(row)), before)
    })

    test("accepts only one of two commits on the same version", function* (my) {
      const { row } = yield* my.add([])
      const results = yield* Effect.forEach(
        Array.from({ length: 8 }, () => note(row.id, 1)),
        (item) => Effect.result(my.write(row, { version: 1, notes: [item] })),
        unbounded
      )
      assert.strictEqual(results.filter(Result.isSuccess).length, 1)
      const loaded = yield* my.load(row)
      assert.strictEqual(loaded?.version, 2)
      assert.strictEqual(loaded?.notes.length, 1)
    })

    test("loads a thought as one commit left it, during concurrent writes and deletes", function* (my) {
      const row = thought()
      const commits = 30
      const state = { isWriting: true, seen: 0 }
      const writing = Effect.gen(function* () {
        for (let version = 0; version < commits; version++) {
          const added = {
            notes: [note(row.id, version + 1)],
            entries: [entry(version)],
            removed: version === 0 ? [] : [version - 1],
            nextIndex: version + 1
          }
          yield* my.write(row, { version, ...added })
          yield* Effect.yieldNow
        }
        yield* my.remove({ id: row.id }, { materialize: false })
      }).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            state.isWriting = false
          })
        )
      )
      const read = Effect.gen(function* () {
        while (state.isWriting) {
          const stored = yield* my.load(row)
          yield* Effect.yieldNow
          if (stored === undefined) continue
          state.seen++
          const { entries, nextIndex, notes, version } = stored
          assert.deepStrictEqual(
            [each(notes, "seq"), each(entries, "index"), nextIndex],
            [Array.from({ length: version }, (_, i) => i + 1), [version - 1], version]
          )
        }
      })
      yield* Effect.all([writing, read, read], unbounded)
      assert.isAbove(state.seen, 0)
      assert.isUndefined(yield* my.load(row))
    })

    test("accepts concurrent commits of many thoughts", function* (my) {
      const rows = Array.from({ length: 20 }, () => thought())
      yield* Effect.forEach(
        rows,
        (row) =>
          Effect.gen(function* () {
            yield* my.write(row, { notes: [note(row.id, 1)] })
            yield* my.write(row, { version: 1, notes: [note(row.id, 2)] })
          }),
        unbounded
      )
      for (const row of rows) {
        assert.deepStrictEqual(each((yield* my.load(row))?.notes, "seq"), [1, 2])
      }
    })

    test("refuses sequence numbers with gaps, used ones, and notes of another thought", function* (my) {
      const { row } = yield* my.add([{}, {}])
      const before = plain(yield* my.load(row))
      for (const wrong of [[note(row.id, 4)], [note(row.id, 2)], [note(row.id, 3), note(row.id, 5)]]) {
        assert.strictEqual(yield* refusal(my.write(row, { version: 1, notes: wrong })), "ConcurrencyConflict")
      }
      const other = thought()
      assert.strictEqual(yield* refusal(my.write(other, { notes: [note(other.id, 2)] })), "ConcurrencyConflict")
      assert.deepStrictEqual(plain(yield* my.load(row)), before)
      assert.isUndefined(yield* my.load(other))
    })

    test("refuses a second thought with the same trace id", function* (my) {
      const first = thought({ traceId: "ticket 7" })
      const second = thought({ traceId: "ticket 7" })
      yield* my.write(first)
      const { reason } = yield* Effect.flip(my.write(second, { notes: [note(second.id, 1)] }))
      assert.strictEqual(reason._tag, "Query")
      assert.strictEqual(reason._tag === "Query" ? reason.code : "", "23505")
      assert.notInclude(reason.message, "ticket 7")
      assert.isUndefined(yield* my.load(second))
      assert.strictEqual((yield* my.load({ traceId: "ticket 7" }))?.thought.id, first.id)
    })
  })
}
