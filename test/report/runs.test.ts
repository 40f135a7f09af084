import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Memory } from "cogito"
import type { RunRow } from "../../src/memory/model/Ledger.ts"
import { runsOf } from "../../src/report/run.ts"
import { begun, newRun, noon, position } from "../../src/testing/contract/ledger/rows.ts"

const row = (id: string, more: Partial<RunRow> = {}): RunRow => ({
  ...begun(newRun("thought", { id })),
  leaseUntilMillis: undefined,
  ...more
})

/** A ledger that lists these runs in this order. */
const ledgerOf = (rows: ReadonlyArray<RunRow>) =>
  ({
    runs: ({ after, limit }: { readonly after?: { readonly id: string }; readonly limit: number }) => {
      const from = rows.findIndex(({ id }) => id === after?.id) + 1
      return Effect.succeed(rows.slice(from, from + limit))
    },
    load: (id: string) =>
      Effect.sync(() => rows.flatMap((run) => (run.id === id ? [{ run, steps: [], calls: [], waits: [] }] : []))[0])
  }) as unknown as Memory.Shape["ledger"]

const found = (rows: ReadonlyArray<RunRow>, limit: number, runId?: string) =>
  Effect.map(runsOf({ ledger: ledgerOf(rows) }, [{ id: "thought" }], { limit, runId }), ({ isCut, runs }) => [
    runs.map(({ run }) => run.id),
    isCut
  ])

describe("the runs of a report", () => {
  it.effect("are the newest first, and in the order of their ids where they began at once", () =>
    Effect.gen(function* () {
      const rows = [row("new", { createdMillis: noon + 1 }), row("a"), row("c"), row("b")]
      assert.deepStrictEqual(yield* found(rows, 4), [["new", "c", "b", "a"], false])
    })
  )

  it.effect("include the one that has come to the thought, however many begin there and go elsewhere", () =>
    Effect.gen(function* () {
      const elsewhere = Array.from({ length: 1200 }, (_, i) =>
        row(`again ${i}`, { createdMillis: noon + 2000 - i, end: position("fork") })
      )
      const rows = [...elsewhere, row("own")]
      assert.deepStrictEqual(yield* found(rows, 2), [["again 0", "own"], true])
      assert.deepStrictEqual(yield* found(rows, 2, "again 700"), [["again 0", "again 700"], true])
      assert.deepStrictEqual(yield* found(elsewhere, 2), [["again 0", "again 1"], true])
    })
  )

  it.effect("are marked as cut if the named run replaces another one", () =>
    Effect.gen(function* () {
      const rows = [row("own")]
      const ledger = {
        ...ledgerOf(rows),
        load: (id: string) => ledgerOf([...rows, row("other", { end: position("elsewhere") })]).load(id)
      }
      const cut = (limit: number, runId: string) =>
        Effect.map(runsOf({ ledger }, [{ id: "thought" }], { limit, runId }), ({ isCut, runs }) => [
          runs.map(({ run }) => run.id),
          isCut
        ])
      assert.deepStrictEqual(yield* cut(1, "other"), [["other"], true])
      assert.deepStrictEqual(yield* cut(2, "other"), [["own", "other"], false])
      // a run that does not exist replaces nothing
      assert.deepStrictEqual(yield* cut(1, "nowhere"), [["own"], false])
    })
  )
})
