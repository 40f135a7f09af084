import * as Effect from "effect/Effect"
import { dual } from "effect/Function"
import * as kinds from "../arguments/kinds.ts"
import { quoted } from "../text/legible.ts"
import * as forms from "../arguments/forms.ts"
import { taking } from "../arguments/taking.ts"
import { gatherAside, gatherInto, keyed } from "../thought/gathered.ts"
import { allOf, type Source } from "../thought/origin.ts"
import { go, routing, yesOrNo } from "./runtime/route.ts"
import { finish, recorded } from "../run/run.ts"
import { type Anything, checkRunnable, holds, type NoPromise, readsOf, valueOf } from "./runtime/runnable.ts"
import { writableSchemaOf } from "../schema/schemaOf.ts"
import { doing, emptied, making } from "./runtime/making.ts"
import { checkShows, conversed, shownOf } from "./runtime/shows.ts"
import { chained, hasTwoSteps, inTurn, makeKeyed, makeStep, makeTransparent, refuseTwice } from "./runtime/make.ts"
import type { Interruptible } from "../thought/settled.ts"
import type { Merge, Missing, Needs, Simplify } from "../thought/types.ts"
import { withStored, write } from "../run/write.ts"
import * as Note from "../thought/Note.ts"
import {
  type Any,
  type Err,
  type In,
  type Keyed,
  type Out,
  type Req,
  type Runnable,
  type Shows,
  type Step,
  TypeId
} from "./runtime/model.ts"
import type { Thought } from "../thought/model.ts"
import { stating } from "./runtime/stated.ts"

// --------------------------------------------------------------------------------------------------------- models

/**
 * Makes a step from a reader, a function, which may be `async`, or an effect.
 *
 * **Details**
 *
 * With a `schema`, the value becomes a note under the step's name; a value that does not fit is a defect. Without one,
 * nothing is written. The note is untrusted if any note that it could be made from is; `trust` overrides this.
 *
 * An `async` function fails with what it rejects with, and receives `{ signal }` as its second argument: the signal is
 * aborted if the step is interrupted. What a function throws before it returns is a defect.
 *
 * An effect or promise runs at least once: a connector that repeats the step repeats it. `idempotencyKey` lets a service
 * recognise repetitions; `once` waits until the thought is stored.
 *
 * A step that calls a model itself declares with `shows` which message and unpublished notes it sent. Once `run`
 * succeeds, they join the conversation, with the step's note as the reply. Later requests omit these notes until
 * `truncate`, `reset` or `forget` releases them.
 *
 * **Example** (A note computed from another one)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Layer, Schema } from "effect"
 * import { Note, Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const message = Note.handle("message", Schema.String)
 * const words = Step.make("words", {
 *   schema: Schema.Finite,
 *   run: Note.from(message, (text) => text.split(" ").length)
 * })
 *
 * const program = Effect.gen(function*() {
 *   const thought = yield* Thought.make("count", { message: "one two three" })
 *   const done = yield* Pipeline.run(words, thought)
 *   assert.equal(done.get("words"), 3)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category constructors
 */
