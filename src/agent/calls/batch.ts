/** The calls of one reply: judged, approved where somebody must be asked, carried out beside each other, and noted in order. */
import * as Effect from "effect/Effect"
import type { ToolCall } from "../../Provider.ts"
import { isWaiting, suspended } from "../../run/failure.ts"
import { foreign, recorded, Run } from "../../run/run.ts"
import { writeAll } from "../../run/write.ts"
import type { Thought } from "../../thought/model.ts"
import type { Source } from "../../thought/origin.ts"
import { noteList } from "../../thought/render.ts"
import * as Session from "../../thought/Session.ts"
import { toolMeta } from "../../thought/toolMeta.ts"
import { withSession } from "../../thought/Thought.ts"
import { type Approved, approvals, changedTo, refusalOf } from "./approvals.ts"
import { cutTo, noteOfCall, resultMetadata, toolSource } from "./conversation.ts"
import { Listening, tell } from "../model/events.ts"
import { part, partNames } from "./part.ts"
import { handleOf } from "../model/keys.ts"
import type { Settings, Work, Working } from "../model/settings.ts"
import { promptOf } from "./prompt.ts"
import { carriedOut } from "./carriedOut.ts"
import { failed, fitting, type Outcome, readable, type Readable } from "./toolCall.ts"
import { resultOf } from "./toolJson.ts"
import { answerTool } from "../model/tools.ts"
import { checkedVerdict, judgesItself, type Verdict, verdictOf } from "../model/verdict.ts"

