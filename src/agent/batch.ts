/** The calls of one reply: judged, approved where somebody must be asked, carried out beside each other, and noted in order. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Tool from "effect/ai/Tool"
import type * as Toolkit from "effect/ai/Toolkit"
import type { ToolCall } from "../Provider.ts"
import { approve } from "../primitive/approve.ts"
import { foreign, recorded } from "../run/run.ts"
import { write } from "../run/write.ts"
import { TypeId } from "../step/runtime/model.ts"
import { quoted } from "../text/quotation.ts"
import type { Thought } from "../thought/model.ts"
import * as Note from "../thought/Note.ts"
import type { Source } from "../thought/origin.ts"
import { noteList } from "../thought/render.ts"
import * as Session from "../thought/Session.ts"
import { withSession } from "../thought/Thought.ts"
import { cutTo, resultMetadata } from "./conversation.ts"
import { part } from "./part.ts"
import { approvalKey, keyOf, type Policy, type Settings } from "./settings.ts"
import { carriedOut, failed, type Outcome, readable, type Readable } from "./toolCall.ts"
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
): Effect.fn.Return<{ readonly thought: Thought<any>; readonly outcomes: ReadonlyArray<Outcome> }, any, any> {
  const { calls, limits } = batch
  let thought = given
  const judged: Array<Judged> = []
  const times = new Map<string, number>()
  for (const call of calls) {
    const nth = (times.get(call.name) ?? 0) + 1
    times.set(call.name, nth)
    judged.push(yield* judge(batch, thought, call, nth === 1 ? call.name : `${call.name}#${nth}`))
  }
  const run = ({ name: own, readable: one }: { readonly name: string; readonly readable: Readable }) =>
    part(own, given, carriedOut(handlers, one))
  const outcomes: Array<Outcome | undefined> = yield* Effect.forEach(
    judged,
    (one) => (one._tag === "Run" ? run(one) : Effect.succeed(one._tag === "Over" ? one.outcome : undefined)),
    { concurrency: limits.parallel }
  )
  const approvals: Array<string> = []
  for (const [i, one] of judged.entries()) {
    if (one._tag !== "Ask") continue
    const answered = yield* approved(batch, thought, one.readable)
    thought = answered.thought
    approvals.push(answered.id)
    outcomes[i] = answered.refusal === undefined ? yield* run(one) : failed(answered.refusal)
  }
  // every call has come to an outcome
  const all = outcomes.map((outcome) => outcome ?? failed("It was not carried out."))
  return { thought: yield* noted(batch, thought, all, approvals), outcomes: all }
})

const judge = Effect.fnUntraced(function* (
  { isTainted, policy, refused, toolkit }: Batch,
  thought: Thought<any>,
  call: ToolCall,
  name: string
): Effect.fn.Return<Judged, any, any> {
  if (call.name === answerTool && refused !== "") return over(failed(refused))
  const one = readable(toolkit.tools, call)
  if ("isFailure" in one) return over(one)
  const verdict: Verdict =
    policy === undefined
      ? verdictOf(one.tool, isTainted)
      : yield* part(`policy ${name}`, thought, decided(policy, one, thought))
  if (verdict === "allow") return { _tag: "Run", name, readable: one }
  if (verdict === "ask") return { _tag: "Ask", name, readable: one }
  return over(failed(`Refused: ${verdict.deny}`))
})

/** The verdict of a policy, which is decided once. Parameters that do not fit are not judged: the handler never sees them. */
const decided = (
  policy: Policy,
  { call, json, tool }: Readable,
  thought: Thought<any>
): Effect.Effect<Verdict, any, any> =>
  recorded<Verdict, any, any>(
    () => ({ kind: "decision" }),
    foreign(
      Effect.suspend(() => {
        const params = decodedBy(tool, json)
        if (Option.isNone(params)) return Effect.succeed<Verdict>("allow")
        const verdict = policy({ id: call.id, name: call.name, params: params.value }, thought)
        return Effect.isEffect(verdict) ? verdict : Effect.succeed(verdict)
      })
    )
  )

const decodedBy = ({ parametersSchema }: Tool.Any, json: unknown): Option.Option<unknown> =>
  Schema.isSchema(parametersSchema)
    ? // a schema whose services are those of the handler is judged by its JSON
      Option.orElse(Schema.decodeUnknownOption(parametersSchema as Schema.Codec<unknown>)(json), () => Option.none())
    : Option.some(json)

/** Asks somebody. The answer is a note of its own, bound to the tool and its parameters. */
const approved = Effect.fnUntraced(function* (
  { approval, name }: Batch,
  thought: Thought<any>,
  { call }: Readable
): Effect.fn.Return<
  { readonly thought: Thought<any>; readonly id: string; readonly refusal: string | undefined },
  any,
  any
> {
  const key = approvalKey(name)
  const prompt = `May the agent ${quoted(name)} call ${call.name} with ${quoted(call.params)}?`
  const step = approve(key, { prompt, ...approval })
  const after: Thought<any> = yield* step[TypeId].run(thought)
  const { approved: isApproved, late, reason } = yield* Note.read(after, step)
  const refusal =
    late === true ? "Nobody has approved it in time." : `Not approved${reason === undefined ? "." : `: ${reason}`}`
  return { thought: after, id: after.note(key)?.id ?? "", refusal: isApproved ? undefined : refusal }
})

/** Writes a note for each result, and one entry that carries all of them. */
const noted = Effect.fnUntraced(function* (
  batch: Batch,
  given: Thought<any>,
  outcomes: ReadonlyArray<Outcome>,
  approvals: ReadonlyArray<string>
) {
  const { calls, from, limits } = batch
  let thought = given
  const notes: Array<Note.Note> = []
  for (const [i, call] of calls.entries()) {
    const outcome = outcomes[i] ?? failed("")
    const { isFailure, text } = outcome
    const handle = Note.handle(keyOf(batch, call), Schema.String)
    const metadata = resultMetadata({ id: call.id, name: call.name, isFailure })
    const written = yield* write(thought, "tool", handle, text, { from, trust: "untrusted", metadata })
    thought = written.thought
    notes.push(written.note)
  }
  const shown = notes.map((note) => ({ ...note, content: cutTo(note.content, limits.resultTokens) }))
  const entry = {
    kind: "result" as const,
    role: "user" as const,
    text: noteList(shown),
    carries: [...notes.map(({ id }) => id), ...approvals]
  }
  return withSession(thought, Session.append(thought.session, entry))
})
