/** Tests of stores: ancestors and children of a thought. */
import * as Effect from "effect/Effect"
import type { ThoughtRow } from "../../../Store.ts"
import { assert } from "../stage/assert.ts"
import { each } from "../stage/each.ts"
import { page } from "../stage/query.ts"
import { commit, notes, thought, uuid } from "../stage/rows.ts"
import { freshScope, type Scene } from "../stage/scene.ts"
import type { Define } from "../stage/suite.ts"

export const lineageTests = ({ describe, test }: Define<Scene>): void => {
  describe("lineage", () => {
    const plainRow = ({ checkpoints, hidden, ...row }: ThoughtRow): unknown => ({
      ...row,
      checkpoints: [...checkpoints],
      hidden: [...hidden]
    })

    test("lists the ancestors of a thought, oldest first, by id and by trace id", function* (my) {
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

    test("lists the children of a thought by time and id, page by page", function* (my) {
      const { row: root } = yield* my.add([])
      const made = [2000, 1000, 2000, 1500, 2000].map((createdMillis) =>
        thought({ createdMillis, parent: { id: root.id, seq: 0 } })
      )
      for (const row of made.toReversed()) yield* my.write(row)
      const [a, b, c, d, e] = made.map(({ id }) => id)
      const grandchild = thought({ parent: { id: a!, seq: 0 } })
      yield* my.write(grandchild)
      const ordered = [b, d, a, c, e]
      const pageOf = (limit: number, after?: ThoughtRow) =>
        Effect.map(my.children({ id: root.id }, { limit, after }), (rows) => rows ?? [])
      assert.deepStrictEqual(each(yield* pageOf(10), "id"), ordered)
      assert.deepStrictEqual(
        (yield* pageOf(10)).map(plainRow),
        ordered.map((id) => plainRow(made.find((row) => row.id === id)!))
      )
      const paged: Array<ThoughtRow> = []
      for (let rows = yield* pageOf(2); rows.length > 0; rows = yield* pageOf(2, paged.at(-1))) {
        assert.isAtMost(rows.length, 2)
        paged.push(...rows)
      }
      assert.deepStrictEqual(each(paged, "id"), ordered)
      const byTrace = yield* my.children({ traceId: root.traceId }, page({ limit: 1 }))
      assert.deepStrictEqual(each(byTrace, "id"), [b])
      assert.deepStrictEqual(each(yield* my.children({ id: a! }, page()), "id"), [grandchild.id])
      // a cursor need not be the id of a thought
      const between = { id: "\uffff \0", createdMillis: 1500 }
      assert.deepStrictEqual(each(yield* my.children({ id: root.id }, page({ after: between })), "id"), [a, c, e])
    })

    test("finds no relatives of an unknown thought or of one in another scope", function* (my) {
      const other = freshScope()
      const root = thought()
      const child = thought({ parent: { id: root.id, seq: 0 } })
      for (const one of [my.scope, other]) yield* my.store.commit(one, commit(root))
      yield* my.write(child)
      const rows = page()
      assert.deepStrictEqual(yield* my.store.children(other, { id: root.id }, rows), [])
      assert.isUndefined(yield* my.store.ancestors(other, { id: child.id }))
      for (const ref of [{ id: uuid() }, { id: "no id" }, { id: "" }, { traceId: "\0" }]) {
        assert.isUndefined(yield* my.ancestors(ref))
        assert.isUndefined(yield* my.children(ref, rows))
      }
    })
  })
}
