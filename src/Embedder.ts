/**
 * An embedder turns text into vectors whose distance reflects the difference in meaning.
 *
 * It is a dependency of the memory layer rather than of a step, so that writing and searching always use the same one.
 * Stored vectors are separated by `id`, `dimensions` and `metric`: vectors of two embedders are never compared.
 */
export { Embedder, EmbedderError, type Shape } from "./thought/Embedder.ts"