/** What is to be carried out, and how. */
interface Batch extends Settings {
  readonly calls: ReadonlyArray<ToolCall>
  /** The tools that may be called. */
  readonly names: ReadonlyArray<string>
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

/** Carries the calls out, and adds one entry with their results. */
export const carryOut = Effect.fnUntraced(function* (
  batch: Batch,
  given: Thought<any>
): Working<{ readonly thought: Thought<any>; readonly outcomes: ReadonlyArray<Outcome> }> {
  const { calls, limits } = batch
  const judged: Array<Judged> = []
  const names = partNames(calls)
  for (const [i, call] of calls.entries()) judged.push(yield* judge(batch, given, call, names[i] ?? call.name))
  const first = yield* all(
    judged.map((one): Work<Outcome | undefined> => {
      if (one._tag === "Over") return Effect.succeed(one.outcome)
      return one._tag === "Run" ? running(given, one.name, one.readable) : Effect.undefined
    }),
    limits.parallel
  )
  const decided = yield* approvals(
    batch,
    given,
    judged.map((one) => (one._tag === "Ask" ? one : undefined))
  )
  const outcomes =
    decided.length === 0
      ? first
      : yield* all(
          judged.map((one, i): Work<Outcome | undefined> => {
            const approved = decided[i]
            return one._tag !== "Ask" || approved === undefined
              ? Effect.succeed(first[i])
              : answered(batch, given, one, approved)
          }),
          limits.parallel
        )
  const done = outcomes.filter((outcome) => outcome !== undefined)
  if (done.length < outcomes.length) return yield* suspended
  return { thought: yield* noted(batch, given, done, decided), outcomes: done }
})

/** Carries all of them out, also if a step within one waits for an answer: its outcome is undefined. */
const all = (
  ones: ReadonlyArray<Work<Outcome | undefined>>,
  concurrency: number
): Work<ReadonlyArray<Outcome | undefined>> =>
  Effect.forEach(ones, (one) => Effect.catchCauseIf(one, isWaiting, () => Effect.undefined), {
    // one alone needs no fiber of its own
    concurrency: ones.length === 1 ? 1 : concurrency
  })

/** Carries out one call. */
const running = (thought: Thought<any>, name: string, one: Readable): Work<Outcome> => {
  const { id, name: tool } = one.call
  const outcome = part(name, thought, carriedOut(one))
  return Effect.withFiber((fiber) => {
    const listener = fiber.getRef(Listening)
    if (listener === undefined) return outcome
    return Effect.tap(outcome, ({ isFailure, text }) =>
      isFailure
        ? listener.tell({ _tag: "Failed", id, name: tool, failure: text })
        : Effect.flatMap(resultOf(one.tool, text), (result) =>
            listener.tell({ _tag: "Returned", id, name: tool, result })
          )
    )
  })
}

const denied = ({ call: { id, name }, params }: Readable, reason: string): Effect.Effect<Outcome> =>
  Effect.as(tell({ _tag: "Denied", id, name, params, reason }), failed(reason))

const over = (call: ToolCall, outcome: Outcome): Effect.Effect<Judged> =>
  Effect.as(tell({ _tag: "Failed", id: call.id, name: call.name, failure: outcome.text }), { _tag: "Over", outcome })

const judge = (batch: Batch, thought: Thought<any>, call: ToolCall, name: string): Work<Judged> => {
  const { names, refused } = batch
  if (call.name === answerTool && refused !== "") return over(call, failed(refused))
  return Effect.flatMap(readable(batch, names, call), (one): Work<Judged> => {
    if ("isFailure" in one) return over(call, one)
    return Effect.flatMap(
      Effect.andThen(
        tell({ _tag: "Called", id: call.id, name: call.name, params: one.params }),
        judged(batch, thought, one, name)
      ),
      (verdict): Work<Judged> => {
        if (verdict === "allow") return Effect.succeed({ _tag: "Run", name, readable: one })
        if (verdict === "ask") return Effect.succeed({ _tag: "Ask", name, readable: one })
        return Effect.map(denied(one, `Refused: ${verdict.deny}`), (outcome) => ({ _tag: "Over", outcome }))
      }
    )
  })
}

/** The verdict on a call. One that follows from the tool has no place in a run without a ledger, which looks for nothing there. */
const judged = (batch: Batch, thought: Thought<any>, one: Readable, name: string): Work<Verdict> =>
  Effect.withFiber((fiber) => {
    const verdict = decided(batch, one, thought)
    return followsFromTool(batch, one) && fiber.getRef(Run).journal === undefined
      ? verdict
      : part(`policy ${name}`, thought, verdict)
  })

/** Whether a verdict follows from the annotations of the tool, so that no code of the caller judges. */
const followsFromTool = ({ policy }: Pick<Batch, "policy">, { tool }: Readable): boolean =>
  policy === undefined && !judgesItself(tool)

/** A verdict in the ledger, apart from the usual one, which follows from the tool and the conversation each time. */
const exceptional = {
  encode: (verdict: Verdict): unknown => (verdict === "allow" ? undefined : verdict),
  // the ledger has what `encode` gave
  decode: (json: unknown): Verdict => json as Verdict
}

/** The verdict, which is decided once if it is more than that of the annotations of a tool. */
const decided = (batch: Pick<Batch, "isTainted" | "policy">, one: Readable, thought: Thought<any>): Work<Verdict> => {
  const { isTainted, policy } = batch
  const { call, params, tool } = one
  return recorded<Verdict, any, any>(
    () => ({ kind: "decision", ...(followsFromTool(batch, one) ? { value: exceptional } : {}) }),
    foreign(
      Effect.suspend(() => {
        const { id, name } = call
        if (policy === undefined) return verdictOf(tool, { id, params }, () => promptOf(thought), isTainted)
        const verdict = policy({ id, name, params }, thought)
        return Effect.map(Effect.isEffect(verdict) ? verdict : Effect.succeed(verdict), checkedVerdict(name))
      })
    )
  )
}

/** Does what a person has decided. Other parameters are judged anew: whoever has chosen them need not be asked again. */
const answered = Effect.fnUntraced(function* (
  batch: Batch,
  thought: Thought<any>,
  { name, readable: asked }: { readonly name: string; readonly readable: Readable },
  approval: Approved
): Working<Outcome> {
  const { approved, params } = approval
  if (!approved) return yield* denied(asked, refusalOf(approval))
  if (params === undefined) return yield* running(thought, name, asked)
  const changed = yield* fitting(asked.tool, asked.call, params)
  if ("isFailure" in changed) {
    yield* tell({ _tag: "Failed", id: asked.call.id, name: asked.call.name, failure: changed.text })
    return changed
  }
  yield* tell({ _tag: "Called", id: changed.call.id, name: changed.call.name, params: changed.params })
  const verdict = yield* part(`policy ${name}`, thought, decided(batch, changed, thought))
  if (typeof verdict === "object") return yield* denied(changed, `Refused: ${verdict.deny}`)
  const outcome = yield* running(thought, name, changed)
  return { ...outcome, text: changedTo(params) + outcome.text }
})

/** Writes a note for each result, and one entry that carries all of them. */
const noted = (
  batch: Batch,
  given: Thought<any>,
  outcomes: ReadonlyArray<Outcome>,
  approvals: ReadonlyArray<Approved | undefined>
): Effect.Effect<Thought<any>> => {
  const { calls, from, limits } = batch
  const writing = writeAll(
    given,
    toolSource,
    calls.map((call, i) => {
      const { from: got = [], isFailure, text } = outcomes[i] ?? failed("")
      const approval = approvals[i]
      const metadata = {
        ...resultMetadata({ id: call.id, name: call.name, isFailure }),
        ...(approval === undefined ? {} : { [toolMeta.approval]: JSON.stringify(approval) })
      }
      const called = noteOfCall(given, call.id)
      // a call is derived from all that the model has seen
      const sources = called === undefined ? from : [called]
      return { handle: handleOf(batch, call), value: text, from: [...sources, ...got], trust: "untrusted", metadata }
    })
  )
  return Effect.map(writing, ({ notes, thought }) => {
    const shown = notes.map(({ content, key, source, trust }) => ({
      key,
      source,
      trust,
      content: cutTo(content, limits.resultTokens)
    }))
    const entry = {
      kind: "result" as const,
      role: "user" as const,
      text: noteList(shown),
      carries: notes.map(({ id }) => id)
    }
    return withSession(thought, Session.append(thought.session, entry))
  })
}
