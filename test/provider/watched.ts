/** All that can be seen of calls through layers: what the models were asked, the signals, and what the calls came to. */
import { Effect, Fiber, type Layer, Result, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Provider, Signal } from "cogito"
import { told } from "../http/wire.ts"
import { type Fake, type Kind, kinds, request } from "./fake.ts"

/** What a call of any kind comes to; of a stream that breaks off, the pieces before it too. */
const call = (
  kind: Kind,
  provider: Provider.Shape,
  asked: Provider.Request
): Effect.Effect<Result.Result<unknown, unknown>> => {
  if (kind === "complete") return Effect.result(provider.complete(asked))
  if (kind === "decide") {
    return provider.decide === undefined
      ? Effect.succeed(Result.succeed("no native decisions"))
      : Effect.result(provider.decide(asked))
  }

  return Effect.suspend(() => {
    const pieces: Array<string> = []
    return Effect.result(
      Stream.runFold(
        provider.stream(asked),
        (): object => ({ pieces, end: "none" }),
        (before, part) => {
          if (part._tag === "Text") pieces.push(part.delta)
          return part._tag === "Text" ? before : { pieces, ...part.response }
        }
      ).pipe(Effect.mapError((error) => (pieces.length === 0 ? error : { pieces, error: told(error) })))
    )
  })
}

const askedOf = (models: ReadonlyArray<Fake>) =>
  models
    .flatMap(({ calls, provider }) =>
      calls.map(({ at, request: sent }) => ({
        at,
        model: provider.model,
        texts: sent.messages.map(({ text }) => text).join(" / "),
        ...("sampling" in sent && { sampling: sent.sampling })
      }))
    )
    .toSorted((a, b) => a.at - b.at)

export interface Scene {
  /** New models for each run, and the layer of them. */
  readonly models: ReadonlyArray<Fake>
  readonly layer: Layer.Layer<Provider.Provider, Provider.ProviderError>
  /** One call after the other, each some milliseconds after the one before has ended. */
  readonly asks?: ReadonlyArray<Partial<Provider.Request>>
  /** So many milliseconds between two calls; all at once where it is `"none"`. */
  readonly apart?: number | "none"
  /** What is looked at in the end. */
  readonly after?: Effect.Effect<unknown>
  /** What stands around each call. */
  readonly around?: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

const play = (kind: Kind, { after, apart = 0, around, asks = [{}], layer, models }: Scene) =>
  Effect.gen(function* () {
    const signals: Array<unknown> = []
    const outcomes: Array<unknown> = []
    const made = asks.map((more) => ({ ...request, ...more }))
    const all = Effect.gen(function* () {
      const provider = yield* Provider.Provider
      const one = (asked: Provider.Request, place: number) =>
        Effect.map((around ?? ((self) => self))(call(kind, provider, asked)), (result) => {
          outcomes[place] = result._tag === "Success" ? result.success : told(result.failure)
        })
      if (apart === "none") yield* Effect.forEach(made, one, { concurrency: "unbounded" })
      else
        for (const [place, asked] of made.entries()) {
          yield* one(asked, place)
          yield* Effect.sleep(apart)
        }
      return after === undefined ? undefined : yield* after
    }).pipe(
      Effect.provide(layer),
      Signal.listen((signal) => void signals.push(signal))
    )
    const fiber = yield* Effect.forkChild(Effect.result(all))
    yield* TestClock.adjust("2 hours")
    const ended = yield* Fiber.join(fiber)
    return {
      asked: askedOf(models),
      signals: signals.length === 0 ? undefined : signals,
      outcomes: ended._tag === "Failure" ? told(ended.failure) : outcomes,
      after: ended._tag === "Success" ? ended.success : undefined
    }
  }).pipe(Effect.provide(TestClock.layer()))

/** What each kind of call comes to; kinds that come to the same are told together. */
export const watched = (scene: () => Scene, of: ReadonlyArray<Kind> = kinds) =>
  Effect.gen(function* () {
    const found: Array<{ readonly names: Array<string>; readonly text: string; readonly seen: unknown }> = []
    for (const kind of of) {
      const seen = yield* play(kind, scene())
      const text = JSON.stringify(seen)
      const same = found.find((one) => one.text === text)
      if (same === undefined) found.push({ names: [kind], text, seen })
      else same.names.push(kind)
    }
    return Object.fromEntries(found.map(({ names, seen }) => [names.join(" and "), seen]))
  })
