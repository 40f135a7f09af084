import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { needed } from "../arguments/needed.ts"
import { arrived, branch, completed, enough, ignored, merge, resultOf } from "../step/runtime/branch.ts"
import {
  type Branches,
  branchesOf,
  checkCounts,
  type Defined,
  refuseOnward,
  type StepsOf,
  type Unshared
} from "../step/runtime/branches.ts"
import type { BranchesFailed } from "../step/runtime/BranchesFailed.ts"
import { BranchResult } from "../step/runtime/BranchResult.ts"
import { list } from "../thought/render.ts"
import { allOf } from "../thought/origin.ts"
import { emit, finish } from "../run/run.ts"
import { inTurn, makeHandled, maybe, refuseShared } from "../step/runtime/make.ts"
import type { All, NotEmpty, Simplify, Writes } from "../thought/types.ts"
import { wording } from "./reasoning/wording.ts"
import { write } from "../run/write.ts"
import * as Note from "../thought/Note.ts"
import { Provider } from "../provider/Provider.ts"
import type { ProviderError } from "../provider/ProviderError.ts"
import type { Sampling } from "../provider/request.ts"
import type { Shape as ProviderShape } from "../provider/Shape.ts"
import type * as Step from "../step/runtime/model.ts"
import { current } from "../thought/Thought.ts"
import { checkSampling, checkWords, stepNamed } from "../arguments/checked.ts"
import { callingForms, compactIfSet } from "./reasoning/options.ts"
import { provenance } from "./reasoning/reason.ts"
import { promptOf, providerSettings, samplingSettings, settingsOf } from "./reasoning/settings.ts"
import { askAside } from "./reasoning/side.ts"

/**
 * The result of several branches.
 *
 * `branches` has all of them in the order of their declaration, with the keys of the notes that each one added or the
 * tag of its error.
 *
 * @category models
 */
export const Convergence = Schema.Struct({
  synthesis: Schema.NonEmptyString,
  branches: Schema.Array(BranchResult)
})
/**
 * The result of several branches.
 *
 * @category models
 */
export interface Convergence extends Schema.Schema.Type<typeof Convergence> {}

const kind = "converge"

/**
 * Runs several steps concurrently on the same thought, and writes a synthesis of their results.
 *
 * **Details**
 *
 * No branch sees another's notes. After all have ended, the notes of the successful ones are added in the order of the
 * branches, and one call in a side session writes the synthesis. Nothing is stored before that, and nothing of a failed
 * branch. The conversation stays as it was, though `Pipeline.compact` may compact it first.
 *
 * Fails with `BranchesFailed` if too few branches succeed, and with `ProviderError` if the synthesis fails. Throws if
 * there is no branch, a name or written key occurs twice, a number is out of range, or a branch contains `checkpoint`,
 * `restore` or `forget` (if hidden, a defect).
 *
 * **Example** (Two views of one text)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer, Schema } from "effect"
 * import { Pipeline, Primitive, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const review = Primitive.converge("review", {
 *   branches: {
 *     pro: Step.make("strengths", { schema: Schema.String, run: () => "It is short." }),
 *     con: Step.make("weaknesses", { schema: Schema.String, run: () => "It has no date." })
 *   },
 *   prompt: "What should the author change first?"
 * })
 * const model = Testing.scripted(["Add the date, and keep it short."])
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(review, yield* Thought.make("review", { text: "We will meet at noon." }))
 *   assert.equal(done.get("review").synthesis, "Add the date, and keep it short.")
 *   assert.equal(done.get("weaknesses"), "It has no date.")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(model.layer, Testing.memory))))
 * ```
 *
 * @category reasoning
 */
