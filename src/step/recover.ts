import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { hasProperty } from "effect/Predicate"
import * as kinds from "../arguments/kinds.ts"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { attempt } from "./runtime/branch.ts"
import { tagOf, withOthers } from "../run/failure.ts"
import { emit, finish } from "../run/run.ts"
import {
  hasTwoSteps,
  makeStep,
  type Known,
  named,
  nameOf,
  type NameOption,
  oneOf,
  piped,
  wrap
} from "./runtime/make.ts"
import type { Either, Needs } from "../thought/types.ts"
import { handingUp } from "./runtime/unfinished.ts"
import * as Note from "../thought/Note.ts"
import type * as Step from "./runtime/model.ts"
import type { Thought } from "../thought/model.ts"

/**
 * A step with a replacement on failure. It is the handle of the step's note if the replacement always writes that note
 * too.
 */
type Recovered<S, W, E> = Step.Step<
  Needs<Step.In<S>, Step.In<W>>,
  Either<Step.Out<S> | Step.Out<W>>,
  E | Step.Err<W>,
  Step.Req<S> | Step.Req<W>
> &
  (S extends Note.Handle<infer K, infer A>
    ? Step.Out<W> extends { readonly [P in K]: A }
      ? Note.Handle<K, A>
      : unknown
    : unknown)

/** One tag or several. */
type Tags<T extends string> = T | readonly [T, ...ReadonlyArray<T>]

type TagOf<E> = E extends { readonly _tag: infer T extends string } ? T : never

/** Refuses tags that no error of the step has. */
type Tagged<S, T extends string> = [Exclude<T, TagOf<Step.Err<S>>>] extends [never]
  ? unknown
  : { readonly "no error of the step has the tag": Exclude<T, TagOf<Step.Err<S>>> }

/** The errors of a step without those that have one of the tags. */
type Others<S, T extends string> = Exclude<Step.Err<S>, { readonly _tag: T }>

type Always = NameOption & {
  readonly when?: undefined
}
type OfTags<T extends string> = NameOption & {
  readonly when: Tags<T>
}
type Where<E> = NameOption & {
  readonly when: (error: E) => boolean
}

/**
 * Runs another step when a step fails, on the thought as it was before.
 *
 * **Details**
 *
 * `when` restricts this to errors with certain tags, or to errors for which a function returns true. A tag that no
 * error of the step has does not compile. Interruption and defects are not failures.
 *
 * The failed step leaves no note, no message and no thought behind. If the other step fails too, its error is the error
 * of the whole, and the `PipelineError` lists the first one before it. Nothing is stored before one of the two has
 * succeeded. A note that only one of them writes is optional. In paths the other step is named `with`.
 *
 * **Example** (A rule in place of a model that cannot be reached)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer, Schema } from "effect"
 * import { Note, Pipeline, Primitive, Provider, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const message = Note.handle("message", Schema.String)
 * const rule = Step.make("topic", {
 *   schema: Schema.String,
 *   run: Note.from(message, (text) => text.includes("invoice") ? "billing" : "other")
 * })
 * const topic = Primitive.analyze("topic", { schema: Schema.String, prompt: "Name the topic" }).pipe(
 *   Step.recover(rule, { when: "ProviderError" })
 * )
 *
 * const down = new Provider.ProviderError({
 *   provider: "scripted",
 *   model: "script",
 *   reason: { _tag: "Connection", message: "no connection" }
 * })
 * const model = Testing.scripted([Effect.fail(down)])
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(topic, yield* Thought.make("sort", { message: "Where is my invoice?" }))
 *   assert.equal(done.get("topic"), "billing")
 * })
 *
 * assert.equal(topic.name, "recover(topic)")
 * await Effect.runPromise(program.pipe(Effect.provide(Layer.merge(model.layer, Testing.memory))))
 * ```
 *
 * @category connectors
 */
export const recover: {
  <W extends Step.Any>(other: W, options?: Always): <S extends Step.Any>(self: S) => Recovered<S, W, never>
  <W extends Step.Any, const T extends string>(
    other: W,
    options: OfTags<T>
  ): <S extends Step.Any>(self: S & Tagged<S, T>) => Recovered<S, W, Others<S, T>>
  <W extends Step.Any, S extends Step.Any = never>(
    other: W,
    options: Where<Step.Err<S>>,
    ...known: Known<S>
  ): (self: S) => Recovered<S, W, Step.Err<S>>
  <S extends Step.Any, W extends Step.Any>(self: S, other: W, options?: Always): Recovered<S, W, never>
  <S extends Step.Any, W extends Step.Any, const T extends string>(
    self: S & Tagged<S, T>,
    other: W,
    options: OfTags<T>
  ): Recovered<S, W, Others<S, T>>
  <S extends Step.Any, W extends Step.Any>(self: S, other: W, options: Where<Step.Err<S>>): Recovered<S, W, Step.Err<S>>
} = piped(
  taking("Step.recover", {
    args: [kinds.step, kinds.step],
    options: 2,
    optional: true,
    known: {
      name: forms.naming,
      when: forms.maybe("A function of the error: whether to recover from it.", forms.callable)
    }
  })((self: Step.Any, other: Step.Any, options: Always | OfTags<string> | Where<any> = {}): any => {
    const { settings, when } = condition(options.when)
    const recovery = named("with", "route", other)
    // siblings need different names
    const step = self.name === recovery.name ? named("step", "route", self) : self
    const layout = { _tag: "Choice", shape: "hexagon", labels: ["try", "failed"] } as const
    const name = nameOf("recover", self, options)
    const node = { name, kind: "recover", ...oneOf([step.node, recovery.node]), ...settings, layout }
    const run = (thought: Thought<any>) =>
      Effect.gen(function* () {
        const first = yield* attempt(thought, step)
        if (first._tag === "Success") return yield* finish(first.thought)
        const { failure, reason } = first
        if (!when(failure.cause)) return yield* Effect.failCause(Cause.fromReasons([reason]))
        yield* emit(thought, { _tag: "AttemptFailed", attempt: 1, error: tagOf(failure.cause), waitMillis: 0 })
        const second = yield* handingUp([failure])(attempt(thought, recovery))
        if (second._tag === "Success") return yield* finish(second.thought)
        return yield* Effect.failCause(withOthers(second.reason, { before: [failure] }))
      })
    const kept = Note.isHandle(self) && recovery.node.surely.includes(self.key)
    return kept ? wrap(self, node, run) : makeStep(node, run)
  }),
  hasTwoSteps
)

/** The condition for recovery, and its settings in the outline. */
const condition = (
  when: Always["when"] | Tags<string> | ((error: unknown) => boolean)
): { readonly when: (error: unknown) => boolean; readonly settings?: Pick<Step.Node, "settings"> } => {
  if (when === undefined) return { when: () => true }
  if (typeof when === "function") return { when }
  if (!kinds.tags.is(when)) throw new Error(`Step.recover needs a function, ${kinds.tags.named} as the option when.`)
  const tags: ReadonlyArray<string> = typeof when === "string" ? [when] : when
  return {
    when: (error) => hasProperty(error, "_tag") && tags.some((tag) => tag === error._tag),
    settings: { settings: { tags: tags.join(", ") } }
  }
}
