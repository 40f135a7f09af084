import { storeContract } from "../contract/store.ts"
import { PostgresMemory } from "../../src/postgres/index.ts"

storeContract("Postgres", PostgresMemory.makeStore({ url: process.env["DATABASE_URL"]! }))
