import * as Schema from "effect/Schema"

/**
 * The server of the studio cannot listen.
 *
 * - `port`: the port that was requested; 0 for a free one
 * - `code`: the error of the system, such as `EADDRINUSE` or `EACCES`
 *
 * @category errors
 */
export class StudioError extends Schema.TaggedError<StudioError>()("StudioError", {
  port: Schema.Int,
  code: Schema.String
}) {
  /** Whether the port may be free later. */
  get isRetryable(): boolean {
    return this.code === "EADDRINUSE"
  }
  override get message(): string {
    return this.code === "EADDRINUSE"
      ? `Another program listens on port ${this.port} of 127.0.0.1: choose another port, or leave it out to take a free one.`
      : `The studio cannot listen on port ${this.port} of 127.0.0.1 (${this.code}): choose another port.`
  }
}
