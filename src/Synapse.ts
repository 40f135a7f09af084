/**
 * Synapses are single typed calls: a text in, a validated value out, without a thought, a pipeline or a memory.
 */
export { binary, Decision } from "./synapse/binary.ts"
export { type Categories, type Classification, classification } from "./synapse/classification.ts"
export { extract } from "./synapse/extract.ts"
export { InvalidItems } from "./synapse/InvalidItems.ts"
export type { Options, Synapse } from "./synapse/make.ts"
export { Ranking } from "./synapse/ranking.ts"
export { type Issue, ResponseError } from "./synapse/ResponseError.ts"
export { Assessment, sentiment } from "./synapse/sentiment.ts"
export { transform, Transformation } from "./synapse/transform.ts"
