/**
 * Synapses are single typed calls: each takes an input and returns a validated value, without a thought, a pipeline or
 * a memory.
 */
export { analyze, Analysis } from "./synapse/analyze.ts"
export { binary, Decision } from "./synapse/binary.ts"
export { type Classification, classification } from "./synapse/classification.ts"
export { convert } from "./synapse/convert.ts"
export type { Details, Input } from "./synapse/details.ts"
export { extract } from "./synapse/extract.ts"
export { InvalidItems } from "./synapse/InvalidItems.ts"
export type { Options, Synapse } from "./synapse/make.ts"
export type { Parsing } from "./synapse/answer/marred/align/Coercion.ts"
export { ranking, Ranking } from "./synapse/ranking.ts"
export { ResponseError } from "./synapse/answer/ResponseError.ts"
export { type Part, stream } from "./synapse/stream.ts"
export { Assessment, sentiment } from "./synapse/sentiment.ts"
export { transform, Transformation } from "./synapse/transform.ts"
