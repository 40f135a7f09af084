import { storeContract } from "../contract/run.ts"
import { makeStore } from "./prefilled.ts"

storeContract("PGlite", makeStore())
