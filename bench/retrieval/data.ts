/** What a measurement of retrieval reads: notes, and questions that say which notes answer them. */
import { Effect, Schema } from "effect"

/** Notes of the same `thought` are one log, in the order of the file; thoughts of the same `task` belong together. */
export const Note = Schema.Struct({
  id: Schema.NonEmptyString,
  text: Schema.NonEmptyString,
  thought: Schema.NonEmptyString,
  task: Schema.NonEmptyString,
  occurredAt: Schema.optionalKey(Schema.String),
  /** The tenant it belongs to; none: every tenant that the file names. */
  scope: Schema.optionalKey(Schema.NonEmptyString)
})
export type Note = typeof Note.Type

export const Question = Schema.Struct({
  id: Schema.NonEmptyString,
  text: Schema.NonEmptyString,
  /** Ids of the notes that answer it. */
  relevant: Schema.Array(Schema.String),
  /** Tasks that answer it. Default: those of the relevant notes. */
  relevantTasks: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The tenant that asks. */
  scope: Schema.optionalKey(Schema.NonEmptyString),
  /** What sort of question it is; results are also given for each kind. */
  kind: Schema.optionalKey(Schema.NonEmptyString)
})
export type Question = typeof Question.Type

export const Data = Schema.Struct({ notes: Schema.Array(Note), questions: Schema.Array(Question) })
export type Data = typeof Data.Type

/** A file that cannot be measured with. */
export class BadData extends Schema.TaggedError<BadData>()("BadData", { message: Schema.String }) {}

/** Whether a question in a scope may be answered with a note. */
export const visible =
  (scope: string | undefined) =>
  (note: Note): boolean =>
    note.scope === undefined || note.scope === scope

const duplicate = (ids: ReadonlyArray<string>): string | undefined => {
  const seen = new Set<string>()
  return ids.find((id) => seen.size === seen.add(id).size)
}

/** Reads a file and refuses ids that come twice, and answers that do not exist or that the asking tenant cannot see. */
export const decode = Effect.fnUntraced(function* (text: string) {
  const data = yield* Schema.decodeEffect(Schema.fromJsonString(Data))(text)
  const twice = duplicate(data.notes.map(({ id }) => id)) ?? duplicate(data.questions.map(({ id }) => id))
  if (twice !== undefined) return yield* new BadData({ message: `The id ${twice} comes twice.` })
  const notes = new Map(data.notes.map((note) => [note.id, note]))
  const tasks = new Set(data.notes.map(({ task }) => task))
  for (const { id, relevant, relevantTasks = [], scope } of data.questions) {
    const missing =
      relevant.find((answer) => {
        const note = notes.get(answer)
        return note === undefined || !visible(scope)(note)
      }) ?? relevantTasks.find((task) => !tasks.has(task))
    if (missing !== undefined) {
      return yield* new BadData({
        message: `The question ${id} is answered by ${missing}, which its scope does not have.`
      })
    }
  }
  return data
})

/** Half of the questions to tune on, by their position in the file, and half to report on. */
export type Half = "tuning" | "report" | "all"

/** The first question, the third and so on are for tuning; the second, the fourth and so on for reports. */
export const half = <A>(questions: ReadonlyArray<A>, which: Half): ReadonlyArray<A> =>
  which === "all" ? questions : questions.filter((_, i) => (i % 2 === 0) === (which === "tuning"))

/** Words that say nothing about what is asked. */
const stopWords = new Set(
  (
    "a about after all an and any are as at be because been before but by can could did do does done for from get had " +
    "has have he her him his how i if in into is it its may me might my no not of on one only or our out she should " +
    "so some than that the their them then there these they this those to up was we were what when where which while " +
    "who whose why will with would you your"
  ).split(" ")
)

/** The words of a text that say what it is about, in lower case. */
const contentWords = (text: string): ReadonlyArray<string> =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !stopWords.has(word))

/** The share of a question's content words that stand, in the same form, in a note that answers it. */
export const overlap = (question: Question, notes: ReadonlyMap<string, Note>): number => {
  const words = contentWords(question.text)
  const found = new Set(question.relevant.flatMap((id) => contentWords(notes.get(id)?.text ?? "")))
  return words.filter((word) => found.has(word)).length / Math.max(1, words.length)
}
