import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { random } from "../../src/testing/contract/stage/random.ts"
import { commit, notes, thought } from "../../src/testing/contract/stage/rows.ts"
import { folder } from "./folder.ts"
import { makeStore } from "./prefilled.ts"

/** The files of tables and indexes; what is logged besides is kept for a while. */
const sizeOf = (dataDir: string): number =>
  readdirSync(join(dataDir, "database", "base"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)

describe("a memory's files", () => {
  it.live(
    "do not grow with what was deleted",
    () =>
      Effect.gen(function* () {
        const dataDir = join(yield* folder, "memory")
        const { below } = random(1)
        // which cannot be made shorter
        const long = () => Array.from({ length: 20_000 }, () => String.fromCharCode(33 + below(90))).join("")
        const round = Effect.scoped(
          Effect.gen(function* () {
            const store = yield* makeStore({ dataDir })
            for (let i = 0; i < 3; i++) {
              const row = thought()
              const written = notes(
                row.id,
                1,
                Array.from({ length: 10 }, () => ({ content: long() }))
              )
              yield* store.commit("a", commit(row, { notes: written }))
              if (i === 0) yield* store.redact("a", written[0]!.id, 1_800_000_000_000)
              if (i === 1) yield* store.remove("a", { id: row.id }, { materialize: false })
            }
            yield* store.purge("a")
          })
        )
        yield* round
        const first = sizeOf(dataDir)
        for (let i = 0; i < 4; i++) yield* round
        // each round writes more than half a million bytes
        assert.isBelow(sizeOf(dataDir) - first, 500_000)
      }).pipe(Effect.scoped),
    120_000
  )
})
