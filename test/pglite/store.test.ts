import { storeContract } from "../contract/run.ts"
import { makeStore } from "./template.ts"

storeContract("PGlite", makeStore())
