import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import {
  arrived,
  branch,
  completed,
  enough,
  failTogether,
  ignored,
  merge,
  type Outcome,
  rekeyed,
  resultOf,
  together
} from "../step/runtime/branch.ts"
import {
  type Branches,
  branchesOf,
  checkCounts,
  type Conflicts,
  type Mergeable,
  type Merged,
  type Defined,
  refuseLater,
  refuseOnward,
  type StepsOf
} from "../step/runtime/branches.ts"
import type { BranchesFailed } from "../step/runtime/BranchesFailed.ts"
import { BranchResult } from "../step/runtime/BranchResult.ts"
import { quoted } from "../text/legible.ts"
import { allOf } from "../thought/origin.ts"
import { finish } from "../run/run.ts"
import { inTurn, makeHandled, makeStep, maybe, refuseShared } from "../step/runtime/make.ts"
import type { All, NotEmpty, Simplify, Writes } from "../thought/types.ts"
import { write } from "../run/write.ts"
import * as Note from "../thought/Note.ts"
import type * as Step from "../step/runtime/model.ts"
import type { Thought } from "../thought/model.ts"

/** Without `minSuccesses`, the error is that of the first failed branch. */
type Failing<E, M> = [M] extends [never] ? E : BranchesFailed<E>

/**
 * Runs several steps at the same time on the same thought and merges their notes.
 *
 * **Details**
 *
 * No branch sees another's notes. After all have ended, their notes are added in the order of the branches and stored.
 * The conversation stays as it was, so the next request shows these notes.
 *
 * The first failed branch interrupts the others and fails the step. With `minSuccesses` all branches run to their end,
 * and the notes of successful ones are kept, optional in the type. The `PipelineError` has the other failures beside
 * it. The notes of a branch whose key may be absent are optional too.
 *
 * - `conflicts`: `"error"` (default) refuses two branches that write one key, `"last"` takes the later branch's note,
 *   `"namespace"` writes `<branch>.<key>` and needs a record of branches
 * - `minSuccesses`: with fewer successes, the step fails with `BranchesFailed`
 * - `report`: key of a note about how each branch ended; the step is its handle
 * - `concurrency`: how many branches run at a time, `"unbounded"` by default
 *
 * Throws if there is no branch, a name or key occurs twice, a number is out of range, or a branch contains `checkpoint`,
 * `restore` or `forget`. `once` and `scaffold` run after the merge, so it also throws if one of them in a branch may read a
 * key that the merge renames or that another branch writes too.
 *
 * **Example** (Two looks at one message)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Note, Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const message = Note.handle("message", Schema.String)
 * const facts = Pipeline.concurrent("facts", [
 *   Step.make("words", { schema: Schema.Finite, run: Note.from(message, (text) => text.split(" ").length) }),
 *   Step.make("loud", { schema: Schema.Boolean, run: Note.from(message, (text) => text.includes("!")) })
 * ])
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(facts, yield* Thought.make("look", { message: "Come back soon!" }))
 *   assert.equal(done.get("words"), 3)
 *   assert.equal(done.get("loud"), true)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const concurrent = taking("Pipeline.concurrent", {
  options: 2,
  optional: true,
  known: {
    conflicts: forms.maybe(
      "What becomes of keys that several branches write.",
      forms.oneOf("error", "last", "namespace"),
      "error"
    ),
    minSuccesses: forms.maybe("How many branches must succeed. Without it, all.", forms.count(1)),
    report: forms.maybe("Key of a note that says how each branch ended.", forms.words),
    concurrency: forms.maybe("How many branches run at a time.", forms.concurrency, "unbounded")
  }
})(<const B extends Branches, C extends Conflicts = "error", M extends number = never, const K extends string = never>(
  name: string,
  branches: B & Defined<B> & Mergeable<B, C, K> & NotEmpty<B, Step.Any>,
  options: {
    readonly conflicts?: C
    readonly minSuccesses?: M
    readonly report?: K
    readonly concurrency?: number | "unbounded"
  } = {}
): Step.Step<
  Simplify<All<Step.In<StepsOf<B>>>>,
  Simplify<Merged<B, C, M> & Writes<NoInfer<K>, ReadonlyArray<BranchResult>>>,
  Failing<Step.Err<StepsOf<B>>, M>,
  Step.Req<StepsOf<B>>
> &
  ([K] extends [never] ? unknown : Note.Handle<K, ReadonlyArray<BranchResult>>) => {
  const { concurrency = "unbounded", minSuccesses, report } = options
  const conflicts: Conflicts = options.conflicts ?? "error"
  const steps = branchesOf(name, branches)
  const needed = minSuccesses ?? steps.length
  const handle = report === undefined ? undefined : Note.handle(report, Schema.Array(BranchResult))
  checkCounts(name, steps.length, needed, concurrency)
  refuseOnward(name, steps)
  refuseLater(name, steps, conflicts)
  const namespace = conflicts === "namespace"
  if (namespace && Array.isArray(branches)) {
    throw new Error(
      `The step ${quoted(name)} has conflicts "namespace", so it needs its branches as an object: their names become prefixes of the keys.`
    )
  }
  const keyOf = (branch: string, key: string): string => (namespace ? Note.checkKey(`${branch}.${key}`) : key)
  const settings = {
    conflicts,
    concurrency,
    ...(minSuccesses === undefined ? {} : { minSuccesses }),
    ...(report === undefined ? {} : { report })
  }
  const written = steps.map(({ node }) => (namespace ? rekeyedNode(node, (key) => keyOf(node.name, key)) : node))
  const own = { name, kind, reads: [], writes: settings.report === undefined ? [] : [settings.report], children: [] }
  const reported = { ...own, surely: own.writes }
  if (conflicts === "last") for (const one of written) refuseShared(name, [reported, one])
  else refuseShared(name, [reported, ...written])
  const surely = minSuccesses === undefined ? written.flatMap((one) => one.surely) : []
  const node: Step.Node = {
    ...own,
    // no branch sees the notes of another, so each reads the original thought
    ...inTurn([...written.map(maybe), reported]),
    surely: [...new Set([...surely, ...own.writes])],
    children: steps.map((one) => one.node),
    settings,
    layout: { _tag: "Beside", meet: needed < steps.length ? `at least ${needed}` : "all" }
  }

  const body = Effect.fnUntraced(function* (thought: Thought<any>) {
    const start = yield* Clock.currentTimeMillis
    const runs = steps.map((step) => branch<Step.Err<StepsOf<B>>, Step.Req<StepsOf<B>>>(thought, step))
    const outcomes =
      minSuccesses === undefined
        ? yield* untilOneFails(thought, runs, concurrency)
        : yield* arrived(yield* Effect.all(runs, { concurrency }))
    yield* completed(thought, outcomes)
    const survivors = yield* enough(name, outcomes, needed, start)
    yield* ignored(thought, outcomes)
    const merged = merge(thought, survivors, (added, from) => rekeyed(added, keyOf(from, added.note.key)))
    if (handle === undefined) return yield* finish(merged)
    const results = outcomes
      .map((outcome) => resultOf(thought, outcome))
      .map((result) => ({ ...result, keys: result.keys.map((key) => keyOf(result.name, key)) }))
    const noted = yield* write(merged, kind, handle, results, { from: allOf(merged) })
    return yield* finish(noted.thought)
  })
  // the error type follows from `minSuccesses`, which the checker cannot see
  return (handle === undefined ? makeStep(node, body) : makeHandled(handle, node, body)) as any
})

const kind = "concurrent"

/** The outcomes of all branches. If one fails, the others are interrupted, and the whole fails with its error. */
const untilOneFails = <E, R>(
  thought: Thought<any>,
  runs: Parameters<typeof together<E, R, never, never>>[0],
  concurrency: number | "unbounded"
): Effect.Effect<ReadonlyArray<Outcome<E>>, E, R> =>
  Effect.gen(function* () {
    const { outcomes, settledBy } = yield* together(
      runs,
      (outcome) => Effect.succeed(outcome._tag === "Failure"),
      concurrency
    )
    if (settledBy !== undefined) {
      yield* completed(thought, outcomes)
      return yield* failTogether(outcomes, settledBy)
    }
    return outcomes.filter((outcome) => outcome !== undefined)
  })

/** The node of a step whose notes get other keys; it has no handle. */
const rekeyedNode = (node: Step.Node, keyOf: (key: string) => string): Step.Node => {
  const { children, kind, name, reads, surely, writes } = node
  return { name, kind, reads, writes: writes.map(keyOf), surely: surely.map(keyOf), children }
}
