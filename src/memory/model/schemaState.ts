/** A place where the schema is not that of this version, for those who leave it as it is. */
import * as Schema from "effect/Schema"

/** `"missing"`: there is no memory; `"older"`: steps are due; `"newer"`: there are some that this version does not know. */
export class SchemaNotCurrent extends Schema.TaggedError<SchemaNotCurrent>()("SchemaNotCurrent", {
  state: Schema.Literals(["missing", "older", "newer"]),
  message: Schema.String
}) {}
