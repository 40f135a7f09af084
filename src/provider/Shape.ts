import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Source } from "../limits/budget/inForce.ts"
import type { Capabilities } from "./capabilities.ts"
import type { ProviderError } from "./ProviderError.ts"
import type { DecideRequest, DecideResponse, Request, Response, StreamPart } from "./request.ts"

/**
 * A provider of answers: what its calls are, and what it can do.
 *
 * @category models
 */
export interface Shape {
  readonly name: string
  readonly model: string
  /** What is known at this moment. It may change as the provider learns what the model refuses. */
  readonly capabilities: Capabilities
  readonly complete: (request: Request) => Effect.Effect<Response, ProviderError>
  readonly stream: (request: Request) => Stream.Stream<StreamPart, ProviderError>
  /** Answers closed questions natively, with probability distributions. Absent if the provider has no such call. */
  readonly decide?: (request: DecideRequest) => Effect.Effect<DecideResponse, ProviderError>
  /**
   * The order in which the two ways of asking closed questions are tried, unless the caller sets `via` or wants
   * reasons. The second is the fallback if the first is unavailable. Default: `["native"]` if there is `decide`, else
   * `["text"]`.
   */
  readonly order?: ReadonlyArray<"native" | "text">
  /** For the library only: the budgets of its layers, or those in which the calls count that this provider answers. */
  readonly budgets?: (answeredBy?: string) => ReadonlyArray<Source>
}

/**
 * The parts that `make` builds a provider from. `stream` and `capabilities` are optional.
 *
 * @category models
 */
export interface Parts extends Omit<Shape, "stream" | "capabilities" | "budgets"> {
  readonly stream?: Shape["stream"]
  readonly capabilities?: Partial<Capabilities>
}
