/** What a measurement of retrieval reads: notes, and questions that say which notes answer them. */
import { Effect, Schema } from "effect"

/** Notes of the same `thought` are one log, in the order of the file; thoughts of the same `task` belong together. */
export const Note = Schema.Struct({
  id: Schema.NonEmptyString,
  text: Schema.NonEmptyString,
  thought: Schema.NonEmptyString,
  task: Schema.NonEmptyString,
  occurredAt: Schema.optionalKey(Schema.NullOr(Schema.String)),
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
  /** The tenant that asks; or, when no note belongs to it, the task or the thought whose notes are asked. */
  scope: Schema.optionalKey(Schema.NonEmptyString),
  /** What sort of question it is; results are also given for each kind. */
  kind: Schema.optionalKey(Schema.NonEmptyString)
})
export type Question = typeof Question.Type

export const Data = Schema.Struct({ notes: Schema.Array(Note), questions: Schema.Array(Question) })
export type Data = typeof Data.Type

/** A file that cannot be measured with. */
export class BadData extends Schema.TaggedError<BadData>()("BadData", { message: Schema.String }) {}

/**
 * The notes that a question in a scope may be answered with: those of that tenant and those of every tenant; where the scope
 * is no tenant of the file, those of the task or thought of this name. Undefined when it is nothing's.
 */
export const notesOf = (notes: ReadonlyArray<Note>, scope: string | undefined): ReadonlyArray<Note> | undefined => {
  const everyones = notes.filter((note) => note.scope === undefined)
  if (scope === undefined) return everyones
  if (notes.some((note) => note.scope === scope)) {
    return notes.filter((note) => note.scope === undefined || note.scope === scope)
  }
  const part = everyones.filter(({ task, thought }) => task === scope || thought === scope)
  return part.length > 0 ? part : undefined
}

const duplicates = (ids: ReadonlyArray<string>): ReadonlyArray<string> => {
  const seen = new Set<string>()
  return [...new Set(ids.filter((id) => seen.size === seen.add(id).size))]
}

/** What cannot be measured of a question: its scope is nobody's, or has not what is said to answer it. */
const wrong = ({ notes }: Data, { id, relevant, relevantTasks = [], scope }: Question): ReadonlyArray<string> => {
  const visible = notesOf(notes, scope)
  if (visible === undefined) return [`The question ${id} asks in the scope ${scope}, which no note has.`]
  const [ids, tasks] = [new Set(visible.map((note) => note.id)), new Set(visible.map(({ task }) => task))]
  const missing = [...relevant.filter((one) => !ids.has(one)), ...relevantTasks.filter((one) => !tasks.has(one))]
  return missing.map((one) => `The question ${id} is answered by ${one}, which its scope does not have.`)
}

/** Reads JSON, or says where it is none. */
export const json = (text: string): Effect.Effect<unknown, BadData> =>
  Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: (error) => new BadData({ message: `This is no JSON: ${(error as SyntaxError).message}` })
  })

/** Reads a file and refuses ids that come twice, and answers that do not exist or that the asking tenant cannot see. */
export const decode = Effect.fnUntraced(function* (text: string) {
  const data = yield* Schema.decodeUnknownEffect(Data)(yield* json(text))
  const twice = [...duplicates(data.notes.map(({ id }) => id)), ...duplicates(data.questions.map(({ id }) => id))]
  const problems = [
    ...twice.map((id) => `The id ${id} comes twice.`),
    ...data.questions.flatMap((question) => wrong(data, question))
  ]
  if (problems.length > 0) return yield* new BadData({ message: problems.join("\n") })
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
