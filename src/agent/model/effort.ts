/** How much the model of an agent thinks. */
import type { Sampling } from "../../Provider.ts"
import type { Judgement } from "./Triage.ts"

/**
 * How much an agent thinks: little, much, or as the task turns out.
 *
 * **Details**
 *
 * `"adapt"` begins as triage judges the message. It thinks much from the fourth round on, and after a round in which every call
 * failed.
 *
 * @category models
 */
export type Effort = "fast" | "adapt" | "deep"

/** The rounds after which a task counts as hard. */
const easyRounds = 3

/** The effort of a round. Undefined leaves it to the provider. */
export const effortOf = (
  effort: Effort,
  mode: Judgement["mode"] | undefined,
  { failures, round }: { readonly failures: number; readonly round: number }
): Pick<Sampling, "effort"> => {
  if (effort === "fast") return { effort: "low" }
  if (effort === "deep" || mode === "deep" || round > easyRounds || failures > 0) return { effort: "high" }
  return mode === "fast" ? { effort: "low" } : {}
}
