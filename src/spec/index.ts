/**
 * Pipelines as JSON or YAML.
 */
export * as Spec from "./Spec.ts"
