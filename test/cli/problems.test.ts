import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { problemsOf } from "../../src/cli/memory/problems.ts"
import type { StoredThought } from "../../src/Store.ts"

const note = (id: string, seq: number, thoughtId = "t") => ({
  id,
  thoughtId,
  seq,
  key: "k",
  content: "secret",
  metadata: {},
  source: "user",
  step: "",
  derivedFrom: [],
  created: DateTime.makeUnsafe(0),
  trust: "untrusted" as const
})

const entry = (index: number, carries: ReadonlyArray<string>, covers: ReadonlyArray<string> = []) => ({
  index,
  kind: "message" as const,
  role: "user" as const,
  text: "secret",
  carries,
  covers
})

const sound: StoredThought = {
  thought: {
    id: "t",
    traceId: "trace",
    taskId: undefined,
    intent: "secret",
    createdMillis: 0,
    parent: { id: "p", seq: 1 },
    hidden: new Map(),
    checkpoints: new Map()
  },
  version: 1,
  notes: [note("a", 1, "p"), note("b", 2)],
  entries: [entry(0, ["a"]), entry(2, ["b"], ["a"])],
  nextIndex: 3,
  usage: undefined
}

describe("the problems of a stored thought", () => {
  it("are an empty list for a sound thought", () => {
    assert.deepStrictEqual(problemsOf(sound), [])
  })

  const broken: ReadonlyArray<readonly [what: string, thought: Partial<StoredThought>, problem: RegExp]> = [
    ["a version below 1", { version: 0 }, /version is 0/],
    ["a gap between notes", { notes: [note("a", 1, "p"), note("b", 3)] }, /note b has number 3 where 2 is due/],
    ["an own note before the fork", { notes: [note("a", 1), note("b", 2)] }, /note a belongs to it/],
    ["another's note after the fork", { notes: [note("a", 1, "p"), note("b", 2, "p")] }, /note b belongs to another/],
    ["a missing shared note", { notes: [], entries: [] }, /0 of the 1 notes/],
    ["a note that is there twice", { notes: [note("a", 1, "p"), note("a", 2)], entries: [] }, /note a is there twice/],
    ["an entry that shows a missing note", { entries: [entry(0, ["x"])] }, /message 0 shows note x/],
    ["an entry that covers a missing note", { entries: [entry(0, [], ["y"])] }, /message 0 shows note y/],
    ["entries out of order", { entries: [entry(1, []), entry(1, [])] }, /message 1 is out of order/],
    ["an entry past the next number", { entries: [entry(3, [])] }, /message 3 is out of order/]
  ]
  for (const [what, change, expected] of broken) {
    it(`name ${what}, without its texts`, () => {
      const problems = problemsOf({ ...sound, ...change })
      assert.lengthOf(problems, 1)
      assert.match(problems[0] ?? "", expected)
      assert.notInclude(problems.join(), "secret")
    })
  }
})
