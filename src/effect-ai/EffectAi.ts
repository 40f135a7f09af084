/**
 * Bridges between this library and `effect/ai`, in both directions.
 *
 * What comes from a model of `effect/ai` is typed as everything else here is: its failures are `ProviderError`s whose
 * messages hold nothing of what was said, and its tokens are counted. The modules of `effect/ai` may change between minor
 * versions of Effect; so may this one.
 */
export { decider, type DeciderOptions, fromDecisionModel } from "./fromDecisionModel.ts"
export { embedder, type EmbedderOptions, fromEmbeddingModel } from "./fromEmbeddingModel.ts"
export { fromLanguageModel, layer, type Options } from "./fromLanguageModel.ts"
export { languageModel, type LanguageModelOptions, toLanguageModel } from "./toLanguageModel.ts"
