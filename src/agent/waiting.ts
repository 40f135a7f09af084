import * as Effect from "effect/Effect"
import { maybe, notEmpty } from "../arguments/forms.ts"
import { needed } from "../arguments/needed.ts"
import { taking } from "../arguments/taking.ts"
import * as Memory from "../Memory.ts"
import * as Pipeline from "../Pipeline.ts"
import { loaded } from "../pipeline/durable/earlier.ts"
import { quoted } from "../text/legible.ts"
import type { Thought } from "../thought/model.ts"
import { calledIn } from "./calls/approvals.ts"
import { noteOfCall, paramsOfCall } from "./calls/conversation.ts"

/**
 * A call that waits for an approval.
 *
 * **Details**
 *
 * - `runId`, `thoughtId`: the run that waits, and its thought
 * - `callId`, `name`, `params`: the call. `params` is JSON; undefined if a redaction has removed it, or if the call is not stored yet,
 *   as inside `retry`, `recover`, `fallback`, `enrich` and `concurrent`: then the `prompt` names them
 * - `prompt`: the question as a person reads it
 * - `schema`: the JSON Schema of an answer, whose `params` are those of the tool
 * - `frame`: what `Pipeline.answer` takes
 * - `createdMillis`, `dueMillis`: when it was asked, and when the run goes on without an answer, in milliseconds since 1970
 *
 * @category models
 */
export interface Pending {
  readonly runId: string
  readonly thoughtId: string
  readonly callId: string
  readonly name: string
  readonly params: unknown
  readonly prompt: string
  readonly schema: unknown
  readonly frame: string
  readonly createdMillis: number
  readonly dueMillis: number | undefined
}

const most = 10_000

/** The place of a call that is not stored, or that a redaction has removed: its question has to be asked again first. */
const lastSeq = Number.MAX_SAFE_INTEGER

/**
 * The calls of agents that wait for an approval, the oldest first. Calls that a model has made at once are in its order.
 *
 * **Details**
 *
 * `runId` and `thoughtId` list those of one run or thought. `Pipeline.waiting` lists all questions, also those of other steps.
 *
 * See `Agent.approve` for an example.
 *
 * @category approvals
 */
export const waiting = taking("Agent.waiting", {
  options: 0,
  optional: true,
  known: {
    runId: maybe("Only those of this run.", notEmpty),
    thoughtId: maybe("Only those of this thought.", notEmpty)
  }
})(
  ({ runId, thoughtId }: { readonly runId?: string; readonly thoughtId?: string } = {}): Effect.Effect<
    ReadonlyArray<Pending>,
    Memory.MemoryError,
    Memory.Memory
  > =>
    Effect.gen(function* () {
      const waits = yield* Pipeline.waiting({ limit: most, ...(runId === undefined ? {} : { runId }) })
      const thoughts = new Map<string, Thought<any> | undefined>()
      const pending: Array<Pending> = []
      const places = new Map<Pending, readonly [thought: number, seq: number]>()
      for (const wait of waits) {
        const of = calledIn(wait.schema)
        if (of === undefined || (thoughtId !== undefined && wait.thoughtId !== thoughtId)) continue
        if (!thoughts.has(of.thoughtId)) thoughts.set(of.thoughtId, yield* storedThought(of.thoughtId))
        const thought = thoughts.get(of.thoughtId)
        const { id: callId, name } = of
        const { createdMillis, dueMillis, frame, prompt, schema } = wait
        const call = { callId, name, params: thought && paramsOfCall(thought, callId), prompt, schema }
        const one = { runId: wait.runId, thoughtId: wait.thoughtId, ...call, frame, createdMillis, dueMillis }
        pending.push(one)
        const seq = (thought && noteOfCall(thought, callId)?.seq) ?? lastSeq
        places.set(one, [[...thoughts.keys()].indexOf(of.thoughtId), seq])
      }
      // a model may make several calls at once: they keep its order
      const place = (one: Pending) => places.get(one) ?? [0, 0]
      return pending.toSorted((a, b) => {
        const [[thoughtA, seqA], [thoughtB, seqB]] = [place(a), place(b)]
        return a.createdMillis - b.createdMillis || thoughtA - thoughtB || seqA - seqB
      })
    })
)

/** A thought. Undefined if it is not stored: one within a step that may still be discarded is stored when the step has ended. */
const storedThought = (id: string): Effect.Effect<Thought<any> | undefined, Memory.MemoryError, Memory.Memory> =>
  Effect.catchIf(
    Memory.load(id),
    ({ reason }) => reason._tag === "NotFound",
    () => Effect.undefined
  )

/**
 * The frame of the question about a call. Undefined if the run has not asked. Fails if questions about several calls with this id were
 * open at a time, as agents that are tools have ids of their own: an answer that is given twice must not be that of another call.
 */
export const frameOf = (
  runId: string,
  callId: string
): Effect.Effect<string | undefined, Memory.MemoryError, Memory.Memory> =>
  Effect.gen(function* () {
    const open = (yield* waiting({ runId })).filter((one) => one.callId === callId)
    const { ledger } = yield* needed(Memory.Memory)
    const { waits } = yield* loaded(ledger, runId)
    const asked = waits.filter(({ schema }) => calledIn(schema)?.id === callId)
    const [first] = open
    if (first === undefined) return asked.at(-1)?.frame
    const answered = asked.filter(({ answeredMillis = 0 }) => answeredMillis > first.createdMillis)
    // a question that is asked again has the frame of its call and `^` for each time
    const calls = new Set([...open, ...answered].map(({ frame }) => frame.replace(/\^+$/, "")))
    if (calls.size === 1) return first.frame
    const message =
      `The run ${quoted(runId)} has asked about several calls with the id ${quoted(callId)}. ` +
      `Give the frame of the one that is meant in place of the id: ${open.map(({ frame }) => quoted(frame)).join(" or ")}.`
    return yield* new Memory.MemoryError({ reason: { _tag: "NotFound", message } })
  })
