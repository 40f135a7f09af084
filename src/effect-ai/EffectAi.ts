/**
 * Bridges between this library and `effect/ai`, in both directions.
 *
 * Models of `effect/ai` behave as every other provider here: their failures are `ProviderError`s whose messages repeat
 * nothing of prompts and answers, and their tokens are counted. The modules of `effect/ai` may change between minor
 * versions of Effect, and so may this one.
 */
export { decider, type DeciderOptions, fromDecisionModel } from "./fromDecisionModel.ts"
export { embedder, type EmbedderOptions, fromEmbeddingModel } from "./fromEmbeddingModel.ts"
export { fromLanguageModel, layer, type Options } from "./fromLanguageModel.ts"
export { languageModel, type LanguageModelOptions, toLanguageModel } from "./toLanguageModel.ts"
