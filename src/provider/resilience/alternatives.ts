/** Providers that stand in for each other. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { Answered, Way } from "../calls.ts"
import { resolveSampling } from "../capabilities.ts"
import { costKnown } from "../spent.ts"
import { extend, Provider } from "../Provider.ts"
import type { Shape } from "../Shape.ts"
import type { ProviderError } from "../ProviderError.ts"
import type { DecideRequest, Request, Sampling } from "../request.ts"

/** At least one layer of a provider. */
export type Layers = readonly [Layer.Layer<Provider, any, any>, ...ReadonlyArray<Layer.Layer<Provider, any, any>>]

/**
 * The layer of the provider that is made from these layers.
 *
 * @category types
 */
export type LayerOf<L extends Layers> = Layer.Layer<
  Provider,
  Layer.Error<L[number]>,
  Exclude<Layer.Services<L[number]>, Scope.Scope>
>

/** Makes one provider from the providers of the layers. `owner` is named in messages. */
export const layerOf = <const L extends Layers>(
  owner: string,
  layers: L,
  make: (providers: readonly [Shape, ...ReadonlyArray<Shape>]) => Shape
): LayerOf<L> => {
  // JavaScript callers may pass any value
  const count: number = layers.length
  if (count === 0) throw new Error(`${owner} needs at least one layer of a provider.`)
  return built<Layer.Error<L[number]>, Layer.Services<L[number]>>(layers, make)
}

const built = <E, R>(
  [first, ...others]: readonly [Layer.Layer<Provider, E, R>, ...ReadonlyArray<Layer.Layer<Provider, E, R>>],
  make: (providers: readonly [Shape, ...ReadonlyArray<Shape>]) => Shape
) => {
  return Layer.effect(
    Provider,
    Effect.gen(function* () {
      const build = yield* building
      return make([yield* build(first), ...(yield* Effect.forEach(others, build))])
    })
  )
}

/** Builds layers of providers for one purpose. What several of them share, such as a limiter or a recorder, is built once. */
export const building = Effect.map(Effect.context<Scope.Scope>(), (context) => {
  const memo = Context.getOrUndefined(context, Layer.CurrentMemoMap) ?? Layer.makeMemoMapUnsafe()
  const scope = Context.get(context, Scope.Scope)
  return <E, R>(layer: Layer.Layer<Provider, E, R>): Effect.Effect<Shape, E, R> =>
    Effect.map(Layer.buildWithMemoMap(layer, memo, scope), (built) => Context.get(built, Provider))
})

/**
 * The first provider, with calls that any of the providers may answer. If it decides natively and another one cannot,
 * its questions may also be asked as text, so that the other can answer them.
 */
export const inPlaceOf = (
  [first, ...others]: readonly [Shape, ...ReadonlyArray<Shape>],
  calls: Pick<Shape, "complete" | "stream" | "decide">
): Shape => {
  const decidesAlone = first.decide !== undefined && others.some(({ decide }) => decide === undefined)
  const budgets = (answeredBy?: string) =>
    [first, ...others]
      .filter(({ name }) => answeredBy === undefined || name === answeredBy)
      .flatMap((one) => one.budgets?.(answeredBy) ?? [])
  return extend(first, { ...calls, budgets, ...(decidesAlone && { order: first.order ?? ["native", "text"] }) })
}

/** Calls one provider; any but the first gets the sampling that it supports. The answer names its provider. */
export const askOne = <Q extends Request | DecideRequest, A, R>(
  way: Way<Q, A, R>,
  provider: Shape,
  request: Q,
  isFirst: boolean
): Effect.Effect<A, ProviderError, R> =>
  Effect.suspend(() => {
    let sent: Sampling | undefined
    const asked = isFirst
      ? request
      : way.resampled(request, (given) => {
          sent = resolveSampling(provider.capabilities, given.phase, given.wish ?? given.sampling)
          return { ...given, sampling: sent }
        })
    return Effect.map(way.call(provider, asked), (answered) =>
      way.changed(answered, {
        answer: (answer) => ({
          ...(sent === undefined ? {} : { sampling: sent }),
          provider: provider.name,
          model: provider.model,
          ...priceOf(provider, answer),
          ...answer
        }),
        error: (error) => error
      })
    )
  })

/** The cost of an answer of this provider. An answer that it passes on from another provider has its own. */
const priceOf = ({ capabilities }: Shape, { provider, usage }: Answered): Pick<Answered, "usd"> => {
  const usd = provider === undefined ? costKnown(usage, capabilities.prices) : undefined
  return usd === undefined ? {} : { usd }
}
