import { lifecycleContract } from "../contract/lifecycle.ts"
import { storeContract } from "../contract/store.ts"
import { makeStore } from "./template.ts"

storeContract("PGlite", makeStore())
lifecycleContract("PGlite", makeStore())
