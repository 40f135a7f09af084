/**
 * Processes that die while they start or write. More rounds: `COGITO_KILL_ROUNDS=50 vitest run test/pglite/kill.test.ts`.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { answered } from "../../src/testing/contract/ledger/rows.ts"
import { commit, note, plain, thought } from "../../src/testing/contract/stage/rows.ts"
import { folder } from "./folder.ts"
import { plannedStored, plannedThought } from "./plan.ts"
import { spawnChild } from "./process.ts"
import { makeStore } from "./prefilled.ts"

const rounds = Number(process.env["COGITO_KILL_ROUNDS"] ?? 2)

/** Files below a path. */
const filesIn = (path: string) =>
  Effect.promise(() =>
    readdir(path, { recursive: true }).then(
      (names) => names.length,
      () => 0
    )
  )

const wait = (millis: number) => Effect.promise(() => new Promise((resume) => setTimeout(resume, millis)))

describe("a process that is killed", () => {
  it.live(
    "during its first start leaves a directory that the next one can use",
    () =>
      Effect.gen(function* () {
        const complete = yield* Effect.scoped(
          Effect.gen(function* () {
            const dataDir = join(yield* folder, "memory")
            yield* Effect.scoped(makeStore({ dataDir }))
            return yield* filesIn(dataDir)
          })
        )
        let unfinished = 0
        for (let round = 0; round < rounds; round++) {
          yield* Effect.scoped(
            Effect.gen(function* () {
              const dataDir = join(yield* folder, "memory")
              const child = yield* spawnChild("hold", dataDir)
              assert.deepStrictEqual(yield* child.line, ["started"])
              // Files appear late in a start, all within a moment; a wait after the last ones reaches into the rest.
              const moment = (1.2 * (round + Math.random())) / rounds
              while ((yield* filesIn(dataDir)) < Math.min(moment, 0.98) * complete) yield* wait(1)
              yield* wait(Math.random() * (moment < 0.98 ? 5 : 500))
              yield* child.kill
              if (!(yield* Effect.sync(() => existsSync(join(dataDir, "ready"))))) unfinished++
              const row = thought()
              const write = Effect.flatMap(makeStore({ dataDir }), (store) =>
                store.commit("local", commit(row, { notes: [note(row.id, 1)] }))
              )
              const read = Effect.flatMap(makeStore({ dataDir }), (store) => store.load("local", { id: row.id }))
              assert.strictEqual(yield* Effect.scoped(write), 1)
              assert.strictEqual((yield* Effect.scoped(read))?.notes.length, 1)
            })
          )
        }
        assert.isAbove(unfinished, 0)
      }),
    60_000 + 20_000 * rounds
  )

  it.live(
    "while it writes leaves whole commits only, and every one it had acknowledged",
    () =>
      Effect.gen(function* () {
        const dataDir = join(yield* folder, "memory")
        yield* Effect.scoped(makeStore({ dataDir }))
        for (let round = 1; round <= rounds; round++) {
          const child = yield* spawnChild("commits", dataDir, String(round))
          const deathAfter = 1 + Math.floor(Math.random() * 80)
          let acknowledged = 0
          while (acknowledged < deathAfter) acknowledged = numberOf(yield* child.line)
          for (const line of yield* child.kill) acknowledged = numberOf(line)
          const loaded = yield* Effect.scoped(
            Effect.gen(function* () {
              const store = yield* makeStore({ dataDir })
              return yield* Effect.forEach(
                Array.from({ length: round }, (_, i) => plannedThought(i + 1)),
                (row) => Effect.map(store.load("local", { id: row.id }), (stored) => ({ row, stored }))
              )
            })
          )
          for (const { row, stored } of loaded) {
            assert.deepStrictEqual(plain(stored), plain(plannedStored(row, stored?.version ?? 0)))
          }
          assert.isAtLeast(loaded.at(-1)?.stored?.version ?? 0, acknowledged)
        }
      }).pipe(Effect.scoped),
    60_000 + 20_000 * rounds
  )

  it.live(
    "while it writes rows of a run leaves every one it had acknowledged, though none was flushed",
    () =>
      Effect.gen(function* () {
        const dataDir = join(yield* folder, "memory")
        yield* Effect.scoped(makeStore({ dataDir }))
        for (let round = 1; round <= rounds; round++) {
          const child = yield* spawnChild("records", dataDir, String(round))
          const deathAfter = 1 + Math.floor(Math.random() * 80)
          let acknowledged = 0
          while (acknowledged < deathAfter) acknowledged = numberOf(yield* child.line)
          for (const line of yield* child.kill) acknowledged = numberOf(line)
          const stored = yield* Effect.scoped(
            Effect.flatMap(makeStore({ dataDir }), ({ ledger }) => ledger.load("local", `run ${round}`))
          )
          const calls = stored?.calls ?? []
          assert.deepStrictEqual(
            calls,
            Array.from(calls, (_, n) => answered("/a@0", n))
          )
          assert.isAtLeast(calls.length, acknowledged)
        }
      }).pipe(Effect.scoped),
    60_000 + 20_000 * rounds
  )
})

const numberOf = (line: ReadonlyArray<string> | undefined): number => {
  if (line === undefined) throw new Error("the process ended by itself")
  return line[0] === "acknowledged" ? Number(line[1]) : 0
}
