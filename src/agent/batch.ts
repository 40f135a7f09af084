/** The calls of one reply: judged, approved where somebody must be asked, carried out beside each other, and noted in order. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import type { ToolCall } from "../Provider.ts"
import { type Approval, approval } from "../primitive/approve.ts"
import { isWaiting, suspended } from "../run/failure.ts"
import { foreign, recorded } from "../run/run.ts"
import { write } from "../run/write.ts"
import { quoted } from "../text/quotation.ts"
import type { Thought } from "../thought/model.ts"
import * as Note from "../thought/Note.ts"
import type { Source } from "../thought/origin.ts"
import { noteList } from "../thought/render.ts"
import * as Session from "../thought/Session.ts"
import { withSession } from "../thought/Thought.ts"
import { cutTo, resultMetadata, toolSource } from "./conversation.ts"
import { part } from "./part.ts"
import { approvalKey, keyOf, type Policy, type Settings, type Work, type Working } from "./settings.ts"
import { carriedOut, decodedBy, failed, type Outcome, readable, type Readable } from "./toolCall.ts"
import { answerTool } from "./tools.ts"
import { type Verdict, verdictOf } from "./verdict.ts"

/** What is to be carried out, and how. */
interface Batch extends Settings {
  readonly calls: ReadonlyArray<ToolCall>
  /** Whether the model has seen the result of a tool. */
  readonly isTainted: boolean
  /** What is wrong with a call of the tool for the answer. */
  readonly refused: string
  readonly from: ReadonlyArray<Source>
}

/** A call after it was judged. */
type Judged =
  | { readonly _tag: "Run"; readonly name: string; readonly readable: Readable }
  | { readonly _tag: "Ask"; readonly name: string; readonly readable: Readable }
  | { readonly _tag: "Over"; readonly outcome: Outcome }

const over = (outcome: Outcome): Judged => ({ _tag: "Over", outcome })

/** Carries the calls out, and adds one entry with their results. */
export const carryOut = Effect.fnUntraced(function* (
  handlers: Toolkit.WithHandler<Record<string, Tool.Any>>,
  batch: Batch,
  given: Thought<any>
): Working<{ readonly thought: Thought<any>; readonly outcomes: ReadonlyArray<Outcome> }> {
  const { calls, limits } = batch
  const judged: Array<Judged> = []
  const times = new Map<string, number>()
  for (const call of calls) {
    const nth = (times.get(call.name) ?? 0) + 1
    times.set(call.name, nth)
    judged.push(yield* judge(batch, given, call, nth === 1 ? call.name : `${call.name}#${nth}`))
  }
  const run = ({ name, readable: one }: { readonly name: string; readonly readable: Readable }) =>
    part(name, given, carriedOut(handlers, one))
  const first = yield* Effect.forEach(
    judged,
    (one) => (one._tag === "Run" ? run(one) : Effect.succeed(one._tag === "Over" ? one.outcome : undefined)),
    { concurrency: limits.parallel }
  )
  const approvals = yield* approved(batch, given, judged)
  const outcomes = yield* Effect.forEach(
    judged,
    (one, i): Work<Outcome> => {
      const approval = approvals[i]
      if (one._tag !== "Ask" || approval === undefined)
        return Effect.succeed(first[i] ?? failed("It was not carried out."))
      return approval.approved ? run(one) : Effect.succeed(failed(refusalOf(approval)))
    },
    { concurrency: limits.parallel }
  )
  return { thought: yield* noted(batch, given, outcomes, approvals), outcomes }
})

const refusalOf = ({ late, reason }: Approval): string =>
  late === true ? "Nobody has approved it in time." : `Not approved${reason === undefined ? "." : `: ${reason}`}`

const judge = Effect.fnUntraced(function* (
  { isTainted, policy, refused, toolkit }: Batch,
  thought: Thought<any>,
  call: ToolCall,
  name: string
): Working<Judged> {
  if (call.name === answerTool && refused !== "") return over(failed(refused))
  const one = readable(toolkit.tools, call)
  if ("isFailure" in one) return over(one)
  const verdict = yield* part(`policy ${name}`, thought, decided(policy, one, thought, isTainted))
  if (verdict === "allow") return { _tag: "Run", name, readable: one }
  if (verdict === "ask") return { _tag: "Ask", name, readable: one }
  return over(failed(`Refused: ${verdict.deny}`))
})

/** The verdict, which is decided once. Parameters that do not fit are not judged: the handler never sees them. */
const decided = (
  policy: Policy | undefined,
  { call, json, tool }: Readable,
  thought: Thought<any>,
  isTainted: boolean
): Work<Verdict> =>
  recorded<Verdict, any, any>(
    () => ({ kind: "decision" }),
    foreign(
      Effect.gen(function* () {
        const params = yield* decodedBy(tool, json)
        if (Option.isNone(params)) return "allow"
        const { id, name } = call
        if (policy === undefined) return yield* verdictOf(tool, { id, params: params.value }, isTainted)
        const verdict = policy({ id, name, params: params.value }, thought)
        return Effect.isEffect(verdict) ? yield* verdict : verdict
      })
    )
  )

/** Asks for the approvals, all of them at once. */
const approved = Effect.fnUntraced(function* (
  { approval: { timeout }, name: agent }: Batch,
  thought: Thought<any>,
  judged: ReadonlyArray<Judged>
) {
  const limitMillis = timeout === undefined ? undefined : Duration.toMillis(timeout)
  const approvals: Array<Approval | undefined> = []
  let waits = false
  for (const [i, one] of judged.entries()) {
    if (one._tag !== "Ask") continue
    const { call, json } = one.readable
    // as it is read, since a key that is written twice counts once
    const prompt = `May the agent ${quoted(agent)} call ${call.name} with ${quoted(JSON.stringify(json))}?`
    const exit = yield* Effect.exit(
      part(`approval ${one.name}`, thought, approval(approvalKey(agent), prompt, limitMillis))
    )
    if (Exit.isSuccess(exit)) approvals[i] = exit.value
    else if (isWaiting(exit.cause)) waits = true
    else return yield* Effect.failCause(exit.cause)
  }
  return waits ? yield* suspended : approvals
})

/** Writes a note for each result, and one entry that carries all of them. */
const noted = Effect.fnUntraced(function* (
  batch: Batch,
  given: Thought<any>,
  outcomes: ReadonlyArray<Outcome>,
  approvals: ReadonlyArray<Approval | undefined>
) {
  const { calls, from, limits } = batch
  let thought = given
  const notes: Array<Note.Note> = []
  for (const [i, call] of calls.entries()) {
    const outcome = outcomes[i] ?? failed("")
    const { isFailure, text } = outcome
    const handle = Note.handle(keyOf(batch, call), Schema.String)
    const approval = approvals[i]
    const metadata = {
      ...resultMetadata({ id: call.id, name: call.name, isFailure }),
      ...(approval === undefined ? {} : { approval: JSON.stringify(approval) })
    }
    const written = yield* write(thought, toolSource, handle, text, { from, trust: "untrusted", metadata })
    thought = written.thought
    notes.push(written.note)
  }
  const shown = notes.map((note) => ({ ...note, content: cutTo(note.content, limits.resultTokens) }))
  const entry = {
    kind: "result" as const,
    role: "user" as const,
    text: noteList(shown),
    carries: notes.map(({ id }) => id)
  }
  return withSession(thought, Session.append(thought.session, entry))
})
