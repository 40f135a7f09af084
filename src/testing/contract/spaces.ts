/** Tests of stores: vectors in parts, copied vectors, and vectors of several embedders. */
import * as Effect from "effect/Effect"
import type { Space } from "../../Memory.ts"
import type { ChunkVector, PendingNote, Store } from "../../Store.ts"
import { ask } from "./stage/query.ts"
import { random } from "./stage/random.ts"
import { commit, type note, notes, thought, uuid } from "./stage/rows.ts"
import { each } from "./stage/each.ts"
import { assert } from "./stage/assert.ts"
import { at, scene } from "./stage/scene.ts"
import { type StoreTest, suite } from "./stage/suite.ts"

const spaceNamed = (embedder: string, dimensions = 2): Space => ({ embedder, dimensions, metric: "cosine" })

const opened = (store: Store, embedder: string) =>
  Effect.as(store.openSpace(spaceNamed(embedder)), spaceNamed(embedder))

/** Writes one thought with these notes to a scope. */
const written = Effect.fnUntraced(function* (
  store: Store,
  scope: string,
  drafts: ReadonlyArray<Parameters<typeof note>[2]>
) {
  const row = thought()
  const made = notes(row.id, 1, drafts)
  yield* store.commit(scope, commit(row, { notes: made }))
  return made
})

/** All pending notes, read in pages of at most `limit`. */
const allPending = Effect.fnUntraced(function* (store: Store, space: Space, limit: number) {
  const seen: Array<PendingNote> = []
  while (true) {
    const page = yield* store.pending(space, { limit, after: seen.at(-1) })
    assert.isAtMost(page.length, limit)
    if (page.length === 0) return seen
    seen.push(...page)
  }
})

const statesOf = ({ spaces }: Store) => Effect.map(spaces, (known) => each(known, "state"))

