/** How a command ends when it does not succeed: a line on the standard error and the program's exit code. */
import * as Schema from "effect/Schema"

/** What was asked for cannot be asked for. */
export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { message: Schema.String }) {}

/** It was tried and did not work. */
export class CommandError extends Schema.TaggedError<CommandError>()("CommandError", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** What was looked at is not in order. */
export class FoundProblems extends Schema.TaggedError<FoundProblems>()("FoundProblems", { message: Schema.String }) {}
