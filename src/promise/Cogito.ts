/**
 * Pipelines, single calls, agents and the memory as promises, without knowing Effect.
 *
 * A client builds the services of its layers once, and shares them between calls. Every call takes an `AbortSignal` and
 * listeners, and rejects with the error itself.
 */
export { type CallOptions, type RunOptions } from "./running.ts"
export { type Chat, type ChatOf, type ChatWith, type SayOptions } from "./chat.ts"
export { type Cogito, type Outcome } from "./model.ts"
export { type Handlers, handlers } from "./handlers.ts"
export type { Lacking, Layers, Provided } from "./layers.ts"
export { make } from "./make.ts"
