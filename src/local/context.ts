/** Finds the text of a task that the extractive provider works on. */
import * as Option from "effect/Option"
import { withoutMarks } from "../text/quotation.ts"
import type { ContextNote, Task } from "../Provider.ts"

/** The task without marks around quoted notes: they are for models that could take a quotation for an instruction. */
export const inWords = (task: Task): Task => ({
  ...task,
  instruction: withoutMarks(task.instruction),
  questions: task.questions.map((question) => ({ ...question, question: withoutMarks(question.question) }))
})

const parse = Option.liftThrowable((text: string): unknown => JSON.parse(text))

const leavesOf = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null) return []
  return Object.values(value).flatMap(leavesOf)
}

/**
 * The text values of JSON, in order, without keys, numbers and booleans. A text that is not JSON is its own only value.
 */
const leaves = (text: string): ReadonlyArray<string> =>
  /^\s*[[{"]/u.test(text) ? Option.match(parse(text), { onNone: () => [text], onSome: leavesOf }) : [text]

const notesOf = (context: ReadonlyArray<ContextNote>): ReadonlyArray<ContextNote> => {
  const given = context.filter((note) => note.step === "")
  return given.length > 0 ? given : context.filter((note) => note.found !== true)
}

/**
 * The texts of a task: its input if it has one, else the notes its thought began with, else the notes of earlier steps
 * without those found in memory. Blank texts are left out, and JSON is reduced to its text values.
 */
export const textsOf = (task: Task): ReadonlyArray<string> =>
  (task.input === undefined ? notesOf(task.context).map((note) => note.text) : [task.input])
    .flatMap(leaves)
    .filter((text) => text.trim() !== "")
