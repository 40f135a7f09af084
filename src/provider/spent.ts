/** What a call has cost by more than its last attempt. */
import { addUsage, type Usage } from "../internal/usage.ts"
import { ProviderError } from "./ProviderError.ts"

export const isNothing = (usage: Usage): boolean => Object.keys(usage).length === 0

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

/** The answer that reports what was spent before it as well. */
export const answerAfter = <A extends { readonly usage: Usage }>(answer: A, spent: Usage): A =>
  isNothing(spent) ? answer : { ...answer, usage: addUsage(spent, answer.usage) }
