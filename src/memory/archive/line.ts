/**
 * A thought as a line of JSON, and back again exactly.
 *
 * JSON escapes what no file may hold (lone surrogates), and maps are lists of pairs, so that no name is special.
 */
import * as DateTime from "effect/DateTime"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { StoredThought } from "../model/Store.ts"
import { isFound } from "../../thought/found.ts"
import type { Usage } from "../../thought/tokens.ts"

const format = "cogito-memory"
const version = 1

/** The first line of an archive. */
export const header: string = JSON.stringify({ format, version })

const Header = Schema.Struct({ format: Schema.Literal(format), version: Schema.Int })

const Id = Schema.String.check(Schema.isPattern(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/))
const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 31 - 1 }))
const Millis = Schema.Int.check(Schema.isBetween({ minimum: -8.64e15, maximum: 8.64e15 }))
const Pairs = Schema.Array(Schema.Tuple([Schema.String, Schema.String]))

const Line = Schema.Struct({
  thought: Schema.Struct({
    id: Id,
    traceId: Schema.String,
    taskId: Schema.optionalKey(Schema.String),
    intent: Schema.String,
    created: Millis,
    parent: Schema.optionalKey(Schema.Struct({ id: Id, seq: Count })),
    hidden: Schema.Array(Schema.Tuple([Schema.String, Count])),
    checkpoints: Schema.Array(Schema.Tuple([Schema.String, Schema.String, Count]))
  }),
  version: Count,
  notes: Schema.Array(
    Schema.Struct({
      id: Id,
      seq: Count,
      key: Schema.String,
      content: Schema.String,
      metadata: Pairs,
      source: Schema.String,
      step: Schema.String,
      created: Millis,
      trust: Schema.Literals(["trusted", "untrusted"]),
      redacted: Schema.optionalKey(Millis),
      // left out by earlier versions
      derivedFrom: Schema.optionalKey(Schema.Array(Id))
    })
  ),
  entries: Schema.Array(
    Schema.Struct({
      index: Count,
      kind: Schema.Literals(["message", "summary", "omission", "result"]),
      role: Schema.Literals(["system", "user", "assistant"]),
      text: Schema.String,
      carries: Schema.Array(Id),
      covers: Schema.Array(Id)
    })
  ),
  nextIndex: Count,
  usage: Schema.optionalKey(
    Schema.Struct({
      inputTokens: Schema.optionalKey(Schema.Finite),
      outputTokens: Schema.optionalKey(Schema.Finite),
      cachedInputTokens: Schema.optionalKey(Schema.Finite),
      cacheWriteTokens: Schema.optionalKey(Schema.Finite),
      reasoningTokens: Schema.optionalKey(Schema.Finite)
    })
  )
})

/** The line of a thought; of its notes only its own. */
export const encodeLine = ({ entries, nextIndex, notes, thought, usage, version: count }: StoredThought): string => {
  const { checkpoints, createdMillis, hidden, id, intent, parent, taskId, traceId } = thought
  const line: typeof Line.Type = {
    thought: {
      id,
      traceId,
      ...(taskId === undefined ? {} : { taskId }),
      intent,
      created: createdMillis,
      ...(parent === undefined ? {} : { parent: { id: parent.id, seq: parent.seq } }),
      hidden: [...hidden],
      checkpoints: Array.from(checkpoints, ([name, past]) => [name, past.id, past.seq] as const)
    },
    version: count,
    notes: notes.map((note) => ({
      id: note.id,
      seq: note.seq,
      key: note.key,
      content: note.content,
      metadata: Object.entries(note.metadata),
      source: note.source,
      step: note.step,
      created: note.created.epochMilliseconds,
      trust: note.trust,
      ...(note.redacted === undefined ? {} : { redacted: note.redacted.epochMilliseconds }),
      derivedFrom: [...note.derivedFrom]
    })),
    entries: entries.map(({ carries, covers, index, kind, role, text }) => ({
      index,
      kind,
      role,
      text,
      carries: [...carries],
      covers: [...covers]
    })),
    nextIndex,
    ...(usage === undefined ? {} : { usage: inOrder(usage) })
  }
  return JSON.stringify(line)
}

/** A canonical order, independent of how the value was built. */
const inOrder = (usage: Usage): Usage =>
  Object.fromEntries(Object.entries(usage).toSorted(([a], [b]) => (a < b ? -1 : 1)))

const shownId = /"noteId":"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/g

/** What a note of an archive that does not say so was derived from: what a search found, or that for its summary. */
const findingsOf = (notes: (typeof Line.Type)["notes"], i: number): ReadonlyArray<string> => {
  const [before, note] = [notes[i - 1], notes[i]]
  if (note === undefined || !isFound(note)) return []
  const found = Array.from(note.content.matchAll(shownId), ([, id = ""]) => id)
  const summarises = before?.source === note.source && before.step === note.step && before.key !== note.key
  return [...new Set(summarises ? [...found, before.id] : found)]
}

const readHeader = Schema.decodeUnknownResult(Schema.fromJsonString(Header))
const readLine = Schema.decodeUnknownResult(Schema.fromJsonString(Line))

/** What is wrong with the first line, or nothing. */
export const headerProblem = (line: string): string | undefined => {
  const found = readHeader(line)
  if (Result.isFailure(found)) return "it does not begin like an archive of a memory"
  return found.success.version > version ? "it was written by a newer version of cogito: use that version" : undefined
}

/** The thought of a line, or why the line is invalid. The reason never shows the line's content. */
export const decodeLine = (line: string): Result.Result<StoredThought, string> => {
  const found = readLine(line)
  if (Result.isFailure(found)) return Result.fail("it is not an exported thought")
  const { entries, nextIndex, notes, thought, usage, version: count } = found.success
  const before = thought.parent?.seq ?? 0
  if (count < 1) return Result.fail("its version is not a whole number from 1")
  if (notes.some(({ seq }, i) => seq !== before + 1 + i)) return Result.fail("its notes are not numbered consecutively")
  const numbers = [-1, ...entries.map(({ index }) => index), nextIndex]
  if (numbers.some((number, i) => i > 0 && number <= (numbers[i - 1] ?? -1))) {
    return Result.fail("the entries of its conversation are not in order")
  }
  return Result.succeed({
    thought: {
      id: thought.id,
      traceId: thought.traceId,
      taskId: thought.taskId,
      intent: thought.intent,
      createdMillis: thought.created,
      parent: thought.parent,
      hidden: new Map(thought.hidden),
      checkpoints: new Map(thought.checkpoints.map(([name, id, seq]) => [name, { id, seq }]))
    },
    version: count,
    notes: notes.map(({ content, created, derivedFrom, metadata, redacted, ...note }, i) => ({
      ...note,
      derivedFrom: derivedFrom ?? findingsOf(notes, i),
      thoughtId: thought.id,
      content: redacted === undefined ? content : "",
      metadata: redacted === undefined ? Object.fromEntries(metadata) : {},
      created: DateTime.makeUnsafe(created),
      ...(redacted === undefined ? {} : { redacted: DateTime.makeUnsafe(redacted) })
    })),
    entries,
    nextIndex,
    usage
  })
}
