/**
 * Tools for tests of pipelines, and the contracts of stores and providers.
 *
 * For pipelines: a scripted provider that records its requests, an embedder and a memory without dependencies, and
 * repeatable ids. The contracts are lists of tests for any runner.
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
export { calls, type CallsOptions, type ScriptedCall } from "./calls.ts"
export { embedder, memory } from "./memory.ts"
export { ids } from "./ids.ts"
export { type Reply, type Scripted, scripted, type ScriptOptions } from "./scripted.ts"
