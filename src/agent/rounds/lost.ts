/** What a compaction has taken out of the conversation before the model has answered it. */
import { cutTo } from "../calls/conversation.ts"
import type { Thought } from "../../thought/model.ts"
import type * as Note from "../../thought/Note.ts"
import * as Session from "../../thought/Session.ts"
import { noteOf, stateOf } from "../../thought/state.ts"

/** The message and the results of the last round, unless the conversation still has them. They are shown once more. */
export const lostIn = (before: Thought<any>, after: Thought<any>, resultTokens: number): ReadonlyArray<Note.Note> => {
  if (after.session === before.session) return []
  const entries = Session.entries(after.session).filter(({ kind }) => kind !== "summary")
  const inView = new Set(entries.flatMap(({ carries }) => carries))
  const last = Session.entries(before.session).at(-1)
  const results = last?.kind === "result" ? last.carries.map((id) => noteOf(stateOf(before), id)) : []
  return [before.note("message"), ...results].flatMap((note) =>
    note === undefined || inView.has(note.id) ? [] : [{ ...note, content: cutTo(note.content, resultTokens) }]
  )
}
