import { small, storeContract } from "../contract/run.ts"
import { makeStore } from "./prefilled.ts"

// most of it in a thread, as users have it; a start in this thread takes half as long
storeContract("PGlite", makeStore({ thread: true }), small, makeStore())
