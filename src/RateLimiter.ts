/**
 * A rate limiter limits how many runs of a step, or requests and tokens of a provider, begin in a period of time.
 *
 * Give it to steps (`Step.rateLimit`) or to provider layers (`Provider.rateLimit`).
 */
export { make, RateLimited, type RateLimiter, type RateLimiterOptions as Options } from "./limits/RateLimiter.ts"
