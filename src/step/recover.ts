import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { hasProperty } from "effect/Predicate"
import * as kinds from "../arguments/kinds.ts"
import { taking } from "../arguments/taking.ts"
import { attempt } from "./runtime/branch.ts"
import { withOthers } from "../run/failure.ts"
import { commit, emit } from "../run/run.ts"
import { makeStep, named, oneOf, pipedName, piped } from "./runtime/make.ts"
import { tagOf } from "../run/tags.ts"
import type { Either, Needs } from "../thought/types.ts"
import { handingUp } from "./runtime/unfinished.ts"
import * as Note from "../thought/Note.ts"
import type * as Step from "./runtime/model.ts"

/** A step with another in its place when it fails. */
type Recovered<S, W, E> = Step.Step<
  Needs<Step.In<S>, Step.In<W>>,
  Either<Step.Out<S> | Step.Out<W>>,
  E,
  Step.Req<S> | Step.Req<W>
>

/**
 * Runs another step when a step fails, on the thought as it was before.
 *
 * The step that failed leaves no note, no message and no thought behind. `when` says which errors are recovered from; by
 * default all. Interruption and defects are none. When the recovery `with` fails too, it fails as that did, and the
 * `PipelineError` has the failure of the step before it. Nothing is stored before one of the two has succeeded. What only
 * one of them writes is optional afterwards. In paths the recovery is named `with`.
 *
 * **Example** (A rule where no model answers)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer, Schema } from "effect"
 * import { Note, Pipeline, Primitive, Provider, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const message = Note.handle("message", Schema.String)
 * const topic = Primitive.analyze("topic", { schema: Schema.String, prompt: "Name the topic" })
 * const rule = Step.make("topic", {
 *   schema: Schema.String,
 *   run: Note.from(message, (text) => text.includes("invoice") ? "billing" : "other")
 * })
 * const sure = Pipeline.recover("sure", { step: topic, with: rule })
 *
 * const down = new Provider.ProviderError({
 *   provider: "scripted",
 *   model: "script",
 *   reason: { _tag: "Connection", message: "no connection" }
 * })
 * const model = Testing.scripted([Effect.fail(down)])
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(sure, yield* Thought.make("sort", { message: "Where is my invoice?" }))
 *   assert.equal(done.get("topic"), "billing")
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(model.layer, Testing.memory))))
 * ```
 *
 * @category connectors
 */
export const recover: {
  <S extends Step.Any, W extends Step.Any>(
    name: string,
    options: { readonly step: S; readonly with: W; readonly when?: undefined }
  ): Recovered<S, W, Step.Err<W>>
  <S extends Step.Any, W extends Step.Any>(
    name: string,
    options: { readonly step: S; readonly with: W; readonly when: (error: Step.Err<S>) => boolean }
  ): Recovered<S, W, Step.Err<S> | Step.Err<W>>
} = taking("Pipeline.recover", { options: 1, known: ["step", "with", "when"], steps: ["step", "with"] })(
  (name: string, options: Options): any => make(name, options)
)

interface Options {
  readonly step: Step.Any
  readonly with: Step.Any
  readonly when?: ((error: any) => boolean) | undefined
}

const kind = "recover"

const make = (name: string, options: Options, settings?: Step.Node["settings"]): Step.Any => {
  const { when = () => true } = options
  const recovery = named("with", "route", options.with)
  // siblings must differ in name
  const step = options.step.name === recovery.name ? named("step", "route", options.step) : options.step
  const children = [step.node, recovery.node]
  const layout = { _tag: "Choice", shape: "hexagon", labels: ["try", "failed"] } as const
  const node = { name, kind, ...oneOf(children), ...(settings === undefined ? {} : { settings }), layout }
  return makeStep(node, (thought) =>
    Effect.gen(function* () {
      const first = yield* attempt(thought, step)
      if (first._tag === "Success") return yield* commit(first.thought)
      const { failure, reason } = first
      if (!when(failure.cause)) return yield* Effect.failCause(Cause.fromReasons([reason]))
      yield* emit(thought, { _tag: "AttemptFailed", attempt: 1, error: tagOf(failure.cause), waitMillis: 0 })
      const second = yield* handingUp([failure])(attempt(thought, recovery))
      if (second._tag === "Success") return yield* commit(second.thought)
      return yield* Effect.failCause(withOthers(second.reason, { before: [failure] }))
    })
  )
}

type TagOf<E> = E extends { readonly _tag: infer T extends string } ? T : never

/** Refuses tags that no error of the step has. */
type Known<S, T extends string> = [Exclude<T, TagOf<Step.Err<S>>>] extends [never]
  ? unknown
  : { readonly "no error of the step has the tag": Exclude<T, TagOf<Step.Err<S>>> }

/** The handle of the step, when the recovery surely writes the same note. */
type Kept<S, W> =
  S extends Note.Handle<infer K, infer A>
    ? Step.Out<W> extends { readonly [P in K]: A }
      ? Note.Handle<K, A>
      : unknown
    : unknown

type Caught<S, T extends string, W> = Kept<S, W> &
  Recovered<S, W, Exclude<Step.Err<S>, { readonly _tag: T }> | Step.Err<W>>

/**
 * `Pipeline.recover` around the step that it is piped onto, from errors with the tag or one of the tags, under the name
 * `recover(<name of the step>)`.
 *
 * Errors with another tag, or none, pass. A tag that no error of the step has does not compile. The step stays the handle
 * of its note where the recovery surely writes that note too.
 *
 * **Example** (Recovering from one kind of error)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Schema } from "effect"
 * import { Primitive, Step } from "cogito"
 *
 * const unknown = Step.make("unknown", { schema: Schema.Boolean, run: () => true })
 * const spam = Primitive.decide("spam", { question: "Is this spam?" }).pipe(
 *   Step.catchTag("ProviderError", unknown)
 * )
 *
 * assert.equal(spam.name, "recover(spam)")
 * assert.deepEqual(spam.node.writes, ["spam", "unknown"])
 * ```
 *
 * @category connectors
 */
export const catchTag: {
  <const T extends string, W extends Step.Any>(
    tags: T | readonly [T, ...ReadonlyArray<T>],
    recovery: W
  ): <S extends Step.Any>(self: S & Known<S, T>) => Caught<S, T, W>
  <S extends Step.Any, const T extends string, W extends Step.Any>(
    self: S & Known<S, T>,
    tags: T | readonly [T, ...ReadonlyArray<T>],
    recovery: W
  ): Caught<S, T, W>
} = piped(
  "Step.catchTag",
  (self: Step.Any, tags: string | ReadonlyArray<string>, recovery: Step.Any): any => {
    const all: ReadonlyArray<string> = typeof tags === "string" ? [tags] : tags
    const when = (error: unknown): boolean =>
      hasProperty(error, "_tag") && typeof error._tag === "string" && all.includes(error._tag)
    const recovered = make(pipedName(kind, self), { step: self, with: recovery, when }, { tags: all.join(", ") })
    const kept = Note.isHandle(self) && recovery.node.surely.includes(self.key)
    return kept ? { ...self, ...recovered } : recovered
  },
  [kinds.tags, kinds.step]
)
