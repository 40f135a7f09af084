/** The three kinds of calls behind one interface, so that layers treat all of them alike. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Usage } from "../thought/tokens.ts"
import type { Provider } from "./Provider.ts"
import type { Shape } from "./Shape.ts"
import { ProviderError } from "./ProviderError.ts"
import type { AnyRequest, DecideRequest, DecideResponse, Request, Response, StreamPart } from "./request.ts"

/**
 * Adds something around the calls of a provider, such as retries or limits.
 *
 * @category models
 */
export type Transformation = <E, R>(self: Layer.Layer<Provider, E, R>) => Layer.Layer<Provider, E, R>

/** The answer to a call of any kind. */
export type Answered = Response | DecideResponse

/** How the outcome of a call is changed. */
interface Change {
  readonly answer: <R extends Answered>(answer: R) => R
  readonly error: (error: ProviderError) => ProviderError
}

/**
 * How one kind of call is made. The outcome `A` is the answer, or a stream whose first piece has arrived. Until then
 * nothing has been released, so the call can be made again without anybody having seen the first attempt.
 */
export interface Way<Q extends Request | DecideRequest, A, R> {
  /** Whether the provider supports such calls. */
  readonly able: (provider: Shape) => boolean
  readonly call: (provider: Shape, request: Q) => Effect.Effect<A, ProviderError, R>
  /** Changes the answer, or the rest of a stream. */
  readonly changed: (answered: A, change: Change) => A
  /** Releases an answer that nobody will take, and returns its usage as far as it is known. */
  readonly discard: (answered: A) => Effect.Effect<Usage>
  /** Changes the request's sampling with `sample`. Native decisions have no sampling and stay unchanged. */
  readonly resampled: (request: Q, sample: (request: Request) => Request) => Q
}

const completing: Way<Request, Response, never> = {
  able: () => true,
  call: (provider, request) => provider.complete(request),
  changed: (response, change) => change.answer(response),
  discard: ({ usage }) => Effect.succeed(usage),
  resampled: (request, sample) => sample(request)
}

const deciding: Way<DecideRequest, DecideResponse, never> = {
  able: (provider) => provider.decide !== undefined,
  call: (provider, request) =>
    provider.decide === undefined
      ? Effect.fail(failure(provider, "Unsupported", "it has no native decisions: ask in text"))
      : provider.decide(request),
  changed: (response, change) => change.answer(response),
  discard: ({ usage }) => Effect.succeed(usage),
  resampled: (request) => request
}

/** A stream from its first piece on. */
interface Opened {
  readonly parts: Stream.Stream<StreamPart, ProviderError>
  readonly close: Effect.Effect<void>
}

const streaming: Way<Request, Opened, Scope.Scope> = {
  able: () => true,
  // a failed attempt releases its resources at once, a successful one when its stream ends
  call: (provider, request) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const scope = yield* Scope.fork(yield* Effect.scope)
        const parts = yield* restore(Scope.provide(opened(provider, request), scope)).pipe(
          Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
        )
        return { parts, close: Scope.close(scope, Exit.void) }
      })
    ),
  changed: ({ close, parts }, change) => ({
    close,
    parts: parts.pipe(
      Stream.map((part) => (part._tag === "Done" ? { ...part, response: change.answer(part.response) } : part)),
      Stream.mapError(change.error)
    )
  }),
  discard: ({ close }) => Effect.as(close, {}),
  resampled: (request, sample) => sample(request)
}

/** Waits for the first piece. */
const opened = (provider: Shape, request: Request) =>
  Effect.gen(function* () {
    const pull = yield* Stream.toPull(provider.stream(request))
    const first: Array<StreamPart> = []
    while (!first.some(isSeen)) {
      const cut = failure(provider, "Truncated", "the answer's stream ended before it had begun: try again")
      first.push(...(yield* Pull.catchDone(pull, () => Effect.fail(cut))))
    }
    return Stream.concat(Stream.fromArray(first), Stream.fromPull(Effect.succeed(pull)))
  })

/** Reasoning waits for the answer itself, so that a call that fails before it can be made again. */
const isSeen = (part: StreamPart): boolean => (part._tag === "Text" ? part.delta !== "" : part._tag !== "Reasoning")

/** Makes a call of any kind, with as many calls of providers as it takes. */
export type Strategy = <Q extends Request | DecideRequest, A, R>(
  way: Way<Q, A, R>,
  request: Q
) => Effect.Effect<A, ProviderError, R>

/** The calls of a provider that makes all of them by one strategy. */
export const by = (strategy: Strategy, decides: boolean): Pick<Shape, "complete" | "stream" | "decide"> => ({
  complete: (request) => strategy(completing, request),
  stream: (request) => Stream.unwrap(Effect.map(strategy(streaming, request), ({ parts }) => parts)),
  ...(decides && { decide: (request: DecideRequest) => strategy(deciding, request) })
})

/** How a call has ended. `Dropped`: nobody waits for it any more. */
export type End =
  | { readonly _tag: "Answered"; readonly answer: Answered }
  | { readonly _tag: "Failed"; readonly error: ProviderError }
  | { readonly _tag: "Died" }
  | { readonly _tag: "Dropped" }

/**
 * Lets a call begin, and returns the function that reports its end. Waiting happens in `restore`; the rest cannot be
 * interrupted.
 */
export type Gate = (
  asked: AnyRequest,
  restore: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
) => Effect.Effect<(end: End) => Effect.Effect<void>, ProviderError>

/** The calls of a provider behind a gate. The end of each call is reported exactly once. */
export const gated = (provider: Shape, gate: Gate): Pick<Shape, "complete" | "stream" | "decide"> => {
  const whole = <A extends Answered>(asked: AnyRequest, call: Effect.Effect<A, ProviderError>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(gate(asked, restore), (end) =>
        Effect.onExit(restore(call), (exit) =>
          end(Exit.isSuccess(exit) ? { _tag: "Answered", answer: exit.value } : endOf(exit.cause))
        )
      )
    )
  const { decide } = provider
  return {
    complete: (request) =>
      whole(
        { asked: "text", request },
        Effect.suspend(() => provider.complete(request))
      ),
    ...(decide !== undefined && {
      decide: (request: DecideRequest) =>
        whole(
          { asked: "native", request },
          Effect.suspend(() => decide(request))
        )
    }),
    stream: (request) =>
      Stream.unwrap(
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const admitted = yield* gate({ asked: "text", request }, restore)
            let ended = false
            const end = (how: End) =>
              Effect.suspend(() => {
                if (ended) return Effect.void
                ended = true
                return admitted(how)
              })
            yield* Effect.addFinalizer(() => end({ _tag: "Dropped" }))
            return provider.stream(request).pipe(
              Stream.tap((part) =>
                part._tag === "Done" ? end({ _tag: "Answered", answer: part.response }) : Effect.void
              ),
              Stream.onError((cause) => end(endOf(cause)))
            )
          })
        )
      )
  }
}

const endOf = (cause: Cause.Cause<ProviderError>): End => {
  if (Cause.hasDies(cause)) return { _tag: "Died" }
  const failed = cause.reasons.find(Cause.isFailReason)
  return failed === undefined ? { _tag: "Dropped" } : { _tag: "Failed", error: failed.error }
}

/** An error of this provider that a layer around it raises. */
export const failure = (
  { model, name }: Pick<Shape, "name" | "model">,
  tag: "Unsupported" | "Truncated" | "Timeout",
  message: string
): ProviderError => new ProviderError({ provider: name, model, reason: { _tag: tag, message } })
