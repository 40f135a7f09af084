import { lifecycleContract } from "../contract/lifecycle.ts"
import { searchContract } from "../contract/search.ts"
import { spacesContract } from "../contract/spaces.ts"
import { storeContract } from "../contract/store.ts"
import { makeStore } from "./template.ts"

storeContract("PGlite", makeStore())
searchContract("PGlite", makeStore())
spacesContract("PGlite", makeStore())
lifecycleContract("PGlite", makeStore())
