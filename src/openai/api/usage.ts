/** The tokens that OpenAI's APIs report. */
import { countsAt } from "../../http/counts.ts"
import type { Usage } from "../../Provider.ts"

/** Where the counts are. Chat completions and the Responses API use different names. */
const placesOf = (input: string, output: string) => ({
  inputTokens: ["usage", `${input}_tokens`],
  outputTokens: ["usage", `${output}_tokens`],
  cachedInputTokens: ["usage", `${input}_tokens_details`, "cached_tokens"],
  cacheWriteTokens: ["usage", `${input}_tokens_details`, "cache_write_tokens"],
  reasoningTokens: ["usage", `${output}_tokens_details`, "reasoning_tokens"]
})

const chat = placesOf("prompt", "completion")
const responses = placesOf("input", "output")

/** The tokens that an answer of either API reports, or a piece of one. */
export const toUsage = (body: unknown): Usage => ({ ...countsAt(body, chat), ...countsAt(body, responses) })
