/**
 * What tests of pipelines need: a scripted provider that records what it was sent, an embedder and a memory that need
 * nothing, ids that repeat.
 */
export { embedder, memory } from "./memory.ts"
export { ids } from "./ids.ts"
export { type Reply, type Scripted, scripted, type ScriptOptions } from "./scripted.ts"
