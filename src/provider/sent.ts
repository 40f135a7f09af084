/** What providers report about the sampling that they sent. */
import type { Response, Sampling } from "./request.ts"

const fields = ["temperature", "effort", "maxTokens", "seed", "stop"] as const

/** Adds the sampling that was sent, if it differs from the request. */
export const saying = (response: Response, given: Sampling, sent: Sampling): Response =>
  fields.every((field) => given[field] === sent[field])
    ? response
    : { ...response, sampling: response.sampling ?? sent }
