import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as kinds from "../arguments/kinds.ts"
import { maybe, notEmpty, others } from "../arguments/forms.ts"
import { needed } from "../arguments/needed.ts"
import { meantBy } from "../arguments/slips.ts"
import { taking } from "../arguments/taking.ts"
import { positionOf } from "../memory/asOf.ts"
import { Memory } from "../memory/Memory.ts"
import type { Lease, NewRun } from "../memory/model/Ledger.ts"
import type { MemoryError } from "../memory/model/error.ts"
import type * as Step from "../step/runtime/model.ts"
import { checkContent } from "../thought/content.ts"
import * as ids from "../thought/ids.ts"
import type { Thought } from "../thought/model.ts"
import { quoted } from "../text/legible.ts"
import { checkKey } from "../thought/Note.ts"
import { addNote, makeNote, newest, stateOf, ThoughtImpl } from "../thought/state.ts"
import { addUsage, type Usage } from "../thought/tokens.ts"
import { type Compared, compare } from "./durable/compare.ts"
import { Earlier, firstOf, lastOf, loaded } from "./durable/earlier.ts"
import { AnswersNotKept, type RunError } from "./durable/errors.ts"
import * as Execution from "./durable/execution.ts"
import { durableForms, leaseOf } from "./durable/options.ts"
import { refuseUnknown } from "./stored/named.ts"
import { resolverOf } from "./durable/resolver.ts"
import { ofRun } from "./durable/resume.ts"
import { repeating, Reuse } from "./durable/reuse.ts"
import { shapeOf } from "./durable/shape.ts"
import { States } from "./durable/states.ts"
import type { PipelineError } from "./run/PipelineError.ts"
import type { Unwrapped } from "./run/wrap.ts"

/**
 * A rerun compared with the run that it repeats.
 *
 * - `thought`: the fork that the rerun returned
 * - `notes`: every note that either run wrote, side by side, in order
 * - `reused`, `made`: number of model calls whose answers came from the earlier run, and of those that were made
 * - `usage`, `usd`: what the made calls used, as far as it is known
 *
 * @category models
 */
export interface Rerun<out N> {
  readonly runId: string
  readonly thought: Thought<N>
  readonly notes: ReadonlyArray<Compared>
  readonly reused: number
  readonly made: number
  readonly usage: Usage
  readonly usd: number
}

/**
 * Repeats a durable run with a change, on a fork of the thought that it began with.
 *
 * **Details**
 *
 * The change is another text of a note, or another step: a prompt, a model, one step more. A request that is equal to one of the
 * run takes its answer, wherever it is made, so that only what the change reaches is asked and paid for. An effect of
 * `Step.make` is repeated if the notes that it is given have changed, or if the run has no outcome of it to take; in a run with
 * `onInterrupted: "fail"` the latter fails with `OutcomeUnknown`. A question of `waitFor` or `approve` that is the same keeps its
 * answer. `Step.once` and `Pipeline.scaffold` do nothing. `tap` and effects in `gen` run again.
 *
 * Throws if a note has no valid key or no text, and if `from` names no step of the pipeline. The steps that an agent or a
 * generator has come to are known from the run: there, the effect dies with the same error. It also dies if the key of a note is
 * probably a typo of one that the run began with, or is written by a step. Any other note is added.
 *
 * The run must have kept its answers, with `durable: { keep: "answers" }`; otherwise it fails with `AnswersNotKept`. The new run
 * is durable and keeps its answers too.
 *
 * **Example** (What would another message have changed?)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer } from "effect"
 * import { Pipeline, Primitive, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const urgent = Primitive.decide("urgent", { question: "Is this urgent?" })
 * const model = Testing.scripted(({ messages }) => ({
 *   decision: messages.some(({ text }) => text.includes("down")),
 *   confidence: 0.9,
 *   reasoning: ["it says so"]
 * }))
 *
 * const program = Effect.gen(function*() {
 *   const start = yield* Thought.make("triage", { message: "A question about my invoice" })
 *   yield* Pipeline.run(urgent, start, { durable: { id: "t-1", keep: "answers" } })
 *   const again = yield* Pipeline.rerun(urgent, "t-1", { notes: { message: "The site is down" } })
 *   assert.equal(again.made, 1)
 *   assert.deepEqual(again.notes.map(({ key, isSame }) => [key, isSame]), [["urgent", false]])
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(model.layer, Testing.memory))))
 * ```
 *
 * @category durable runs
 */
