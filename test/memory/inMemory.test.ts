import { Memory } from "cogito"
import { storeContract } from "../contract/run.ts"

storeContract("plain memory", Memory.makeInMemoryStore)
