/**
 * What a document does not have yet: notes on a thought beside it say which parts of which thoughts are to be learned from. So nothing
 * is lost if learning fails, and it is counted across conversations and processes. A run that only reads the document does not load it.
 */
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Memory from "../../Memory.ts"
import type { Thought } from "../../thought/model.ts"
import type { Note } from "../../thought/Note.ts"
import * as Thoughts from "../../thought/Thought.ts"
import type { AnyDocument } from "../model/Document.ts"

/** A run to learn from: a part of a thought. */
export interface Turn {
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

/** The number of the last note of the diary that a version takes into account, in its metadata. */
export const through = "through"

/** Keys of notes of the diary: a run, somebody who begins to learn, and the end of that. */
const keys = { turn: "turn", claim: "claim", done: "done" } as const

/** The trace id of the diary of a document. Keys of documents have no dot. */
export const diaryOf = ({ key }: AnyDocument, traceId: string): string => `${key}.diary${traceId.slice(key.length)}`

const millisOf = ({ created }: Note): number => DateTime.toEpochMillis(created)

type Using<A> = Effect.Effect<A, Memory.MemoryError, Memory.Memory>

/** A thought. Undefined if it does not exist. */
export const loadIfThere = (ref: string | { readonly traceId: string }): Using<Thought<any> | undefined> =>
  Effect.catchIf(
    Memory.load(ref),
    ({ reason }) => reason._tag === "NotFound",
    () => Effect.undefined
  )

/** Adds a note to a thought, which is made first if it does not exist. */
export const appendTo = (
  intent: string,
  place: { readonly traceId: string; readonly taskId?: string },
  note: Parameters<typeof Memory.append>[1][number]
): Using<Note | undefined> => {
  const append = Effect.map(Memory.append({ traceId: place.traceId }, [note]), ([added]) => added)
  return Effect.catchIf(
    append,
    ({ reason }) => reason._tag === "NotFound",
    // another one may make it at the same time
    () => Effect.andThen(Effect.ignore(Effect.flatMap(Thoughts.make(intent, {}, place), Memory.commit)), append)
  )
}

/** Adds a note without text to the diary, so that nothing finds it and nothing is embedded. */
const enter = (
  document: AnyDocument,
  traceId: string,
  key: string,
  metadata: Readonly<Record<string, string>> = {}
): Using<Note | undefined> => {
  const note = { key, content: "", source: "agent", metadata }
  return appendTo(`${document.key} diary`, { traceId: diaryOf(document, traceId) }, note)
}

/** Writes down that a run is to be learned from. */
export const writeDown = (
  document: AnyDocument,
  traceId: string,
  { answer, calls, from, rounds, thoughtId, to }: Turn
): Using<Note | undefined> =>
  enter(document, traceId, keys.turn, {
    thought: thoughtId,
    from: String(from),
    to: String(to),
    answer,
    rounds: String(rounds),
    calls: String(calls)
  })

const turnOf = ({ metadata }: Note): Turn => ({
  thoughtId: metadata["thought"] ?? "",
  from: Number(metadata["from"]),
  to: Number(metadata["to"]),
  answer: metadata["answer"] ?? "",
  rounds: Number(metadata["rounds"]),
  calls: Number(metadata["calls"])
})

export interface Standing {
  /** The thought of the document, if it has any version. */
  readonly thought: Thought<any> | undefined
  /** The runs that the document does not have, the oldest first. */
  readonly open: ReadonlyArray<Turn>
  /** The number of the last of them. */
  readonly until: number
  readonly isDue: boolean
  /** The first one who has begun to bring it up to date. */
  readonly claim: Note | undefined
}

const throughOf = ({ metadata }: Note): number => Number(metadata[through] ?? 0)

/** What is to be learned. */
export const standing = Effect.fnUntraced(function* (
  document: AnyDocument,
  traceId: string
): Effect.fn.Return<Standing, Memory.MemoryError, Memory.Memory> {
  const diary = yield* loadIfThere({ traceId: diaryOf(document, traceId) })
  const thought = yield* loadIfThere({ traceId })
  const now = yield* Clock.currentTimeMillis
  const entries = (key: string) => (diary === undefined ? [] : Thoughts.history(diary, key))
  const done = entries(keys.done).at(-1)
  const learned =
    thought === undefined
      ? []
      : Thoughts.history(thought, document.key).filter(({ metadata }) => metadata[through] !== undefined)
  // versions that were redacted are learned again; a document that was removed begins anew
  const known = thought === undefined ? [done].filter((one) => one !== undefined) : learned
  const last = learned.at(-1)
  const begun = Math.max(0, ...known.map(throughOf))
  const notes = entries(keys.turn).filter(({ seq }) => seq > begun)
  const open = notes.slice(-mostRuns).map(turnOf)
  const isLong = open.some(({ calls, rounds }) => rounds > dueAfter.rounds || calls > dueAfter.calls)
  const isLate = last === undefined || now - millisOf(last) > dueAfter.millis
  return {
    thought,
    open,
    until: notes.at(-1)?.seq ?? begun,
    isDue: open.length > 0 && (isLong || isLate || open.length >= dueAfter.messages),
    claim: entries(keys.claim).find((note) => note.seq > (done?.seq ?? 0) && now - millisOf(note) < claimMillis)
  }
})

/** Says that somebody begins to bring a document up to date. The first one since the last time does. */
export const claim = (document: AnyDocument, traceId: string): Using<Note | undefined> =>
  enter(document, traceId, keys.claim)

/** Says that a document has everything up to this note of the diary. */
export const release = (document: AnyDocument, traceId: string, until: number): Using<Note | undefined> =>
  enter(document, traceId, keys.done, { [through]: String(until) })
