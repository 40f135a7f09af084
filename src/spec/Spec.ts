/**
 * Pipelines as documents: JSON or YAML that names steps, options, and what is registered in code.
 */
export { build, type BuildOptions, type BuiltIn } from "./make.ts"
export { decode } from "./decode.ts"
export type { Document, StepSpec } from "./document.ts"
export { encode } from "./encode.ts"
export type { Json } from "./bounds.ts"
export { jsonSchema } from "./jsonSchema.ts"
export { load, type ReadText } from "./load.ts"
export { registry, type Registry, type RegistryOptions, TypeId } from "./registry.ts"
export { Problem, SpecError } from "./SpecError.ts"
export type { Format } from "./text.ts"
export {
  type Change,
  type File,
  type Version,
  watch,
  type Watched,
  type WatchedAll,
  type WatchOptions
} from "./watch.ts"
