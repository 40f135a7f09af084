/** One of OpenAI's ways to ask a model. */
import type { LearningOptions } from "../../Provider.ts"

/** Calls that are told what the model takes. */
export type Api = Pick<LearningOptions, "complete" | "stream">

/** What all calls of one provider have in common. */
export interface Target {
  readonly model: string
  /** Whether the server is OpenAI's own. */
  readonly official: boolean
  /** Names what shares a prompt cache. */
  readonly cacheKey: string | undefined
}
