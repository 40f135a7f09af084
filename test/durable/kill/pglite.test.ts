/** Processes that die during durable runs on PGlite. More of them: `COGITO_DURABLE_KILLS=200 vitest run test/durable/kill`. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { makeStore } from "../../pglite/prefilled.ts"
import { folder, model } from "./processes.ts"
import { kills, rounds } from "./rounds.ts"

describe("on PGlite", () => {
  it.live(
    "runs whose processes are killed come to the notes of a run that nothing interrupts, and ask no more than was lost",
    () =>
      Effect.gen(function* () {
        const path = yield* folder
        const dataDir = join(path, "memory")
        yield* Effect.scoped(makeStore({ dataDir }))
        const figures = yield* rounds(dataDir, yield* model, path)
        yield* Effect.log("durable runs on PGlite", figures)
        assert.strictEqual(figures.killed, kills)
      }).pipe(Effect.scoped),
    60_000 + 10_000 * kills
  )
})
