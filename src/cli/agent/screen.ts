/** Shows a conversation: as text while it is written, or as one JSON event a line. */
import * as Effect from "effect/Effect"
import { showOnScreen } from "../../text/invisible.ts"
import { plain, print, printJson, printPart, say, toJson } from "../console/output.ts"
import type { AnyEvent } from "./module.ts"
import { unseen } from "./unseen.ts"

/** What the program itself has to report with `--json`. */
interface OwnEvent {
  readonly event:
    | "Session"
    | "Cancelled"
    | "GivenUp"
    | "Undone"
    | "Waiting"
    | "Question"
    | "Answered"
    | "Stopped"
    | "Ended"
  readonly [field: string]: unknown
}

export interface Screen {
  /** Shows what happens in a run. What was shown of the same run before is passed over. */
  readonly event: (event: AnyEvent) => Effect.Effect<void>
  /** Another run begins. */
  readonly begin: Effect.Effect<void>
  /** Calls of the run that have no outcome yet. */
  readonly open: () => ReadonlyArray<string>
  /** Writes a line for the person, to the standard error. */
  readonly notice: (text: string) => Effect.Effect<void>
  /** The same for a program: an event of its own with `--json`, and otherwise the line, if there is one. */
  readonly report: (event: OwnEvent, text: string) => Effect.Effect<void>
}

/** The most characters of a call or a result that a line shows. */
const most = 160

const cut = (text: string): string => {
  const line = plain(text.length > most ? text.slice(0, most) : text)
  return text.length > most ? `${line} …` : line
}

const shortJson = (value: unknown): string => cut(value === undefined ? "" : JSON.stringify(value))

const lineOf = (event: AnyEvent): string | undefined => {
  switch (event._tag) {
    case "Called":
      return `[call] ${plain(event.name)} ${shortJson(event.params)}`
    case "Returned":
      return `[result] ${plain(event.name)} ${shortJson(event.result)}`
    case "Progress":
      return `[so far] ${plain(event.name)} ${shortJson(event.result)}`
    case "Failed":
      return `[failed] ${plain(event.name)} ${cut(event.failure)}`
    case "Denied":
      return `[denied] ${plain(event.name)} ${cut(event.reason)}`
    case "Compacted":
      return "[shortened] The conversation was shortened."
    case "Discarded":
      return "[dropped] The text above does not count."
    default:
      return undefined
  }
}

const jsonOf = (event: AnyEvent): object => {
  if (event._tag === "Done") return { event: "Done", thoughtId: event.thought.id, answer: event.answer }
  const { _tag, ...fields } = event
  return { event: _tag, ...fields }
}

export const screenOf = (json: boolean): Screen => {
  let isNew = unseen()
  const open = new Map<string, string>()
  let isMidLine = false
  let text = ""
  // the first half of a character whose other half comes with the next piece
  let half = ""

  const endLine = Effect.suspend(() => {
    if (!isMidLine) return Effect.void
    isMidLine = false
    return print("")
  })
  const line = (shown: string) => Effect.andThen(endLine, print(shown))
  const part = (delta: string) => {
    const whole = half + delta
    half = /[\ud800-\udbff]$/.test(whole) ? whole.slice(-1) : ""
    const shown = showOnScreen(whole.slice(0, whole.length - half.length))
    text += delta
    if (shown === "") return Effect.void
    isMidLine = !shown.endsWith("\n")
    return printPart(shown)
  }
  const shown = (event: AnyEvent): Effect.Effect<void> => {
    if (json) return printJson(jsonOf(event))
    if (event._tag === "Text") return part(event.delta)
    if (event._tag === "Done") {
      const answer = typeof event.answer === "string" ? event.answer : toJson(event.answer)
      return Effect.andThen(
        Effect.suspend(() => (text.trim() === answer.trim() ? Effect.void : part(isMidLine ? `\n${answer}` : answer))),
        endLine
      )
    }
    const one = lineOf(event)
    if (one === undefined) return Effect.void
    const wasEmpty = text === ""
    if (event._tag === "Called" || event._tag === "Discarded") text = ""
    return event._tag === "Discarded" && wasEmpty ? Effect.void : line(one)
  }
  const notice = (shown: string) => Effect.andThen(json ? Effect.void : endLine, say(shown))
  return {
    event: (event) =>
      Effect.suspend(() => {
        if (!isNew(event)) return Effect.void
        if (event._tag === "Called") open.set(event.id, event.name)
        if (event._tag === "Returned" || event._tag === "Failed" || event._tag === "Denied") open.delete(event.id)
        return shown(event)
      }),
    begin: Effect.sync(() => {
      isNew = unseen()
      open.clear()
      text = ""
      half = ""
    }),
    open: () => [...open.values()],
    notice,
    report: (event, text) => (json ? printJson(event) : text === "" ? Effect.void : notice(text))
  }
}
