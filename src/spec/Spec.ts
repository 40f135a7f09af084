/**
 * Pipelines as documents: JSON or YAML that names steps, options, and what is registered in code.
 */
export { build, type BuildOptions, type Built, type BuiltIn } from "./make.ts"
export { decode } from "./text/decode.ts"
export type { Document, StepSpec } from "./document/document.ts"
export { encode } from "./text/encode.ts"
export type { Json } from "./model/bounds.ts"
export { jsonSchema } from "./jsonSchema.ts"
export { load, type ReadText } from "./text/load.ts"
export { type Any, registry, type Registry, type RegistryOptions, TypeId } from "./model/registry.ts"
export { Problem, SpecError } from "./model/SpecError.ts"
export type { Format } from "./text/text.ts"
export {
  type Change,
  type File,
  type Version,
  watch,
  type Watched,
  type WatchedAll,
  type WatchOptions
} from "./watch.ts"
