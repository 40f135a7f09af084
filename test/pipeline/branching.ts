import { Data, Deferred, Effect, Layer, Schema } from "effect"
import { Memory, Pipeline, type Provider, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"

// Branches to run beside each other, and what is left of a run of them.

export class Unread extends Data.TaggedError("Unread")<{ readonly canary: string }> {}

export const start = Thought.make("review", { text: "We will meet at noon." })

export const yes = { decision: true, confidence: 0.9, reasoning: ["It says so."] }

/** A branch that writes its own name under its own name. */
export const write = <const K extends string>(key: K) =>
  Step.make(key, { schema: Schema.String, run: () => `by ${key}` })

/** One that does so after a while. */
export const late = <const K extends string>(key: K, millis: number) =>
  Step.make(key, { schema: Schema.String, run: Effect.as(Effect.sleep(millis), `by ${key}`) })

/** One that fails, at once or after a while. */
export const fail = <const K extends string>(key: K, millis = 0) => {
  const failing = Effect.fail(new Unread({ canary: "secret text" }))
  return Step.make(key, {
    schema: Schema.String,
    run: millis === 0 ? failing : Effect.andThen(Effect.sleep(millis), failing)
  })
}

/** A model that never answers a question of the name, and the names of those whose call was interrupted. */
export const silentOn = (names: ReadonlyArray<string>, reply: (name: string) => Testing.Reply = () => yes) => {
  const interrupted: Array<string> = []
  const model = Testing.scripted(({ task }) => {
    const name = task.instruction.replace("?", "")
    if (!names.includes(name)) return reply(name)
    return Effect.never.pipe(Effect.onInterrupt(() => Effect.sync(() => void interrupted.push(name))))
  })
  return { model, interrupted }
}

/** Runs a step on the thought of these tests, with what the store has of it and what listeners were told. */
export const run = <Out, E>(
  step: Step.Step<{ readonly text: string }, Out, E, Provider.Provider | Memory.Memory>,
  model = Testing.scripted([])
) =>
  Effect.gen(function* () {
    const signals: Array<Signal.Signal> = []
    const done = yield* Pipeline.run(step, yield* start).pipe(Signal.listen((signal) => void signals.push(signal)))
    return { done, stored: yield* Memory.load(done.id), signals, model }
  }).pipe(Effect.provide(Layer.merge(model.layer, Testing.memory)))

/** Runs a step that fails, with what the store has of the thought and what listeners were told. */
export const failed = <Out, E>(
  step: Step.Step<{ readonly text: string }, Out, E, Provider.Provider | Memory.Memory>,
  model = Testing.scripted([])
) =>
  Effect.gen(function* () {
    const signals: Array<Signal.Signal> = []
    const thought = yield* start
    const error = yield* Pipeline.run(step, thought).pipe(
      Signal.listen((signal) => void signals.push(signal)),
      Effect.flip
    )
    return { error, stored: yield* Memory.load(thought.id), signals, model }
  }).pipe(Effect.provide(Layer.merge(model.layer, Testing.memory)))

export const keys = (thought: Thought.Thought<any>): ReadonlyArray<string> =>
  Thought.notes(thought).map(({ key }) => key)

/** A step that says when it has begun, never ends, and notes its name when it is interrupted. */
export const hang = (name: string, begun: Deferred.Deferred<void>, ended: Array<string>) =>
  Step.make(name, {
    run: Deferred.succeed(begun, undefined).pipe(
      Effect.andThen(Effect.never),
      Effect.onInterrupt(() => Effect.sync(() => void ended.push(name)))
    )
  })

/** The fields of the signals with this tag, without those that every signal has. */
export const told = (signals: ReadonlyArray<Signal.Signal>, tag: Signal.Tag): ReadonlyArray<object> =>
  signals
    .filter(({ _tag }) => _tag === tag)
    .map(({ _tag, millis: _millis, path, runId: _runId, thoughtId: _thoughtId, traceId: _traceId, ...rest }) => ({
      at: path.join("/"),
      ...rest
    }))
