/**
 * The whole note log of one ticket: what was known, when, and from whom.
 */
import { DateTime } from "effect"
import { type Note, Thought } from "cogito"
import { bold, dim, json, type Look, plain, wrap } from "./screen.ts"

export const toJson = (thought: Thought.Thought): string =>
  json({
    traceId: thought.traceId,
    thoughtId: thought.id,
    taskId: thought.taskId,
    intent: thought.intent,
    notes: Thought.notes(thought).map(({ content, created, id, key, metadata, seq, source, step, trust }) => {
      return { seq, key, content, source, step, trust, created: DateTime.formatIso(created), metadata, id }
    })
  })

export const render = (thought: Thought.Thought, look: Look): string =>
  [
    `${bold(look, plain(thought.traceId))}  ${dim(look, `thought ${thought.id}`)}`,
    `${plain(thought.intent)}, ${thought.length} notes`,
    ...Thought.notes(thought).map((note) => noteLines(note, look).join("\n"))
  ].join("\n\n")

const noteLines = (note: Note.Note, look: Look): ReadonlyArray<string> => {
  const facts = [
    note.step === "" ? note.source : `${note.source} at ${note.step}`,
    note.trust,
    DateTime.formatIso(note.created),
    ...Object.entries(note.metadata).map(([name, value]) => `${name}=${value}`)
  ].join(" · ")
  return [
    `${note.seq} ${bold(look, plain(note.key))}`,
    ...wrap(facts, look.width - 2).map((line) => `  ${dim(look, line)}`),
    ...contentLines(note.content).flatMap((line) => {
      const indent = 2 + Math.min(line.length - line.trimStart().length, 20)
      return wrap(line, look.width - indent).map((part) => `${" ".repeat(indent)}${part}`.trimEnd())
    })
  ]
}

/** JSON laid out, any other text as it is. */
const contentLines = (content: string): ReadonlyArray<string> => {
  if (!/^[[{]/.test(content)) return content.split("\n")
  try {
    return JSON.stringify(JSON.parse(content), null, 2).split("\n")
  } catch {
    return content.split("\n")
  }
}
