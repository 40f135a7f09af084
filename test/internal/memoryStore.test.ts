import { makeStore } from "../../src/internal/memoryStore.ts"
import { lifecycleContract } from "../contract/lifecycle.ts"
import { storeContract } from "../contract/store.ts"

storeContract("plain memory", makeStore)
lifecycleContract("plain memory", makeStore)
