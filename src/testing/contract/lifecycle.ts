/** What every store promises about adding to thoughts from outside, listing, removing, redacting and restoring them. */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Space } from "../../Memory.ts"
import type { NewNote, StoredThought } from "../../Store.ts"
import { loadAll, plant } from "./stage/forest.ts"
import { random } from "./stage/random.ts"
import { awkwardTexts, commit, entry, note, notes, plain, plainNote, thought, uuid } from "./stage/rows.ts"
import { assert } from "./stage/assert.ts"
import { freshScope, refusal, scene } from "./stage/scene.ts"
import { type StoreTest, suite } from "./stage/suite.ts"

const space: Space = { embedder: "lifecycle embedder", dimensions: 2, metric: "cosine" }

const fresh = (more: Partial<NewNote> = {}): NewNote => {
  const { seq: _seq, thoughtId: _thought, ...made } = note("", 1, { key: "added", content: "text" })
  return { ...made, ...more }
}

/** What must be the same of a thought whoever keeps its notes. */
const content = ({ notes, ...rest }: StoredThought) => ({
  ...(plain({ ...rest, notes: [], thought: { ...rest.thought, parent: undefined, checkpoints: new Map() } }) as object),
  checkpoints: [...rest.thought.checkpoints.keys()].toSorted(),
  notes: notes.map(({ thoughtId: _id, ...one }) => plainNote({ ...one, thoughtId: "" }))
})

