/** The law that whatever is tried in another's place sees the thought as it was before. */
import { assert, describe } from "@effect/vitest"
import { callName, calm, type Leaf, type Node, nodesOf } from "./program.ts"
import { bytesOf, law, seen } from "./law.ts"

/** Numbers that no step of a random program has. */
const free = 100_000

const question = (id: number, ends: "ok" | "fail"): Leaf => ({
  _tag: "Leaf",
  id,
  does: "decide",
  key: `decide${id}`,
  introspect: false,
  plan: [{ takes: id, ends }]
})

const [first, failing, instead] = [question(free, "ok"), question(free + 1, "fail"), question(free + 2, "ok")]

/** Asks a question, goes on, and fails. */
const bad: Node = { _tag: "Sequence", id: free, children: [first, failing] }

const ways: { readonly [name: string]: Node } = {
  "another alternative": { _tag: "Fallback", id: free + 3, accept: "any", always: true, children: [bad, instead] },
  "a recovery": { _tag: "Recover", id: free + 3, always: true, children: [bad, instead] },
  "a step after an optional one": {
    _tag: "Sequence",
    id: free + 3,
    children: [{ _tag: "Enrich", id: free + 4, report: false, piped: false, children: [bad] }, instead]
  },
  "a recovery of a step that was tried in vain": {
    _tag: "Recover",
    id: free + 3,
    always: true,
    children: [{ _tag: "Retry", id: free + 4, times: 2, always: true, piped: false, children: [bad] }, instead]
  }
}

describe("after a failure in a random pipeline", () => {
  for (const [name, way] of Object.entries(ways)) {
    law(`${name} sees the thought as it was before [C786]`, (program) =>
      seen(calm({ _tag: "Sequence", id: free + 5, children: [...nodesOf(program.root), way] }), (_, { calls }) => {
        const before = calls.filter(({ leaf }) => leaf === first.id)
        const after = calls.find(({ leaf }) => leaf === instead.id)
        if (after === undefined) return
        assert.isAbove(before.length, 0)
        // the attempts, and what is tried instead, differ in the number of the question only
        for (const { call, messages } of before) {
          assert.strictEqual(bytesOf(after.messages!), bytesOf(messages!), callName(first, call))
        }
      })
    )
  }
})