export const make: {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- what it is for is said at `NoPromise`
  <A extends NoPromise, const F extends Runnable<NoInfer<A>>>(
    name: string,
    options: { readonly run: F; readonly shows?: Shows; readonly schema?: never; readonly trust?: never }
  ): Step<Runnable.In<F>, {}, Runnable.Err<F>, Runnable.Req<F>>
  <const K extends string, A extends Anything, const F extends Runnable<NoInfer<A>>>(
    key: K,
    options: {
      readonly schema: Note.AnySchema<A>
      readonly run: F
      readonly shows?: Shows
      readonly trust?: Note.Trust
    }
  ): Keyed<K, A, Runnable.In<F>, Runnable.Err<F>, Runnable.Req<F>>
} = taking("Step.make", {
  options: 1,
  known: { ...forms.others("run", "schema", "shows"), trust: forms.maybe("", forms.trust) }
})((
  name: string,
  options: {
    readonly schema?: Note.AnySchema<any>
    readonly run: Runnable
    readonly shows?: Shows
    readonly trust?: Note.Trust
  }
): any => {
  const { run, schema, shows, trust } = options
  checkRunnable(name, "run", run)
  checkShows(name, shows)
  const reads = readsOf(run)
  const kind = "step"
  const keys = Note.isReader(run) ? reads : undefined
  const settings = shows === undefined ? {} : { settings: { shows: true } }
  if (schema === undefined) {
    return makeStep({ name, kind, reads, writes: [], surely: [], children: [], ...settings }, (thought) =>
      Effect.gen(function* () {
        yield* gatherAside((got) => recorded(() => doing(thought, keys, got), Effect.asVoid(valueOf(run, thought))))
        return shows === undefined ? thought : yield* finish(yield* conversed(thought, shownOf(name, thought, shows)))
      })
    )
  }
  const handle = Note.handle(name, writableSchemaOf(`The step ${quoted(name)}`, schema))
  const node = { name, kind, reads, writes: [name], surely: [name], children: [], ...settings }
  return makeKeyed(handle, stating(node, handle.schema), (thought) =>
    Effect.gen(function* () {
      const from: Array<Source> = [...(Note.isReader(run) ? keyed(thought, reads) : allOf(thought))]
      const value = yield* recorded(() => making(handle, thought, keys, from), gatherInto(from, valueOf(run, thought)))
      // it was made: the store has its note, or a redaction has taken the text of that too
      if (value === emptied) return yield* finish(yield* withStored(thought, handle))
      const noted = yield* write(thought, kind, handle, value, { from, ...(trust === undefined ? {} : { trust }) })
      if (shows === undefined) return yield* finish(noted.thought)
      return yield* finish(yield* conversed(noted.thought, shownOf(name, thought, shows), noted.note))
    })
  )
})

// ---------------------------------------------------------------------------------------------------- composition

/** A step, and another one after it. */
type Chained<S, T> = Step<
  Needs<In<S>, Missing<In<T>, Out<S>>>,
  Simplify<Merge<Out<S>, Out<T>>>,
  Err<S> | Err<T>,
  Req<S> | Req<T>
>

/**
 * Runs one step, and then another on the resulting thought.
 *
 * Throws if two steps have the same name or write the same key, unless `overwrite` allows it.
 *
 * **Example** (Two steps in a row)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Schema } from "effect"
 * import { Note, Step } from "cogito"
 *
 * const first = Step.make("first", { schema: Schema.Finite, run: () => 20 })
 * const second = Step.make("second", { schema: Schema.Finite, run: Note.from(first, (n) => n + 1) })
 * const both = first.pipe(Step.andThen(second))
 *
 * assert.deepEqual(both.node.writes, ["first", "second"])
 * ```
 *
 * @category composition
 */
export const andThen: {
  <T extends Any>(that: T, options?: { readonly overwrite?: boolean }): <S extends Any>(self: S) => Chained<S, T>
  <S extends Any, T extends Any>(self: S, that: T, options?: { readonly overwrite?: boolean }): Chained<S, T>
} = dual(
  hasTwoSteps,
  taking("Step.andThen", {
    args: [kinds.step, kinds.step],
    options: 2,
    optional: true,
    known: { overwrite: forms.maybe("", forms.flag) }
  })((self: Any, that: Any, options: { readonly overwrite?: boolean } = {}): Any => {
    const chains = [chained(self), chained(that)]
    if (options.overwrite !== true) refuseTwice("chain", chains)
    const children = chains.flat()
    return makeTransparent(
      {
        name: children.map((child) => child.name).join(", "),
        kind: "andThen",
        transparent: true,
        layout: "inline",
        ...inTurn(children)
      },
      (thought) => Effect.flatMap(self[TypeId].run(thought), that[TypeId].run)
    )
  })
)

/**
 * Adds a step that runs only if the predicate holds; otherwise the thought passes unchanged.
 *
 * **Details**
 *
 * The predicate is a function of the thought, which may be `async`, a reader or an effect; it may fail and need services. The
 * notes of the conditional step are optional afterwards. `Pipeline.filter` is the same without a step before it.
 *
 * **Example** (A conditional step)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Schema } from "effect"
 * import { Step } from "cogito"
 *
 * const score = Step.make("score", { schema: Schema.Finite, run: () => 0.9 })
 * const alarm = Step.make("alarm", { schema: Schema.String, run: () => "look at this" })
 * const guarded = score.pipe(Step.when("high", (thought) => thought.get("score") > 0.5, alarm))
 *
 * assert.deepEqual(guarded.node.writes, ["score", "alarm"])
 * ```
 *
 * @category composition
 */
