/** Changes to a conversation between messages: one that was cancelled is marked, and the last one can be taken back. */
import * as Effect from "effect/Effect"
import * as Session from "../../Session.ts"
import * as Thought from "../../Thought.ts"

const unknown = "(cancelled by the user; it is not known whether these calls were carried out)"

/** The thought with a mark that its last message was cancelled, so that the model sees both. */
export const withCancelled = (thought: Thought.Thought<any>): Thought.Thought<any> => {
  const { session } = thought
  const message = Thought.note(thought, "message")
  const isShown = message === undefined || Session.shows(session, message.id)
  // calls without results
  const isOpen = isShown && Session.entries(session).at(-1)?.role === "assistant"
  const asked = isShown
    ? []
    : [{ role: "user" as const, text: Thought.render(thought, [message]), carries: [message.id] }]
  const mark = { role: "assistant" as const, text: isOpen ? unknown : "(cancelled)" }
  return Thought.withSession(thought, Session.append(session, ...asked, mark))
}

/** A fork of the thought as it was before its last message, and that message. Undefined if it has none. */
export const beforeLast = Effect.fnUntraced(function* (thought: Thought.Thought<any>) {
  const message = Thought.history(thought, "message").at(-1)
  if (message === undefined) return undefined
  const seqs = new Map(Thought.notes(thought).map(({ id, seq }) => [id, seq]))
  const entries = Session.entries(thought.session)
  const end = entries.findIndex(({ carries, covers }) =>
    [...carries, ...covers].some((id) => (seqs.get(id) ?? 0) >= message.seq)
  )
  const kept = end === -1 ? entries : entries.slice(0, end)
  const session = Session.fromEntries(kept, { nextIndex: (entries.at(-1)?.index ?? -1) + 1 })
  const fork = yield* Thought.fork(Thought.at(thought, message.seq - 1))
  return { thought: Thought.withSession(fork, session), message: message.content }
})
