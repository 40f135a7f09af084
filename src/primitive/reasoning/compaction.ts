/**
 * Replaces the older turns of a conversation with a summary. The summary is made in a side session and becomes a note,
 * and the entry that shows it covers all notes of the entries that it replaces.
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { stepNamed, whole } from "../../arguments/checked.ts"
import { quoted } from "../../text/legible.ts"
import { shownBy } from "../../thought/turns.ts"
import { askedFrom } from "../../thought/gathered.ts"
import { shownIn, type Source } from "../../thought/origin.ts"
import { message } from "../../thought/render.ts"
import { commit } from "../../run/run.ts"
import { published } from "../../step/runtime/shows.ts"
import { stateOf } from "../../thought/state.ts"
import { worded } from "./wording.ts"
import { write } from "../../run/write.ts"
import * as Note from "../../thought/Note.ts"
import type { ProviderError } from "../../provider/ProviderError.ts"
import type { Sampling } from "../../provider/request.ts"
import type { Shape as ProviderShape } from "../../provider/Shape.ts"
import * as Session from "../../thought/Session.ts"
import { askText } from "../../synapse/askInText.ts"
import type { Thought } from "../../thought/model.ts"
import { withSession } from "../../thought/Thought.ts"
import type { AutomaticCompaction } from "./options.ts"
import { contextNote, provenance } from "./record.ts"

/** The turns to replace, and how to summarise them. */
export interface Compaction {
  /** The source of the summary's note, and the kind of the task for it. */
  readonly source: string
  readonly key: string
  readonly prompt: string
  /** The sources of the prompt. */
  readonly sources?: ReadonlyArray<Source>
  /** Trust of the prompt. Default: `"trusted"`. */
  readonly trust?: Note.Trust
  readonly keep: number
  /** When a conversation counts as long. */
  readonly threshold: { readonly turns?: number; readonly tokens?: number }
  readonly provider?: ProviderShape
  readonly sampling?: Sampling
}

export const defaultPrompt =
  "Summarise the conversation in these messages for the one who goes on with it: every fact, name, figure and date that " +
  "may matter later, what was asked and answered, with what certainty and why, and what is still open. Leave out how it " +
  "was put."

/** Throws an error that names the step if a count is invalid. */
export const checkCounts = (step: string, { keep, threshold }: Pick<Compaction, "keep" | "threshold">): void => {
  if (threshold.turns !== undefined) whole(stepNamed(step), "turns", 1, threshold.turns)
  if (threshold.tokens !== undefined) whole(stepNamed(step), "tokens", 1, threshold.tokens)
  whole(stepNamed(step), "keep", 0, keep)
}

/**
 * Makes the automatic compaction of a pipeline, which its steps run before a request. Uses the step's provider by
 * default.
 */
export const automatic =
  (compaction: Compaction & { readonly onFailure: "fail" | "skip" }): NonNullable<AutomaticCompaction> =>
  (thought, provider) => {
    refuseTaken(thought, compaction)
    const compacted = compact(thought, compaction.provider ?? provider, compaction)
    return compaction.onFailure === "fail" ? compacted : Effect.orElseSucceed(compacted, () => thought)
  }

/**
 * Throws if the key holds a note that something else wrote. No type lists the summary of a pipeline, so it must not
 * replace one.
 */
const refuseTaken = (thought: Thought<any>, { key, source }: Compaction): void => {
  const taken = thought.note(key)
  if (taken === undefined || taken.source === source) return
  throw new Error(
    `The summary of the conversation would be written under ${quoted(key)}, which is already in use: ` +
      `give Pipeline.compact another summaryKey.`
  )
}

/**
 * Compacts the conversation and commits the result. Returns the thought unchanged if it is too early or nothing would
 * be gained.
 */
