import { makeStore } from "../../src/internal/memoryStore.ts"
import { storeContract } from "../contract/store.ts"

storeContract("plain memory", makeStore)
