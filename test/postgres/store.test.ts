import { afterAll, beforeAll, describe } from "@effect/vitest"
import { storeContract } from "../contract/run.ts"
import { available, makeStore, type Server, start } from "./server.ts"

describe.skipIf(!available)("on a server", () => {
  let server: Server
  beforeAll(() => {
    server = start()
  })
  afterAll(() => server.stop())

  storeContract(
    "Postgres",
    makeStore(() => server)
  )
})
