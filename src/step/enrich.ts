import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as kinds from "../arguments/kinds.ts"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { attempt } from "./runtime/branch.ts"
import { allOf } from "../thought/origin.ts"
import { emit, finish } from "../run/run.ts"
import { inTurn, makeStep, maybe, nameOf, type NameOption, piped, refuseShared, keepHandle } from "./runtime/make.ts"
import { tagOf } from "../run/failure.ts"
import type { Simplify, Writes } from "../thought/types.ts"
import { write } from "../run/write.ts"
import * as Note from "../thought/Note.ts"
import type * as Step from "./runtime/model.ts"

/**
 * The failure of a step: the path from the pipeline to the step that raised the error, and the error's tag.
 *
 * **Details**
 *
 * The error's message is left out, because it may contain text from others.
 *
 * @category models
 */
export const FailureReport = Schema.Struct({ path: Schema.Array(Schema.String), error: Schema.String })
/**
 * The note about a step that failed.
 *
 * @category models
 */
export type FailureReport = typeof FailureReport.Type

/**
 * What a failed optional step writes.
 *
 * @category models
 */
export interface EnrichOptions<K extends string> extends NameOption {
  /** Key of a `FailureReport` note, written only on failure. Default: no note. */
  readonly report?: K
}

type Enriched<S, K extends string> = Step.Step<
  Step.In<S>,
  // the key of the report must not be inferred from the expected type of the step
  [K] extends [never]
    ? Partial<Step.Out<S>>
    : Simplify<Partial<Step.Out<S>> & Partial<Writes<NoInfer<K>, FailureReport>>>,
  never,
  Step.Req<S>
>

/**
 * Makes a step optional: if it fails, the thought continues as it was before.
 *
 * **Details**
 *
 * A failed step leaves no note, no message and no thought behind, and emits a `FailureIgnored` signal. With `report`, a
 * note under that key records where and how it failed, for the next model call and for the program. Interruption and
 * defects are not failures. Nothing is stored before the step has ended. Its notes are optional in the type. Throws if
 * the step itself writes the key of the report.
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
 * const optional = weather.pipe(Step.enrich({ report: "missing" }))
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(optional, yield* Thought.make("plan a walk"))
 *   assert.equal(done.get("weather"), undefined)
 *   assert.deepEqual(done.get("missing"), { path: ["enrich(weather)", "weather"], error: "Offline" })
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const enrich: {
  <const K extends string = never>(options?: EnrichOptions<K>): <S extends Step.Any>(self: S) => Enriched<S, K>
  <S extends Step.Any, const K extends string = never>(self: S, options?: EnrichOptions<K>): Enriched<S, K>
} = piped(
  taking("Step.enrich", {
    args: [kinds.step],
    options: 1,
    optional: true,
    known: {
      name: forms.naming,
      report: forms.maybe("Key of a note about the failure.", forms.words)
    }
  })((self: Step.Any, options: EnrichOptions<string> = {}): any => {
    const { report } = options
    const name = nameOf(kind, self, options)
    const handle = report === undefined ? undefined : Note.handle<string, FailureReport>(report, FailureReport)
    const notes = inTurn([maybe(self.node)])
    const writes = report === undefined ? [] : [report]
    const own: Step.Node = { name, kind, reads: [], writes, surely: [], children: [] }
    refuseShared(name, [own, self.node])
    const settings = report === undefined ? {} : { settings: { report } }
    const node = { ...own, ...notes, writes: [...notes.writes, ...writes], children: [self.node], ...settings }
    if (handle !== undefined) keepHandle(node, handle)
    return makeStep(node, (thought) =>
      Effect.gen(function* () {
        const outcome = yield* attempt(thought, self)
        if (outcome._tag === "Success") return yield* finish(outcome.thought)
        const { cause, path } = outcome.failure
        const error = tagOf(cause)
        yield* emit(thought, { _tag: "FailureIgnored", step: self.name, error })
        if (handle === undefined) return thought
        const noted = yield* write(thought, kind, handle, { path, error }, { from: allOf(thought) })
        return yield* finish(noted.thought)
      })
    )
  })
)

const kind = "enrich"
