/**
 * Synapses are single typed calls: an input in, a validated value out, without a thought, a pipeline or a memory.
 */
export { analyze, Analysis, type AnalyzeDetails } from "./synapse/analyze.ts"
export { binary, Decision } from "./synapse/binary.ts"
export {
  type Categories,
  type CategoryExamples,
  type Classification,
  classification
} from "./synapse/classification.ts"
export { convert, type ConvertDetails } from "./synapse/convert.ts"
export type { Details, Input } from "./synapse/details.ts"
export { extract } from "./synapse/extract.ts"
export { InvalidItems } from "./synapse/InvalidItems.ts"
export type { Options, Synapse } from "./synapse/make.ts"
export type { Coercion, Parsing } from "./synapse/answer/marred/align/Coercion.ts"
export { ranking, Ranking, type RankingDetails, type RankingInput } from "./synapse/ranking.ts"
export { type Issue, ResponseError } from "./synapse/answer/ResponseError.ts"
export type { Draft, Field, Partial } from "./synapse/answer/partial/Partial.ts"
export { type Part, stream } from "./synapse/stream.ts"
export { Assessment, sentiment, type SentimentDetails } from "./synapse/sentiment.ts"
export { transform, type TransformDetails, Transformation } from "./synapse/transform.ts"
