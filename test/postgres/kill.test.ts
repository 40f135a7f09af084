/**
 * Processes that die while they write to a server, and a server that dies under them. More rounds:
 * `COGITO_KILL_ROUNDS=50 vitest run test/postgres/kill.test.ts`.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { PostgresMemory } from "../../src/postgres/index.ts"
import { plain } from "../../src/testing/contract/stage/rows.ts"
import { plannedStored, plannedThought } from "../pglite/plan.ts"
import { spawnChild } from "../pglite/process.ts"
import { available, database, type Server, start } from "./server.ts"

const rounds = Number(process.env["COGITO_KILL_ROUNDS"] ?? 5)

const numberOf = (line: ReadonlyArray<string> | undefined): number | undefined =>
  line?.[0] === "acknowledged" ? Number(line[1]) : undefined

describe.skipIf(!available)("on a server", () => {
  let server: Server
  beforeAll(() => {
    server = start()
  })
  afterAll(() => server.stop())

  const round = (url: string, number: number, die: "process" | "server") =>
    Effect.gen(function* () {
      const child = yield* spawnChild("commits", url, String(number))
      const deathAfter = 1 + Math.floor(Math.random() * 80)
      let acknowledged = 0
      while (acknowledged < deathAfter) {
        const line = yield* child.line
        if (line === undefined) throw new Error("the process ended by itself")
        acknowledged = numberOf(line) ?? acknowledged
      }
      if (die === "server") yield* Effect.sync(() => server.restart())
      for (const line of yield* child.kill) acknowledged = numberOf(line) ?? acknowledged
      const row = plannedThought(number)
      const stored = yield* Effect.scoped(
        Effect.flatMap(PostgresMemory.makeStore({ url }), (store) => store.load("local", { id: row.id }))
      )
      assert.deepStrictEqual(plain(stored), plain(plannedStored(row, stored?.version ?? 0)))
      assert.isAtLeast(stored?.version ?? 0, acknowledged)
    }).pipe(Effect.scoped)

  it.live.each([["process"], ["server"]] as const)(
    "a %s that is killed while it writes leaves whole commits only, and every one that was acknowledged",
    ([die]) =>
      Effect.gen(function* () {
        const url = yield* Effect.promise(() => database(server))
        yield* Effect.scoped(PostgresMemory.makeStore({ url }))
        for (let number = 1; number <= rounds; number++) yield* round(url, number, die)
      }),
    60_000 + 20_000 * rounds
  )
})
