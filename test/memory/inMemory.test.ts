import { Store } from "cogito"
import { storeContract } from "../contract/run.ts"

storeContract("plain memory", Store.makeInMemory)
