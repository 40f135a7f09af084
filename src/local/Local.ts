/**
 * Models that run in this process, offline and without a key.
 */
export { embedder, type EmbedderOptions, embedderWith } from "./mind/embedder.ts"
export { extractive, extractiveDescription } from "./extractive.ts"
