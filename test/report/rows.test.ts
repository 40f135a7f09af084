import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import type { RunRow, StoredRun } from "../../src/memory/model/Ledger.ts"
import { openStepsOf } from "../../src/report/openSteps.ts"
import { Notes } from "../../src/report/thought.ts"
import { pathOf } from "../../src/report/paths.ts"
import { begun, call, newRun, noon, open, step, wait } from "../../src/testing/contract/ledger/rows.ts"
import { note } from "../../src/testing/contract/stage/rows.ts"

const stored = (status: RunRow["status"], rows: Partial<StoredRun>): StoredRun => ({
  run: { ...begun(newRun("thought"), { status }), leaseUntilMillis: undefined },
  steps: [],
  calls: [],
  waits: [],
  ...rows
})

/** The frame, the kind, the outcome and the start of each step that is open. */
const opened = (run: StoredRun, isStopped = false) =>
  openStepsOf(run, undefined, isStopped).map(({ frame, outcome, startedMillis }) => [
    frame,
    outcome,
    startedMillis - noon
  ])

const question = (frame: string, createdMillis: number) => open(wait("run", "thought", frame, { createdMillis }))

describe("the steps that a run is in", () => {
  it("are the same ones however often a question was asked in them", () => {
    const waits = [question("/mail/ask", noon + 5), question("/mail/ask^", noon + 7), question("/mail/ask^^", noon + 9)]
    assert.deepStrictEqual(opened(stored("waiting", { waits })), [
      ["/mail", "waiting", 5],
      ["/mail/ask", "waiting", 5]
    ])
  })

  it("began when the first thing in them did, and do not include those that have ended", () => {
    const rows = {
      steps: [step("/mail/first", { outcome: "committed", startedMillis: noon + 3, endedMillis: noon + 4 })],
      calls: [
        call("/mail/second@2", 1, { startedMillis: noon + 9 }),
        call("/mail/second@2", 0, { startedMillis: noon + 6 }),
        call("/mail/first", 0, { startedMillis: noon + 3 })
      ]
    }
    for (const [isStopped, outcome] of [
      [false, "running"],
      [true, "interrupted"]
    ] as const) {
      assert.deepStrictEqual(opened(stored("running", rows), isStopped), [
        ["/mail", outcome, 3],
        ["/mail/second@2", outcome, 6]
      ])
    }
  })

  it("are an empty list before anything is stored and after the run has ended", () => {
    const waits = [question("/mail/ask", noon)]
    assert.deepStrictEqual(opened(stored("completed", { waits })), [])
    assert.deepStrictEqual(opened(stored("failed", { waits })), [])
    assert.deepStrictEqual(opened(stored("running", {})), [])
  })
})

it("the path of a step has its names as they are, whatever signs they have", () => {
  for (const [frame, path] of [
    ["/mail/urgent@2", ["mail", "urgent"]],
    ["/a~22@3/b", ["a@2", "b"]],
    ["/a~0b/a~1b/a~3b^^", ["a~b", "a/b", "a^b"]],
    ["/~01/~02", ["~1", "~2"]],
    ["/a~22", ["a@2"]]
  ] as const) {
    assert.deepStrictEqual(pathOf(frame), path, frame)
  }
})

it("a redacted note has neither content nor metadata in a report, whatever the memory still has", () => {
  const created = DateTime.makeUnsafe(noon)
  const notes = new Notes()
  const secret = note("thought", 1, { content: "secret", metadata: { who: "Ada" }, created, redacted: created })
  assert.deepStrictEqual([notes.add(secret), notes.add(secret)], [0, 0])
  assert.deepInclude(notes.all[0], { content: "", metadata: {}, createdMillis: noon, redactedMillis: noon })
  assert.strictEqual(notes.all.length, 1)
})
