/**
 * An embedder turns text into vectors whose distance stands for difference in meaning.
 *
 * It is a dependency of the memory layer, not of a step, so that writing and searching always use the same one. Stored
 * vectors are kept apart by `id`, `dimensions` and `metric`: vectors of two embedders are never compared.
 */
export { Embedder, EmbedderError, type Shape } from "./thought/Embedder.ts"
