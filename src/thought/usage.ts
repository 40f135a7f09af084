import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"

/**
 * Tokens of one or more calls. A count that the provider did not report is absent, not 0.
 *
 * `inputTokens` includes cached tokens, and `outputTokens` includes reasoning tokens.
 *
 * @category models
 */
export interface Usage {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cachedInputTokens?: number
  readonly cacheWriteTokens?: number
  readonly reasoningTokens?: number
}

const usageFields = [
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "reasoningTokens"
] as const satisfies ReadonlyArray<keyof Usage>

/**
 * Adds token counts. A count that both lack stays absent.
 *
 * **Example** (Two calls)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Provider } from "cogito"
 *
 * const sum = Provider.addUsage({ inputTokens: 100, outputTokens: 20 }, { inputTokens: 50, reasoningTokens: 8 })
 * assert.deepEqual(sum, { inputTokens: 150, outputTokens: 20, reasoningTokens: 8 })
 * ```
 *
 * @category usage
 */
export const addUsage = taking("Provider.addUsage", { args: [kinds.object, kinds.object] })((
  self: Usage,
  that: Usage
): Usage => {
  const sum: { -readonly [K in keyof Usage]: Usage[K] } = {}
  for (const field of usageFields) {
    const a = self[field]
    const b = that[field]
    if (a !== undefined || b !== undefined) sum[field] = (a ?? 0) + (b ?? 0)
  }
  return sum
})
