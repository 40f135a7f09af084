/** Who is told of signals. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { isPromiseLike } from "effect/Predicate"
import * as kinds from "../arguments/kinds.ts"
import { need, taking } from "../arguments/taking.ts"
import { quoted } from "../text/legible.ts"
import type { Of, Signal, Tag } from "./Signal.ts"

/**
 * Receives signals. It should be fast because the step waits for it.
 *
 * @category models
 */
type Listener = (signal: Signal) => void

/**
 * Functions that receive the signals with their tags.
 *
 * @category models
 */
type Handlers = { readonly [T in Tag]?: (signal: Of<T>) => void }

/** A listener of a running program. */
interface Receiver {
  readonly receive: (signal: Signal) => unknown
  /** Set for a reader that the step waits for, instead of `receive`. */
  readonly wait?: (signal: Signal) => Effect.Effect<unknown>
  /** Whether it has failed before. */
  hasFailed: boolean
}

/** The listeners of a running program. An entry of `by` has all that receive the tag, those of all signals included. */
interface Listening {
  readonly all: ReadonlyArray<Receiver>
  readonly by: ReadonlyMap<Tag, ReadonlyArray<Receiver>>
}

const silent: Listening = { all: [], by: new Map() }

/** The listeners of the running program. Default: none. */
export const Listeners = Context.Reference<Listening>("cogito/Signal/Listeners", { defaultValue: () => silent })

/** The listeners of a tag, the outer ones first. */
export const listenersOf = (fiber: Fiber.Fiber<unknown, unknown>, tag: Tag): ReadonlyArray<Receiver> => {
  const listening = fiber.getRef(Listeners)
  return listening === silent ? silent.all : (listening.by.get(tag) ?? listening.all)
}

const withAll = ({ all, by }: Listening, receiver: Receiver): Listening => ({
  all: [...all, receiver],
  by: new Map(Array.from(by, ([tag, receivers]) => [tag, [...receivers, receiver]]))
})

const withTag = ({ all, by }: Listening, tag: Tag, receiver: Receiver): Listening => ({
  all,
  by: new Map(by).set(tag, [...(by.get(tag) ?? all), receiver])
})

/** Adds a reader that the step waits for, of all signals or of some tags. */
export const withReader = (
  listening: Listening,
  tags: ReadonlyArray<Tag> | undefined,
  reader: Omit<Receiver, "hasFailed">
): Listening => {
  const receiver = { ...reader, hasFailed: false }
  if (tags === undefined) return withAll(listening, receiver)
  return [...new Set(tags)].reduce((before, tag) => withTag(before, tag, receiver), listening)
}

const receiverOf = (listener: (signal: any) => unknown): Receiver => ({ receive: listener, hasFailed: false })

const withHandlers = (listening: Listening, handlers: Handlers): Listening =>
  Object.entries(handlers).reduce((before, [tag, handler]) => {
    checkTag("Signal.layer", tag)
    need(`Signal.layer, for ${tag},`, kinds.callable, handler)
    // the keys of handlers are tags
    return withTag(before, tag as Tag, receiverOf(handler))
  }, listening)

/** Passes a signal to listeners. A listener that fails is reported once and does not keep others from receiving it. */
export const deliver = (
  fiber: Fiber.Fiber<unknown, unknown>,
  receivers: ReadonlyArray<Receiver>,
  signal: Signal
): Effect.Effect<void> => {
  let after: Effect.Effect<unknown> = Effect.void
  for (const receiver of receivers) {
    if (receiver.wait !== undefined) {
      after = Effect.andThen(after, receiver.wait(signal))
      continue
    }
    try {
      const result = receiver.receive(signal)
      if (isPromiseLike(result)) {
        const { context } = fiber
        result.then(undefined, (error: unknown) => Effect.runForkWith(context)(reported(receiver, error)))
      }
    } catch (error) {
      after = Effect.andThen(after, reported(receiver, error))
    }
  }
  return after === Effect.void ? Effect.void : Effect.asVoid(after)
}

const reported = (receiver: Receiver, error: unknown): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (receiver.hasFailed) return Effect.void
    receiver.hasFailed = true
    return Effect.logError("A listener of signals has failed. Its next failures are not reported.", Cause.die(error))
  })

const listening = <A, E, R>(self: Effect.Effect<A, E, R>, add: (before: Listening) => Listening) =>
  Effect.flatMap(Listeners, (before) => Effect.provideService(self, Listeners, add(before)))

