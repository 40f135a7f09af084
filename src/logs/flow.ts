/** What was done, one line each. */
import * as DateTime from "effect/DateTime"
import type { StoredRun, WaitRow } from "../memory/model/Ledger.ts"
import type { Note } from "../thought/Note.ts"
import type { Entry } from "../thought/Entry.ts"
import type { Signal } from "../signal/Signal.ts"
import { isCall, isFailedResult, isResult, toolMeta, toolOf } from "../thought/toolMeta.ts"
import type { Recorded, Stretch } from "./recorded.ts"
import { counted } from "../text/legible.ts"
import { atPath, short, took } from "./text.ts"
import { fieldsOf, valueOf } from "./value.ts"

/** A line, and when it happened. */
interface Line {
  readonly at: number
  readonly text: string
}

export const flow = (stretches: ReadonlyArray<Stretch>, { run, signals = [] }: Recorded): ReadonlyArray<string> => {
  const others = [...signals.flatMap((signal) => ofSignal(signal, run)), ...(run === undefined ? [] : ofWaits(run))]
  return merged(
    stretches.flatMap(ofNotes),
    others.toSorted((a, b) => a.at - b.at)
  ).map(({ text }) => text)
}

/** Puts lines among those of notes by their time. The notes keep the order of the log. */
const merged = (notes: ReadonlyArray<Line>, others: ReadonlyArray<Line>): ReadonlyArray<Line> => {
  const all: Array<Line> = []
  let next = 0
  for (const note of notes) {
    for (let other = others[next]; other !== undefined && other.at < note.at; other = others[next]) {
      all.push(other)
      next++
    }
    all.push(note)
  }
  return [...all, ...others.slice(next)]
}

const ofNotes = (stretch: Stretch): ReadonlyArray<Line> => {
  const lines: Array<Line> = []
  const texts = besidesNotes(stretch)
  const add = (at: number, of: string) => {
    for (const text of texts.get(of) ?? []) lines.push({ at, text })
    texts.delete(of)
  }
  let batch: { readonly of: string; readonly tools: Array<string>; readonly at: number } | undefined
  const close = () => {
    if (batch !== undefined) lines.push({ at: batch.at, text: `${batch.of}: calls ${batch.tools.join(", ")}` })
    batch = undefined
  }
  add(0, "")
  for (const note of stretch.notes) {
    const at = DateTime.toEpochMillis(note.created)
    if (isCall(note)) {
      const of = roundOf(note)
      if (batch?.of !== of) {
        close()
        batch = { of, tools: [], at }
      }
      batch.tools.push(short(toolOf(note)))
    } else {
      close()
      lines.push({ at, text: lineOf(note) })
    }
    if (texts.has(note.id)) close()
    add(at, note.id)
  }
  close()
  return lines
}

/** Who makes a call, and in which round. */
const roundOf = ({ key, metadata }: Note): string => {
  const dot = key.lastIndexOf(".")
  const round = metadata[toolMeta.round]
  return [short(dot === -1 ? key : key.slice(0, dot)), ...(round === undefined ? [] : [`round ${short(round)}`])].join(
    ", "
  )
}

const lineOf = (note: Note): string => {
  const key = short(note.key)
  if (!isResult(note)) return `${key}: ${valueOf(note)}`
  return `${key}${isFailedResult(note) ? " failed" : ""}${approvalOf(note)}: ${short(note.content)}`
}

/** Who has decided about a call. */
const approvalOf = ({ metadata }: Note): string => {
  const approval = metadata[toolMeta.approval]
  if (approval === undefined) return ""
  const { approved, by } = fieldsOf(approval) ?? {}
  const who = typeof by === "string" ? ` by ${short(by)}` : ""
  return approved === true ? ` (approved${who})` : ` (not approved${who})`
}

/** What the conversation has besides notes, by the id of the shown note that it comes after. Empty for its beginning. */
const besidesNotes = ({ entries, notes }: Stretch): Map<string, ReadonlyArray<string>> => {
  const lines = new Map<string, ReadonlyArray<string>>()
  const shown = new Set(notes.map(({ id }) => id))
  let after = ""
  for (const entry of entries) {
    after = [...entry.carries, ...entry.covers].findLast((id) => shown.has(id)) ?? after
    const text = besides(entry)
    if (text !== undefined) lines.set(after, [...(lines.get(after) ?? []), `conversation: ${text}`])
  }
  return lines
}

/** What stands for notes that are not shown, and what a model wrote that is no note, such as the beginning of an answer. */
const besides = ({ carries, covers, kind, role, text }: Entry): string | undefined => {
  if (kind === "summary") return `${counted(covers.length, "note")} in a summary`
  if (kind === "omission") return `${counted(covers.length, "note")} left out`
  return role === "assistant" && kind === "message" && carries.length === 0 ? short(text) : undefined
}

const ofWaits = ({ waits }: StoredRun): ReadonlyArray<Line> =>
  waits.flatMap((wait) => {
    const { answer, answeredMillis, createdMillis, prompt } = wait
    const key = short(wait.key)
    const asked = { at: createdMillis, text: `${key}: asks ${short(prompt)}` }
    return answer === undefined
      ? [asked]
      : [asked, { at: answeredMillis ?? createdMillis, text: `${key}: ${answerOf(wait, answer)}` }]
  })

const answerOf = ({ answeredBy }: WaitRow, answer: string): string => {
  // the ledger has the value, or that it came too late
  const { late, value } = fieldsOf(answer) ?? {}
  if (late === true) return "nobody answered in time"
  return `answered${answeredBy === undefined ? "" : ` by ${short(answeredBy)}`} with ${short(JSON.stringify(value) ?? "")}`
}

/** What a signal adds to the notes. The rows of a run have its questions. */
const ofSignal = (signal: Signal, run: StoredRun | undefined): ReadonlyArray<Line> => {
  const text = eventOf(signal, run)
  return text === undefined ? [] : [{ at: signal.millis, text: atPath(signal.path, text) }]
}

const eventOf = (signal: Signal, run: StoredRun | undefined): string | undefined => {
  switch (signal._tag) {
    case "Routed":
      return signal.route === undefined ? "takes no step" : `takes ${short(signal.route)}`
    case "AttemptFailed":
      return `attempt ${signal.attempt} failed with ${short(signal.error)}, the next one after ${took(signal.waitMillis)}`
    case "FailureIgnored":
      return `goes on without ${short(signal.step)}, which failed with ${short(signal.error)}`
    case "Won":
      return `${short(signal.branch)} won`
    case "NotesFound":
      return `${signal.search} found ${counted(signal.matches, "note")}`
    case "Waiting":
      return run === undefined ? `waits for an answer to ${short(signal.key)}` : undefined
    case "Dispatched":
      return `goes on in the background as ${short(signal.backgroundId)}`
    default:
      return undefined
  }
}
