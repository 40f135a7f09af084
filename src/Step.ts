/**
 * A step takes a thought and returns a longer one. Primitives, connectors and whole pipelines are steps.
 *
 * Its type says which notes it reads (`In`), which notes it adds (`Out`), how it can fail (`E`) and what it requires
 * (`R`). A step does nothing until a pipeline runs it.
 */
export {
  type Any,
  type Err,
  type In,
  type Keyed,
  type Node,
  type Out,
  type Req,
  type Runnable,
  type Step,
  TypeId
} from "./step/runtime/model.ts"
export * from "./step/Step.ts"