export const lifecycleTests = ({
  appends: rounds,
  writers
}: {
  readonly appends: number
  readonly writers: number
}): ReadonlyArray<StoreTest> =>
  suite(
    "the lifecycle of thoughts",
    { fresh: false, set: (store) => Effect.andThen(store.openSpace(space), scene(store)) },
    ({ describe, test }) => {
      describe("append", () => {
        test("adds notes after the last one, whatever the version, and makes it one more", function* (my) {
          const row = thought()
          const first = note(row.id, 1)
          yield* my.write(row, { notes: [first], entries: [entry(0)], nextIndex: 4, usage: {} })
          const given = awkwardTexts
            .slice(0, 12)
            .map((text) => fresh({ content: text, source: text, metadata: { [text]: text } }))
          const stored = yield* my.append({ id: row.id }, given.slice(0, 5))
          const more = yield* my.append({ traceId: row.traceId }, given.slice(5))
          const expected = given.map((one, i) => ({ ...one, thoughtId: row.id, seq: i + 2 }))
          assert.deepStrictEqual([...(stored ?? []), ...(more ?? [])].map(plainNote), expected.map(plainNote))
          assert.deepStrictEqual(
            plain(yield* my.load(row)),
            plain({
              thought: row,
              version: 3,
              notes: [first, ...expected],
              entries: [entry(0)],
              nextIndex: 4,
              usage: {}
            })
          )
        })

        test("is refused by no version, but a commit on an older one is refused after it", function* (my) {
          const row = thought()
          yield* my.write(row)
          yield* my.append({ id: row.id }, [fresh()])
          const late = commit(row, { version: 1, notes: [note(row.id, 1)] })
          assert.strictEqual(yield* refusal(my.store.commit(my.scope, late)), "ConcurrencyConflict")
          assert.strictEqual(yield* my.write(row, { version: 2, notes: [note(row.id, 2)] }), 3)
        })

        test("has nothing to add to where there is no thought", function* (my) {
          const row = thought()
          yield* my.store.commit(freshScope(), commit(row))
          assert.isUndefined(yield* my.append({ id: row.id }, [fresh()]))
          assert.isUndefined(yield* my.append({ id: "no id" }, [fresh()]))
          assert.isUndefined(yield* my.append({ traceId: row.traceId }, [fresh()]))
          assert.isUndefined(yield* my.append({ id: row.id }, []))
        })

        test("adds a note once, however often and with whatever beside it is sent", function* (my) {
          const row = thought()
          yield* my.write(row)
          const [a, b, c] = [fresh(), fresh(), fresh()]
          const append = (...given: ReadonlyArray<NewNote>) => my.append({ id: row.id }, given)
          const sent = yield* Effect.forEach(Array.from({ length: 6 }), () => append(a, b), {
            concurrency: "unbounded"
          })
          for (const one of sent)
            assert.deepStrictEqual(
              one?.map(({ seq }) => seq),
              [1, 2]
            )
          const mixed = yield* append(b, c, c, a)
          assert.deepStrictEqual(
            mixed?.map(({ seq }) => seq),
            [2, 3, 3, 1]
          )
          assert.deepStrictEqual(yield* append(), [])
          const loaded = yield* my.load(row)
          assert.deepStrictEqual(
            loaded?.notes.map(({ id }) => id),
            [a.id, b.id, c.id]
          )
          assert.strictEqual(loaded?.version, 3)
        })

        test("refuses an id that is another note's, and adds none of the notes then", function* (my) {
          const [row, other] = [thought(), thought()]
          const [mine, theirs] = [note(row.id, 1, { key: "added", content: "text" }), note(other.id, 1)]
          yield* my.write(row, { notes: [mine] })
          yield* my.write(other, { notes: [theirs] })
          for (const wrong of [
            { ...fresh(), id: theirs.id },
            fresh({ id: mine.id, content: "else" }),
            fresh({ id: mine.id, key: "else" })
          ]) {
            assert.strictEqual(yield* refusal(my.append({ id: row.id }, [fresh(), wrong])), "Query 23505")
          }
          const twice = fresh()
          assert.strictEqual(
            yield* refusal(my.append({ id: row.id }, [twice, { ...twice, content: "other" }])),
            "Query 23505"
          )
          const loaded = yield* my.load(row)
          assert.deepStrictEqual([loaded?.version, loaded?.notes.length], [1, 1])
        })

        test("goes on after the fork point in a fork, and is not seen there when it is added above", function* (my) {
          const row = thought()
          yield* my.write(row, { notes: notes(row.id, 1, [{}, {}, {}]) })
          const fork = thought({ parent: { id: row.id, seq: 2 } })
          yield* my.write(fork)
          const [added] = (yield* my.append({ id: fork.id }, [fresh()])) ?? []
          assert.strictEqual(added?.seq, 3)
          yield* my.append({ id: row.id }, [fresh()])
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
            const row = thought()
            yield* my.write(row)
            const acknowledged = yield* Effect.forEach(
              Array.from({ length: writers }, (_, writer) => writer),
              (writer) =>
                Effect.forEach(Array.from({ length: rounds }), (_, round) =>
                  Effect.map(
                    my.append({ id: row.id }, [fresh({ key: `writer ${writer}`, content: String(round) })]),
                    (stored) => stored?.[0]
                  )
                ),
              { concurrency: "unbounded" }
            )
            const loaded = yield* my.load(row)
            const count = writers * rounds
            assert.strictEqual(loaded?.version, 1 + count)
            assert.deepStrictEqual(
              loaded?.notes.map(({ seq }) => seq),
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

      describe("thoughts", () => {
        test("are listed by creation and then by id, both ways, page by page, each once", function* (my) {
          const rng = random(11)
          const rows = Array.from({ length: 40 }, () =>
            thought({
              createdMillis: 1_700_000_000_000 + rng.below(6),
              taskId: rng.pick([undefined, "a", "b\0", "\ud800"])
            })
          )
          for (const row of rows.toSorted(() => rng.below(3) - 1)) yield* my.write(row)
          yield* my.store.commit(freshScope(), commit(thought({ taskId: "a" })))
          const key = (row: { readonly createdMillis: number; readonly id: string }) => `${row.createdMillis} ${row.id}`
          for (const taskId of [undefined, "a", "b\0", "\ud800", "none"]) {
            for (const order of ["oldest", "newest"] as const) {
              const due = rows
                .filter((row) => taskId === undefined || row.taskId === taskId)
                .map(({ createdMillis, id }) => ({ createdMillis, id }))
                .toSorted((x, y) => (key(x) < key(y) ? -1 : 1) * (order === "oldest" ? 1 : -1))
              const seen: Array<{ readonly createdMillis: number; readonly id: string }> = []
              while (true) {
                const limit = 1 + rng.below(7)
                const page = yield* my.thoughts({ taskId, order, limit, after: seen.at(-1) })
                seen.push(...page.map(({ createdMillis, id }) => ({ createdMillis, id })))
                if (page.length < limit) break
              }
              assert.deepStrictEqual(seen, due)
            }
          }
          const [some] = yield* my.thoughts({ taskId: "b\0", order: "oldest", limit: 1, after: undefined })
          assert.deepStrictEqual(
            some,
            rows.find(({ id }) => id === some?.id)
          )
        })

        test("are listed with all they have, as those they descend from and those that descend from them", function* (my) {
          const root = thought({ hidden: new Map([["gone", 1]]), taskId: "a" })
          const checkpoints = new Map([["before", { id: root.id, seq: 1 }]])
          const parent = { id: root.id, seq: 1 }
          const child = thought({ hidden: new Map([["key 1", 1]]), checkpoints, parent })
          const leaf = thought({ checkpoints, parent: { id: child.id, seq: 1 } })
          yield* my.write(root, { notes: notes(root.id, 1, [{}]) })
          yield* my.write(child)
          yield* my.write(leaf)
          const page = { limit: 9, after: undefined }
          const listed = { ...page, taskId: undefined, order: "oldest" } as const
          assert.deepStrictEqual(yield* my.thoughts(listed), [root, child, leaf])
          assert.deepStrictEqual(yield* my.ancestors({ id: leaf.id }), [root, child])
          assert.deepStrictEqual(yield* my.children({ id: root.id }, page), [child])
        })

        test("that come after one that is no thought are those beyond it in the order", function* (my) {
          const row = thought()
          yield* my.write(row)
          const page = (id: string, createdMillis: number) =>
            Effect.map(
              my.thoughts({ taskId: undefined, order: "oldest", limit: 5, after: { id, createdMillis } }),
              (found) => found.length
            )
          assert.strictEqual(yield* page("", row.createdMillis), 1)
          assert.strictEqual(yield* page("z", row.createdMillis), 0)
          assert.strictEqual(yield* page("z", row.createdMillis - 1), 1)
        })
      })

      describe("remove", () => {
        test("leaves nothing of a thought, so that all its ids are free again", function* (my) {
          const row = thought({ traceId: "again" })
          const [a, b] = notes(row.id, 1, [{}, {}])
          const written = commit(row, { notes: [a!, b!], entries: [entry(0, { carries: [a!.id] })], nextIndex: 1 })
          yield* my.store.commit(my.scope, written)
          yield* my.putVectors(space, [{ noteId: a!.id, vector: Float32Array.of(1, 0) }])
          assert.isTrue(yield* my.remove({ traceId: "again" }, { materialize: false }))
          assert.isUndefined(yield* my.load(row))
          assert.isUndefined(yield* my.store.load(my.scope, { traceId: "again" }))
          assert.strictEqual(yield* my.countPending(space), 0)
          assert.isFalse(yield* my.remove({ id: row.id }, { materialize: true }))
          assert.strictEqual(yield* my.store.commit(my.scope, { ...written, entries: [] }), 1)
          assert.strictEqual(yield* my.countPending(space), 2)
          assert.deepStrictEqual((yield* my.load(row))?.entries, [])
        })

        test("touches no other thought and no other scope", function* (my) {
          const other = freshScope()
          const row = thought()
          const written = commit(row, { notes: notes(row.id, 1, [{}]) })
          yield* my.store.commit(my.scope, written)
          yield* my.store.commit(other, written)
          yield* plant(my.store, my.scope, random(3), 6)
          const before = (yield* loadAll(my.store, my.scope)).filter((one) => one.thought.id !== row.id).map(plain)
          assert.isTrue(yield* my.remove({ id: row.id }, { materialize: true }))
          assert.deepStrictEqual((yield* loadAll(my.store, my.scope)).map(plain), before)
          assert.strictEqual((yield* my.store.load(other, { id: row.id }))?.notes.length, 1)
          assert.isFalse(yield* my.store.remove(freshScope(), { id: row.id }, { materialize: false }))
        })

        test("is refused for a thought with forks, and says how many", function* (my) {
          const row = thought()
          yield* my.write(row, { notes: [note(row.id, 1)] })
          for (const seq of [0, 1, 1]) {
            yield* my.write(thought({ parent: { id: row.id, seq } }))
          }
          const { reason } = yield* Effect.flip(my.remove({ id: row.id }, { materialize: false }))
          assert.strictEqual(reason._tag === "HasForks" ? reason.forks : reason._tag, 3)
          assert.strictEqual(reason._tag === "HasForks" ? reason.thoughtId : "", row.id)
          assert.strictEqual((yield* my.load(row))?.notes.length, 1)
        })

        test("leaves every fork what it had, whichever thoughts go and in whichever order", function* (my) {
          for (let seed = 1; seed <= 3; seed++) {
            const rng = random(seed * 7919)
            let left = yield* plant(my.store, my.scope, rng, 7)
            while (left.length > 0) {
              const { thought: gone } = rng.pick(left)
              const expected = left.filter(({ thought: { id } }) => id !== gone.id)
              assert.isTrue(yield* my.remove({ id: gone.id }, { materialize: true }))
              left = yield* loadAll(my.store, my.scope)
              assert.deepStrictEqual(left.map(content), expected.map(content), `seed ${seed}`)
              const ids = new Set(left.map(({ thought: { id } }) => id))
              for (const one of left) {
                const { checkpoints, parent } = one.thought
                assert.isTrue(parent === undefined || ids.has(parent.id))
                for (const { id, seq } of checkpoints.values()) {
                  if (!ids.has(id)) continue
                  const past = yield* my.load({ id })
                  assert.isAtLeast(past?.notes.length ?? -1, Math.min(seq, one.notes.length))
                }
              }
              const next = rng.pick(left.length === 0 ? [undefined] : left)
              if (next === undefined || rng.below(2) === 0) continue
              const [added] = (yield* my.append({ id: next.thought.id }, [fresh()])) ?? []
              assert.strictEqual(added?.seq, (next.notes.at(-1)?.seq ?? 0) + 1)
              left = yield* loadAll(my.store, my.scope)
            }
            assert.strictEqual(yield* my.countPending(space), 0)
          }
        })

        test("makes the forks those of the one that shares most, and of what is above for what is shared there", function* (my) {
          const root = thought()
          yield* my.write(root, { notes: notes(root.id, 1, [{}, {}]) })
          const gone = thought({ parent: { id: root.id, seq: 2 } })
          yield* my.write(gone, { notes: notes(gone.id, 3, [{}, {}, {}]) })
          const forks = [1, 2, 3, 4, 4].map((seq, i) =>
            thought({ parent: { id: gone.id, seq }, createdMillis: 1_700_000_000_000 + (i === 4 ? 0 : i) })
          )
          for (const fork of forks) {
            yield* my.write(fork, { notes: [note(fork.id, (fork.parent?.seq ?? 0) + 1)] })
          }
          const all = Effect.map(
            Effect.forEach(forks, ({ id }) => my.load({ id })),
            (stored) => stored.filter((one) => one !== undefined)
          )
          const before = (yield* all).map(content)
          yield* my.remove({ id: gone.id }, { materialize: true })
          const after = yield* all
          assert.deepStrictEqual(after.map(content), before)
          const heir = forks[4]?.id
          assert.deepStrictEqual(
            after.map((one) => [one.thought.parent?.id, one.thought.parent?.seq]),
            [
              [root.id, 1],
              [root.id, 2],
              [heir, 3],
              [heir, 4],
              [root.id, 2]
            ]
          )
          yield* my.remove({ id: root.id }, { materialize: true })
          assert.deepStrictEqual((yield* all).map(content), before)
        })

        test("leaves checkpoints that can be come back to", function* (my) {
          const root = thought()
          yield* my.write(root, { notes: notes(root.id, 1, [{}, {}]) })
          const first = thought({ parent: { id: root.id, seq: 2 } })
          yield* my.write(first, { notes: notes(first.id, 3, [{}]) })
          const checkpoints = new Map([
            ["early", { id: first.id, seq: 2 }],
            [first.id, { id: first.id, seq: 3 }],
            ["root", { id: root.id, seq: 1 }]
          ])
          const second = thought({ parent: { id: first.id, seq: 3 }, checkpoints })
          yield* my.write(second)
          yield* my.remove({ id: first.id }, { materialize: true })
          const loaded = yield* my.load(second)
          assert.deepStrictEqual(loaded?.thought.parent, { id: root.id, seq: 2 })
          assert.deepStrictEqual(
            [...(loaded?.thought.checkpoints ?? [])],
            [
              ["early", { id: root.id, seq: 2 }],
              [first.id, { id: second.id, seq: 3 }],
              ["root", { id: root.id, seq: 1 }]
            ]
          )
        })
      })

      describe("purge", () => {
        test("leaves nothing of a scope and everything of the others", function* (my) {
          const other = freshScope()
          yield* plant(my.store, my.scope, random(5), 8)
          const kept = yield* plant(my.store, other, random(6), 4)
          yield* my.putVectors(
            space,
            (yield* my.store.pending(space, { scope: my.scope, limit: 5 })).map(({ id }) => ({
              noteId: id,
              vector: Float32Array.of(0, 1)
            }))
          )
          assert.strictEqual(yield* my.purge(), 8)
          assert.deepStrictEqual(yield* loadAll(my.store, my.scope), [])
          assert.strictEqual(yield* my.countPending(space), 0)
          assert.deepStrictEqual((yield* loadAll(my.store, other)).map(plain), kept.map(plain))
          assert.strictEqual(yield* my.purge(), 0)
        })

        test("leaves no vectors for what is stored again with the same ids", function* (my) {
          const row = thought()
          const [kept] = notes(row.id, 1, [{}])
          const writing = my.write(row, { notes: [kept!] })
          yield* writing
          yield* my.putVectors(space, [{ noteId: kept!.id, vector: Float32Array.of(0, 1) }])
          assert.strictEqual(yield* my.countPending(space), 0)
          assert.strictEqual(yield* my.purge(), 1)
          assert.strictEqual(yield* writing, 1)
          assert.strictEqual(yield* my.countPending(space), 1)
          assert.deepStrictEqual(
            (yield* my.store.pending(space, { scope: my.scope, limit: 2 })).map(({ id }) => id),
            [kept!.id]
          )
        })

        test("is whole although others write at the same time", function* (my) {
          const writing = Effect.gen(function* () {
            const row = thought()
            yield* my.write(row, { notes: notes(row.id, 1, [{}, {}]), entries: [entry(0)], nextIndex: 1 })
          })
          const purges = Effect.forEach([1, 2, 3, 4, 5, 6], () => my.purge())
          const [purged] = yield* Effect.all([purges, Effect.repeat(writing, { times: 20 })], {
            concurrency: "unbounded"
          })
          const left = yield* loadAll(my.store, my.scope)
          for (const { entries, notes } of left) assert.deepStrictEqual([notes.length, entries.length], [2, 1])
          // each is gone, counted once, or there
          assert.strictEqual(
            purged.reduce((sum, count) => sum + count, left.length),
            21
          )
        })
      })

      describe("redact", () => {
        const millis = 1_800_000_000_000

        test("takes the content away wherever it went, and leaves all else", function* (my) {
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
          yield* my.write(apart, { notes: [note(apart.id, 1)] })
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
          assert.notIncludeMembers(
            pending.map(({ id }) => id),
            [secret!.id, summary!.id, open!.id]
          )
        })

        test("does nothing a second time, and knows only notes of the scope", function* (my) {
          const row = thought()
          const one = note(row.id, 1)
          yield* my.write(row, { notes: [one] })
          yield* my.redact(one.id, millis)
          const before = plain(yield* my.load(row))
          assert.deepStrictEqual(yield* my.redact(one.id, millis + 5), [one.id])
          assert.deepStrictEqual(plain(yield* my.load(row)), before)
          assert.isUndefined(yield* my.store.redact(freshScope(), one.id, millis))
          assert.isUndefined(yield* my.redact(uuid(), millis))
          assert.isUndefined(yield* my.redact("no id", millis))
        })

        test("lets no conversation bring the content back", function* (my) {
          const row = thought()
          const one = note(row.id, 1)
          yield* my.write(row, { notes: [one] })
          yield* my.redact(one.id, millis)
          const showing = { entries: [entry(0, { covers: [one.id] })], nextIndex: 1 }
          const fork = thought({ parent: { id: row.id, seq: 1 } })
          assert.strictEqual(yield* refusal(my.write(fork, showing)), "ConcurrencyConflict")
          assert.isUndefined(yield* my.load(fork))
          assert.strictEqual(yield* refusal(my.write(row, { version: 2, ...showing })), "ConcurrencyConflict")
          yield* my.write(fork)
        })

        test("leaves an append that is repeated as it is", function* (my) {
          const row = thought()
          yield* my.write(row)
          const one = fresh()
          yield* my.append({ id: row.id }, [one])
          yield* my.redact(one.id, millis)
          const [again] = (yield* my.append({ id: row.id }, [one])) ?? []
          assert.deepStrictEqual([again?.content, again?.redacted?.epochMilliseconds], ["", millis])
        })

        test("and commits at the same time leave no text", function* (my) {
          for (let round = 0; round < 10; round++) {
            const row = thought()
            const one = note(row.id, 1)
            yield* my.write(row, { notes: [one] })
            const showing = { entries: [entry(0, { carries: [one.id] })], nextIndex: 1 }
            const forks = Array.from({ length: 4 }, () => thought({ parent: { id: row.id, seq: 1 } }))
            yield* Effect.all(
              [
                ...forks.map((fork) => Effect.result(my.write(fork, showing))),
                my.redact(one.id, millis),
                Effect.result(my.write(row, { version: 1, ...showing }))
              ],
              { concurrency: "unbounded" }
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

      describe("restore", () => {
        const ownNotes = (stored: StoredThought): StoredThought => ({
          ...stored,
          notes: stored.notes.filter(({ thoughtId }) => thoughtId === stored.thought.id)
        })

        test("writes thoughts as they were, with versions and redactions, in another scope", function* (my) {
          const other = freshScope()
          const rng = random(23)
          const planted = yield* plant(my.store, my.scope, rng, 10)
          const one = rng.pick(planted.flatMap((stored) => ownNotes(stored).notes))
          yield* my.redact(one.id, 1_800_000_000_000)
          const source = yield* loadAll(my.store, my.scope)
          let left = source
          while (left.length > 0) {
            const done = new Set(source.filter((stored) => !left.includes(stored)).map(({ thought: { id } }) => id))
            const ready = left.filter(({ thought: { parent } }) => parent === undefined || done.has(parent.id))
            for (const stored of ready) yield* my.store.restore(other, ownNotes(stored))
            left = left.filter((stored) => !ready.includes(stored))
          }
          assert.deepStrictEqual((yield* loadAll(my.store, other)).map(plain), source.map(plain))
          const first = source[0]
          if (first !== undefined) {
            assert.strictEqual(yield* refusal(my.store.restore(other, ownNotes(first))), "ConcurrencyConflict")
            const version = yield* my.store.commit(
              other,
              commit(first.thought, { version: first.version, nextIndex: 99 })
            )
            assert.strictEqual(version, first.version + 1)
          }
        })

        test("refuses a fork without its parent, and ids that are taken, and leaves nothing", function* (my) {
          const row = thought({ traceId: "taken" })
          const one = note(row.id, 1)
          yield* my.write(row, { notes: [one] })
          const stored = (thoughtRow: typeof row, own: StoredThought["notes"] = []): StoredThought => ({
            thought: thoughtRow,
            version: 3,
            notes: own,
            entries: [],
            nextIndex: 0,
            usage: undefined
          })
          const orphan = thought({ parent: { id: uuid(), seq: 0 } })
          const ahead = thought({ parent: { id: row.id, seq: 2 } })
          const namesake = thought({ traceId: "taken" })
          const thief = thought()
          assert.strictEqual(yield* refusal(my.restore(stored(orphan))), "ConcurrencyConflict")
          assert.strictEqual(yield* refusal(my.restore(stored(ahead))), "ConcurrencyConflict")
          assert.strictEqual(yield* refusal(my.restore(stored(namesake))), "Query 23505")
          const stolen = { ...one, thoughtId: thief.id }
          assert.strictEqual(yield* refusal(my.restore(stored(thief, [stolen]))), "Query 23505")
          assert.strictEqual((yield* loadAll(my.store, my.scope)).length, 1)
          assert.isTrue(Result.isSuccess(yield* Effect.result(my.restore(stored(thief)))))
          assert.strictEqual((yield* my.load(thief))?.version, 3)
        })
      })
    }
  )
