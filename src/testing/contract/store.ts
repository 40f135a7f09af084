/**
 * What every store promises, as tests. Each test works in scopes and vector spaces of its own, so that one store serves all.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type { Filter } from "../../Memory.ts"
import type { Commit, Store, StoredThought, ThoughtRow } from "../../Store.ts"
import type { Note } from "../../Note.ts"
import type { Entry } from "../../Session.ts"
import { random, type Random } from "./stage/random.ts"
import { nearby } from "./stage/query.ts"
import { awkwardTexts, commit, entry, note, notes, plain, plainNote, thought, uuid } from "./stage/rows.ts"
import { assert } from "./stage/assert.ts"
import { at, freshScope, freshSpace, refusal, scene } from "./stage/scene.ts"
import { type StoreTest, suite } from "./stage/suite.ts"

/** A scope with one thought, whose notes have vectors at the angles given. */
const filled = Effect.fnUntraced(function* (
  store: Store,
  items: ReadonlyArray<{ readonly degrees: number } & Parameters<typeof note>[2]>,
  row: ThoughtRow = thought(),
  scope: string = freshScope()
) {
  const space = freshSpace()
  const written = notes(
    row.id,
    1,
    items.map(({ degrees: _degrees, ...draft }) => draft)
  )
  yield* store.openSpace(space)
  yield* store.commit(scope, commit(row, { notes: written }))
  yield* store.putVectors(
    scope,
    space,
    written.map(({ id }, i) => ({ noteId: id, vector: at(items[i]?.degrees ?? 0) }))
  )
  const nearest = (options: Filter & { readonly limit?: number } = {}, degrees = 0) =>
    nearby(store, scope, space, at(degrees), options)
  const keys = (options?: Filter & { readonly limit?: number }, degrees?: number) =>
    Effect.map(nearest(options, degrees), (found) => found.map((match) => match.note.key))
  return { scope, space, row, written, nearest, keys }
})

