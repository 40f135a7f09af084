/** What calls were sent and what they answered, as far as the ledger has it. */
import type { CallRow } from "../memory/model/Ledger.ts"
import { isBound } from "../logs/rows.ts"
import type { CallRecord, MessageReport } from "./model.ts"
import { pathOf } from "./paths.ts"
import { defined } from "./defined.ts"

/** The messages of all requests. Later requests of a conversation repeat the messages of earlier ones, so each is kept once. */
export class Messages {
  readonly all: Array<MessageReport> = []
  readonly #places = new Map<string, number>()

  /** The place of a message among all. */
  add(message: MessageReport): number {
    const key = `${message.role} ${message.text}`
    const known = this.#places.get(key)
    if (known !== undefined) return known
    this.#places.set(key, this.all.length)
    return this.all.push(message) - 1
  }
}

export const callOf = (row: CallRow, messages: Messages): CallRecord => {
  const { attempt, endedMillis, frame, kind, model, n, provider, startedMillis, state, usage, usd } = row
  const asked = isModel(kind) ? parsed(row.request) : undefined
  const request = fieldsOf(fieldsOf(asked)?.["request"])
  return {
    frame,
    path: pathOf(frame),
    n,
    kind,
    state,
    attempt,
    startedMillis,
    ...defined({ endedMillis, model, provider, usage, usd }),
    ...(isBound(row) && (usage !== undefined || usd !== undefined) ? { isBound: true } : {}),
    ...(request === undefined ? {} : sentOf(request, messages)),
    ...outcomeOf(row)
  }
}

const isModel = (kind: CallRow["kind"]): boolean => kind === "complete" || kind === "decide"

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields | undefined =>
  // an object, as JSON has no others
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined

const parsed = (json: string | undefined): unknown => {
  if (json === undefined) return undefined
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** The names of tools, or of calls of tools. Undefined for an empty list. */
const namesOf = (list: unknown): ReadonlyArray<string> | undefined =>
  Array.isArray(list) && list.length > 0
    ? list.map((one: unknown) => textOf(fieldsOf(one)?.["name"]) ?? "unknown")
    : undefined

const sentOf = (request: Fields, messages: Messages): Pick<CallRecord, "sent" | "task" | "tools" | "sampling"> => {
  const list = Array.isArray(request["messages"]) ? request["messages"] : []
  const task = fieldsOf(request["task"])
  const kind = textOf(task?.["kind"])
  const sampling = fieldsOf(request["sampling"])
  return {
    sent: list.flatMap((one: unknown) => {
      const message = fieldsOf(one)
      return message === undefined ? [] : [messages.add(messageOf(message))]
    }),
    ...(kind === undefined ? {} : { task: { kind, ...defined({ instruction: textOf(task?.["instruction"]) }) } }),
    ...defined({ tools: namesOf(request["tools"]) }),
    ...(sampling === undefined || Object.keys(sampling).length === 0
      ? {}
      : {
          sampling: Object.entries(sampling)
            .map(([name, value]) => `${name} ${String(value)}`)
            .join(", ")
        })
  }
}

/** A message with the calls of tools, or their results, that stand in it beside its text. */
const messageOf = (message: Fields): MessageReport => {
  const beside = ["calls", "results"].flatMap((name) =>
    message[name] === undefined ? [] : [JSON.stringify(message[name])]
  )
  return { role: textOf(message["role"]) ?? "user", text: [textOf(message["text"]) ?? "", ...beside].join("\n").trim() }
}

const outcomeOf = ({ kind, response, state }: CallRow): Pick<CallRecord, "answer" | "called" | "failure"> => {
  const value = parsed(response)
  if (value === undefined) return {}
  if (state === "failed") return { failure: failureOf(value) }
  if (kind === "complete") {
    const { calls, text } = fieldsOf(value) ?? {}
    return {
      answer: [textOf(text) ?? "", ...(calls === undefined ? [] : [JSON.stringify(calls)])].join("\n").trim(),
      ...defined({ called: namesOf(calls) })
    }
  }
  if (kind === "decide") return { answer: JSON.stringify(fieldsOf(value)?.["answers"] ?? value) }
  return { answer: JSON.stringify(value) }
}

/** The tag of an error and of its reason, and its message, which holds no text of a note. */
const failureOf = (value: unknown): string => {
  const written = fieldsOf(value)
  const error = fieldsOf(written?.["json"]) ?? fieldsOf(written?.["error"]) ?? written
  const reason = fieldsOf(error?.["reason"])
  const tags = [error?.["_tag"] ?? error?.["name"], reason?.["_tag"]].flatMap((tag) => textOf(tag) ?? [])
  const message = textOf(reason?.["message"]) ?? textOf(error?.["message"])
  return [tags.join(": ") || "an unknown error", ...(message === undefined ? [] : [message])].join(". ")
}
