import { afterAll, beforeAll, describe } from "@effect/vitest"
import { lifecycleContract } from "../contract/lifecycle.ts"
import { searchContract } from "../contract/search.ts"
import { spacesContract } from "../contract/spaces.ts"
import { storeContract } from "../contract/store.ts"
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
  lifecycleContract(
    "Postgres",
    makeStore(() => server)
  )
  spacesContract(
    "Postgres",
    makeStore(() => server)
  )
  searchContract(
    "Postgres",
    makeStore(() => server)
  )
})
