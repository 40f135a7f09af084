/**
 * The notes of a file spread over a year, and its questions with a date, by a fixed rule: to measure what the times that
 * questions name do to a ranking.
 */
import type { Data, Note, Question } from "./data.ts"

/** Whether questions name the time of the note that answers them, that of an answer to another question, or none. */
export type Dates = "right" | "wrong" | "none"

const day = 86_400_000
const begin = Date.parse("2025-09-01T09:00:00Z")

/** The part of the year in which each log begins: by the golden ratio, logs near each other in the file are far apart. */
const place = (log: number): number => (log * 0.618034) % 1

/** Each log of notes begins on another day of the year, and its notes are a day apart. */
const spread = (notes: ReadonlyArray<Note>): ReadonlyArray<Note & { readonly occurredAt: string }> => {
  const logs = [...Map.groupBy(notes, ({ task, thought }) => JSON.stringify([task, thought])).values()]
  const millisOf = new Map(
    logs.flatMap((log, i) => log.map(({ id }, j) => [id, begin + (Math.floor(350 * place(i)) + j) * day] as const))
  )
  return notes.map((note) => ({ ...note, occurredAt: new Date(millisOf.get(note.id)!).toISOString() }))
}

const month = new Intl.DateTimeFormat("en", { month: "long", timeZone: "UTC" })

/** How a person who asks names a day: exactly, or by its week, month or quarter. */
const phrases: ReadonlyArray<(at: Date, now: number) => string> = [
  (at) => `in ${month.format(at)}`,
  (at) => `on ${at.getUTCDate()} ${month.format(at)}`,
  (at, now) => `${Math.round((now - at.getTime()) / day / 7)} weeks ago`,
  (at) => `in ${month.format(at)} ${at.getUTCFullYear()}`,
  (at, now) => `${Math.round((now - at.getTime()) / day / 30.4)} months ago`,
  (at) => `in Q${Math.floor(at.getUTCMonth() / 3) + 1} ${at.getUTCFullYear()}`,
  (at) => `on ${at.toISOString().slice(0, 10)}`
]

/** The file with the dates; without its questions in other languages, as dates are read in English. */
export const dated = ({ notes, questions }: Data, dates: Dates): Data => {
  const spreadNotes = spread(notes)
  const createdOf = new Map(spreadNotes.map(({ id, occurredAt }) => [id, Date.parse(occurredAt)]))
  // when `run` asks
  const now = Math.max(...createdOf.values()) + day
  const asked = questions.filter(({ kind, relevant }) => kind !== "language" && relevant.length > 0)
  const momentOf = ({ relevant }: Question): Date => new Date(createdOf.get(relevant[0]!)!)
  return {
    notes: spreadNotes,
    questions: asked.map((question, i) => {
      if (dates === "none") return question
      const of = dates === "right" ? question : asked[(i + 37) % asked.length]!
      const phrase = phrases[i % phrases.length]!(momentOf(of), now)
      return { ...question, text: `${question.text.replace(/[?.!\s]+$/, "")} ${phrase}?` }
    })
  }
}
