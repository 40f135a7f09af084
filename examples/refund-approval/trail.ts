/**
 * The log of notes as an audit trail: who decided what, how certain they were, and why.
 */
import { Option, Schema } from "effect"
import { Note, Thought } from "cogito"

/** One line per note: what was known or concluded, by whom, and how certain. */
export const trail = (thought: Thought.Thought): string =>
  [
    `thought ${thought.traceId.slice(-6)}${thought.parent === undefined ? "" : `, on from ${thought.parent.id.slice(-6)}`}`,
    ...Thought.notes(thought).map((note) => {
      const by = note.step === "" ? note.source : `${note.source} at ${note.step}`
      return `  ${String(note.seq).padStart(2)} ${note.key.padEnd(9)} ${summary(note).padEnd(72)} [${by}, ${note.trust}]`
    })
  ].join("\n")

const Answer = Schema.fromJsonString(
  Schema.Struct({
    decision: Schema.optionalKey(Schema.Boolean),
    primary: Schema.optionalKey(Schema.String),
    confidence: Schema.Finite,
    confidenceFrom: Schema.String
  })
)
const asAnswer = Schema.decodeUnknownOption(Answer)

const summary = (note: Note.Note): string => {
  // a customer could write text that looks like an answer: only notes with a model are answers
  const answer = note.metadata["model"] === undefined ? Option.none() : asAnswer(note.content)
  if (Option.isNone(answer)) return short(line(note.content))
  const { confidence, confidenceFrom, decision, primary } = answer.value
  const said = primary ?? (decision === true ? "yes" : "no")
  return `${said}, ${Math.round(confidence * 100)} % sure (${confidenceFrom}), answered by ${note.metadata["model"]}`
}

/** Text from others on one line, with control characters shown by their number. */
export const line = (text: string): string => Note.visible(text, { oneLine: true })

const short = (text: string): string => (text.length > 72 ? `${text.slice(0, 69)}...` : text)
