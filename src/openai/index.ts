/**
 * Models behind OpenAI's chat completions API: OpenAI's own, and those of any server that speaks it.
 */
export * as OpenAi from "./OpenAi.ts"
