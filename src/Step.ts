/**
 * A step takes a thought and gives a longer one. Primitives, connectors and whole pipelines are steps.
 *
 * Its type says which notes it reads (`In`), which it adds (`Out`), how it fails (`E`) and what it needs (`R`). A step is
 * inert: it runs when a pipeline runs.
 */
export {
  type Any,
  type Err,
  type In,
  type Keyed,
  type Layout,
  type Node,
  type Out,
  type Req,
  type Runnable,
  type Shows,
  type Step,
  TypeId
} from "./step/runtime/model.ts"
export * from "./step/Step.ts"
