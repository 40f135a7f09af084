/** What a call has cost by more than its last attempt. */
import { addUsage, type Usage } from "../thought/usage.ts"
import { costOf, type Prices } from "./capabilities.ts"
import { ProviderError } from "./ProviderError.ts"

export const isNothing = (usage: Usage): boolean => Object.keys(usage).length === 0

/** The counts that are numbers from 0: a provider of one's own may report anything. */
export const counted = (usage: Usage): Usage =>
  Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== undefined && count >= 0 && count < Infinity))

/** The error that reports what was spent before it as well. */
export const errorAfter = (error: ProviderError, spent: Usage): ProviderError => {
  if (isNothing(spent)) return error
  return new ProviderError({
    provider: error.provider,
    model: error.model,
    reason: error.reason,
    usage: addUsage(spent, error.usage ?? {}),
    ...(error.requestId === undefined ? {} : { requestId: error.requestId }),
    ...(error.cause === undefined ? {} : { cause: error.cause })
  })
}

/** The answer that reports what was spent before it as well; what all of that cost is not known then. */
export const answerAfter = <A extends { readonly usage: Usage; readonly usd?: number }>(answer: A, spent: Usage): A => {
  if (isNothing(spent)) return answer
  const { usd: _, ...rest } = answer
  // it has all that it had, but for what may be absent
  return { ...rest, usage: addUsage(spent, answer.usage) } as A
}

/** What a call cost, where its tokens and the prices are known. */
export const costKnown = (usage: Usage, prices: Prices | undefined): number | undefined =>
  prices === undefined || usage.inputTokens === undefined || usage.outputTokens === undefined
    ? undefined
    : costOf(usage, prices)
