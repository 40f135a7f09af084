/** The usage of a call that took several attempts. */
import { addUsage, type Usage } from "../thought/tokens.ts"
import { costOf, type Prices } from "./capabilities.ts"
import { ProviderError } from "./ProviderError.ts"
import { inPlaceOf } from "./service.ts"

export const isNothing = (usage: Usage): boolean => Object.keys(usage).length === 0

/** The counts that are numbers from 0. A custom provider may report anything. */
export const counted = (usage: Usage): Usage =>
  Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== undefined && count >= 0 && count < Infinity))

/** Adds the usage of earlier attempts to an error. */
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

/** Adds the usage of earlier attempts to an answer, and drops `usd`: the total cost is unknown. */
export const answerAfter = <A extends { readonly usage: Usage; readonly usd?: number }>(answer: A, spent: Usage): A => {
  if (isNothing(spent)) return answer
  const { usd: _, ...rest } = answer
  // only optional properties were removed
  return { ...rest, usage: inPlaceOf(answer.usage, addUsage(spent, answer.usage)) } as A
}

/** What a call cost, if its tokens and the prices are known. */
export const costKnown = (usage: Usage, prices: Prices | undefined): number | undefined =>
  prices === undefined || usage.inputTokens === undefined || usage.outputTokens === undefined
    ? undefined
    : costOf(usage, prices)
