import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { Capabilities } from "./capabilities.ts"
import type { ProviderError } from "./ProviderError.ts"
import type { DecideRequest, DecideResponse, Request, Response, StreamPart } from "./request.ts"

/**
 * What a provider offers.
 *
 * @category models
 */
export interface Shape {
  readonly name: string
  readonly model: string
  /** What is known now: it may change as the provider learns what the model refuses. */
  readonly capabilities: Capabilities
  readonly complete: (request: Request) => Effect.Effect<Response, ProviderError>
  readonly stream: (request: Request) => Stream.Stream<StreamPart, ProviderError>
  /** Answers closed questions natively, with distributions. Absent where the provider has no such call. */
  readonly decide?: (request: DecideRequest) => Effect.Effect<DecideResponse, ProviderError>
  /**
   * In which order closed questions are put, when neither way is asked for: the second is tried when the first is down.
   * Default: `["native"]` where there is `decide`, else `["text"]`.
   */
  readonly order?: ReadonlyArray<"native" | "text">
}

/**
 * The parts that a provider is built of: those of the service, of which `stream` and `capabilities` may be left out.
 *
 * @category models
 */
export interface Parts extends Omit<Shape, "stream" | "capabilities"> {
  readonly stream?: Shape["stream"]
  readonly capabilities?: Partial<Capabilities>
}
