/** Models behind OpenAI's APIs: OpenAI's own, and those of every server that speaks chat completions. */
export * as OpenAi from "./OpenAi.ts"
