import * as Schema from "effect/Schema"

const Tokens = Schema.optionalKey(Schema.Finite)

/**
 * No answer of a model was valid, not even after repairs.
 *
 * `issues` are those of the last answer, by path and without its text; `*` stands for a key that the schema does not name.
 * `attempts` is the number of answers, and `usage` the tokens of all of them.
 *
 * @category errors
 */
export class ResponseError extends Schema.TaggedError<ResponseError>()("ResponseError", {
  kind: Schema.String,
  provider: Schema.String,
  model: Schema.String,
  attempts: Schema.Int,
  issues: Schema.Array(Schema.Struct({ path: Schema.Array(Schema.String), message: Schema.String })),
  usage: Schema.Struct({
    inputTokens: Tokens,
    outputTokens: Tokens,
    cachedInputTokens: Tokens,
    cacheWriteTokens: Tokens,
    reasoningTokens: Tokens
  })
}) {
  override get message(): string {
    const issues = this.issues.map(describeIssue).join("; ")
    const tries = this.attempts === 1 ? "The answer" : `The last of ${this.attempts} answers`
    return (
      `${tries} of ${this.provider} (${this.model}) to ${this.kind} does not have the requested form: ${issues}. ` +
      `Allow more repairs, simplify the schema, or use a stronger model.`
    )
  }
}

/**
 * An issue of one part of an answer.
 *
 * @category errors
 */
export interface Issue {
  readonly path: ReadonlyArray<string>
  readonly message: string
}

/** Formats an issue on one line. */
export const describeIssue = (issue: Issue): string =>
  issue.path.length === 0 ? issue.message : `${issue.path.join(".")}: ${issue.message}`
