import { afterAll, beforeAll, describe } from "@effect/vitest"
import { Effect } from "effect"
import { PostgresMemory } from "../../src/postgres/index.ts"
import { small, storeContract } from "../contract/run.ts"
import { available, migrated, type Server, start } from "./server.ts"

describe.skipIf(!available)("on a server", () => {
  let server: Server
  beforeAll(() => {
    server = start()
  })
  afterAll(() => server.stop())

  storeContract(
    "Postgres",
    Effect.flatMap(
      Effect.promise(() => migrated(server)),
      (url) => PostgresMemory.makeStore({ url })
    ),
    { ...small, writers: 8 }
  )
})
