import { storeContract } from "../contract/store.ts"
import { makeStore } from "./template.ts"

storeContract("PGlite", makeStore())
