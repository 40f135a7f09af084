/** Models of `effect/ai` as providers, embedders and deciders, and providers as language models of `effect/ai`. */
export * as EffectAi from "./EffectAi.ts"
