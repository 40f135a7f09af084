import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { taking } from "../arguments/taking.ts"
import { attempt } from "./runtime/branch.ts"
import { allOf } from "../thought/origin.ts"
import { commit, emit } from "../run/run.ts"
import { inTurn, makeStep, maybe, pipedName, refuseShared, piped } from "./runtime/make.ts"
import { tagOf } from "../run/tags.ts"
import type { Simplify, Writes } from "../thought/types.ts"
import { write } from "../run/write.ts"
import * as Note from "../thought/Note.ts"
import type * as Step from "./runtime/model.ts"

/**
 * What is noted of a step that failed: the names from the pipeline to the step that raised the error, and the error's
 * tag. Never its message, which may hold the text of others.
 *
 * @category models
 */
export const FailureReport = Schema.Struct({ path: Schema.Array(Schema.String), error: Schema.String })
/**
 * What is noted of a step that failed.
 *
 * @category models
 */
export type FailureReport = typeof FailureReport.Type

/**
 * What is done about the failure of an optional step.
 *
 * @category models
 */
export interface EnrichOptions<K extends string> {
  /** Key of a note with a `FailureReport`, written only on failure. Default: no note is written. */
  readonly report?: K
}

type Enriched<S, K extends string> = Step.Step<
  Step.In<S>,
  // the key of the report is never inferred from what is expected of the step
  [K] extends [never]
    ? Partial<Step.Out<S>>
    : Simplify<Partial<Step.Out<S>> & Partial<Writes<NoInfer<K>, FailureReport>>>,
  never,
  Step.Req<S>
>

/**
 * Runs a step that may fail: then the thought goes on as it was before.
 *
 * The step that failed leaves no note, no message and no thought behind; listeners are told (`FailureIgnored`). With
 * `report` a note under that key says where it failed and how, for the next model call and for the program. Interruption
 * and defects are no failures. Nothing is stored before the step has ended. What it writes is optional afterwards. Throws
 * when the step itself writes the key of the report.
 *
 * **Example** (Facts that are nice to have)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Data, Effect, Schema } from "effect"
 * import { Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * class Offline extends Data.TaggedError("Offline") {}
 *
 * const weather = Step.make("weather", { schema: Schema.String, run: Effect.fail(new Offline()) })
 * const optional = Pipeline.enrich("optional", { step: weather, report: "missing" })
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(optional, yield* Thought.make("plan a walk"))
 *   assert.equal(done.get("weather"), undefined)
 *   assert.deepEqual(done.get("missing"), { path: ["optional", "weather"], error: "Offline" })
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const enrich = taking("Pipeline.enrich", { options: 1, known: ["step", "report"], steps: ["step"] })(<
  S extends Step.Any,
  const K extends string = never
>(
  name: string,
  options: EnrichOptions<K> & { readonly step: S }
): Enriched<S, K> => {
  const { report, step } = options
  const handle = report === undefined ? undefined : Note.handle<string, FailureReport>(report, FailureReport)
  const notes = inTurn([maybe(step.node)])
  const own: Step.Node = {
    name,
    kind,
    reads: [],
    writes: report === undefined ? [] : [report],
    surely: [],
    children: []
  }
  refuseShared(name, [own, step.node])
  const node = { ...own, ...notes, writes: [...notes.writes, ...own.writes], children: [step.node] }
  return makeStep(report === undefined ? node : { ...node, settings: { report } }, (thought) =>
    Effect.gen(function* () {
      const outcome = yield* attempt<Step.Err<S>, Step.Req<S>>(thought, step)
      if (outcome._tag === "Success") return yield* commit(outcome.thought)
      const { cause, path } = outcome.failure
      const error = tagOf(cause)
      yield* emit(thought, { _tag: "FailureIgnored", step: step.name, error })
      if (handle === undefined) return thought
      const noted = yield* write(thought, kind, handle, { path, error }, { from: allOf(thought) })
      return yield* commit(noted.thought)
    })
  )
})

const kind = "enrich"

/**
 * `Pipeline.enrich` around the step that it is piped onto, under the name `enrich(<name of the step>)`.
 *
 * **Example** (An optional step)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Primitive, Step } from "cogito"
 *
 * const mood = Primitive.assess("mood", { question: "How does the customer feel?" }).pipe(Step.enrich())
 *
 * assert.equal(mood.name, "enrich(mood)")
 * assert.deepEqual(mood.node.surely, [])
 * ```
 *
 * @category connectors
 */
export const enriching: {
  <const K extends string = never>(options?: EnrichOptions<K>): <S extends Step.Any>(self: S) => Enriched<S, K>
  <S extends Step.Any, const K extends string = never>(self: S, options?: EnrichOptions<K>): Enriched<S, K>
} = piped("Step.enrich", (self: Step.Any, options: EnrichOptions<string> = {}) =>
  enrich(pipedName(kind, self), { ...options, step: self })
)
