/** Messages as a recording has them, with texts as lists of lines. */
import * as Schema from "effect/Schema"
import type { Message } from "../provider/request.ts"

const Lines = Schema.Array(Schema.String)

export const Calls = Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String, params: Schema.String }))

export const Carry = Schema.Struct({ provider: Schema.String, model: Schema.String, data: Schema.Json })

const Results = Schema.Array(
  Schema.Struct({ id: Schema.String, name: Schema.String, text: Lines, isFailure: Schema.Boolean })
)

export const RecordedMessage = Schema.Struct({
  role: Schema.Literals(["system", "user", "assistant", "tool"]),
  text: Lines,
  calls: Schema.optionalKey(Calls),
  results: Schema.optionalKey(Results),
  carry: Schema.optionalKey(Carry)
})
type RecordedMessage = typeof RecordedMessage.Type

/** Texts are kept as lists of lines, so that a file of them can be read and compared. */
export const toLines = (text: string): ReadonlyArray<string> => text.split("\n")
export const fromLines = (lines: ReadonlyArray<string>): string => lines.join("\n")

export const toRecorded = ({ calls, carry, results, role, text }: Message): RecordedMessage => ({
  role,
  text: toLines(text),
  ...(calls !== undefined && { calls }),
  ...(results !== undefined && { results: results.map((result) => ({ ...result, text: toLines(result.text) })) }),
  ...(carry !== undefined && { carry })
})

export const fromRecorded = ({ results, text, ...message }: RecordedMessage): Message => ({
  ...message,
  text: fromLines(text),
  ...(results !== undefined && { results: results.map((result) => ({ ...result, text: fromLines(result.text) })) })
})

/** The texts of a message that may differ from run to run, in an order that `withTexts` follows. */
export const textsIn = ({ calls = [], results = [], text }: Message): ReadonlyArray<string> => [
  text,
  ...calls.map(({ params }) => params),
  ...results.map((result) => result.text)
]

/** The message with other texts, taken one by one. */
export const withTexts = ({ calls, carry, results, role }: Message, next: () => string): Message => ({
  role,
  text: next(),
  ...(calls !== undefined && { calls: calls.map((call) => ({ ...call, params: next() })) }),
  ...(results !== undefined && { results: results.map((result) => ({ ...result, text: next() })) }),
  ...(carry !== undefined && { carry })
})
