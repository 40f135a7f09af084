/**
 * What tests of pipelines need: a scripted provider that records what it was sent, an embedder and a memory that need
 * nothing, ids that repeat. And what a store of a memory must do, as a list of tests.
 */
export { storeContract, type StoreContractOptions, type StoreTest } from "./contract/contract.ts"
export { embedder, memory } from "./memory.ts"
export { ids } from "./ids.ts"
export { type Reply, type Scripted, scripted, type ScriptOptions } from "./scripted.ts"
