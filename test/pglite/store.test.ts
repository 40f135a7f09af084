import { small, storeContract } from "../contract/run.ts"
import { makeStore } from "./prefilled.ts"

storeContract("PGlite", makeStore(), small)
