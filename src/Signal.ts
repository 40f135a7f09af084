/**
 * Signals report what a running pipeline does: for progress, logs and counting.
 *
 * A listener is called immediately and in order. Signals contain ids, names, numbers and times, never the text of notes
 * or prompts.
 */
export { layer, listen, type Signal, type Tag } from "./thought/Signal.ts"
