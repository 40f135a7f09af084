import { Effect } from "effect"
import { PostgresMemory } from "../../src/postgres/index.ts"
import { storeContract } from "../contract/run.ts"
import { serve } from "./socket.ts"

storeContract(
  "PGlite's socket server",
  Effect.flatMap(serve, (url) => PostgresMemory.makeStore({ url, connections: 1 }))
)