/** All tags, for programs without types. */
const tags: Readonly<Record<Tag, true>> = {
  ThoughtCreated: true,
  StepStarted: true,
  StepCompleted: true,
  StepFailed: true,
  NoteAdded: true,
  NoteStored: true,
  NotesPublished: true,
  CallStarted: true,
  CallCompleted: true,
  CallFailed: true,
  AnswerRejected: true,
  AnswerCoerced: true,
  IntrospectionCompleted: true,
  NotesFound: true,
  EmbeddingCompleted: true,
  EmbeddingFailed: true,
  Routed: true,
  RoundCompleted: true,
  SynthesisStarted: true,
  AttemptFailed: true,
  FailureIgnored: true,
  Won: true,
  BranchesCompleted: true,
  Waiting: true,
  TimedOut: true,
  Throttled: true,
  CircuitChanged: true,
  BudgetCrossed: true,
  Dispatched: true,
  BackgroundEnded: true,
  SignalsDropped: true
}

/** Throws unless a text is the tag of a signal. */
export const checkTag = (owner: string, tag: string): void => {
  if (!Object.hasOwn(tags, tag)) throw new Error(`${owner} needs the tag of a signal, but got ${quoted(tag)}.`)
}

/**
 * Calls a listener for every signal of a program, in addition to existing listeners.
 *
 * **Details**
 *
 * The listener is called at once, in the order of the signals, and the step waits until it returns. If it throws, or if the
 * promise that it returns rejects, the program and the other listeners continue, and its first failure is logged as an
 * error.
 *
 * **Example** (Counting model calls)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Signal } from "cogito"
 *
 * let calls = 0
 * const counted = Signal.listen((signal) => {
 *   if (signal._tag === "CallCompleted") calls++
 * })
 *
 * await Effect.runPromise(counted(Effect.void))
 * assert.equal(calls, 0)
 * ```
 *
 * @category listening
 */
export const listen = taking("Signal.listen", { args: [kinds.callable] })(
  (listener: Listener) =>
    <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      listening(self, (before) => withAll(before, receiverOf(listener)))
)

/**
 * Calls a function for the signals of a program with one tag, in addition to existing listeners.
 *
 * **Details**
 *
 * Works as `Signal.listen`, but signals with other tags are not even made for it.
 *
 * **Example** (The steps that failed)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Pipeline, Signal, Step, Thought } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const failed: Array<string> = []
 * const step = Step.make("pay", { run: Effect.fail("no money") })
 * const program = Effect.flatMap(Thought.make("buy"), (thought) => Pipeline.run(step, thought)).pipe(
 *   Signal.on("StepFailed", ({ error, path }) => failed.push(`${path.join("/")}: ${error}`)),
 *   Effect.ignore
 * )
 *
 * await Effect.runPromise(program.pipe(Effect.provide(Testing.memory)))
 * assert.deepEqual(failed, ["pay: Error"])
 * ```
 *
 * @category listening
 */
export const on = taking("Signal.on", { args: [kinds.text, kinds.callable] })(<T extends Tag>(
  tag: T,
  listener: (signal: Of<T>) => void
): (<A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>) => {
  checkTag("Signal.on", tag)
  return (self) => listening(self, (before) => withTag(before, tag, receiverOf(listener)))
})

/**
 * A layer that adds listeners to the existing ones, for programs that are run with `Pipeline.runPromise`.
 *
 * **Details**
 *
 * Each argument is a listener of all signals, or an object with functions by tag. Pass all listeners to one layer: if several
 * such layers are merged, only the last one takes effect.
 *
 * **Example** (A listener of one tag)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Layer, Schema } from "effect"
 * import { Pipeline, Signal, Step } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const ended: Array<string> = []
 * const signals = Signal.layer({ StepCompleted: ({ path }) => ended.push(path.join("/")) })
 * const step = Step.make("one", { schema: Schema.Finite, run: () => 1 })
 * await Pipeline.runPromise(step, { intent: "count" }, { layer: Layer.merge(Testing.memory, signals) })
 * assert.deepEqual(ended, ["one"])
 * ```
 *
 * @category layers
 */
export const layer = (...added: ReadonlyArray<Listener | Handlers>): Layer.Layer<never> => {
  for (const one of added) need("Signal.layer", listeners, one)
  return Layer.effect(
    Listeners,
    Effect.map(Listeners, (before) =>
      added.reduce<Listening>(
        (now, one) => (typeof one === "function" ? withAll(now, receiverOf(one)) : withHandlers(now, one)),
        before
      )
    )
  )
}

const listeners: kinds.Kind = {
  named: "a function, or an object with functions by tag",
  is: (value) => typeof value === "function" || (typeof value === "object" && value !== null)
}
