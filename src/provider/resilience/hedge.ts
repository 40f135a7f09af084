/** A provider that makes a second call if the first is slow. */
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as kinds from "../../arguments/kinds.ts"
import { taking } from "../../arguments/taking.ts"
import { emit } from "../../run/run.ts"
import { addUsage, type Usage } from "../../thought/tokens.ts"
import { now } from "../../limits/now.ts"
import { askOne, inPlaceOf, type LayerOf, layerOf, type Layers } from "./alternatives.ts"
import { by, type Strategy, type Way } from "../calls.ts"
import { time, whole } from "../../arguments/checked.ts"
import type { Provider } from "../Provider.ts"
import type { Shape } from "../Shape.ts"
import type { ProviderError } from "../ProviderError.ts"
import type { DecideRequest, Request } from "../request.ts"
import { answerAfter, errorAfter } from "../spent.ts"

/**
 * When a further call is made while others run.
 *
 * @category models
 */
export interface HedgeOptions {
  /** How long to wait for an answer after each call before the next one is made. */
  readonly after: Duration.Input
  /** How many calls at most: a whole number from 2. Default: one for each provider, and 2 for a single one. */
  readonly max?: number
}

const owner = "Provider.hedge"

/**
 * A provider that calls again, or calls the next provider, if there is no answer after a time, and takes the first
 * answer.
 *
 * **Details**
 *
 * The losing calls are interrupted, which closes their connections. A failed call does not matter while another one
 * runs. If none is left, the last error is the error at once; for more attempts put `retry` or `fallback` inside or
 * around it. The answer's usage includes the tokens that failed calls have reported; the cost of interrupted calls is
 * unknown. The first piece of a stream is its answer.
 *
 * Name, model, capabilities and sampling work as in `fallback`. If there are more calls than providers, it starts again
 * with the first. Throws if an option is out of range.
 *
 * **Example** (A second provider, when the first is slow)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Provider, Synapse } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const slow = Testing.scripted([Effect.never])
 * const quick = Testing.scripted([{ decision: true, confidence: 1, reasoning: ["It says so."] }])
 * const isUrgent = Synapse.binary({ question: "Is this urgent?" })
 *
 * const answer = await Effect.runPromise(
 *   Effect.provide(isUrgent("Now!"), Provider.hedge([slow.layer, quick.layer], { after: "20 millis" }))
 * )
 * assert.equal(answer.decision, true)
 * assert.equal(slow.requests.length, 1)
 * ```
 *
 * @category resilience
 */
export const hedge: {
  <E, R>(layer: Layer.Layer<Provider, E, R>, options: HedgeOptions): LayerOf<readonly [Layer.Layer<Provider, E, R>]>
  <const L extends Layers>(layers: L, options: HedgeOptions): LayerOf<L>
} = taking("Provider.hedge", { args: [kinds.layers], options: 1, known: ["after", "max"] })((
  layers: Layer.Layer<Provider, any, any> | Layers,
  options: HedgeOptions
): LayerOf<Layers> => {
  const after = time(owner, "after", options.after)
  const max = options.max === undefined ? undefined : whole(owner, "max", 2, options.max)
  return layerOf(owner, isMany(layers) ? layers : [layers], (providers) =>
    inPlaceOf(providers, by(beside(providers, after, max), providers[0].decide !== undefined))
  )
})

const isMany = (layers: Layer.Layer<Provider, any, any> | Layers): layers is Layers => Array.isArray(layers)

/** The outcome of a call, and its number. */
interface Ended<A> {
  readonly attempt: number
  readonly exit: Exit.Exit<A, ProviderError>
}

/** Concurrent calls. */
class Calls<A> {
  readonly #running = new Map<number, Fiber.Fiber<A, ProviderError>>()
  readonly #ended: Array<Ended<A>> = []
  #nudged = Deferred.makeUnsafe<void>()
  begun = 0

  begin<R>(call: Effect.Effect<A, ProviderError, R>): Effect.Effect<void, never, R> {
    return Effect.suspend(() => {
      const attempt = ++this.begun
      const telling = Effect.onExit(call, (exit) => {
        this.#ended.push({ attempt, exit })
        return Deferred.succeed(this.#nudged, undefined)
      })
      return Effect.map(Effect.forkChild(telling), (fiber) => void this.#running.set(attempt, fiber))
    })
  }

  get areOver(): boolean {
    return this.#running.size === 0
  }

  /** The next outcome, if there is one. */
  next(): Ended<A> | undefined {
    const ended = this.#ended.shift()
    if (ended !== undefined) this.#running.delete(ended.attempt)
    return ended
  }

  /** Waits for an outcome, at most for that long. */
  wait(millis: number): Effect.Effect<unknown> {
    return Effect.suspend(() => {
      if (this.#ended.length > 0) return Effect.void
      this.#nudged = Deferred.makeUnsafe()
      const nudge = Deferred.await(this.#nudged)
      return millis === Infinity ? nudge : Effect.timeoutOption(nudge, millis)
    })
  }

  /** Interrupts the running calls and returns their outcomes. */
  stop(): Effect.Effect<ReadonlyArray<Exit.Exit<A, ProviderError>>> {
    return Effect.suspend(() => {
      const fibers = [...this.#running.values()]
      return Effect.andThen(Fiber.interruptAll(fibers), Effect.forEach(fibers, Fiber.await))
    })
  }
}

const failureIn = <A>(exit: Exit.Exit<A, ProviderError>): ProviderError | undefined =>
  Exit.isSuccess(exit) || Cause.hasDies(exit.cause) ? undefined : exit.cause.reasons.find(Cause.isFailReason)?.error

const beside =
  (providers: ReadonlyArray<Shape>, after: number, max: number | undefined): Strategy =>
  <Q extends Request | DecideRequest, A, R>(way: Way<Q, A, R>, request: Q) => {
    const able = providers.filter(way.able)
    const most = max ?? Math.max(2, able.length)
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const calls = new Calls<A>()
        let spent: Usage = {}
        const begin = Effect.suspend(() => {
          const provider = able[calls.begun % able.length]
          if (provider === undefined) return Effect.die(new Error("No provider is able."))
          return calls.begin(restore(askOne(way, provider, request, provider === able[0])))
        })
        const first = Effect.gen(function* () {
          let due = -Infinity
          for (;;) {
            const ended = calls.next()
            const at = yield* now
            if (ended === undefined) {
              if (calls.begun < most && due <= at) {
                due = at + after
                yield* Effect.uninterruptible(begin)
              } else yield* calls.wait(calls.begun < most ? due - at : Infinity)
              continue
            }
            const { attempt, exit } = ended
            if (Exit.isSuccess(exit)) return exit.value
            const error = failureIn(exit)
            if (error === undefined) return yield* exit
            if (calls.areOver) return yield* errorAfter(error, spent)
            spent = addUsage(spent, error.usage ?? {})
            yield* emit(undefined, { _tag: "AttemptFailed", attempt, error: error.reason._tag, waitMillis: 0 })
          }
        })
        const answered = yield* Effect.onExit(restore(first), () =>
          Effect.gen(function* () {
            for (const exit of yield* calls.stop()) {
              const lost = Exit.isSuccess(exit) ? yield* way.discard(exit.value) : failureIn(exit)?.usage
              spent = addUsage(spent, lost ?? {})
            }
          })
        )
        const lost = spent
        return way.changed(answered, {
          answer: (answer) => answerAfter(answer, lost),
          error: (error) => errorAfter(error, lost)
        })
      })
    )
  }
