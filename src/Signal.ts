/**
 * Signals tell what a running pipeline does, as it does it: for progress, logs and counting.
 *
 * A listener is called in order and at once; it sees ids, names, numbers and times, never the text of notes or prompts.
 */
export { layer, listen, type Signal, type Tag } from "./thought/Signal.ts"
