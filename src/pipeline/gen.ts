import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { hasProperty } from "effect/Predicate"
import { taking } from "../arguments/taking.ts"
import { gatherInto, keyed, madeFrom } from "../thought/gathered.ts"
import * as kinds from "../arguments/kinds.ts"
import { foreign } from "../run/run.ts"
import { IsRead } from "../run/within.ts"
import { quoted } from "../text/legible.ts"
import { allOf, type Source } from "../thought/origin.ts"
import { inTurn, makeDistinct, makeStep, maybe } from "../step/runtime/make.ts"
import type { All, Either, Missing, Simplify } from "../thought/types.ts"
import * as Note from "../thought/Note.ts"
import * as Step from "../step/runtime/model.ts"
import type { Thought } from "../thought/model.ts"

const AskTypeId = "~cogito/Ask"

/**
 * A step to run inside `gen`, with `yield*`.
 *
 * @category models
 */
export interface Ask<in out S extends Step.Any> {
  /** Keeps `Ask` invariant in the step. */
  readonly [AskTypeId]: (_: S) => S
  readonly step: S
  readonly [Symbol.iterator]: () => Iterator<Ask<S>, Answer<S>>
}

type Answer<S> = S extends Note.Handle<any, infer A> ? A : Thought<Simplify<Step.Out<S>>>

type StepsOf<Y> = Y extends Ask<infer S> ? S : never
type ErrorOf<Y> = Y extends Effect.Effect<any, infer E, any> ? E : never
type ServicesOf<Y> = Y extends Effect.Effect<any, any, infer R> ? R : never

/** The notes that each step reads and no other step could write. */
type Needed<Y, Every = Y> =
  Y extends Ask<infer S> ? Unwritten<Step.In<S>, Required<Either<Step.Out<StepsOf<Exclude<Every, Y>>>>>> : never
type Unwritten<In, Out> = In extends unknown ? Missing<In, Out> : never

/** A note may be missing when it is read, unless no step reads any. */
type Unread<S> = [keyof All<Step.In<S>>] extends [never] ? never : Note.NoteNotFound

/**
 * Runs a step inside `gen`, on the thought so far, and returns the value of its note.
 *
 * **Details**
 *
 * A step without a handle, such as a sequence, returns the thought so far, typed with the notes of the step. It is not
 * an effect: it works only inside `gen`.
 *
 * **Example** (The value of a note)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const dice = Step.make("dice", { schema: Schema.Finite, run: () => 6 })
 * const thrown = Pipeline.gen("thrown", function*() {
 *   const pips = yield* Pipeline.ask(dice)
 *   assert.equal(pips, 6)
 * })
 *
 * await Pipeline.runPromise(thrown, { intent: "play" }, { layer: Testing.memory })
 * ```
 *
 * @category connectors
 */
export const ask = taking("Pipeline.ask", { args: [kinds.step] })(<S extends Step.Any>(step: S): Ask<S> => ({
  [AskTypeId]: (same) => same,
  step,
  *[Symbol.iterator](): Generator<Ask<S>, Answer<S>> {
    // `gen` sends the answer back
    return (yield this) as Answer<S>
  }
}))

/**
 * Runs steps in the order of a generator function, with its own variables, conditions and loops.
 *
 * **Details**
 *
 * `yield* Pipeline.ask(step)` runs a step on the thought so far, `yield* effect` an effect. The generator restarts in
 * each run; its return value is ignored. If a step runs twice, the second value supersedes the first. The notes are
 * optional afterwards.
 *
 * The thought must have the notes that steps read and no other step could write. A reader of a missing note fails with
 * `NoteNotFound`. `steps` lists the steps for outlines; running any other step is then a defect.
 *
 * On a failure or an interruption the generator ends. Its `finally` blocks run uninterruptibly, and their failures are
 * added to the first one. Its `catch` blocks do not run; use connectors such as `recover`.
 *
 * **Example** (As many rounds as it takes)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect, Schema } from "effect"
 * import { Note, Pipeline, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const first = Step.make("draft", { schema: Schema.String, run: () => "A long, long, long draft" })
 * const shorter = Step.make("draft", {
 *   schema: Schema.String,
 *   run: Note.from(first, (text) => text.replace("long, ", ""))
 * })
 *
 * const written = Pipeline.gen("written", function*() {
 *   let draft = yield* Pipeline.ask(first)
 *   while (draft.length > 15) draft = yield* Pipeline.ask(shorter)
 * }, { steps: [first, shorter] })
 *
 * const program = Effect.gen(function*() {
 *   const done = yield* Pipeline.run(written, yield* Thought.make("write"))
 *   assert.equal(done.get("draft"), "A long draft")
 *   assert.equal(Thought.history(done, "draft").length, 3)
 * })
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * ```
 *
 * @category connectors
 */