export const rerun = taking("Pipeline.rerun", {
  args: [kinds.step, kinds.text],
  options: 2,
  optional: true,
  known: {
    ...others("notes"),
    from: maybe("The step from which on everything is asked again.", notEmpty),
    id: durableForms.id
  }
})(<S extends Step.Any>(
  step: S,
  runId: string,
  {
    from,
    id: given,
    notes = {}
  }: {
    /** Other texts of notes that the run began with, by key. A new key adds a note. */
    readonly notes?: Readonly<Record<string, string>>
    /** A step, by its name, its path or a frame of the run. It and everything after it is asked again. */
    readonly from?: string
    /** The id of the new run. Default: a new one. */
    readonly id?: string
  } = {}
): Effect.Effect<
  Rerun<Step.Out<S>>,
  PipelineError<Unwrapped<Step.Err<S>> | MemoryError> | RunError | AnswersNotKept,
  Step.Req<S> | Memory
> => {
  for (const [key, content] of Object.entries(notes)) checkContent(checkKey(key), content)
  if (from !== undefined) refuseUnknown(step, from)
  return Effect.gen(function* () {
    const memory = yield* needed(Memory)
    const { ledger } = memory
    const within = <A>(effect: Effect.Effect<A, MemoryError>) => ofRun(step, undefined, effect)
    const stored = yield* within(loaded(ledger, runId))
    if (stored.run.keep !== "answers") return yield* new AnswersNotKept({ runId })
    if (from !== undefined) refuseUnknown(step, from, stored)
    const { onInterrupted } = stored.run
    const resolver = resolverOf(step.node)
    const states = new States(memory, resolver)
    const start = yield* within(states.at(firstOf(stored)))
    const before = yield* within(states.at(lastOf(stored)))
    // a generator has written what its step does not say
    refuseOthers(runId, Object.keys(notes), start, [...step.node.writes, ...keysOf(before)])
    const reuse = new Reuse(from)
    const id = given ?? (yield* ids.next).id
    const seed = (yield* ids.next).id
    const createdMillis = yield* Clock.currentTimeMillis
    const lease = yield* leaseOf({})
    const row = { id, seed, keep: "answers", onInterrupted, fork: true, createdMillis } as const
    const shape = yield* shapeOf(step)
    const begins = (): ReadonlyArray<NewRun & { readonly lease: Lease }> => [
      {
        ...row,
        ...shape,
        start: positionOf(start),
        startHash: "",
        parent: repeating(runId, from),
        status: "running",
        lease
      }
    ]
    const thought = yield* Effect.uninterruptibleMask((restore) =>
      Execution.run(step as Step.Step<any, any, Step.Err<S>, Step.Req<S>>, start, {
        restore,
        run: { ...row, epoch: 1 },
        earlier: new Earlier(undefined),
        lease,
        onInterrupted,
        resolver,
        repeats: { reuse, change: (forked) => withNotes(forked, notes), begun: reuse.fill(ledger, runId) },
        begins
      })
    )
    const made = yield* within(ledger.load(id))
    const calls = made?.calls ?? []
    return {
      runId: id,
      // the step adds these notes
      thought: thought as Thought<Step.Out<S>>,
      notes: compare(start, before, thought),
      reused: reuse.reused,
      made: reuse.made,
      usage: calls.reduce<Usage>((sum, { usage = {} }) => addUsage(sum, usage), {}),
      usd: calls.reduce((sum, { usd = 0 }) => sum + usd, 0)
    }
  })
})

/** Throws if a key is probably a typo of that of a note, or if a step overwrites the note. */
const refuseOthers = (
  runId: string,
  keys: ReadonlyArray<string>,
  start: Thought<any>,
  written: ReadonlyArray<string>
): void => {
  const known = keysOf(start)
  for (const key of keys.filter((one) => !known.includes(one))) {
    const meant = meantBy(key, known)
    const begun = `The run ${quoted(runId)} did not begin with a note ${quoted(key)}`
    if (meant !== undefined) throw new Error(`${begun}. Did you mean ${quoted(meant)}?`)
    if (written.includes(key))
      throw new Error(`${begun}: a step writes it. Change a note that this step reads, or the step.`)
  }
}

const keysOf = (thought: Thought<any>): ReadonlyArray<string> => [...HashMap.keys(stateOf(thought).byKey)]

/** The thought with other texts of some notes. They are trusted as the notes before them were. */
const withNotes = (thought: Thought<any>, notes: Readonly<Record<string, string>>): Effect.Effect<Thought<any>> =>
  Effect.reduce(
    Object.entries(notes),
    () => thought,
    (changed, [key, content]) =>
      Effect.map(ids.next, ({ id, millis }) => {
        const state = stateOf(changed)
        const { source = "", trust = "untrusted" } = newest(state, key) ?? {}
        const note = makeNote(state, id, DateTime.makeUnsafe(millis), { key, content, source, step: "", trust })
        return new ThoughtImpl(addNote(state, note))
      })
  )
