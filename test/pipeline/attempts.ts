import { Deferred, Duration, Effect, Layer } from "effect"
import { Memory, Pipeline, Provider, Signal, type Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { message } from "./triage.ts"

type Needs = Provider.Provider | Memory.Memory

/** Runs a step on a thought with one message, and gives how it ended, what is stored then, and what was signalled. */
export const watched = <In, Out, E>(step: Step.Step<In, Out, E, Needs>, model: Testing.Scripted) =>
  Effect.gen(function* () {
    const signals: Array<Signal.Signal> = []
    const thought = yield* Thought.make("triage a support ticket", { message })
    const exit = yield* Pipeline.run(step as Step.Step<{}, Out, E, Needs>, thought).pipe(
      Signal.listen((signal) => signals.push(signal)),
      Effect.exit
    )
    const stored = yield* Memory.load(thought.id)
    return { thought, exit, stored, children: yield* Memory.children(thought.id), signals }
  }).pipe(Effect.provide(Layer.merge(model.layer, Layer.fresh(Testing.memory))))

/** The thought that a step gives, and the one that is stored of it. */
export const succeeded = <In, Out, E>(step: Step.Step<In, Out, E, Needs>, model: Testing.Scripted) =>
  Effect.gen(function* () {
    const done = yield* Pipeline.run(
      step as Step.Step<{}, Out, E, Needs>,
      yield* Thought.make("triage a support ticket", { message })
    )
    return { done, stored: yield* Memory.load(done.id) }
  }).pipe(Effect.provide(Layer.merge(model.layer, Layer.fresh(Testing.memory))))

/** The error that a step fails with, and what is stored then. */
export const failed = <In, Out, E>(step: Step.Step<In, Out, E, Needs>, model: Testing.Scripted) =>
  Effect.gen(function* () {
    const { exit, ...rest } = yield* watched(step, model)
    return { ...rest, error: yield* Effect.flip(exit) }
  })

/** What every request was sent with, byte for byte. */
export const asked = (model: Testing.Scripted): ReadonlyArray<string> =>
  model.requests.map(({ messages }) => JSON.stringify(messages))

export const keysOf = (thought: Thought.Thought<any>): ReadonlyArray<string> =>
  Thought.notes(thought).map(({ key }) => key)

export const tagged = <const T extends Signal.Tag>(signals: ReadonlyArray<Signal.Signal>, tag: T) =>
  signals.filter((signal): signal is Signal.Signal & { readonly _tag: T } => signal._tag === tag)

export const plain = (thought: Thought.Thought<any> | undefined): unknown => JSON.parse(JSON.stringify(thought))

/** Fails as a provider that asks to be left alone for a while. */
export const limited = (wait: Duration.Input) =>
  new Provider.ProviderError({
    provider: "scripted",
    model: "script",
    reason: { _tag: "RateLimited", message: "slow down", retryAfter: Duration.fromInputUnsafe(wait) }
  })

/** A reply that never comes, that it has been asked for, and that it was given up. */
export const hanging = Effect.gen(function* () {
  const called = yield* Deferred.make<void>()
  const released = yield* Deferred.make<void>()
  const reply = Deferred.succeed(called, undefined).pipe(
    Effect.andThen(Effect.never),
    Effect.onInterrupt(() => Deferred.succeed(released, undefined))
  )
  return { reply, called, released }
})
