/** A conversation whose last message is taken back, and what stays of it. */
import * as Effect from "effect/Effect"
import { resultOf } from "../../agent/calls/conversation.ts"
import { withResults } from "../../agent/calls/givenUp.ts"
import { mayChange } from "../../agent/model/nested.ts"
import * as Session from "../../Session.ts"
import type { Ledger } from "../../Store.ts"
import * as Thought from "../../Thought.ts"
import { type AnyAgent, toolsOf } from "./module.ts"

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

/** The names of the calls after the last message that were carried out, without those of tools that only read. */
export const doneSinceLast = Effect.fnUntraced(function* (
  agent: AnyAgent,
  given: Thought.Thought<any>,
  stored: Ledger.StoredRun | undefined
): Effect.fn.Return<ReadonlyArray<string>> {
  const thought = stored === undefined ? given : yield* withResults(given, stored)
  const since = Thought.history(thought, "message").at(-1)?.seq ?? 0
  const isReader = (name: string) => toolsOf(agent).some((tool) => tool.name === name && !mayChange(tool))
  return Thought.notes(thought).flatMap((note) => {
    const result = note.seq > since ? resultOf(note) : undefined
    return result === undefined || result.isFailure || isReader(result.name) ? [] : [result.name]
  })
})