export const gen = taking("Pipeline.gen", {
  options: 2,
  optional: true,
  known: ["steps"]
})(<Y extends Ask<any> | Effect.Effect<any, any, any>>(
  name: string,
  body: () => Generator<Y, unknown, never>,
  options: { readonly steps?: ReadonlyArray<Step.Any> } = {}
): Step.Step<
  Simplify<All<Needed<Y>>>,
  Simplify<Partial<Either<Step.Out<StepsOf<Y>>>>>,
  Step.Err<StepsOf<Y>> | ErrorOf<Y> | Unread<StepsOf<Y>>,
  Step.Req<StepsOf<Y>> | ServicesOf<Y>
> => {
  check(name, body, options.steps)
  const declared = options.steps === undefined ? undefined : new Set(options.steps)
  return makeStep({ name, kind: "gen", ...outlineOf([...(declared ?? [])]), layout: "calls" }, (thought) =>
    Effect.suspend(() => {
      const generator: Generator<unknown, unknown, unknown> = body()
      if (!hasProperty(generator, "next")) {
        throw new Error(
          `The step ${quoted(name)} needs a generator function, but got a function that returns ${kinds.kindOf(generator)}.`
        )
      }
      const got: Array<Source> = []
      let current: Thought<any> = thought
      const distinct = makeDistinct("ask")
      /** Runs what the generator yields until it is done. */
      const drive = Effect.fnUntraced(function* (first: () => IteratorResult<unknown, unknown>) {
        for (let next = first(); next.done !== true;) {
          const yielded = next.value
          let answer: unknown
          if (isAsk(yielded)) {
            const { step } = yielded
            if (declared?.has(step) === false) return yield* undeclared(name, step)
            current = yield* madeFrom(
              [...got],
              Effect.provideService(
                runOn<Step.Err<StepsOf<Y>> | Unread<StepsOf<Y>>, Step.Req<StepsOf<Y>>>(distinct(step), current),
                IsRead,
                true
              )
            )
            answer = Note.isHandle(step) ? yield* answerOf<Unread<StepsOf<Y>>>(step, current) : current
            // what the generator yields next may be made from the answer
            got.push(...(Note.isHandle(step) ? keyed(current, [step.key]) : allOf(current)))
          } else if (Effect.isEffect(yielded)) {
            answer = yield* foreign(gatherInto(got, yielded as Effect.Effect<unknown, ErrorOf<Y>, ServicesOf<Y>>))
          } else return yield* noEffect(name)
          next = generator.next(answer)
        }
        return current
      })
      const begun = drive(() => generator.next())
      // runs the `finally` blocks around the current `yield*`; does nothing if the generator has ended
      return Effect.onExit(begun, (exit) =>
        Exit.isFailure(exit) ? Effect.asVoid(drive(() => generator.return(undefined))) : Effect.void
      )
    })
  )
})

const isAsk = (value: unknown): value is Ask<Step.Any> => hasProperty(value, AskTypeId)

/** Runs a step on a thought that may lack a note that it reads; a missing note is a failure here, not a defect. */
const runOn = <E, R>(step: Step.Any, thought: Thought<any>): Effect.Effect<Thought<any>, E, R> =>
  Effect.catchCause(step[Step.TypeId].run(thought), (cause) =>
    // the step's type determines its errors
    Effect.failCause(Cause.fromReasons(cause.reasons.flatMap((reason) => found(step, thought, reason))))
  ) as Effect.Effect<Thought<any>, E, R>

const found = (
  step: Step.Any,
  thought: Thought<any>,
  reason: Cause.Reason<unknown>
): ReadonlyArray<Cause.Reason<unknown>> => {
  if (reason._tag !== "Die" || !(reason.defect instanceof Note.NoteNotFound)) return [reason]
  const { key } = reason.defect
  if (!step.node.reads.includes(key) || thought.note(key) !== undefined) return [reason]
  const failure = Cause.fail(new Note.NoteNotFound({ key, thoughtId: thought.id }))
  return Cause.annotate(failure, Cause.reasonAnnotations(reason)).reasons
}

/** The value of a step that has run. A redaction may have taken it since. */
const answerOf = <E>(step: Step.Any & Note.Handle<string, unknown>, thought: Thought<any>): Effect.Effect<unknown, E> =>
  Effect.catch(
    Note.read(thought, step),
    (error) =>
      error._tag === "NoteNotFound" && step.node.reads.length > 0
        ? Effect.fail(new Note.NoteNotFound({ key: step.key, thoughtId: thought.id }))
        : Effect.die(error)
    // only the type of a step that reads notes has this error
  ) as Effect.Effect<unknown, E>

/** The outline of steps that may run in any order, or not at all. */
const outlineOf = (steps: ReadonlyArray<Step.Any>): Omit<Step.Node, "name" | "kind"> => {
  const children = steps.map(({ node }) => node)
  const reads = children.flatMap((child) =>
    child.reads.filter((key) => !children.some((other) => other !== child && other.writes.includes(key)))
  )
  return { ...inTurn(children.map(maybe)), reads: [...new Set(reads)], children }
}

const check = (name: string, body: unknown, steps: unknown): void => {
  const refuse = (what: string): never => {
    throw new Error(`The step ${quoted(name)} needs ${what}`)
  }
  if (typeof body !== "function") refuse("a generator function.")
  if (steps === undefined) return
  const odd = kinds.oddOneOf(steps, kinds.step)
  if (odd !== undefined) refuse(`an array of steps as \`steps\`, but got ${odd}.`)
}

const undeclared = (name: string, step: Step.Any): Effect.Effect<never> =>
  Effect.die(
    new Error(
      `The step ${quoted(name)} asks the step ${quoted(step.name)}, which is not among its \`steps\`: ` +
        `add it there, or leave \`steps\` out.`
    )
  )

const noEffect = (name: string): Effect.Effect<never> =>
  Effect.die(
    new Error(
      `The generator of the step ${quoted(name)} yielded something that cannot run: use \`yield*\` with ` +
        `Pipeline.ask(step) or with an effect.`
    )
  )
