/** What the last calls of a run have given that is given up: the conversation shows it, so that nothing is done twice. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { framesAround, isIn } from "../pipeline/durable/frame.ts"
import { changed, Run } from "../run/run.ts"
import { write } from "../run/write.ts"
import type { Ledger } from "../Store.ts"
import type { Thought } from "../thought/model.ts"
import * as Note from "../thought/Note.ts"
import * as Session from "../thought/Session.ts"
import { withSession } from "../thought/Thought.ts"
import { calledIn, changedTo, decisionIn, refusalOf } from "./calls/approvals.ts"
import { callOf, notesOf, resultMetadata, shownResults, toolSource } from "./calls/conversation.ts"
import { partNames } from "./calls/part.ts"
import { failed, type Outcome, Recorded } from "./calls/toolCall.ts"

const unknown = failed(
  "It is not known whether this was carried out: it was cancelled. Find out before you call the tool again."
)

const notBegun = failed("It was not carried out: the run was cancelled before.")

const notApproved = failed("It was not carried out: nobody has approved it.")

const recorded = Schema.decodeUnknownOption(Schema.fromJsonString(Recorded))

/** The frames of the steps that have stored the thought, as opposed to one of a tool, whose calls may have the same ids. */
const framesOf = ({ steps }: Ledger.StoredRun, thoughtId: string): ReadonlySet<string | undefined> =>
  new Set(steps.filter(({ position }) => position?.thoughtId === thoughtId).map(({ frame }) => framesAround(frame)[0]))

/** The outcomes that are recorded of the thought's calls, by their ids. */
const outcomesOf = (stored: Ledger.StoredRun, thoughtId: string): ReadonlyMap<string, Outcome> => {
  const { calls, waits } = stored
  const outcomes = new Map<string, Outcome>()
  const changes = new Map<string, unknown>()
  for (const wait of waits) {
    const called = calledIn(wait.schema)
    if (called === undefined || called.thoughtId !== thoughtId) continue
    const { id } = called
    // after an answer that does not fit it is asked again: the last one counts
    outcomes.delete(id)
    changes.delete(id)
    const approval = decisionIn(wait)
    if (wait.answer === undefined) outcomes.set(id, notApproved)
    else if (approval?.approved === false) outcomes.set(id, failed(refusalOf(approval)))
    else if (approval?.params !== undefined) changes.set(id, approval.params)
  }
  const frames = framesOf(stored, thoughtId)
  for (const { frame, kind, response, state } of calls) {
    if (kind !== "effect" || state !== "answered" || response === undefined) continue
    if (!frames.has(framesAround(frame)[1])) continue
    const outcome = Option.getOrUndefined(recorded(response))
    if (outcome === undefined) continue
    const { call, text } = outcome
    outcomes.set(call, changes.has(call) ? { ...outcome, text: changedTo(changes.get(call)) + text } : outcome)
  }
  return outcomes
}

/** Whether a call may have begun: the ledger knows of one that changes something before it is carried out. */
const mayHaveBegun = ({ calls }: Ledger.StoredRun, id: string, name: string): boolean => {
  const isOther = ({ response, state }: Ledger.CallRow) =>
    state === "answered" && Option.exists(recorded(response), ({ call }) => call !== id)
  return calls.some((row) => row.kind !== "decision" && isIn(row.frame, name) && !isOther(row))
}

/** The thought with a result of each call that it ends with. Unchanged if it ends with none. */
export const withResults = Effect.fnUntraced(function* (
  given: Thought<any>,
  stored: Ledger.StoredRun
): Effect.fn.Return<Thought<any>> {
  const last = Session.entries(given.session).at(-1)
  const called = (last?.role === "assistant" ? notesOf(given, last) : []).flatMap((note) => {
    const call = callOf(note)
    return call === undefined ? [] : [{ note, call }]
  })
  const names = partNames(called.map(({ call }) => call))
  const outcomes = outcomesOf(stored, given.id)
  const notes: Array<Note.Note> = []
  let thought = given
  for (const [i, { call, note }] of called.entries()) {
    const otherwise = mayHaveBegun(stored, call.id, names[i] ?? call.name) ? unknown : notBegun
    const { from = [], isFailure, text } = outcomes.get(call.id) ?? otherwise
    const writing = write(thought, toolSource, Note.handle(note.key, Schema.String), text, {
      from: [note, ...from],
      trust: "untrusted",
      metadata: resultMetadata({ ...call, isFailure })
    })
    const run = yield* Run
    const written = yield* Effect.provideService(writing, Run, changed(run, { path: [note.step] }))
    thought = written.thought
    notes.push(written.note)
  }
  if (notes.length === 0) return given
  const carries = notes.map(({ id }) => id)
  return withSession(
    thought,
    Session.append(thought.session, { kind: "result", role: "user", text: shownResults(notes), carries })
  )
})
