/** Tests of stores: names of the greatest length, and names that are nearly alike. */
import { assert } from "./stage/assert.ts"
import { each } from "./stage/each.ts"
import { page } from "./stage/query.ts"
import { random } from "./stage/random.ts"
import { commit, note, thought, uuid } from "./stage/rows.ts"
import { scene } from "./stage/scene.ts"
import { type StoreTest, suite } from "./stage/suite.ts"

/** The longest name that a memory accepts. */
const length = 256

/** Texts that take the most space in any encoding and cannot be compressed. */
const longest = (rng: ReturnType<typeof random>): string =>
  Array.from({ length }, () => String.fromCharCode(0xd800 + rng.below(0x400))).join("")

/** Names that differ so little that a store which changes or truncates them confuses them. */
const alike = (name: string): ReadonlyArray<string> => [
  name,
  name.toUpperCase(),
  ` ${name}`,
  `${name} `,
  `${name}\0`,
  `${name}e\u0301`,
  `${name}\u00e9`,
  ...["x", "y"].map((last) => name.padEnd(length - 1, "long ") + last)
]

export const namesTests = (): ReadonlyArray<StoreTest> =>
  suite("the names of scopes, traces and tasks", { fresh: false, set: scene }, ({ test }) => {
    test("may have 256 characters of any kind, and differ by the last alone", function* (my) {
      const rng = random(31)
      const [scope, traceId, taskId, source] = [longest(rng), longest(rng), longest(rng), longest(rng)]
      const other = (name: string) => `${name.slice(0, -1)}x`
      const rows = [thought({ traceId, taskId }), thought({ traceId: other(traceId), taskId: other(taskId) })]
      for (const tenant of [scope, other(scope)]) {
        for (const row of rows) yield* my.store.commit(tenant, commit(row, { notes: [note(row.id, 1, { source })] }))
      }
      for (const row of rows) {
        const loaded = yield* my.store.load(scope, { traceId: row.traceId })
        assert.strictEqual(loaded?.thought.id, row.id)
        assert.strictEqual(loaded?.notes[0]?.source, source)
        assert.deepStrictEqual(yield* my.store.thoughts(scope, page({ taskId: row.taskId })), [{ ...row, lastSeq: 1 }])
      }
      assert.strictEqual(yield* my.store.purge(other(scope)), 2)
      assert.strictEqual((yield* my.store.load(scope, { traceId }))?.thought.id, rows[0]?.id)
    })

    test("differ by case, surrounding blanks and Unicode composition", function* (my) {
      const names = alike(`tenant ${uuid()} a`)
      const home = `home ${uuid()}`
      for (const name of names) {
        const row = thought({ intent: name, traceId: "same" })
        yield* my.store.commit(name, commit(row))
        yield* my.store.commit(home, commit(thought({ intent: name, traceId: name, taskId: name })))
      }
      for (const name of names) {
        assert.deepStrictEqual(each(yield* my.store.thoughts(name, page()), "intent"), [name])
        assert.deepStrictEqual(each(yield* my.store.thoughts(home, page({ taskId: name })), "intent"), [name])
        assert.strictEqual((yield* my.store.load(home, { traceId: name }))?.thought.intent, name)
      }
      for (const name of names) assert.strictEqual(yield* my.store.purge(name), 1)
    })
  })
