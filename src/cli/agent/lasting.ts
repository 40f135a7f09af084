/** What stays of a message that is taken back: what its calls have done. */
import * as Effect from "effect/Effect"
import { resultOf } from "../../agent/calls/conversation.ts"
import { withResults } from "../../agent/givenUp.ts"
import { mayChange } from "../../agent/model/nested.ts"
import type { Ledger } from "../../Store.ts"
import * as Thought from "../../Thought.ts"
import { type AnyAgent, toolsOf } from "./module.ts"

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
