/** All that can be seen of calls through layers: what the models were asked, the signals, and what the calls came to. */
import { inspect } from "node:util"
import { Effect, Exit, Fiber, type Layer, Result, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Provider, Signal } from "cogito"
import { told } from "../http/wire.ts"
import { type Fake, type Kind, kinds, request } from "./fake.ts"

/** The two pieces that the models stream a text in. */
const halves = (text: string) => [text.slice(0, Math.ceil(text.length / 2)), text.slice(Math.ceil(text.length / 2))]

/** What a call of any kind comes to, in the same form; of a stream that breaks off, the pieces before it too. */
const call = (
  kind: Kind,
  provider: Provider.Shape,
  asked: Provider.Request,
  leaves = Infinity
): Effect.Effect<Result.Result<unknown, unknown>> => {
  if (kind === "complete") return Effect.result(provider.complete(asked))
  if (kind === "decide") {
    return provider.decide === undefined
      ? Effect.succeed(Result.succeed("no native decisions"))
      : Effect.result(
          Effect.map(provider.decide(asked), ({ answers, ...rest }) => ({
            text: answers.map(({ name }) => name).join(),
            ...rest
          }))
        )
  }

  return Effect.suspend(() => {
    const pieces: Array<string> = []
    return Effect.result(
      Stream.runFold(
        leaves === Infinity ? provider.stream(asked) : Stream.take(provider.stream(asked), leaves),
        (): object => ({ pieces, end: "none" }),
        (before, part) => {
          if (part._tag === "Text") pieces.push(part.delta)
          if (part._tag !== "Done") return before
          const { response } = part
          return { ...(pieces.join("|") === halves(response.text).join("|") ? {} : { pieces }), ...response }
        }
      ).pipe(Effect.mapError((error) => (pieces.length === 0 ? error : { pieces, error: told(error) })))
    )
  })
}

/** What a request has that the usual one has not. */
const otherwise = (sent: Provider.DecideRequest & Partial<Provider.Request>) =>
  Object.fromEntries(
    Object.entries(sent).filter(
      ([name, value]) =>
        name !== "messages" && JSON.stringify(value) !== JSON.stringify(request[name as keyof Provider.Request])
    )
  )

const askedOf = (models: ReadonlyArray<Fake>) =>
  models
    .flatMap(({ calls, provider }) =>
      calls.map(({ at, request: sent }) => {
        const call = `${provider.model} at ${at}: ${sent.messages.map(({ text }) => text).join(" / ")}`
        const other = otherwise(sent)
        return { at, shown: Object.keys(other).length === 0 ? call : { call, ...other } }
      })
    )
    .toSorted((a, b) => a.at - b.at)
    .map(({ shown }) => shown)

export interface Scene {
  /** New models for each run, and the layer of them. */
  readonly models: ReadonlyArray<Fake>
  readonly layer: Layer.Layer<Provider.Provider, Provider.ProviderError>
  /** One call after the other, each some milliseconds after the one before has ended. */
  readonly asks?: ReadonlyArray<Partial<Provider.Request>>
  /** So many milliseconds between two calls; all at once where it is `"none"`. */
  readonly apart?: number | "none"
  /** Whether any of the calls may come first, so that their outcomes have no order. */
  readonly anyOrder?: boolean
  /** What is looked at in the end. */
  readonly after?: Effect.Effect<unknown>
  /** By how many milliseconds the clock goes on at a time, for streams that are ended by it; 0 where it stands still. */
  readonly step?: number
  /** After how many milliseconds a call is interrupted. */
  readonly until?: number
  /** After how many pieces the reader leaves a stream. */
  readonly leaves?: number
  /** What stands around each call. */
  readonly around?: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Lets the clock go on until a fiber has ended: by two hours at once, or by steps between which all come to where they wait. */
const goingOn = (fiber: Fiber.Fiber<unknown, unknown>, step: number | undefined) =>
  Effect.gen(function* () {
    if (step === undefined) yield* TestClock.adjust("2 hours")
    const steps = step === undefined || step === 0 ? 0 : 1000
    for (let i = 0; i < steps && fiber.pollUnsafe() === undefined; i++) {
      for (let turn = 0; turn < 20; turn++) yield* Effect.promise(() => new Promise(setImmediate))
      yield* TestClock.adjust(step ?? 0)
    }
  })

const byText = (a: unknown, b: unknown): number => (inspect(a) < inspect(b) ? -1 : 1)

const play = (
  kind: Kind,
  { after, anyOrder = false, apart = 0, around, asks = [{}], layer, leaves, models, step, until }: Scene
) =>
  Effect.gen(function* () {
    const signals: Array<unknown> = []
    const outcomes: Array<unknown> = []
    const made = asks.map((more) => ({ ...request, ...more }))
    const all = Effect.gen(function* () {
      const provider = yield* Provider.Provider
      const one = (asked: Provider.Request, place: number) =>
        (around ?? ((self) => self))(call(kind, provider, asked, leaves)).pipe(
          (made) => (until === undefined ? made : Effect.timeout(made, until)),
          Effect.exit,
          Effect.map((exit) => {
            outcomes[place] = Exit.isFailure(exit)
              ? exit.cause
              : Result.isSuccess(exit.value)
                ? exit.value.success
                : told(exit.value.failure)
          })
        )
      if (apart === "none") yield* Effect.forEach(made, one, { concurrency: "unbounded" })
      else
        for (const [place, asked] of made.entries()) {
          yield* one(asked, place)
          if (apart > 0) yield* Effect.sleep(apart)
        }
      return after === undefined ? undefined : yield* after
    }).pipe(
      Effect.provide(layer),
      Signal.listen((signal) => void signals.push(signal))
    )
    const fiber = yield* Effect.forkChild(Effect.result(all))
    yield* goingOn(fiber, step)
    const ended = yield* Fiber.join(fiber)
    return {
      asked: askedOf(models),
      signals: signals.length === 0 ? undefined : signals,
      // of calls at the same time, any may come first
      outcomes: ended._tag === "Failure" ? told(ended.failure) : anyOrder ? outcomes.toSorted(byText) : outcomes,
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
