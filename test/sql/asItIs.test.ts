import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { makeAsItIs as pglite, makeMigrated } from "../../src/pglite/store.ts"
import { make, makeAsItIs as postgres } from "../../src/postgres/store.ts"
import type { MemoryError } from "../../src/Memory.ts"
import type { Store } from "../../src/Store.ts"
import { call, newRun } from "../../src/testing/contract/ledger/rows.ts"
import { commit, note, thought } from "../../src/testing/contract/stage/rows.ts"
import * as Server from "../postgres/server.ts"

const space = { embedder: "e", dimensions: 3, metric: "cosine" } as const

/** A thought with a note, a run on it, and two spaces. */
const fill = Effect.fnUntraced(function* (store: Store) {
  const row = thought()
  yield* store.commit("a", commit(row, { notes: [note(row.id, 1)] }))
  yield* store.openSpace(space)
  yield* store.openSpace({ ...space, embedder: "unused" })
  yield* store.ledger.record("a", { runId: "run", epoch: 1, begins: [newRun(row.id, { id: "run" })] })
  return row.id
})

/** Every operation that reads works, every one that changes something is refused, and changes nothing. */
const keepsItsRows = Effect.fnUntraced(function* (store: Store, stored: string) {
  const refused = {
    commit: store.commit("a", commit(thought())),
    purge: store.purge("a"),
    remove: store.remove("a", { id: stored }, { materialize: false }),
    openSpace: store.openSpace({ ...space, embedder: "another" }),
    dropSpace: store.dropSpace({ ...space, embedder: "unused" }, { force: true }),
    optimize: store.optimize({ index: "create" }),
    begin: store.ledger.record("a", { runId: "new", epoch: 1, begins: [newRun(stored, { id: "new" })] }),
    record: store.ledger.record("a", { runId: "run", epoch: 1, calls: [call("/a@0", 0)] }),
    urgent: store.ledger.record("a", { runId: "run", epoch: 1, urgent: true, calls: [call("/a@0", 0)] }),
    claim: store.ledger.claim("a", "run", { owner: "b", millis: 1000, seize: true }),
    renew: store.ledger.renew("a", "run", 1, { owner: "a", millis: 1000 }),
    answer: store.ledger.answer("a", { runId: "run", frame: "/a@0" }, { json: "1", by: "ann", millis: 0 }),
    forget: store.ledger.remove("a", "run")
  }
  for (const [what, operation] of Object.entries(refused)) {
    const exit = yield* Effect.exit<unknown, MemoryError, never>(operation)
    assert.strictEqual(exit._tag, "Failure", what)
  }
  assert.strictEqual((yield* store.load("a", { id: stored }))?.version, 1)
  const run = yield* store.ledger.load("a", "run")
  assert.deepStrictEqual([run?.run.owner, run?.run.epoch, run?.calls], ["a", 1, []])
  assert.lengthOf(yield* store.ledger.runs("a", { limit: 10 }), 1)
  const page = { taskId: undefined, order: "oldest", limit: 10, after: undefined } as const
  assert.lengthOf(yield* store.thoughts("a", page), 1)
  assert.deepStrictEqual(yield* store.ancestors("a", { id: stored }), [])
  assert.lengthOf(yield* store.spaces, 2)
  yield* store.openSpace(space)
  assert.strictEqual(yield* store.countPending("a", space), 1)
})

describe("a store whose rows are kept", () => {
  const folder = mkdtempSync(join(tmpdir(), "cogito-kept-"))
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

  it.live("in a directory, reads and refuses to change anything", () =>
    Effect.gen(function* () {
      const dataDir = join(folder, "memory")
      const id = yield* Effect.scoped(
        Effect.flatMap(makeMigrated({ dataDir }), ({ prepared, store }) => {
          assert.isAbove(prepared.length, 0)
          return fill(store)
        })
      )
      yield* Effect.scoped(Effect.flatMap(pglite({ dataDir }, { rows: "kept" }), (store) => keepsItsRows(store, id)))
      const changed = Effect.flatMap(pglite({ dataDir }, { rows: "changed" }), (store) =>
        store.commit("a", commit(thought()))
      )
      assert.strictEqual(yield* Effect.scoped(changed), 1)
    })
  )

  describe.skipIf(!Server.available)("on a server", () => {
    let server: Server.Server | undefined
    beforeAll(() => {
      server = Server.start()
    })
    afterAll(() => server?.stop())

    it.live("reads and refuses to change anything", () =>
      Effect.gen(function* () {
        const url = yield* Effect.promise(() => Server.database(server ?? Server.start()))
        const id = yield* Effect.scoped(Effect.flatMap(make({ url }), fill))
        yield* Effect.scoped(Effect.flatMap(postgres({ url }, { rows: "kept" }), (store) => keepsItsRows(store, id)))
      })
    )
  })
})
