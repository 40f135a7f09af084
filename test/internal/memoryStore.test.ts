import { makeStore } from "../../src/internal/memoryStore.ts"
import { lifecycleContract } from "../contract/lifecycle.ts"
import { searchContract } from "../contract/search.ts"
import { spacesContract } from "../contract/spaces.ts"
import { storeContract } from "../contract/store.ts"

storeContract("plain memory", makeStore)
searchContract("plain memory", makeStore)
spacesContract("plain memory", makeStore)
lifecycleContract("plain memory", makeStore)