export const compact = Effect.fnUntraced(function* (
  thought: Thought<any>,
  provider: ProviderShape,
  compaction: Compaction
): Effect.fn.Return<Thought<any>, ProviderError> {
  const { head, old, recent } = yield* partsOf(thought.session, compaction)
  if (old.every(({ kind }) => kind !== "message")) return thought
  const reply = yield* summaryOf(thought, provider, old, compaction)
  const handle = Note.handle(compaction.key, Schema.String)
  const metadata = { ...provenance(provider, reply), [replaced]: String(old.length) }
  const { note, thought: noted } = yield* write(thought, compaction.source, handle, reply.value, {
    from: [...shownIn(thought, old), ...(compaction.sources ?? [])],
    metadata
  })
  const compacted = withSession(noted, Session.set(noted.session, [...head, standIn(note, shownBy(old)), ...recent]))
  return yield* commit(yield* published(compacted, 1))
})

/** The name of metadata that only summaries have. */
const replaced = "replaced_messages"

/** Whether a note is a summary of a conversation. */
export const isSummary = ({ metadata }: Note.Note): boolean => metadata[replaced] !== undefined

/** The entry that shows a summary in place of entries with these notes. */
export const standIn = (note: Note.Note, covers: ReadonlyArray<string>): Session.Draft => ({
  kind: "summary",
  role: "user",
  text: message({
    notes: [note],
    task: "The note above stands for earlier messages."
  }),
  carries: [note.id],
  covers
})

interface Parts {
  /** The system messages, which are the caller's own and stay. */
  readonly head: ReadonlyArray<Session.Entry>
  /** The entries to replace. Empty if it is too early. */
  readonly old: ReadonlyArray<Session.Entry>
  readonly recent: ReadonlyArray<Session.Entry>
}

const partsOf = Effect.fnUntraced(function* (session: Session.Session, { keep, threshold }: Compaction) {
  const turns = Session.turns(session)
  const begin = turns.findIndex((turn) => turn.some(({ role }) => role !== "system"))
  const head = turns.slice(0, Math.max(0, begin))
  const rest = begin === -1 ? [] : turns.slice(begin)
  const { count } = yield* Session.Tokenizer
  const sizeOf = (turn: ReadonlyArray<Session.Entry>) => turn.reduce((sum, { text }) => sum + count(text), 0)
  const sizes = threshold.tokens === undefined ? [] : rest.map(sizeOf)
  const size = sizes.reduce((sum, one) => sum + one, 0)
  const due =
    (threshold.turns === undefined && threshold.tokens === undefined) ||
    (threshold.turns !== undefined && rest.length >= threshold.turns) ||
    (threshold.tokens !== undefined && size >= threshold.tokens)
  if (!due) return { head: head.flat(), old: [], recent: rest.flat() } satisfies Parts
  let kept = Math.min(keep, rest.length)
  if (threshold.tokens !== undefined) {
    // if the kept turns filled more than half of the limit, it would soon be reached again
    let room = threshold.tokens / 2
    for (let i = 0; i < kept; i++) {
      room -= sizes.at(-1 - i) ?? 0
      if (room < 0) kept = i
    }
  }
  const end = rest.length - kept
  return { head: head.flat(), old: rest.slice(0, end).flat(), recent: rest.slice(end).flat() } satisfies Parts
})

/**
 * Requests the summary in a side session. Each message is fenced, so that none can pass for another one or for the
 * task.
 */
const summaryOf = (
  thought: Thought<any>,
  provider: ProviderShape,
  entries: ReadonlyArray<Session.Entry>,
  { prompt, sampling = {}, source, sources = [], trust = "trusted" }: Compaction
) => {
  const notes = entries.map(({ role, text }, i) => ({
    key: `message ${i + 1}`,
    content: text,
    source: role,
    trust: role === "system" ? ("trusted" as const) : ("untrusted" as const)
  }))
  const text = message({ notes, task: prompt })
  const carried = new Set(entries.flatMap((entry) => entry.carries))
  const context = Chunk.toReadonlyArray(stateOf(thought).log)
    .filter(({ id }) => carried.has(id))
    .map((note) => contextNote(note, false))
  const task = {
    kind: source,
    wants: "summary" as const,
    instruction: prompt,
    ...worded(trust),
    questions: [],
    context
  }
  const request = { messages: [{ role: "user" as const, text }], task }
  return askedFrom(sources, askText(provider, request, { phase: "reason", sampling, spent: {} }, thought))
}