export const spacesTests = (): ReadonlyArray<StoreTest> =>
  suite("the vectors of the store", { fresh: true, set: scene }, ({ test }) => {
    test("has one active space: the first, or one that is activated later", function* (my) {
      assert.deepStrictEqual(yield* my.store.spaces, [])
      const [first, second] = [spaceNamed("a\u0000 \ud800"), spaceNamed("a\u0000 \ud800", 3)]
      const states = Effect.map(my.store.spaces, (known) => known.map(({ dimensions, state }) => [dimensions, state]))
      yield* my.store.openSpace(first)
      yield* my.store.openSpace(first)
      assert.deepStrictEqual(yield* my.store.spaces, [{ ...first, state: "active" }])
      yield* my.store.openSpace(second)
      assert.deepStrictEqual(yield* states, [
        [2, "active"],
        [3, "building"]
      ])
      yield* my.store.activateSpace(second)
      yield* my.store.activateSpace(second)
      assert.deepStrictEqual(yield* states, [
        [2, "retired"],
        [3, "active"]
      ])
      const unknown = yield* Effect.flip(my.store.activateSpace(spaceNamed("nobody")))
      assert.strictEqual(unknown.reason._tag, "Query")
      assert.deepStrictEqual((yield* my.store.spaces).filter(({ state }) => state === "active").length, 1)
    })

    test("does not activate a space without vectors if the active one has some", function* (my) {
      const [first, second] = [spaceNamed("first"), spaceNamed("second")]
      const {
        written: [one]
      } = yield* my.add([{}])
      for (const space of [first, second]) yield* my.store.openSpace(space)
      yield* my.store.activateSpace(second)
      yield* my.store.activateSpace(first)
      yield* my.putVectors(first, [{ noteId: one!.id, vector: at(0) }])
      const refused = yield* Effect.flip(my.store.activateSpace(second))
      assert.strictEqual(refused.reason._tag, "Query")
      assert.isFalse(refused.isRetryable)
      assert.deepStrictEqual(yield* statesOf(my.store), ["active", "retired"])
      assert.strictEqual((yield* my.nearby(first, at(0))).length, 1)
      yield* my.putVectors(second, [{ noteId: one!.id, vector: at(0) }])
      yield* my.store.activateSpace(second)
      assert.deepStrictEqual(yield* statesOf(my.store), ["retired", "active"])
    })

    test("has no vectors in a space any more when their notes are redacted", function* (my) {
      const [first, second] = [spaceNamed("first"), spaceNamed("second")]
      const {
        written: [one, two]
      } = yield* my.add([{}, {}])
      for (const space of [first, second]) yield* my.store.openSpace(space)
      yield* my.putVectors(first, [{ noteId: one!.id, vector: at(0) }])
      yield* my.putVectors(second, [{ noteId: two!.id, vector: at(0) }])
      yield* my.redact(two!.id, 1_800_000_000_000)
      const refused = yield* Effect.flip(my.store.activateSpace(second))
      assert.strictEqual(refused.reason._tag, "Query")
      assert.deepStrictEqual(yield* statesOf(my.store), ["active", "building"])
      // as an embedder does that had read the note before
      for (const space of [first, second]) {
        yield* my.putVectors(space, [{ noteId: two!.id, vector: at(0) }])
        assert.strictEqual(yield* my.countPending(space), space === first ? 0 : 1)
        assert.strictEqual((yield* my.nearby(space, at(0))).length, space === first ? 1 : 0)
      }
      assert.strictEqual((yield* Effect.flip(my.store.activateSpace(second))).reason._tag, "Query")
      yield* my.redact(one!.id, 1_800_000_000_000)
      yield* my.store.activateSpace(second)
      assert.deepStrictEqual(yield* statesOf(my.store), ["retired", "active"])
    })

    test("drops a space with its vectors, but not the active one", function* (my) {
      const [first, second] = [spaceNamed("first"), spaceNamed("second")]
      const {
        written: [one]
      } = yield* my.add([{}])
      for (const space of [first, second]) {
        yield* my.store.openSpace(space)
        yield* my.putVectors(space, [{ noteId: one!.id, vector: at(0) }])
      }
      const refused = yield* Effect.flip(my.store.dropSpace(first))
      assert.strictEqual(refused.reason._tag, "Query")
      assert.strictEqual((yield* my.nearby(first, at(0))).length, 1)
      yield* my.store.activateSpace(second)
      yield* my.store.dropSpace(first)
      yield* my.store.dropSpace(first)
      yield* my.store.dropSpace(spaceNamed("nobody"))
      assert.deepStrictEqual(yield* my.store.spaces, [{ ...second, state: "active" }])
      assert.strictEqual((yield* my.nearby(second, at(0))).length, 1)
      yield* my.store.openSpace(first)
      assert.strictEqual(yield* my.countPending(first), 1)
      const states = statesOf(my.store)
      assert.deepStrictEqual(yield* states, ["active", "building"])
      // by this program or by another one
      const begun = yield* Effect.flip(my.store.dropSpace(first))
      assert.strictEqual(begun.reason._tag, "Query")
      assert.deepStrictEqual(yield* states, ["active", "building"])
      yield* my.store.dropSpace(first, { force: true })
      const active = yield* Effect.flip(my.store.dropSpace(second, { force: true }))
      assert.strictEqual(active.reason._tag, "Query")
      assert.deepStrictEqual(yield* states, ["active"])
    })

    test("continues a retired space with its vectors when it is opened again", function* (my) {
      const [first, second] = [spaceNamed("first"), spaceNamed("second")]
      const {
        written: [one]
      } = yield* my.add([{}, {}])
      yield* my.store.openSpace(first)
      yield* my.store.openSpace(second)
      for (const space of [first, second]) {
        yield* my.putVectors(space, [{ noteId: one!.id, vector: at(0) }])
      }
      yield* my.store.activateSpace(second)
      yield* my.store.activateSpace(first)
      yield* my.store.activateSpace(second)
      assert.strictEqual(yield* my.countPending(first), 1)
      assert.deepStrictEqual(yield* statesOf(my.store), ["retired", "active"])
      yield* my.store.openSpace(first)
      assert.deepStrictEqual(yield* statesOf(my.store), ["building", "active"])
      assert.strictEqual(yield* my.countPending(first), 1)
    })

    test("finds a note once, by its nearest part, and replaces all parts", function* (my) {
      const space = yield* opened(my.store, "parts")
      const { written: made } = yield* my.add([{}, {}, {}])
      const put = (noteId: string, ...degrees: ReadonlyArray<number>): ReadonlyArray<ChunkVector> =>
        degrees.map((angle, chunk) => ({ noteId, chunk, vector: at(angle) }))
      const [long, other, third] = made.map(({ id }) => id)
      yield* my.putVectors(space, [
        ...put(long!, 180, 0, 90),
        ...put(other!, 10),
        ...put(third!, 80, 85),
        ...put(uuid(), 0, 1)
      ])
      const found = (degrees: number) =>
        Effect.map(my.nearby(space, at(degrees)), (matches) => matches.map(({ note }) => note.seq))
      assert.deepStrictEqual(yield* found(0), [1, 2, 3])
      assert.deepStrictEqual(yield* found(90), [1, 3, 2])
      assert.strictEqual(yield* my.countPending(space), 0)
      yield* my.putVectors(space, put(long!, 45))
      assert.deepStrictEqual(yield* found(0), [2, 1, 3])
      // none of its parts is at 180 degrees any more
      assert.deepStrictEqual(yield* found(180), [3, 1, 2])
      yield* my.putVectors(space, put(long!, ...Array.from({ length: 2500 }, (_, i) => (i === 2400 ? 0 : 270))))
      assert.deepStrictEqual(yield* found(0), [1, 2, 3])
      assert.strictEqual(yield* my.countPending(space), 0)
    })

    test("copies vectors between notes with the same content, within one scope", function* (my) {
      const space = yield* opened(my.store, "copies")
      const { written: made } = yield* my.add([{ content: "same" }, { content: "other" }])
      const { written: again } = yield* my.add([{ content: "same" }, { content: "same" }, { content: "new" }])
      const elsewhere = yield* written(my.store, "elsewhere", [{ content: "same" }])
      const ids = again.map(({ id }) => id)
      assert.deepStrictEqual(yield* my.copyVectors(space, ids), [])
      yield* my.putVectors(space, [
        { noteId: made[0]!.id, chunk: 0, vector: at(90) },
        { noteId: made[0]!.id, chunk: 1, vector: at(0) },
        { noteId: made[1]!.id, vector: at(45) }
      ])
      assert.sameMembers([...(yield* my.copyVectors(space, [...ids, uuid(), "no id", made[0]!.id]))], ids.slice(0, 2))
      assert.deepStrictEqual(yield* my.copyVectors(space, ids), [])
      assert.deepStrictEqual(yield* my.copyVectors(space, []), [])
      assert.deepStrictEqual(yield* my.store.copyVectors("elsewhere", space, [elsewhere[0]!.id]), [])
      assert.strictEqual(yield* my.countPending(space), 1)
      assert.strictEqual(yield* my.store.countPending("elsewhere", space), 1)
      for (const degrees of [0, 90]) {
        const [best] = yield* my.nearby(space, at(degrees))
        assert.deepStrictEqual([best?.note.content, best?.copies], ["same", 3])
        assert.approximately(best?.similarity ?? 0, 1, 1e-6)
      }
      // each has its own copy of all parts, even when the note that first had them has none any more
      yield* my.redact(made[0]!.id, 1_800_000_000_000)
      for (const degrees of [0, 90]) {
        const [best] = yield* my.nearby(space, at(degrees))
        assert.deepStrictEqual([best?.note.content, best?.copies], ["same", 2])
        assert.approximately(best?.similarity ?? 0, 1, 1e-6)
      }
    })

    test("lists pending notes of all scopes page by page, each once, oldest first", function* (my) {
      const space = yield* opened(my.store, "pages")
      const { below, list } = random(7)
      const all: Array<string> = []
      for (const scope of ["a", "b", "\u0000", "é"]) {
        const made = yield* written(
          my.store,
          scope,
          list(40, () => ({ millis: 1_700_000_000_000 + below(5) }))
        )
        all.push(...made.map(({ id }) => `${scope} ${id}`))
      }
      const seen = yield* allPending(my.store, space, 7)
      assert.deepStrictEqual(seen.map(({ id, scope }) => `${scope} ${id}`).toSorted(), all.toSorted())
      const ages = seen.map(({ createdMillis }) => createdMillis)
      assert.deepStrictEqual(
        ages,
        ages.toSorted((a, b) => a - b)
      )
    })

    test("lists pending notes page by page when two scopes share ids and times", function* (my) {
      const space = yield* opened(my.store, "twins")
      const row = thought()
      const made = notes(row.id, 1, [{ millis: 1000 }, { millis: 1000 }])
      for (const scope of ["b", "a"]) yield* my.store.commit(scope, commit(row, { notes: made }))
      const seen = yield* allPending(my.store, space, 1)
      assert.deepStrictEqual(
        seen.map(({ id, scope }) => `${id} ${scope}`),
        made.flatMap(({ id }) => [`${id} a`, `${id} b`])
      )
    })

    test("never counts or lists blank notes as pending", function* (my) {
      const space = yield* opened(my.store, "blank")
      const white =
        "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
      const blank = ["", ...white.split(""), white, "\ufeff ", " ".repeat(100_000)]
      const full = [
        "a",
        " a ",
        "\ufeff a",
        ".",
        "0",
        "\u0000",
        "\u0085",
        "\u180e",
        "\u200b",
        "\ud800",
        "\u001a",
        "\u001afeff",
        "feff"
      ]
      const { written: made } = yield* my.add([...blank, ...full, "c"].map((content) => ({ content })))
      yield* written(my.store, "elsewhere", [{ content: " " }])
      const pending = Effect.gen(function* () {
        const listed = (yield* my.store.pending(space, { scope: my.scope, limit: 100 })).map(({ content }) => content)
        const counts = [
          yield* my.countPending(space),
          (yield* my.search(space, ask({ text: "a" }))).pending,
          (yield* my.survey(space, ask({ text: "a" }))).pending
        ]
        assert.deepStrictEqual(counts, [listed.length, listed.length, listed.length])
        return listed
      })
      assert.sameMembers([...(yield* pending)], [...full, "c"])
      assert.strictEqual((yield* my.store.pending(space, { limit: 100 })).length, full.length + 1)
      // a redacted note is blank too, and an embedder once made a vector for it
      yield* my.redact(made.at(-1)!.id, 1_700_000_000_000)
      yield* my.putVectors(space, [
        { noteId: made[1]!.id, vector: at(0) },
        { noteId: made[blank.length]!.id, vector: at(0) }
      ])
      assert.sameMembers([...(yield* pending)], full.slice(1))
    })

    test("lists and counts results of searches as pending only if they are requested", function* (my) {
      const space = yield* opened(my.store, "results")
      const { written: made } = yield* my.add([
        { content: "a note" },
        { content: "found", source: "seek" },
        { content: "found tasks", source: "survey" },
        { content: " ", source: "seek" }
      ])
      const pending = Effect.gen(function* () {
        const page = { scope: my.scope, limit: 100 }
        const others = (yield* my.store.pending(space, page)).map(({ content }) => content)
        const results = (yield* my.store.pending(space, { ...page, results: true })).map(({ content }) => content)
        assert.strictEqual(yield* my.countPending(space), others.length)
        assert.strictEqual((yield* my.search(space, ask({ text: "note" }))).pending, others.length)
        return [others, results.toSorted()]
      })
      assert.deepStrictEqual(yield* pending, [["a note"], ["found", "found tasks"]])
      yield* my.putVectors(space, [{ noteId: made[1]!.id, vector: at(0) }])
      assert.deepStrictEqual(yield* pending, [["a note"], ["found tasks"]])
      yield* my.putVectors(space, [{ noteId: made[0]!.id, vector: at(0) }])
      assert.deepStrictEqual(yield* pending, [[], ["found tasks"]])
    })

    test("lists long pending notes in small pages without omissions", function* (my) {
      const space = yield* opened(my.store, "long")
      const content = "x".repeat(3_000_000)
      // more bytes than a page has, by itself
      const longer = "\u20ac".repeat(2_700_000)
      const { written: made } = yield* my.add([{ content }, { content: longer }, { content }, {}, { content }])
      const seen = yield* allPending(my.store, space, 100)
      assert.deepStrictEqual(
        each(seen, "id"),
        made.map(({ id }) => id)
      )
    })
  })
