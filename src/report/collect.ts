/** Reads what a memory has of a thought and of its runs. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as kinds from "../arguments/kinds.ts"
import { count, maybe, notEmpty } from "../arguments/forms.ts"
import { needed } from "../arguments/needed.ts"
import { taking } from "../arguments/taking.ts"
import { countUpTo } from "../memory/model/error.ts"
import { Memory, MemoryError, type Shape } from "../Memory.ts"
import { leftNow } from "../pipeline/durable/options.ts"
import { quoted } from "../text/legible.ts"
import { Messages } from "./calls.ts"
import { familyOf } from "./family.ts"
import type { RunReport } from "./model.ts"
import { recordOf, runsOf } from "./run.ts"
import { Notes, thoughtOf } from "./thought.ts"

/**
 * Options of a report.
 *
 * - `runId`: the run that the report is about. Default: the run that is named, or else the newest run on the thought
 * - `limit`: most thoughts and most runs, from 1 to 500. Default 50. The run that the report is about is always there
 *
 * @category models
 */
export interface CollectOptions {
  readonly runId?: string
  readonly limit?: number
}

/**
 * Reads what the memory has of a thought, or of a durable run and its thought: its notes, its conversation, the thoughts it was forked from and its forks, and the
 * durable runs on all of them. Returns plain data that survives JSON.
 *
 * **Details**
 *
 * `ref` is the id of a thought, `{ traceId }`, or `{ runId }` for a durable run on whatever thought it has come to. Redacted notes stay redacted. Runs that are not durable leave notes and the
 * conversation, but no times, calls or costs. Requests and answers of models are in the report if the run kept them, with
 * `durable: { keep: "answers" }`.
 *
 * It only reads. Fails with the `MemoryError` reason `NotFound` if the scope has no such thought or run,
 * and with `Query` if the limit is not a whole number from 1 to 500.
 *
 * **Example** (The runs on a thought)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Pipeline, Primitive, Thought } from "cogito"
 * import { Report } from "cogito/report"
 * import { Testing } from "cogito/testing"
 *
 * const urgent = Primitive.decide("urgent", { question: "Is it urgent?" })
 * const model = Testing.scripted([{ decision: true, confidence: 0.9, reasoning: ["It is down."] }])
 *
 * const program = Effect.gen(function*() {
 *   const start = yield* Thought.make("triage", { message: "The shop is down!" })
 *   const done = yield* Pipeline.run(urgent, start, { durable: true })
 *   const report = yield* Report.collect(done.id)
 *   assert.deepEqual(report.notes.map(({ key }) => key), ["message", "urgent"])
 *   assert.equal(report.runs[0]?.status, "completed")
 *   assert.match(Report.html(report), /^<!doctype html>/)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(model.layer, Testing.memory))))
 * ```
 *
 * @category reports
 */
export const collect = taking("Report.collect", {
  args: [kinds.reportable],
  options: 1,
  optional: true,
  known: {
    runId: maybe("The run that the report is about.", notEmpty),
    limit: maybe("Most thoughts and most runs.", count(1), 50)
  }
})(
  (
    ref: string | { readonly traceId: string } | { readonly runId: string },
    { limit = 50, runId: focus }: CollectOptions = {}
  ): Effect.Effect<RunReport, MemoryError, Memory> =>
    Effect.gen(function* () {
      const memory = yield* needed(Memory)
      yield* countUpTo("The limit of a report", 500, limit)
      const named = typeof ref === "object" && "runId" in ref ? ref.runId : undefined
      const runId = focus ?? named
      const family = yield* familyOf(memory, yield* thoughtRefOf(memory, ref), limit)
      const notes = new Notes()
      const thoughts = yield* Effect.forEach(family.members, ({ id, relation }) =>
        Effect.map(memory.ledger.history(id), (history) =>
          // removed in the meantime
          history === undefined ? [] : [thoughtOf(history, relation, notes)]
        )
      )
      const found = yield* runsOf(memory, family.members, { limit, runId })
      const messages = new Messages()
      const isLeft = yield* leftNow(memory.ledger)
      const runs = found.runs.map((run) => recordOf(run, messages, isLeft))
      const focused = runId ?? runs.find((run) => (run.endThoughtId ?? run.startThoughtId) === family.id)?.id
      return {
        format: "cogito-report/1" as const,
        collectedMillis: yield* Clock.currentTimeMillis,
        focus: { thoughtId: family.id, ...(focused === undefined ? {} : { runId: focused }) },
        thoughts: thoughts.flat(),
        notes: notes.all,
        runs,
        messages: messages.all,
        leftOut: { thoughts: family.isCut, runs: found.isCut }
      }
    })
)

/** The thought that a run has come to, or that it began with; other names as they are. */
const thoughtRefOf = Effect.fnUntraced(function* (
  { ledger }: Pick<Shape, "ledger">,
  ref: Parameters<typeof collect>[0]
): Effect.fn.Return<string | { readonly traceId: string }, MemoryError> {
  if (typeof ref === "string" || !("runId" in ref)) return ref
  const stored = yield* ledger.load(ref.runId)
  if (stored !== undefined) return (stored.run.end ?? stored.run.start).thoughtId
  return yield* new MemoryError({
    reason: { _tag: "NotFound", message: `There is no run ${quoted(ref.runId)} in this scope.` }
  })
})
