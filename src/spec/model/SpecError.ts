import * as Schema from "effect/Schema"

/**
 * One thing that is wrong with a document: where, and what to do about it.
 *
 * **Details**
 *
 * `path` leads to the place, such as `step.steps[2].branches.billing.step`; it is empty for the document as a whole.
 *
 * @category errors
 */
export const Problem = Schema.Struct({ path: Schema.String, message: Schema.String })
/**
 * One thing that is wrong with a document: where, and what to do about it.
 *
 * @category errors
 */
export type Problem = typeof Problem.Type

/**
 * A document is not a valid pipeline. The error has every problem that was found, not only the first.
 *
 * **Details**
 *
 * `source` is the file, if the document came from one.
 *
 * @category errors
 */
export class SpecError extends Schema.TaggedError<SpecError>()("SpecError", {
  source: Schema.optionalKey(Schema.String),
  problems: Schema.NonEmptyArray(Problem)
}) {
  override get message(): string {
    const count = this.problems.length === 1 ? "a problem" : `${this.problems.length} problems`
    const lines = this.problems.map(({ message, path }) => (path === "" ? `- ${message}` : `- ${path}: ${message}`))
    return `${this.source ?? "The document"} has ${count}:\n${lines.join("\n")}`
  }
}
