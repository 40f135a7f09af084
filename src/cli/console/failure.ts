/** Failures of a command. Each gives a line on the standard error and an exit code. */
import * as Schema from "effect/Schema"

/** The command line is invalid. */
export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", { message: Schema.String }) {}

/** The command failed. */
export class CommandError extends Schema.TaggedError<CommandError>()("CommandError", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** The command has found problems. */
export class FoundProblems extends Schema.TaggedError<FoundProblems>()("FoundProblems", { message: Schema.String }) {}

/** Somebody must answer before the command can go on. */
export class WaitsForAnswer extends Schema.TaggedError<WaitsForAnswer>()("WaitsForAnswer", {
  message: Schema.String
}) {}

/** The person has ended the command with Ctrl-C. */
export class EndedByPerson extends Schema.TaggedError<EndedByPerson>()("EndedByPerson", { message: Schema.String }) {}