export const when: {
  <I3, E3, R3, I2, O2, E2, R2>(
    name: string,
    predicate: Note.Reader<I3, boolean, E3, R3>,
    step: Step<I2, O2, E2, R2>
  ): <I, O, E, R>(
    self: Step<I, O, E, R>
  ) => Step<Needs<I, Missing<I2 & I3, O>>, Simplify<Merge<O, Partial<O2>>>, E | E2 | E3, R | R2 | R3>
  <E3, R3, I2, O2, E2, R2>(
    name: string,
    predicate: Effect.Effect<boolean, E3, R3>,
    step: Step<I2, O2, E2, R2>
  ): <I, O, E, R>(
    self: Step<I, O, E, R>
  ) => Step<Needs<I, Missing<I2, O>>, Simplify<Merge<O, Partial<O2>>>, E | E2 | E3, R | R2 | R3>
  <I, O, E, R, I2, O2, E2, R2>(
    name: string,
    predicate: (thought: Thought<Simplify<Merge<I, O>>>) => boolean,
    step: Step<I2, O2, E2, R2>
  ): (self: Step<I, O, E, R>) => Step<Needs<I, Missing<I2, O>>, Simplify<Merge<O, Partial<O2>>>, E | E2, R | R2>
  <I, O, E, R, I2, O2, E2, R2>(
    name: string,
    predicate: (thought: Thought<Simplify<Merge<I, O>>>, given: Interruptible) => PromiseLike<boolean>,
    step: Step<I2, O2, E2, R2>
  ): (self: Step<I, O, E, R>) => Step<Needs<I, Missing<I2, O>>, Simplify<Merge<O, Partial<O2>>>, E | E2 | Error, R | R2>
  <I, O, E, R, I2, O2, E2, R2, E3, R3>(
    name: string,
    predicate: (thought: Thought<Simplify<Merge<I, O>>>) => boolean | Effect.Effect<boolean, E3, R3>,
    step: Step<I2, O2, E2, R2>
  ): (
    self: Step<I, O, E, R>
  ) => Step<Needs<I, Missing<I2, O>>, Simplify<Merge<O, Partial<O2>>>, E | E2 | E3, R | R2 | R3>
} = taking("Step.when", { args: [kinds.text, undefined, kinds.step] })((
  name: string,
  predicate: Runnable<boolean>,
  step: Any
): ((self: Any) => Any) => {
  checkRunnable(name, "predicate", predicate)
  const conditional = makeStep(
    { name, kind: "when", ...routing(predicate, [step], true), layout: yesOrNo },
    (thought) =>
      Effect.flatMap(holds<unknown, unknown>(name, "predicate", predicate, thought), (yes) =>
        go(thought, yes ? step : undefined)
      )
  )
  // the conditional write may not happen: both notes under the key stay possible
  return taking("Step.when", { args: [kinds.step] })((self: Any) => andThen(self, conditional, { overwrite: true }))
})

// ------------------------------------------------------------------------------------- connectors to pipe onto a step

export { backoff } from "./backoff.ts"
export { budget } from "./budget.ts"
export { circuitBreaker } from "./circuitBreaker.ts"
export { enrich, FailureReport } from "./enrich.ts"
export { handle } from "./handle.ts"
export { named } from "./named.ts"
export { provide } from "./provide.ts"
export { rateLimit } from "./rateLimit.ts"
export { recover } from "./recover.ts"
export { retry } from "./retry.ts"
export { timeout } from "./timeout.ts"
export { TimeoutError } from "./runtime/TimeoutError.ts"
export { workerLimit } from "./workerLimit.ts"

// ------------------------------------------------------------------------------------- within what a step runs

export { derivedFrom } from "./derivedFrom.ts"
export { idempotencyKey } from "./idempotencyKey.ts"
export { once } from "./once.ts"
