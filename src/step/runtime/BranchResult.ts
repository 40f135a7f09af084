import * as Schema from "effect/Schema"

/**
 * How one of several branches ended: with the keys of the notes it added and, when it failed, the tag of its error.
 *
 * @category models
 */
export const BranchResult = Schema.Struct({
  name: Schema.String,
  outcome: Schema.Literals(["success", "failure"]),
  keys: Schema.Array(Schema.String),
  error: Schema.optionalKey(Schema.String)
})
/**
 * How one of several branches ended.
 *
 * @category models
 */
export type BranchResult = typeof BranchResult.Type
