/** Tests of stores: notes that wait for vectors. */
import * as Effect from "effect/Effect"
import type { Space } from "../../Memory.ts"
import type { PendingNote, Store } from "../../Store.ts"
import { ask } from "./stage/query.ts"
import { random } from "./stage/random.ts"
import { commit, notes, thought } from "./stage/rows.ts"
import { each } from "./stage/each.ts"
import { assert } from "./stage/assert.ts"
import { at, type Scene } from "./stage/scene.ts"
import type { Define } from "./stage/suite.ts"

import { opened, written } from "./stage/space.ts"

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

export const pendingTests = ({ test }: Define<Scene>): void => {
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
    // alone longer than a page
    const longer = "\u20ac".repeat(2_700_000)
    const { written: made } = yield* my.add([{ content }, { content: longer }, { content }, {}, { content }])
    const seen = yield* allPending(my.store, space, 100)
    assert.deepStrictEqual(
      each(seen, "id"),
      made.map(({ id }) => id)
    )
  })
}