export const converge = taking("Primitive.converge", {
  options: 1,
  known: {
    branches: forms.option("The branches.", forms.branches),
    prompt: forms.option("What the synthesis is to say.", forms.text),
    minSuccesses: forms.maybe("How many branches must succeed.", forms.count(1), 1),
    concurrency: forms.maybe("How many run at a time.", forms.concurrency, "unbounded"),
    ...callingForms
  }
})(<const K extends string, const B extends Branches, const P extends Note.Text>(
  key: K,
  options: {
    /** The branches, named by the keys of a record or by their steps. */
    readonly branches: B & Defined<B> & Unshared<B, K> & NotEmpty<B, Step.Any>
    /** What the synthesis should say. */
    readonly prompt: P
    /** How many branches must succeed. Default 1. */
    readonly minSuccesses?: number
    /** How many branches run at a time. Default `"unbounded"`. */
    readonly concurrency?: number | "unbounded"
    /** Provider for the synthesis. Default: the one in the context. */
    readonly provider?: ProviderShape
    /** Sampling wishes for the synthesis. Default: those of the reasoning phase, with temperature 0 if possible. */
    readonly sampling?: Sampling
  }
): Step.Step<
  Simplify<Note.Text.In<P> & All<Step.In<StepsOf<B>>>>,
  Simplify<Writes<K, Convergence> & Partial<All<Step.Out<StepsOf<B>>>>>,
  ProviderError | BranchesFailed<Step.Err<StepsOf<B>>> | Note.Text.Err<P>,
  Provider | Note.Text.Req<P> | Step.Req<StepsOf<B>>
> &
  Note.Handle<K, Convergence> => {
  const { concurrency = "unbounded", minSuccesses = 1, prompt } = options
  const branches = branchesOf(key, options.branches)
  const handle = Note.handle(key, Convergence)
  checkCounts(key, branches.length, minSuccesses, concurrency)
  refuseOnward(key, branches)
  checkWords(stepNamed(key), "prompt", prompt)
  checkSampling(stepNamed(key), options.sampling)
  const own = {
    name: key,
    kind,
    reads: Note.isReader(prompt) ? prompt.keys : [],
    writes: [key],
    surely: [key],
    children: [],
    ...settingsOf(
      { minSuccesses, concurrency },
      providerSettings(options.provider),
      samplingSettings(options.sampling)
    ),
    ...promptOf(prompt)
  }
  const nodes = branches.map((one) => one.node)
  refuseShared(key, [own, ...nodes])
  const layout = { _tag: "Beside", meet: "synthesis", inStep: true } as const
  const node = { ...own, ...inTurn([...nodes.map(maybe), own]), children: nodes, layout }
  return makeHandled(
    handle,
    node,
    Effect.fnUntraced(function* (given) {
      const start = yield* Clock.currentTimeMillis
      const provider = options.provider ?? (yield* needed(Provider))
      const thought = yield* compactIfSet(given, provider)
      const outcomes = yield* Effect.flatMap(
        Effect.forEach(branches, (one) => branch<Step.Err<StepsOf<B>>, Step.Req<StepsOf<B>>>(thought, one), {
          concurrency
        }),
        arrived
      )
      yield* completed(thought, outcomes)
      const survivors = yield* enough(key, outcomes, minSuccesses, start)
      yield* ignored(thought, outcomes)
      const merged = merge(thought, survivors)
      const results = outcomes.map((outcome) => resultOf(thought, outcome))
      const task = yield* wording(prompt, merged)
      const sections = [{ heading: "Branches", body: list(results.map(line)) }]
      const notes = current(merged).filter(({ seq }) => seq > thought.length)
      const { sources, text: instruction, trust } = task
      const aside = { kind, wants: "text", instruction, trust, sources, notes, sections } as const
      yield* emit(merged, { _tag: "SynthesisStarted", branches: survivors.length })
      const reply = yield* askAside(provider, merged, aside, options.sampling)
      const noted = yield* write(
        merged,
        kind,
        handle,
        { synthesis: reply.value, branches: results },
        // how a branch ended may come of anything in the thought
        { from: [...allOf(merged), ...sources], metadata: provenance(provider, reply) }
      )
      return yield* finish(noted.thought)
    })
  )
})

/** A branch as the synthesis sees it: only names and keys. */
const line = ({ keys, name, outcome }: BranchResult): string =>
  outcome === "failure" ? `${name}: failed` : `${name}: ${keys.length === 0 ? "no notes" : keys.join(", ")}`
