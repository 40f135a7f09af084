/** Tests of stores: lists of thoughts. */
import * as Effect from "effect/Effect"
import { assert } from "../stage/assert.ts"
import { page } from "../stage/query.ts"
import { random } from "../stage/random.ts"
import { commit, newNote, notes, thought } from "../stage/rows.ts"
import { freshScope, type Scene } from "../stage/scene.ts"
import type { Define } from "../stage/suite.ts"

export const thoughtsTests = ({ describe, test }: Define<Scene>): void => {
  describe("thoughts", () => {
    test("are listed by time and id in both directions, page by page, each once", function* (my) {
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
      const [some] = yield* my.thoughts(page({ taskId: "b\0", limit: 1 }))
      const written = rows.find(({ id }) => id === some?.id)
      assert.deepStrictEqual(some, written && { ...written, lastSeq: 0 })
    })

    test("are listed completely, like their ancestors and children", function* (my) {
      const root = thought({ hidden: new Map([["gone", 1]]), taskId: "a" })
      const checkpoints = new Map([["before", { id: root.id, seq: 1 }]])
      const parent = { id: root.id, seq: 1 }
      const child = thought({ hidden: new Map([["key 1", 1]]), checkpoints, parent })
      const leaf = thought({ checkpoints, parent: { id: child.id, seq: 1 } })
      yield* my.write(root, { notes: notes(root.id, 1, [{}]) })
      yield* my.write(child)
      yield* my.write(leaf, { notes: notes(leaf.id, 2, [{}, {}]) })
      yield* my.append({ id: root.id }, [newNote(), newNote()])
      // the numbers of notes that are shared count
      const listed = [
        { ...root, lastSeq: 3 },
        { ...child, lastSeq: 1 },
        { ...leaf, lastSeq: 3 }
      ]
      assert.deepStrictEqual(yield* my.thoughts(page()), listed)
      assert.deepStrictEqual(yield* my.ancestors({ id: leaf.id }), [root, child])
      assert.deepStrictEqual(yield* my.children({ id: root.id }, page()), [child])
    })

    test("are listed after a cursor that is not a thought", function* (my) {
      const { row } = yield* my.add([])
      const after = (id: string, createdMillis: number) =>
        Effect.map(my.thoughts(page({ after: { id, createdMillis } })), (found) => found.length)
      assert.strictEqual(yield* after("", row.createdMillis), 1)
      assert.strictEqual(yield* after("z", row.createdMillis), 0)
      assert.strictEqual(yield* after("z", row.createdMillis - 1), 1)
    })
  })
}
