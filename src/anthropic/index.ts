/**
 * Claude models over Anthropic's Messages API. Needs the package `@anthropic-ai/sdk`.
 */
export * as Anthropic from "./Anthropic.ts"
