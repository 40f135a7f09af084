/** Calls that are made too often, too early or not at all, or that do not end when they should. */
import { extend, ProviderError, type Request, type Shape } from "cogito/Provider"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { type Mutation, onProvider, ways } from "./mutation.ts"

type Wrapping = <A>(effect: Effect.Effect<A, ProviderError>) => Effect.Effect<A, ProviderError>

const inOther: ReadonlyArray<readonly [name: string, change: Wrapping]> = [
  ["twice", (effect) => Effect.andThen(effect, effect)],
  ["again after a failure", Effect.retry({ times: 1 })],
  [
    "again after an interruption",
    (effect) =>
      Effect.onInterrupt(effect, () =>
        Effect.flatMap(Effect.forkDetach(effect, { startImmediately: true }), Fiber.interrupt)
      )
  ],
  ["without an interruption", Effect.uninterruptible],
  ["in a fiber that is not interrupted", (effect) => Effect.flatMap(Effect.forkDetach(effect), Fiber.join)],
  [
    "and fails when it is interrupted",
    (effect) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.catchCauseIf(
          restore(effect),
          (cause) => Exit.hasInterrupts(Exit.failCause(cause)),
          () =>
            Effect.fail(
              new ProviderError({
                provider: "house",
                model: "house-1",
                reason: { _tag: "Overloaded", message: "sorry" }
              })
            )
        )
      )
  ]
]

/** The parts of a stream, read as a whole before the first is emitted. */
const collected = (provider: Shape, request: Request) => Stream.runCollect(provider.stream(request))

export const timeMutations: ReadonlyArray<Mutation> = [
  ...inOther.flatMap(([name, change]) => [
    onProvider(`complete: sent ${name}`, (provider) =>
      extend(provider, { complete: (request) => change(provider.complete(request)) })
    ),
    onProvider(`stream: sent ${name}`, (provider) =>
      extend(provider, {
        stream: (request) => Stream.unwrap(Effect.map(change(collected(provider, request)), Stream.fromIterable))
      })
    ),
    onProvider(`decide: sent ${name}`, (provider) =>
      extend(provider, { decide: (request) => change(provider.decide!(request)) })
    )
  ]),
  ...ways.flatMap((way) => {
    const once = (provider: Shape, request: Request) =>
      way === "complete" ? Effect.asVoid(provider.complete(request)) : Stream.runDrain(provider.stream(request))
    return [
      onProvider(`${way}: sent before it is run`, (provider) =>
        extend(provider, {
          [way]: (request: Request) => {
            Effect.runFork(Effect.ignoreCause(once(provider, request)))
            return provider[way](request)
          }
        })
      ),
      onProvider(`${way}: sent before it is run, and by the second run again`, (provider) =>
        extend(provider, {
          [way]: (request: Request) => {
            const call: Effect.Effect<any, ProviderError> =
              way === "complete" ? provider.complete(request) : collected(provider, request)
            const first = Effect.runFork(call)
            let isFirst = true
            const result = Effect.suspend(() => {
              const made = isFirst ? Fiber.join(first) : call
              isFirst = false
              return made
            })
            return way === "complete" ? result : Stream.unwrap(Effect.map(result, Stream.fromIterable))
          }
        })
      ),
      onProvider(`${way}: sent once for all runs`, (provider) =>
        extend(
          provider,
          way === "complete"
            ? { complete: (request) => Effect.runSync(Effect.cached(provider.complete(request))) }
            : {
                stream: (request) =>
                  Stream.unwrap(
                    Effect.map(Effect.runSync(Effect.cached(collected(provider, request))), Stream.fromIterable)
                  )
              }
        )
      )
    ]
  })
]
