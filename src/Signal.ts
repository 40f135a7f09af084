/**
 * Signals report what a running pipeline does: for progress, logs and counting.
 *
 * A listener is called immediately and in order. Signals contain ids, names, numbers and times, never the text of notes
 * or prompts.
 */
export { layer, listen, on } from "./signal/listeners.ts"
export type { Signal, Tag } from "./signal/Signal.ts"
export { stream } from "./signal/stream.ts"
