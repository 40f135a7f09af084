/**
 * What tests of pipelines need: a scripted provider that records what it was sent, an embedder and a memory that need
 * nothing, ids that repeat. And what a store of a memory, or a provider, must do, as lists of tests.
 */
export { storeContract, type StoreContractOptions, type StoreTest } from "./contract/contract.ts"
export { providerContract, type ProviderContractOptions } from "./contract/providerContract.ts"
export type {
  MakeProvider,
  ProviderAsked,
  ProviderReply,
  ProviderSubject,
  ProviderTest
} from "./contract/providerSubject.ts"
export { embedder, memory } from "./memory.ts"
export { ids } from "./ids.ts"
export { type Reply, type Scripted, scripted, type ScriptOptions } from "./scripted.ts"
