/** Tools that a model may call, its calls, and their results. */
import type * as Schema from "effect/Schema"

/**
 * A tool that the model may call.
 *
 * **Details**
 *
 * - `name`: letters, digits, `_` and `-`, at most 64, unique in a request
 * - `description`: tells the model when to call the tool, and what for
 * - `parameters`: a JSON Schema of an object. `{}` means no parameters
 *
 * @category tools
 */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
}

/**
 * Whether the model calls tools: as it sees fit (`"auto"`), not at all (`"none"`), at least one (`"required"`), or the
 * one that is named.
 *
 * @category tools
 */
export type ToolChoice = "auto" | "none" | "required" | { readonly tool: string }

/**
 * A call of a tool, as the model wrote it.
 *
 * **Details**
 *
 * - `id`: pairs the call with its result
 * - `params`: the text of the model, which should be JSON of the tool's parameters. Nothing has checked that. `{}` if the
 *   model wrote nothing
 *
 * @category tools
 */
export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly params: string
}

/**
 * The result of a call, for the model to read.
 *
 * @category tools
 */
export interface ToolResult {
  /** That of the call. */
  readonly id: string
  readonly name: string
  readonly text: string
  readonly isFailure: boolean
}

/**
 * What a model needs to see again of its own answer, such as its encrypted reasoning. Pass it on unchanged, with the calls of
 * the answer: only the provider and model that it names are sent it.
 *
 * @category tools
 */
export interface Carry {
  readonly provider: string
  readonly model: string
  readonly data: Schema.Json
}

/** The parts of a message that a model reads. */
interface Parts {
  readonly role: string
  readonly text: string
  readonly calls?: ReadonlyArray<ToolCall>
  readonly results?: ReadonlyArray<ToolResult>
  readonly carry?: Carry
}

/** All texts of a message that a model reads. */
export const textsOf = ({ calls = [], carry, results = [], text }: Parts): ReadonlyArray<string> => [
  text,
  ...calls.flatMap(({ id, name, params }) => [id, name, params]),
  ...results.flatMap(({ id, name, text: result }) => [id, name, result]),
  ...(carry === undefined ? [] : [JSON.stringify(carry.data)])
]

/** What of a message determines an answer, as plain data. */
export const essentialOf = ({ calls, carry, results, role, text }: Parts): ReadonlyArray<unknown> =>
  calls === undefined && carry === undefined && results === undefined
    ? [role, text]
    : [role, text, { calls, carry, results }]

/** The parameters of a call, or a piece of them, as text. Some servers send an object in the place of its JSON. */
export const paramsOf = (given: unknown): string =>
  typeof given === "string" ? given : given === null || given === undefined ? "" : JSON.stringify(given)

/** Makes ids for calls that no call in these messages has, the same each time. */
export const nextIds = (messages: ReadonlyArray<Pick<Parts, "calls">>): (() => string) => {
  const ids = new Set(messages.flatMap(({ calls = [] }) => calls.map(({ id }) => id)))
  let number = ids.size
  return () => {
    let id: string
    do id = `call_${++number}`
    while (ids.has(id))
    return id
  }
}
