import type { Shape as EmbedderShape } from "../../thought/Embedder.ts"
/**
 * What happens if the store's vectors were made by another embedder than the one in the context.
 *
 * - `onEmbedderChange`: default `"fail"`, with `EmbedderMismatch`. With `"rebuild"` all notes are embedded anew, in the
 *   background and oldest first, beside the old vectors; then the new ones take their place at once. A start with the same
 *   option goes on where the last one ended. Afterwards the old vectors are kept until `dropSpace`
 * - `previousEmbedder`: the old embedder. Until the new vectors are complete, searches use it and the old vectors, and new
 *   notes are embedded with both. Without it searches use the new vectors as far as there are any, and the words of all notes;
 *   `arms` says how many notes have no vector yet
 *
 * @category models
 */
export interface EmbedderChange {
  readonly onEmbedderChange?: "fail" | "rebuild"
  readonly previousEmbedder?: EmbedderShape
}

/**
 * The option for a memory without an embedder, which finds notes by their words alone.
 *
 * - `embedder`: `"none"`; default: the embedder in the context. With `"none"` none is required, and `onEmbedderChange` and
 *   `previousEmbedder` have no effect
 *
 * @category models
 */
export interface WordsOnly {
  readonly embedder: "none"
}

/**
 * Which embedder a memory uses: the one in the context, or none.
 *
 * @category models
 */
export interface EmbedderOptions extends EmbedderChange {
  readonly embedder?: "none" | undefined
}
