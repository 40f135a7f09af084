/** How messages are judged before an agent does anything, and what is found. */
import type { Shape } from "../../provider/Shape.ts"

/**
 * How the message of an agent is judged.
 *
 * **Details**
 *
 * - `provider`: the provider of this call, such as a small and fast model. Default: that of the agent
 * - `rules`: what else counts as unsafe, in words, beyond what harms people or destroys what the person may not destroy
 *
 * @category models
 */
export interface Triage {
  readonly provider?: Shape
  readonly rules?: string
}

/** What triage says of a message. `tools` is set if it was asked for them, `answer` if the message can be answered at once. */
export interface Judgement {
  readonly safe: boolean
  readonly mode: "fast" | "deep"
  readonly tools?: ReadonlyArray<string>
  readonly answer?: string
}
