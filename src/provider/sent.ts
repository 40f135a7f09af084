/** What providers report about the sampling that they sent, and the requests that they refuse. */
import * as Effect from "effect/Effect"
import { ProviderError } from "./ProviderError.ts"
import type { Request, Response, Sampling } from "./request.ts"

const fields = ["temperature", "effort", "maxTokens", "seed", "stop"] as const

/** Adds the sampling that was sent, if it differs from the request. */
export const saying = (response: Response, given: Sampling, sent: Sampling): Response =>
  fields.every((field) => given[field] === sent[field])
    ? response
    : { ...response, sampling: response.sampling ?? sent }

/** Fails with `Unsupported` for a request with tools. */
export const withoutTools = (
  provider: string,
  model: string,
  { tools = [] }: Request
): Effect.Effect<void, ProviderError> =>
  tools.length === 0
    ? Effect.void
    : Effect.fail(
        new ProviderError({
          provider,
          model,
          reason: { _tag: "Unsupported", message: "this provider cannot call tools" }
        })
      )
