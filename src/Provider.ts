/**
 * A provider answers the model calls of steps: a hosted language model, a local one, or a scripted one in tests.
 *
 * A request has two forms: rendered messages for language models, and a structured task (kind, question, labels, notes,
 * output schema) for providers that compute their answers. Closed questions (yes or no, one of several labels, a score)
 * may be answered natively, with a probability distribution, by `decide`.
 */
export { addUsage, type Usage } from "./thought/tokens.ts"
export { type Used } from "./limits/budget/meter.ts"
export { onUsage } from "./limits/budget/onUsage.ts"
export { budget, withBudget } from "./provider/resilience/budget.ts"
export { cache, type CacheStore } from "./provider/resilience/cache.ts"
export { type Capabilities, costOf, type Prices, resolveSampling } from "./provider/capabilities.ts"
export type { Transformation } from "./provider/calls.ts"
export { circuitBreaker } from "./provider/resilience/circuitBreaker.ts"
export { combine } from "./provider/resilience/combine.ts"
export { fallback } from "./provider/resilience/fallback.ts"
export { hedge } from "./provider/resilience/hedge.ts"
export { learning } from "./provider/resilience/learning.ts"
export { extend, layer, make, Provider, transform } from "./provider/Provider.ts"
export { type Shape } from "./provider/Shape.ts"
export { ProviderError, Reason } from "./provider/ProviderError.ts"
export {
  type DecideRequest,
  type DecideResponse,
  type Message,
  type Phase,
  type RateLimits,
  type Request,
  type Response,
  type Sampling,
  type StreamPart
} from "./provider/request.ts"
export { type Carry, type Tool, type ToolCall, type ToolChoice, type ToolResult } from "./provider/tools.ts"
export { rateLimit } from "./provider/resilience/rateLimit.ts"
export { retry } from "./provider/resilience/retry.ts"
export { resumable } from "./provider/resumable/resumable.ts"
export { type Connection, type Received } from "./provider/resumable/Protocol.ts"
export { type Answer, type ContextNote, type Label, type Output, type Question, type Task } from "./provider/task.ts"
export { ReplayDifference } from "./recording/difference.ts"
export { record } from "./recording/record.ts"
export { replay } from "./recording/replay.ts"
export { spotlight } from "./provider/spotlight.ts"
export { toolsInText } from "./provider/protocol/toolsInText.ts"
