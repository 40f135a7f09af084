/** What an error of any type says of itself. */
import { hasProperty } from "effect/Predicate"

/** An error by its tag alone, or by its class. */
export const tagOf = (error: unknown): string => {
  if (hasProperty(error, "_tag") && typeof error._tag === "string") return error._tag
  return error instanceof Error ? error.name : "Error"
}

/** Whether another attempt may help: unless the error says that it does not. */
export const isRetryable = (error: unknown): boolean =>
  !(hasProperty(error, "isRetryable") && error.isRetryable === false)
