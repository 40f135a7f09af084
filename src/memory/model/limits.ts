/**
 * The largest texts and numbers of notes that every store can keep. Anything larger is refused before a store is called.
 *
 * Lengths are in UTF-16 units. Three names at their longest fit into one row of a B-tree, however they are written.
 */
import * as Effect from "effect/Effect"
import type { Commit, StoredThought } from "./Store.ts"
import type { Note } from "../../thought/Note.ts"
import { quoted } from "../../text/legible.ts"
import { fail, type MemoryError } from "./error.ts"

/** Of a scope, a trace id, a task id and a source. */
const maxName = 256
export const maxKey = 200
const maxIntent = 100_000
/** Beyond it an embedded database blocks for seconds. */
export const maxContent = 4_000_000
/** Of all fields and values of one note. */
export const maxMetadata = 100_000
/** Of one message of a conversation, which may show several notes. */
export const maxEntry = 16_000_000
/** The most notes in one commit, and the most characters of all its texts. */
const maxNotes = 10_000
const maxTexts = 64_000_000

interface Excess {
  readonly field: string
  readonly limit: number
  readonly message: string
}

/** A value that exceeds its limit; undefined if none does. */
export type Found = Excess | undefined

export const tooLong = (what: string, field: string, text: string, limit: number, so = "shorten it"): Found =>
  text.length > limit ? { field, limit, message: `The ${what} is longer than ${limit} characters: ${so}.` } : undefined

export const metadataLength = ({ metadata = {} }: Partial<Pick<Note, "metadata">>): number => {
  let length = 0
  for (const field of Object.keys(metadata)) length += field.length + (metadata[field] ?? "").length
  return length
}

type Draft = Pick<Note, "key" | "content" | "source"> & Partial<Pick<Note, "metadata">>

const inNote = (note: Draft): Found => {
  const { content, key, source } = note
  const metadata = metadataLength(note)
  const fits = key.length <= maxKey && content.length <= maxContent && source.length <= maxName
  if (fits && metadata <= maxMetadata) return undefined
  const named = `note ${quoted(key.slice(0, maxKey))}`
  return (
    tooLong("key of a note", "key", key, maxKey) ??
    tooLong(named, key, content, maxContent, "split it") ??
    tooLong(`source of the ${named}`, "source", source, maxName) ??
    (metadata > maxMetadata
      ? {
          field: "metadata",
          limit: maxMetadata,
          message: `The metadata of the ${named} has more than ${maxMetadata} characters: keep less of it.`
        }
      : undefined)
  )
}

const inThought = ({ entries, notes, thought }: Pick<StoredThought, "entries" | "notes" | "thought">): Found => {
  const { intent, taskId = "", traceId } = thought
  return (
    tooLong("trace id", "traceId", traceId, maxName) ??
    tooLong("task id", "taskId", taskId, maxName) ??
    tooLong("intent", "intent", intent, maxIntent) ??
    first(notes, inNote) ??
    first(entries, ({ text }) => tooLong("text of a message", "entry", text, maxEntry))
  )
}

export const first = <A>(all: ReadonlyArray<A>, look: (one: A) => Found): Found => {
  for (const one of all) {
    const found = look(one)
    if (found !== undefined) return found
  }
  return undefined
}

/** The size of notes, in number and in characters. */
interface Size {
  notes: number
  length: number
}

const addTo = (size: Size, notes: ReadonlyArray<Draft>): void => {
  size.notes += notes.length
  for (const note of notes) size.length += note.content.length + metadataLength(note)
}

const atOnce = ({ length, notes }: Size): Found => {
  if (notes > maxNotes) {
    return { field: "notes", limit: maxNotes, message: `More than ${maxNotes} notes in one commit: add them in parts.` }
  }
  return length > maxTexts
    ? { field: "notes", limit: maxTexts, message: `More than ${maxTexts} characters in one commit: add them in parts.` }
    : undefined
}

export const refuse = (found: Found): Effect.Effect<void, MemoryError> =>
  found === undefined ? Effect.void : fail({ _tag: "TooLarge", ...found })

/** A commit and the commits that it includes, in the order in which they are written. */
export const commitsOf = (commit: Commit): ReadonlyArray<Commit> => {
  if (commit.before === undefined && commit.parent === undefined) return [commit]
  const line: Array<Commit> = []
  for (let one: Commit | undefined = commit; one !== undefined; one = one.parent) line.push(one)
  return [...(commit.before ?? []).flatMap(commitsOf), ...line.toReversed()]
}

/** Fails if a commit, or one that it includes, exceeds a limit. */
export const checkCommit = (commit: Commit): Effect.Effect<void, MemoryError> => {
  const all = commitsOf(commit)
  const size: Size = { notes: 0, length: 0 }
  for (const { entries, notes, thought } of all) {
    addTo(size, notes)
    size.length += thought.intent.length
    for (const { text } of entries) size.length += text.length
  }
  return refuse(first(all, inThought) ?? atOnce(size))
}

/** Fails if notes to be added exceed a limit. */
export const checkNotes = (notes: ReadonlyArray<Draft>): Effect.Effect<void, MemoryError> => {
  const size: Size = { notes: 0, length: 0 }
  addTo(size, notes)
  return refuse(first(notes, inNote) ?? atOnce(size))
}

/** Fails if an imported thought exceeds a limit. The number of its notes has none. */
export const checkThought = (stored: StoredThought): Effect.Effect<void, MemoryError> => refuse(inThought(stored))

/** The scope, or a failure if it is empty, too long or not a text. */
export const checkScope = (scope: string): Effect.Effect<string, MemoryError> =>
  typeof scope !== "string" || scope.trim() === ""
    ? fail({ _tag: "Query", message: "A scope must be a non-empty string: pass the tenant's name." })
    : Effect.as(refuse(tooLong("scope", "scope", scope, maxName)), scope)
