/** What the dialects of the servers that adapters talk to have in common. */
import type { ToolCall, Usage } from "cogito/Provider"

/** How an answer goes. */
export type Kind =
  /** Finished, with the text. */
  | "good"
  /** The model declines at once, and the text is what it says to that. */
  | "refused"
  /** The model declines after the text. */
  | "refusedLate"
  /** The text is cut off by the length limit. */
  | "length"
  /** A filter stops after the text. */
  | "filtered"
  /** Finished, without text. */
  | "empty"
  /** Finished, with white space. */
  | "blank"
  /** The text was thought, and nothing said. */
  | "thinking"
  /** A tool is called with the text. */
  | "tool"
  /** The text is all there, and nothing says that it is finished. */
  | "unfinished"
  /** The server fails after the text. */
  | "failed"

/** An answer that calls tools. */
export interface Called {
  readonly text?: string
  readonly calls: ReadonlyArray<ToolCall>
  /** What the model thinks before its calls. Default: nothing. */
  readonly thought?: string
  /** Whether the length limit cuts the last call off. Default: false. */
  readonly cut?: boolean
}

/** One API, as its servers speak it. Everything is written by hand after its documentation, not recorded. */
export interface Dialect {
  readonly name: "chat" | "responses" | "messages"
  /** Behind the base URL. */
  readonly path: string
  /** The body of an answer. */
  readonly body: (kind: Kind, text: string) => unknown
  /** The events of a streamed answer, each with the empty line that ends it. */
  readonly events: (kind: Kind, text: string) => ReadonlyArray<string>
  /** An answer of a model with calls, whole and as events. */
  readonly called: (called: Called, model: string) => { readonly body: unknown; readonly events: ReadonlyArray<string> }
  /** Why its servers answer a request with status 400: a call or result alone, a thought that is not its model's. */
  readonly refusal: (body: any) => string | undefined
  /** An event of a type that nobody knows. */
  readonly unknownEvent: string
  /** The event by which a server fails in the middle of a stream, for such a reason. */
  readonly errorEvent: (type: Failure, message: string) => string
  /** The body of an answer with a bad status. */
  readonly error: (code: string, message: string, parameter?: string) => object
  /** The body of an answer that says that the quota is used up; its status may be 429. */
  readonly usedUp: (message: string) => object
  /** The body of an answer with status 400 that says that the context is too long. */
  readonly tooLong: (message: string) => object
  /** The body of an answer with status 400 that refuses a parameter. */
  readonly refusalOf: (parameter: "temperature" | "effort") => object
  /** Whether a request sends the parameter. */
  readonly isSent: (body: any, parameter: "temperature" | "effort") => boolean
  /** Answers of the right form that say nothing. */
  readonly hollow: ReadonlyArray<readonly [what: string, body: unknown]>
  /** What a refusal is called, where the dialect says it. */
  readonly refusalCategory?: string
  /** The output form of a request, when it has one. */
  readonly schemaOf: (body: any) => Readonly<Record<string, unknown>> | undefined
  /** All that a request says. */
  readonly promptOf: (body: any) => string
  /** Tokens that every answer tells, as the adapter should. */
  readonly usage: Usage
  /** Tokens that the first half of a stream tells. */
  readonly begunUsage?: Usage
  /** Tokens that a stream tells which fails in its middle. */
  readonly failedUsage?: Usage
  /** Tokens that a stream tells which does not say that it is finished. */
  readonly unfinishedUsage: Usage
  readonly model: string
  readonly id: string
}

/** Why a server fails in the middle of a stream. */
export type Failure = "server" | "overloaded" | "rateLimited"

/** What proves that a model of this name had a thought. Each API hides that from its clients. */
export const proofOf = (model: string, thought: string): string =>
  Buffer.from(`${model}:${thought}`).toString("base64url")

export const isProof = (proof: unknown, model: string): boolean =>
  typeof proof === "string" && Buffer.from(proof, "base64url").toString().startsWith(`${model}:`)

/** One server-sent event. */
export const sse = (data: unknown, event?: string): string =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`

/** A text in the pieces that a stream brings. */
export const pieces = (text: string): ReadonlyArray<string> => text.match(/[^]{1,7}/gu) ?? []

/** The text of a message, or of its parts. */
export const textOf = (content: unknown): string => {
  if (typeof content === "string") return content
  if (Array.isArray(content)) return content.map(textOf).join("\n")
  if (typeof content !== "object" || content === null) return ""
  return ["text", "content"].flatMap((name) => textOf(Reflect.get(content, name)) || []).join("\n")
}
