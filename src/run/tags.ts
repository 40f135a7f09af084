/** Reads properties of errors of any type. */
import { hasProperty } from "effect/Predicate"

/** The tag of an error, otherwise its name. */
export const tagOf = (error: unknown): string => {
  if (hasProperty(error, "_tag") && typeof error._tag === "string") return error._tag
  return error instanceof Error ? error.name : "Error"
}

/** Whether another attempt may help. True unless the error says otherwise. */
export const isRetryable = (error: unknown): boolean =>
  !(hasProperty(error, "isRetryable") && error.isRetryable === false)
