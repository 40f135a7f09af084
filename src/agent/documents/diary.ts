/**
 * What a document does not have yet: notes on its thought say which parts of which thoughts are to be learned from. So nothing is lost
 * if learning fails, and it is counted across conversations and processes.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Memory from "../../Memory.ts"
import type { Thought } from "../../thought/model.ts"
import type { Note } from "../../thought/Note.ts"
import * as Thoughts from "../../thought/Thought.ts"
import type { AnyDocument } from "../model/Document.ts"

/** A run to learn from: a part of a thought. */
export interface Said {
  readonly thoughtId: string
  /** The numbers of its message and of its last note. */
  readonly from: number
  readonly to: number
  /** The key of its answer. */
  readonly answer: string
  readonly rounds: number
  readonly calls: number
}

/** When a document is brought up to date. */
const dueAfter = { messages: 5, millis: 30 * 60_000, rounds: 3, calls: 2 }

/** The most runs that are learned from at once: the newest. */
const mostRuns = 20

/** How long nobody else brings a document up to date once somebody has begun, if that comes to no end. */
const claimMillis = 2 * 60_000

/** The number of the last note that a version takes into account, in its metadata. */
export const through = "through"

const keysOf = ({ key }: AnyDocument) => ({ said: `${key}.said`, claim: `${key}.claim` })

const millisOf = ({ created }: Note): number => DateTime.toEpochMillis(created)

/** Writes down that a run is to be learned from. Its note has no text, so nothing finds it and nothing is embedded. */
export const writeDown = (
  document: AnyDocument,
  traceId: string,
  taskId: string | undefined,
  { answer, calls, from, rounds, thoughtId, to }: Said
): Effect.Effect<void, Memory.MemoryError, Memory.Memory> => {
  const metadata = {
    thought: thoughtId,
    from: String(from),
    to: String(to),
    answer,
    rounds: String(rounds),
    calls: String(calls)
  }
  const append = Memory.append({ traceId }, [{ key: keysOf(document).said, content: "", source: "agent", metadata }])
  const made = Effect.flatMap(
    Thoughts.make(document.key, {}, { traceId, ...(document.of === "task" && taskId !== undefined && { taskId }) }),
    Memory.commit
  )
  return Effect.catchIf(
    append,
    ({ reason }) => reason._tag === "NotFound",
    // another one may make it at the same time
    () => Effect.andThen(Effect.ignore(made), append)
  ).pipe(Effect.asVoid)
}

const saidOf = ({ metadata }: Note): Said => ({
  thoughtId: metadata["thought"] ?? "",
  from: Number(metadata["from"]),
  to: Number(metadata["to"]),
  answer: metadata["answer"] ?? "",
  rounds: Number(metadata["rounds"]),
  calls: Number(metadata["calls"])
})

export interface Standing {
  /** The runs that the document does not have, the oldest first. */
  readonly open: ReadonlyArray<Said>
  /** The number of the last of them. */
  readonly until: number
  readonly isDue: boolean
  /** The first one who has begun to bring it up to date. */
  readonly claim: Note | undefined
}

/** What is to be learned, given the thought of the document. */
export const standing = (document: AnyDocument, thought: Thought<any>, now: number): Standing => {
  const keys = keysOf(document)
  const learned = Thoughts.history(thought, document.key).filter(({ metadata }) => metadata[through] !== undefined)
  const last = learned.at(-1)
  const known = Math.max(0, ...learned.map(({ metadata }) => Number(metadata[through])))
  const notes = Thoughts.history(thought, keys.said).filter(({ seq }) => seq > known)
  const open = notes.slice(-mostRuns).map(saidOf)
  const isLong = open.some(({ calls, rounds }) => rounds > dueAfter.rounds || calls > dueAfter.calls)
  const isLate = last === undefined || now - millisOf(last) > dueAfter.millis
  return {
    open,
    until: notes.at(-1)?.seq ?? known,
    isDue: open.length > 0 && (isLong || isLate || open.length >= dueAfter.messages),
    claim: Thoughts.history(thought, keys.claim).find(
      (note) => note.seq > (last?.seq ?? 0) && now - millisOf(note) < claimMillis
    )
  }
}

/** Says that somebody begins to bring a document up to date. The first one after the last version does. */
export const claim = (
  document: AnyDocument,
  traceId: string
): Effect.Effect<Note | undefined, Memory.MemoryError, Memory.Memory> =>
  Effect.map(
    Memory.append({ traceId }, [{ key: keysOf(document).claim, content: "", source: "agent" }]),
    ([note]) => note
  )
