import { small, storeContract } from "../contract/run.ts"
import { emptying } from "./emptied.ts"
import { archive, makeStore } from "./prefilled.ts"

storeContract("PGlite", makeStore({ thread: true }), small, emptying(archive))
