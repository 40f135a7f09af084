/** How answers end, in terms that all vendors share, and which endings count as success. */
import type { Reason } from "./ProviderError.ts"

/**
 * How an answer ended.
 *
 * - `finished`: the answer is complete
 * - `declined`: the model refused to answer
 * - `filtered`: a content filter stopped the answer
 * - `cut`: the length limit stopped the answer
 * - `waiting`: the model waits for the results of tools
 */
export type Ending = "finished" | "declined" | "filtered" | "cut" | "waiting"

/** Whether nothing is missing from the answer. Otherwise an ending that is stated later does not complete it. */
export const isWhole = (ending: Ending | undefined): boolean => ending === "finished" || ending === "waiting"

/** The model refused to answer. */
export const declined: Reason = { _tag: "Refused", message: "the model declined to answer" }

/** Why the answer is invalid. Undefined if it is complete and has text or calls of tools. */
export const problemOf = (
  ending: Ending | undefined,
  text: string,
  calls: ReadonlyArray<unknown> = []
): Reason | undefined => {
  if (calls.length > 0 && isWhole(ending)) return undefined
  switch (ending) {
    case "finished":
      return text.trim() === "" ? { _tag: "EmptyAnswer", message: "the answer has no text" } : undefined
    case "declined":
      return declined
    case "filtered":
      return { _tag: "Refused", message: "a content filter stopped the answer", category: "content_filter" }
    case "cut":
      return { _tag: "Truncated", message: "the length limit cut the answer off: raise maxTokens or ask for less" }
    case "waiting":
      return {
        _tag: "InvalidResponse",
        message: "the model waits for the result of a tool, although it called none of those in the request: try again"
      }
    default:
      return {
        _tag: "InvalidResponse",
        message: "the server did not say that the answer is finished, so it may be incomplete: try again"
      }
  }
}
