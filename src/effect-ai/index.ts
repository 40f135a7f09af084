/**
 * Models of `effect/ai` as providers, embedders and deciders, and a provider as a language model of `effect/ai`.
 */
export * as EffectAi from "./EffectAi.ts"