export const storeTests = (): ReadonlyArray<StoreTest> =>
  suite("the store", { fresh: false, set: scene }, ({ describe, test }) => {
    describe("thoughts", () => {
      test("gives back a thought with all it has, by id and by trace id", function* (my) {
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
        const expected = plain({ thought: row, version: 1, notes: written, entries, nextIndex: 3, usage })
        assert.deepStrictEqual(plain(yield* my.load(row)), expected)
        assert.deepStrictEqual(plain(yield* my.store.load(my.scope, { traceId: row.traceId })), expected)
      })

      test("has nothing under an id or trace id that was never stored", function* (my) {
        yield* my.write(thought())
        assert.isUndefined(yield* my.store.load(my.scope, { id: uuid() }))
        assert.isUndefined(yield* my.store.load(my.scope, { id: "no id at all" }))
        assert.isUndefined(yield* my.store.load(my.scope, { id: "" }))
        assert.isUndefined(yield* my.store.load(my.scope, { traceId: "\u0000" }))
      })

      test("adds what is new, takes entries away, and replaces number and usage", function* (my) {
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
          plain({
            thought: row,
            version: 2,
            notes: all,
            entries: [entry(1), entry(3)],
            nextIndex: 9,
            usage: undefined
          })
        )
      })

      test("refuses a commit on another version and leaves the thought as it is", function* (my) {
        const row = thought()
        yield* my.write(row, { notes: [note(row.id, 1)] })
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

      test("refuses a commit on another version also when it adds no note", function* (my) {
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

      test("lets one of two commits on the same version through", function* (my) {
        const row = thought()
        yield* my.write(row)
        const results = yield* Effect.forEach(
          Array.from({ length: 8 }, () => note(row.id, 1)),
          (item) => Effect.result(my.write(row, { version: 1, notes: [item] })),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(results.filter(Result.isSuccess).length, 1)
        const loaded = yield* my.load(row)
        assert.strictEqual(loaded?.version, 2)
        assert.strictEqual(loaded?.notes.length, 1)
      })

      test("gives a thought as one commit left it, although others write and delete at the same time", function* (my) {
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
              [notes.map(({ seq }) => seq), entries.map(({ index }) => index), nextIndex],
              [Array.from({ length: version }, (_, i) => i + 1), [version - 1], version]
            )
          }
        })
        yield* Effect.all([writing, read, read], { concurrency: "unbounded" })
        assert.isAbove(state.seen, 0)
        assert.isUndefined(yield* my.load(row))
      })

      test("takes commits of many thoughts at once", function* (my) {
        const rows = Array.from({ length: 20 }, () => thought())
        yield* Effect.forEach(
          rows,
          (row) =>
            Effect.gen(function* () {
              yield* my.write(row, { notes: [note(row.id, 1)] })
              yield* my.write(row, { version: 1, notes: [note(row.id, 2)] })
            }),
          { concurrency: "unbounded" }
        )
        for (const row of rows) {
          assert.deepStrictEqual(
            (yield* my.load(row))?.notes.map(({ seq }) => seq),
            [1, 2]
          )
        }
      })

      test("refuses numbers with a gap, a number given before, and another thought's notes", function* (my) {
        const row = thought()
        yield* my.write(row, { notes: notes(row.id, 1, [{}, {}]) })
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
        assert.strictEqual((yield* my.store.load(my.scope, { traceId: "ticket 7" }))?.thought.id, first.id)
      })

      test("gives back every text exactly", function* (my) {
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
            plain({ thought: row, version: 1, notes: written, entries, nextIndex: 1, usage: undefined })
          )
        }
      })

      test("keeps texts apart that differ only where a database cannot tell", function* (my) {
        const rows = awkwardTexts.map((traceId) => thought({ traceId }))
        for (const row of rows) yield* my.write(row)
        for (const row of rows) {
          assert.strictEqual((yield* my.store.load(my.scope, { traceId: row.traceId }))?.thought.id, row.id)
        }
      })

      test("keeps scopes apart, also with the same ids and trace ids", function* (my) {
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

      test("keeps scopes apart that hardly differ", function* (my) {
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
          const page = { taskId: undefined, order: "oldest", limit: 9, after: undefined } as const
          assert.deepStrictEqual(yield* my.store.thoughts(other, page), [])
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

      test("leaves nothing of a commit that fails at its last row", function* (my) {
        const row = thought()
        const parent = thought()
        const once = note(row.id, 2)
        const twice = [note(row.id, 1), once, { ...once, seq: 3 }, note(row.id, 5)]
        const failed = commit(row, { notes: twice, entries: [entry(0)], nextIndex: 1 })
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
      })

      test("leaves a commit whole or absent when its fiber is interrupted", function* (my) {
        for (let turns = 0; turns < 12; turns++) {
          const row = thought()
          const full = commit(row, { notes: notes(row.id, 1, [{}, {}]), entries: [entry(0)], nextIndex: 1 })
          const fiber = yield* Effect.forkChild(my.store.commit(my.scope, full))
          for (let i = 0; i < turns; i++) yield* Effect.promise(() => new Promise((resume) => setImmediate(resume)))
          yield* Fiber.interrupt(fiber)
          const loaded = yield* my.load(row)
          if (loaded !== undefined) {
            const { entries, nextIndex, notes, usage } = full
            assert.deepStrictEqual(plain(loaded), plain({ thought: row, version: 1, notes, entries, nextIndex, usage }))
          }
          yield* Effect.ignore(my.store.commit(my.scope, full))
          assert.strictEqual((yield* my.load(row))?.notes.length, 2)
        }
      })

      test("takes thousands of notes in one commit", function* (my) {
        const row = thought()
        const written = notes(
          row.id,
          1,
          Array.from({ length: 2500 }, () => ({}))
        )
        yield* my.write(row, { notes: written })
        assert.deepStrictEqual(
          (yield* my.load(row))?.notes.map(({ id }) => id),
          written.map(({ id }) => id)
        )
      })
    })

    describe("forks", () => {
      test("gives a fork the notes of all it descends from, each up to the lowest fork point", function* (my) {
        const root = thought()
        const rootNotes = notes(root.id, 1, [{}, {}, {}, {}, {}])
        yield* my.write(root, { notes: rootNotes, entries: [entry(0)], nextIndex: 1 })
        const middle = thought({ parent: { id: root.id, seq: 4 } })
        const middleNotes = notes(middle.id, 5, [{}, {}])
        yield* my.write(middle, { notes: middleNotes })
        const late = thought({ parent: { id: middle.id, seq: 5 }, hidden: new Map([["key 5", 5]]) })
        const early = thought({ parent: { id: middle.id, seq: 2 } })
        const lateNotes = notes(late.id, 6, [{}])
        const earlyNotes = notes(early.id, 3, [{}])
        yield* my.write(late, { notes: lateNotes })
        yield* my.write(early, { notes: earlyNotes })
        const log = (row: ThoughtRow) => Effect.map(my.load(row), (stored) => stored?.notes.map(plainNote))
        assert.deepStrictEqual(yield* log(middle), [...rootNotes.slice(0, 4), ...middleNotes].map(plainNote))
        assert.deepStrictEqual(
          yield* log(late),
          [...rootNotes.slice(0, 4), ...middleNotes.slice(0, 1), ...lateNotes].map(plainNote)
        )
        assert.deepStrictEqual(yield* log(early), [...rootNotes.slice(0, 2), ...earlyNotes].map(plainNote))
        // What a parent or a sibling writes later is not seen.
        yield* my.write(root, { version: 1, notes: [note(root.id, 6)] })
        yield* my.write(late, { version: 1, notes: [note(late.id, 7)] })
        assert.deepStrictEqual(yield* log(middle), [...rootNotes.slice(0, 4), ...middleNotes].map(plainNote))
        assert.deepStrictEqual((yield* log(root))?.length, 6)
        const stored = yield* my.load(late)
        assert.deepStrictEqual(stored?.entries, [])
        assert.deepStrictEqual([...(stored?.thought.hidden ?? [])], [["key 5", 5]])
        assert.deepStrictEqual(stored?.thought.parent, { id: middle.id, seq: 5 })
      })

      test("writes missing ancestors first, oldest first, each once", function* (my) {
        const root = thought()
        const middle = thought({ parent: { id: root.id, seq: 2 } })
        const leaf = thought({ parent: { id: middle.id, seq: 3 } })
        const sibling = thought({ parent: { id: middle.id, seq: 3 } })
        const rootCommit = commit(root, { notes: notes(root.id, 1, [{}, {}]) })
        const middleCommit = commit(middle, { notes: [note(middle.id, 3)], parent: rootCommit })
        yield* my.write(leaf, { notes: [note(leaf.id, 4)], parent: middleCommit })
        yield* my.write(sibling, { notes: [note(sibling.id, 4)], parent: middleCommit })
        for (const [row, length] of [
          [root, 2],
          [middle, 3],
          [leaf, 4],
          [sibling, 4]
        ] as const) {
          const stored = yield* my.load(row)
          assert.deepStrictEqual([stored?.version, stored?.notes.length], [1, length])
        }
      })

      test("adds to a stored parent what the fork begins with", function* (my) {
        const root = thought()
        yield* my.write(root, { notes: [note(root.id, 1)] })
        const child = thought({ parent: { id: root.id, seq: 2 } })
        const parent = commit(root, { version: 1, notes: [note(root.id, 2)] })
        yield* my.write(child, { parent })
        assert.strictEqual((yield* my.load(root))?.version, 2)
        assert.strictEqual((yield* my.load(child))?.notes.length, 2)
      })

      test("refuses a fork whose parent is absent, too short, or went another way", function* (my) {
        const root = thought()
        yield* my.write(root, { notes: [note(root.id, 1)] })
        const refused = Effect.fnUntraced(function* (parentId: string, seq: number, parent?: Commit) {
          const row = thought({ parent: { id: parentId, seq } })
          assert.strictEqual(
            yield* refusal(my.write(row, { notes: [note(row.id, seq + 1)], parent })),
            "ConcurrencyConflict"
          )
          assert.isUndefined(yield* my.load(row))
        })
        yield* refused(uuid(), 1)
        yield* refused(root.id, 2)
        yield* refused(root.id, 1, commit(root, { notes: [note(root.id, 1)] }))
        const gone = thought()
        yield* refused(gone.id, 2, commit(gone, { version: 1, notes: [note(gone.id, 2)] }))
        assert.isUndefined(yield* my.load(gone))
      })

      test("writes commits of several thoughts in their order, the forks of new ones among them", function* (my) {
        const [root, other] = [thought(), thought()]
        yield* my.write(root, { notes: [note(root.id, 1)] })
        const child = thought({ parent: { id: root.id, seq: 2 } })
        const grandchild = thought({ parent: { id: child.id, seq: 3 } })
        const version = yield* my.write(grandchild, {
          notes: [note(grandchild.id, 4)],
          before: [
            commit(root, { version: 1, notes: [note(root.id, 2)], entries: [entry(0)], nextIndex: 1 }),
            commit(other, { notes: [note(other.id, 1)] }),
            commit(child, { notes: [note(child.id, 3)] })
          ]
        })
        assert.strictEqual(version, 1)
        for (const [row, version, length] of [
          [root, 2, 2],
          [other, 1, 1],
          [child, 1, 3],
          [grandchild, 1, 4]
        ] as const) {
          const stored = yield* my.load(row)
          assert.deepStrictEqual([stored?.version, stored?.notes.length], [version, length])
        }
      })

      test("writes none of several commits when one of them is refused, wherever it stands", function* (my) {
        const root = thought()
        yield* my.write(root, { notes: [note(root.id, 1)] })
        for (const refused of [0, 1, 2]) {
          const rows = [thought(), thought(), thought({ parent: { id: root.id, seq: 1 } })]
          const commits = rows.map((row, i) =>
            i === refused
              ? commit(root, { version: 7, notes: [note(root.id, 3)] })
              : commit(row, { notes: [note(row.id, 1 + (row.parent?.seq ?? 0))] })
          )
          const first = commit(root, { version: 1, notes: [note(root.id, 2)] })
          const before = [first, ...commits.slice(0, 2)]
          assert.strictEqual(
            yield* refusal(my.store.commit(my.scope, { ...commits[2]!, before })),
            "ConcurrencyConflict"
          )
          for (const row of rows) assert.isUndefined(yield* my.load(row))
          assert.strictEqual((yield* my.load(root))?.version, 1)
        }
      })

      for (const seed of [1, 2, 3, 4]) {
        test(`keeps every thought as it was written through random commits, seed ${seed}`, function* (my) {
          yield* randomCommits(my.store, random(seed), 60)
        })
      }
    })

    describe("lineage", () => {
      const idsOf = (rows: ReadonlyArray<ThoughtRow> | undefined) => rows?.map(({ id }) => id)
      const plainRow = ({ checkpoints, hidden, ...row }: ThoughtRow): unknown => ({
        ...row,
        checkpoints: [...checkpoints],
        hidden: [...hidden]
      })

      test("gives the ancestors of a thought, the oldest first, by id and by trace id", function* (my) {
        // the clock goes back, which does not change who descends from whom
        const root = thought({ createdMillis: 3000, taskId: "task \0", intent: "\ud800" })
        const child = thought({
          createdMillis: 2000,
          parent: { id: root.id, seq: 0 },
          hidden: new Map([["key 1", 1]]),
          checkpoints: new Map([["before", { id: root.id, seq: 0 }]])
        })
        const grandchild = thought({ createdMillis: 1000, parent: { id: child.id, seq: 1 } })
        yield* my.write(root)
        yield* my.write(child, { notes: notes(child.id, 1, [{}]) })
        yield* my.write(grandchild)
        const expected = [root, child].map(plainRow)
        for (const ref of [{ id: grandchild.id }, { traceId: grandchild.traceId }]) {
          assert.deepStrictEqual((yield* my.ancestors(ref))?.map(plainRow), expected)
        }
        assert.deepStrictEqual(yield* my.ancestors({ id: root.id }), [])
      })

      test("gives the children of a thought by creation and then by id, page by page", function* (my) {
        const root = thought()
        yield* my.write(root)
        const made = [2000, 1000, 2000, 1500, 2000].map((createdMillis) =>
          thought({ createdMillis, parent: { id: root.id, seq: 0 } })
        )
        for (const row of made.toReversed()) yield* my.write(row)
        const [a, b, c, d, e] = made.map(({ id }) => id)
        const grandchild = thought({ parent: { id: a!, seq: 0 } })
        yield* my.write(grandchild)
        const ordered = [b, d, a, c, e]
        const page = (limit: number, after?: ThoughtRow) =>
          Effect.map(my.children({ id: root.id }, { limit, after }), (rows) => rows ?? [])
        assert.deepStrictEqual(idsOf(yield* page(10)), ordered)
        assert.deepStrictEqual(
          (yield* page(10)).map(plainRow),
          ordered.map((id) => plainRow(made.find((row) => row.id === id)!))
        )
        const paged: Array<ThoughtRow> = []
        for (let rows = yield* page(2); rows.length > 0; rows = yield* page(2, paged.at(-1))) {
          assert.isAtMost(rows.length, 2)
          paged.push(...rows)
        }
        assert.deepStrictEqual(idsOf(paged), ordered)
        const byTrace = yield* my.children({ traceId: root.traceId }, { limit: 1, after: undefined })
        assert.deepStrictEqual(idsOf(byTrace), [b])
        assert.deepStrictEqual(idsOf(yield* my.children({ id: a! }, { limit: 10, after: undefined })), [grandchild.id])
        // a place in the order need not be a thought's
        const between = { id: "\uffff \0", createdMillis: 1500 }
        assert.deepStrictEqual(idsOf(yield* my.children({ id: root.id }, { limit: 10, after: between })), [a, c, e])
      })

      test("has no relatives of a thought that is not there, nor of another scope", function* (my) {
        const other = freshScope()
        const root = thought()
        const child = thought({ parent: { id: root.id, seq: 0 } })
        for (const one of [my.scope, other]) yield* my.store.commit(one, commit(root))
        yield* my.write(child)
        const page = { limit: 10, after: undefined }
        assert.deepStrictEqual(yield* my.store.children(other, { id: root.id }, page), [])
        assert.isUndefined(yield* my.store.ancestors(other, { id: child.id }))
        for (const ref of [{ id: uuid() }, { id: "no id" }, { id: "" }, { traceId: "\0" }]) {
          assert.isUndefined(yield* my.ancestors(ref))
          assert.isUndefined(yield* my.children(ref, page))
        }
      })
    })

    describe("vectors", () => {
      test("finds the nearest first, with where they come from", function* (my) {
        const row = thought({ traceId: "the trace", taskId: "the task", intent: "the intent" })
        const { nearest, written } = yield* filled(
          my.store,
          [{ degrees: 60 }, { degrees: 0 }, { degrees: 180 }, { degrees: 30 }],
          row
        )
        const found = yield* nearest()
        assert.deepStrictEqual(
          found.map(({ note }) => note.seq),
          [2, 4, 1, 3]
        )
        assert.deepStrictEqual(plainNote(found[0]!.note), plainNote(written[1]!))
        assert.deepStrictEqual(found[0]?.thought, {
          id: row.id,
          traceId: "the trace",
          taskId: "the task",
          intent: "the intent"
        })
        for (const [i, similarity] of [1, Math.cos(Math.PI / 6), 0.5, 0].entries()) {
          assert.approximately(found[i]?.similarity ?? Number.NaN, similarity, 1e-6)
        }
        assert.isTrue(found.every(({ similarity }) => similarity >= 0 && similarity <= 1))
      })

      test("orders equally near notes by id", function* (my) {
        const ids = Array.from({ length: 30 }, uuid)
        const shuffled = ids.map((id, i) => ids[(i * 7) % 30] ?? id)
        const { nearest } = yield* filled(
          my.store,
          shuffled.map((id) => ({ id, degrees: 45 }))
        )
        assert.deepStrictEqual(
          (yield* nearest({ limit: 30 })).map(({ note }) => note.id),
          ids
        )
        assert.deepStrictEqual(
          (yield* nearest({ limit: 4 })).map(({ note }) => note.id),
          ids.slice(0, 4)
        )
      })

      test("finds as many as asked for when there are, however rare the filter", function* (my) {
        const { nearest } = yield* filled(
          my.store,
          Array.from({ length: 700 }, (_, i) => ({ degrees: i / 8, key: i % 50 === 49 ? "rare" : "common" }))
        )
        const found = yield* nearest({ limit: 500 })
        assert.strictEqual(new Set(found.map(({ note }) => note.id)).size, 500)
        assert.deepStrictEqual(
          found.map(({ note }) => note.seq),
          Array.from({ length: 500 }, (_, i) => i + 1)
        )
        assert.strictEqual((yield* nearest({ keys: ["rare"], limit: 10 })).length, 10)
        assert.strictEqual((yield* nearest({ keys: ["rare"], limit: 500 })).length, 14)
      })

      test("lets through what every filter allows", function* (my) {
        const { keys, row, scope, space } = yield* filled(
          my.store,
          [
            {
              degrees: 0,
              key: "a",
              source: "user",
              trust: "trusted",
              millis: 1000,
              metadata: { lang: "en", team: "x" }
            },
            { degrees: 10, key: "b", source: "seek", millis: 2000, metadata: { lang: "en" } },
            { degrees: 20, key: "c", source: "decide", millis: 3000, metadata: { lang: "de" } },
            { degrees: 100, key: "d", source: "user", millis: 4000 }
          ],
          thought({ taskId: "t1" })
        )
        const other = thought({ taskId: "t2" })
        const foreign = note(other.id, 1, { key: "e", content: "foreign", millis: 5000 })
        yield* my.store.commit(scope, commit(other, { notes: [foreign] }))
        yield* my.store.putVectors(scope, space, [{ noteId: foreign.id, vector: at(90) }])
        assert.deepStrictEqual(yield* keys(), ["a", "b", "c", "e", "d"])
        assert.deepStrictEqual(yield* keys({ limit: 2 }), ["a", "b"])
        assert.deepStrictEqual(yield* keys({ keys: ["c", "a", "none"] }), ["a", "c"])
        assert.deepStrictEqual(yield* keys({ keys: [] }), [])
        assert.deepStrictEqual(yield* keys({ sources: ["user"] }), ["a", "e", "d"])
        assert.deepStrictEqual(yield* keys({ excludeSources: ["seek", "survey"] }), ["a", "c", "e", "d"])
        assert.deepStrictEqual(yield* keys({ excludeSources: [] }), ["a", "b", "c", "e", "d"])
        assert.deepStrictEqual(yield* keys({ taskId: "t2" }), ["e"])
        assert.deepStrictEqual(yield* keys({ taskId: "t3" }), [])
        assert.deepStrictEqual(yield* keys({ excludeThoughts: [row.id, "no id"] }), ["e"])
        assert.deepStrictEqual(yield* keys({ since: DateTime.makeUnsafe(3000) }), ["c", "e", "d"])
        assert.deepStrictEqual(yield* keys({ until: DateTime.makeUnsafe(3000) }), ["a", "b"])
        assert.deepStrictEqual(yield* keys({ trust: "trusted" }), ["a"])
        assert.deepStrictEqual(yield* keys({ metadata: { lang: "en" } }), ["a", "b"])
        assert.deepStrictEqual(yield* keys({ metadata: { lang: "en", team: "x" } }), ["a"])
        assert.deepStrictEqual(yield* keys({ metadata: { lang: "EN" } }), [])
        assert.deepStrictEqual(yield* keys({ metadata: {} }), ["a", "b", "c", "e", "d"])
        assert.deepStrictEqual(yield* keys({ minSimilarity: 0.95 }), ["a", "b"])
        assert.deepStrictEqual(yield* keys({ minSimilarity: 0 }), ["a", "b", "c", "e", "d"])
        assert.deepStrictEqual(yield* keys({ trust: "untrusted", metadata: { lang: "en" }, sources: ["seek"] }), ["b"])
      })

      test("filters by awkward texts exactly", function* (my) {
        const { written, nearest } = yield* filled(
          my.store,
          awkwardTexts.map((text, i) => ({ degrees: i, key: text, source: text, metadata: { [text]: text } }))
        )
        for (const [i, text] of awkwardTexts.entries()) {
          for (const options of [{ keys: [text] }, { sources: [text] }, { metadata: { [text]: text } }]) {
            const found = yield* nearest(options)
            assert.deepStrictEqual(
              found.map(({ note }) => note.id),
              [written[i]?.id]
            )
          }
        }
      })

      test("finds a minimal similarity's own match", function* (my) {
        const { nearest } = yield* filled(my.store, [{ degrees: 10 }, { degrees: 33 }, { degrees: 71 }])
        for (const { note, similarity } of yield* nearest()) {
          const found = yield* nearest({ minSimilarity: similarity })
          assert.include(
            found.map((match) => match.note.id),
            note.id
          )
        }
      })

      test("finds notes of the scope only, also when another scope has the same ids", function* (my) {
        const row = thought()
        const id = uuid()
        const one = yield* filled(my.store, [{ id, degrees: 0 }], row)
        const other = freshScope()
        const near = note(row.id, 1, { id, content: "theirs" })
        yield* my.store.commit(other, commit(row, { notes: [near, note(row.id, 2)] }))
        assert.deepStrictEqual(yield* nearby(my.store, other, one.space, at(0), { limit: 10 }), [])
        assert.strictEqual(yield* my.store.countPending(other, one.space), 2)
        yield* my.store.putVectors(other, one.space, [{ noteId: id, vector: at(80) }])
        const [mine] = yield* one.nearest()
        const [theirs] = yield* nearby(my.store, other, one.space, at(0), { limit: 10 })
        assert.approximately(mine?.similarity ?? 0, 1, 1e-6)
        assert.strictEqual(mine?.note.content, "content 1")
        assert.approximately(theirs?.similarity ?? 0, Math.cos((80 * Math.PI) / 180), 1e-6)
        assert.strictEqual(theirs?.note.content, "theirs")
      })

      test("keeps the vectors of two embedders apart", function* (my) {
        const { scope, space, written } = yield* filled(my.store, [{ degrees: 0 }, { degrees: 90 }])
        const wide = { ...space, dimensions: 3 }
        const renamed = { ...space, embedder: `${space.embedder}\u0000` }
        yield* my.store.openSpace(wide)
        yield* my.store.openSpace(renamed)
        yield* my.store.openSpace(space)
        assert.deepStrictEqual(yield* nearby(my.store, scope, renamed, at(0), { limit: 10 }), [])
        yield* my.store.putVectors(scope, wide, [{ noteId: written[1]!.id, vector: Float32Array.of(0, 0, 1) }])
        const found = yield* nearby(my.store, scope, wide, Float32Array.of(0, 0, 1), { limit: 10 })
        assert.deepStrictEqual(
          found.map(({ note }) => note.id),
          [written[1]?.id]
        )
        assert.deepStrictEqual(
          [
            yield* my.store.countPending(scope, space),
            yield* my.store.countPending(scope, wide),
            yield* my.store.countPending(scope, renamed)
          ],
          [0, 1, 2]
        )
      })

      test("replaces a note's vector and leaves out notes it does not know", function* (my) {
        const { nearest, scope, space, written } = yield* filled(my.store, [{ degrees: 0 }, { degrees: 50 }])
        yield* my.store.putVectors(scope, space, [
          { noteId: written[0]!.id, vector: at(90) },
          { noteId: uuid(), vector: at(0) },
          { noteId: "no id", vector: at(0) }
        ])
        yield* my.store.putVectors(scope, space, [])
        assert.deepStrictEqual(
          (yield* nearest()).map(({ note }) => note.seq),
          [2, 1]
        )
      })

      test("holds long vectors exactly enough to order them", function* (my) {
        for (const dimensions of [1, 384, 1536, 3072]) {
          const space = freshSpace(dimensions)
          yield* my.store.openSpace(space)
          const row = thought()
          const written = notes(row.id, 1, [{}, {}, {}])
          yield* my.write(row, { notes: written })
          const vectors = written.map((_, i) =>
            Float32Array.from({ length: dimensions }, (_, j) => Math.sin(1 + j * (i + 1)) / 100)
          )
          const units = vectors.map((vector) => {
            const length = Math.hypot(...vector)
            return vector.map((value) => value / length)
          })
          yield* my.putVectors(
            space,
            written.map(({ id }, i) => ({ noteId: id, vector: units[i]! }))
          )
          const found = yield* nearby(my.store, my.scope, space, units[1]!, { limit: 3 })
          if (dimensions > 1) assert.strictEqual(found[0]?.note.id, written[1]?.id)
          assert.strictEqual(found.length, 3)
          for (const { note, similarity } of found) {
            const dot = units[1]!.reduce((sum, value, j) => sum + value * (units[note.seq - 1]?.[j] ?? 0), 0)
            assert.approximately(similarity, Math.max(0, dot), 1e-5)
          }
        }
      })

      test("says which notes have no vector yet, oldest first", function* (my) {
        const other = freshScope()
        const space = freshSpace()
        const [row, second] = [thought(), thought()]
        const written = notes(row.id, 1, [
          { millis: 3000, content: "\u0000\ud800" },
          { millis: 4000 },
          { millis: 6000 }
        ])
        const elsewhere = note(second.id, 1, { millis: 5000 })
        yield* my.write(row, { notes: written })
        yield* my.store.commit(other, commit(second, { notes: [elsewhere] }))
        yield* my.store.openSpace(space)
        assert.strictEqual(yield* my.countPending(space), 3)
        assert.deepStrictEqual(yield* my.store.pending(space, { scope: my.scope, limit: 2 }), [
          { scope: my.scope, id: written[0]!.id, content: "\u0000\ud800", createdMillis: 3000 },
          { scope: my.scope, id: written[1]!.id, content: "content 2", createdMillis: 4000 }
        ])
        const everywhere = (yield* my.store.pending(space, { limit: 100_000 })).filter(
          (one) => one.scope === my.scope || one.scope === other
        )
        assert.deepStrictEqual(
          new Set(everywhere.map(({ id }) => id)),
          new Set([...written, elsewhere].map(({ id }) => id))
        )
        yield* my.putVectors(space, [{ noteId: written[0]!.id, vector: at(0) }])
        assert.strictEqual(yield* my.countPending(space), 2)
        assert.strictEqual(yield* my.store.countPending(other, space), 1)
        assert.deepStrictEqual(
          (yield* my.store.pending(space, { scope: my.scope, limit: 9 })).map(({ id }) => id),
          [written[1]!.id, written[2]!.id]
        )
      })
    })
  })

/** Commits of every kind on two scopes, against a model that holds what should be there. */
const randomCommits = Effect.fnUntraced(function* (store: Store, { below, list, pick }: Random, count: number) {
  const scopes = [freshScope(), freshScope()]
  const model = new Map(scopes.map((scope) => [scope, new Map<string, StoredThought>()]))
  const text = () => pick(awkwardTexts)
  const someNotes = (id: string, first: number, most: number): ReadonlyArray<Note> =>
    list(most, (i) => note(id, first + i, { key: pick(["a", "b", text()]), content: text(), metadata: { m: text() } }))
  const someEntries = (first: number): ReadonlyArray<Entry> =>
    list(3, (i) => entry(first + i, { text: text(), role: pick(["user", "assistant"]), carries: list(2, uuid) }))
  const born = (
    row: ThoughtRow,
    above: ReadonlyArray<Note>
  ): { readonly change: Commit; readonly after: StoredThought } => {
    const added = someNotes(row.id, above.length + 1, 3)
    const entries = someEntries(0)
    const change = commit(row, {
      notes: added,
      entries,
      nextIndex: entries.length,
      usage: pick([undefined, { inputTokens: 0 }])
    })
    const { nextIndex, usage } = change
    return { change, after: { thought: row, version: 1, notes: [...above, ...added], entries, nextIndex, usage } }
  }
  for (let i = 0; i < count; i++) {
    const scope = pick(scopes)
    const rows = model.get(scope)!
    const apply = Effect.fnUntraced(function* (change: Commit, ...after: ReadonlyArray<StoredThought>) {
      assert.strictEqual(yield* store.commit(scope, change), after[0]?.version)
      for (const stored of after) rows.set(stored.thought.id, stored)
    })
    const old = rows.size === 0 ? undefined : pick([...rows.values()])
    const kind =
      old === undefined ? "create" : pick(["create", "append", "append", "append", "fork", "branch", "stale", "gap"])
    if (old === undefined || kind === "create") {
      const { after, change } = born(thought({ taskId: pick([undefined, text()]), intent: text() }), [])
      yield* apply(change, after)
    } else if (kind === "append") {
      const added = someNotes(old.thought.id, old.notes.length + 1, 4)
      const entries = someEntries(old.nextIndex)
      const removed = old.entries.filter(() => below(3) === 0).map(({ index }) => index)
      const nextIndex = old.nextIndex + entries.length
      const usage = pick([undefined, { outputTokens: i }])
      yield* apply(commit(old.thought, { version: old.version, notes: added, entries, removed, nextIndex, usage }), {
        thought: old.thought,
        version: old.version + 1,
        notes: [...old.notes, ...added],
        entries: [...old.entries.filter(({ index }) => !removed.includes(index)), ...entries],
        nextIndex,
        usage
      })
    } else if (kind === "fork") {
      const seq = below(old.notes.length + 1)
      const hidden = new Map(list(2, () => [text(), below(9)] as const))
      const { after, change } = born(thought({ parent: { id: old.thought.id, seq }, hidden }), old.notes.slice(0, seq))
      yield* apply(change, after)
    } else if (kind === "branch") {
      const parent = born(thought(), [])
      const seq = parent.after.notes.length
      const child = born(thought({ parent: { id: parent.after.thought.id, seq } }), parent.after.notes)
      yield* apply({ ...child.change, parent: parent.change }, child.after, parent.after)
    } else {
      const first = old.notes.length + (kind === "gap" ? 2 : 1)
      const version = kind === "gap" ? old.version : old.version + pick([-1, 1])
      const change = commit(old.thought, { version, notes: [note(old.thought.id, first)] })
      assert.strictEqual(yield* refusal(store.commit(scope, change)), "ConcurrencyConflict")
    }
  }
  for (const [scope, rows] of model) {
    for (const [id, expected] of rows) {
      assert.deepStrictEqual(plain(yield* store.load(scope, { id })), plain(expected))
    }
  }
})
