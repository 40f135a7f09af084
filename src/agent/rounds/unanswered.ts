/** Messages before the last one that no model has seen: the run of each failed before its first reply was stored. */
import * as Chunk from "effect/Chunk"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Thought } from "../../thought/model.ts"
import type { Note } from "../../thought/Note.ts"
import { message } from "../../thought/render.ts"
import type { Draft } from "../../thought/Entry.ts"
import * as Session from "../../thought/Session.ts"
import { isHidden, stateOf } from "../../thought/state.ts"
import { withSession } from "../../thought/Thought.ts"
import { toolMeta } from "../../thought/toolMeta.ts"
import { meta } from "../model/Document.ts"
import { task } from "./round.ts"

/** What the conversation shows in place of an answer. */
const mark = "(no answer)"

const messageKey = "message"

/** Whether a model that was shown all before the note has written it. A triage may have been the last that was asked. */
const isReply = ({ metadata, source }: Note): boolean =>
  source !== "triage" && (metadata["model"] !== undefined || metadata[toolMeta.call] !== undefined)

const readJudgement = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ safe: Schema.Boolean })))

/** Whether the note judges the message before it as one that nothing may act on. */
const isRefusal = ({ content, source }: Note): boolean =>
  source === "triage" && Option.exists(readJudgement(content), ({ safe }) => !safe)

/** Whether it is the same message of the same person. */
const isSame = (a: Note, b: Note): boolean => a.content === b.content && a.metadata[meta.user] === b.metadata[meta.user]

/**
 * Such messages, the oldest first. One that was refused is left out: a conversation that was emptied does not show its refusal. One that
 * was said again after it had failed counts once. Without the key of answers, any note of a step may be one.
 */
const unanswered = (thought: Thought<any>, answerKey: string | undefined): ReadonlyArray<Note> => {
  const state = stateOf(thought)
  const { log, session } = state
  const found: Array<Note> = []
  const isAnswer = ({ key, source, step }: Note): boolean =>
    answerKey === undefined ? step !== "" && source !== "triage" : key === answerKey
  let later: Note | undefined
  let isRefused = false
  for (let i = Chunk.size(log) - 1; i >= 0; i--) {
    const note = Chunk.getUnsafe(log, i)
    // what stands behind the last message is no answer to an earlier one
    if (Session.shows(session, note.id) || isReply(note) || (later !== undefined && isAnswer(note))) break
    isRefused ||= isRefusal(note)
    if (note.key !== messageKey || isHidden(state, note)) continue
    if (later !== undefined && !isSame(note, later) && !isRefused) found.unshift(note)
    later = note
    isRefused = false
  }
  return found
}

/** The thought with a conversation that has these messages. A note under `answerKey` answers those before it: code may write it. */
export const withUnanswered = <N>(thought: Thought<N>, answerKey?: string): Thought<N> => {
  const entries = unanswered(thought, answerKey).flatMap((note): ReadonlyArray<Draft> => [
    { role: "user", text: message({ task, notes: [note] }), carries: [note.id] },
    // it goes with the message, as in a redaction
    { role: "assistant", text: mark, carries: [note.id] }
  ])
  return entries.length === 0 ? thought : withSession(thought, Session.append(thought.session, ...entries))
}
