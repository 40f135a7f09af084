import * as Schema from "effect/Schema"

/**
 * A tool could not do what it was called for. A model reads the message as the result of its call.
 *
 * **Details**
 *
 * `reason` is one of these:
 *
 * - `"NotFound"`: there is no such file, folder or page
 * - `"Refused"`: the tool may not do that
 * - `"Invalid"`: the parameters fit their schema, and still make no sense
 * - `"Conflict"`: something is as the call does not expect it, such as a file that there is already
 * - `"NotText"`: it is not text
 * - `"TooLarge"`: a limit of the tool was exceeded
 * - `"Timeout"`: it took too long
 * - `"Failed"`: anything else, such as an error of the system, of the network, or of a function of yours
 *
 * @category errors
 */
export class ToolFailed extends Schema.TaggedError<ToolFailed>()("ToolFailed", {
  reason: Schema.Literals(["NotFound", "Refused", "Invalid", "Conflict", "NotText", "TooLarge", "Timeout", "Failed"]),
  message: Schema.String
}) {}

export const toolFailed = (reason: ToolFailed["reason"], message: string): ToolFailed =>
  new ToolFailed({ reason, message })

/** Any error as one that a model reads. */
export const asToolFailed = (error: unknown): ToolFailed => {
  if (error instanceof ToolFailed) return error
  const message = error instanceof Error ? error.message : typeof error === "string" ? error : ""
  return toolFailed("Failed", message === "" ? "It failed." : message)
}
