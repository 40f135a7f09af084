/**
 * A step takes a thought and gives a longer one. Primitives, connectors and whole pipelines are steps.
 *
 * Its type says which notes it reads (`In`), which it adds (`Out`), how it fails (`E`) and what it needs (`R`). A step is
 * inert: it runs when a pipeline runs.
 */
export * from "./step/runtime/model.ts"
export * from "./step/Step.ts"
