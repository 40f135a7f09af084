/** A cache of answers to equal requests. */
import * as Cache from "effect/Cache"
import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { taking } from "../../arguments/taking.ts"
import { type Answers, dropped, Key, type Kept, makeAnswers, type Missed, Own } from "../answers.ts"
import type { Answered, Transformation } from "../calls.ts"
import { time, whole } from "../../arguments/checked.ts"
import { InForce } from "../../limits/budget/inForce.ts"
import { forgettable, free } from "../forgetting.ts"
import { partsOf } from "../pieces.ts"
import { extend, transform } from "../Provider.ts"
import type { Shape } from "../Shape.ts"
import { ProviderError } from "../ProviderError.ts"
import type { AnyRequest, DecideRequest, DecideResponse, Request, Response, StreamPart } from "../request.ts"
import { requestKey } from "./requestKey.ts"

/**
 * Stores answers so that later processes find them.
 *
 * **Details**
 *
 * It must not fail: for an entry that it cannot read, `get` returns `undefined`. Keys are hashes of 64 hexadecimal
 * digits. Answers are plain data without usage.
 *
 * @category models
 */
export interface CacheStore {
  readonly get: (key: string) => Effect.Effect<Response | DecideResponse | undefined>
  readonly set: (key: string, answer: Response | DecideResponse, timeToLive: Duration.Duration) => Effect.Effect<void>
  /** Removes an answer of which no use could be made. Default: it stays until it expires. */
  readonly remove?: (key: string) => Effect.Effect<void>
}

const owner = "Provider.cache"

/**
 * Answers a request with the kept answer to an equal one.
 *
 * **Details**
 *
 * Requests are equal if provider, model, messages, form, phase, sampling and tools are. An answer from the cache has
 * `cached` set and no usage. Only repeatable calls are kept, unless `always` is set: with temperature 0, of reasoning
 * without a temperature, and native decisions. Failures are not kept, nor are the answers with which a step ends in a `ResponseError`
 * or `EmptyAnswer`: tried again, it makes new calls.
 *
 * While a call runs, equal calls wait for it and share its outcome, failures included, except for those of a budget. A
 * stream is read at the provider's pace; from the cache it is one piece.
 *
 * The cache lives as long as this value. Pipe it last, so that cached answers take no turn of a limiter. Throws if an
 * option is out of range.
 *
 * **Example** (The same question twice)
 *
 * ```ts
 * import assert from "node:assert/strict"
 * import { Effect } from "effect"
 * import { Provider, Synapse } from "cogito"
 * import { Testing } from "cogito/testing"
 *
 * const model = Testing.scripted([{ decision: true, confidence: 1, reasoning: ["It says so."] }])
 * const cached = model.layer.pipe(Provider.cache({ capacity: 100, timeToLive: "10 minutes" }))
 * const isUrgent = Synapse.binary({ question: "Is this urgent?" })
 *
 * const program = Effect.gen(function*() {
 *   const first = yield* isUrgent("Now!")
 *   const second = yield* isUrgent("Now!")
 *   assert.deepEqual(first, second)
 *   assert.equal(model.requests.length, 1)
 * })
 *
 * await Effect.runPromise(Effect.provide(program, cached))
 * ```
 *
 * @category resilience
 */
export const cache = taking("Provider.cache", {
  options: 0,
  optional: true,
  known: ["always", "capacity", "store", "timeToLive"]
})((
  options: {
    /** How many answers are kept in memory; the least recently used goes first. Default: 1000. */
    readonly capacity?: number
    /** How long an answer is kept. Default: 1 hour. */
    readonly timeToLive?: Duration.Input
    /** Whether calls whose answers may vary are kept too, such as those of introspection. Default: false. */
    readonly always?: boolean
    /** Where answers that are not in memory are looked up and stored. Default: nowhere. */
    readonly store?: CacheStore
  } = {}
): Transformation => {
  const { always = false, store } = options
  const timeToLive = Duration.millis(time(owner, "timeToLive", options.timeToLive ?? "1 hour", { endless: true }))
  const answers = makeAnswers(whole(owner, "capacity", 1, options.capacity ?? 1000), timeToLive)
  return transform((provider) =>
    Effect.succeed(extend(provider, calls(provider, { always, answers, store, timeToLive })))
  )
})

interface Parts {
  readonly always: boolean
  readonly answers: Answers
  readonly store: CacheStore | undefined
  readonly timeToLive: Duration.Duration
}

const calls = (provider: Shape, { always, answers, store, timeToLive }: Parts) => {
  const { decide } = provider
  // a model without a temperature setting gets the most repeatable request that it supports in the phase of reasoning
  const isKept = ({ phase, sampling: { temperature } }: Request) =>
    always || temperature === 0 || (temperature === undefined && phase === "reason")

  const stored = (hash: string): Effect.Effect<Answered | undefined> => store?.get(hash) ?? Effect.undefined
  const put = <A extends Answered>(hash: string, answer: A): Effect.Effect<A> =>
    store === undefined ? Effect.succeed(answer) : Effect.as(store.set(hash, lasting(answer), timeToLive), answer)

  /** Removes an answer from the store, but not another one that has taken its place. */
  const removed = (hash: string, answer: Answered): Effect.Effect<void> => {
    const { remove } = store ?? {}
    if (remove === undefined) return Effect.void
    return Effect.flatMap(stored(hash), (found) =>
      found !== undefined && contentOf(found) === contentOf(answer) ? remove(hash) : Effect.void
    )
  }

  /** The answer as it is kept in memory. Callers may forget it, but not another one that has taken its place. */
  const own = <A extends Answered>(hash: string, answer: A): A => {
    const mine: A = forgettable(
      answer,
      Effect.suspend(() =>
        Effect.andThen(
          Cache.invalidateWhen(answers, new Key(hash, Effect.never), (found) => found.answer === mine),
          removed(hash, answer)
        )
      )
    )
    return mine
  }

  /** The kept answer, or that of the call. */
  const kept = <A extends Answered>(
    asked: AnyRequest,
    isOfKind: (answer: Answered) => answer is A,
    call: Effect.Effect<A, ProviderError>
  ): Effect.Effect<A, ProviderError> =>
    Effect.gen(function* () {
      const hash = yield* requestKey(provider, asked)
      const mine = yield* ownOf
      const asking = Effect.flatMap(stored(hash), (found): Effect.Effect<Kept, Missed> =>
        found !== undefined && isOfKind(found)
          ? Effect.succeed({ answer: own(hash, found), isOld: true })
          : Effect.mapBoth(
              Effect.flatMap(call, (answer) => put(hash, answer)),
              { onSuccess: (answer) => ({ answer: own(hash, answer), isOld: false }), onFailure: mine }
            )
      )
      for (;;) {
        const key = new Key(hash, asking)
        const answer = settled(key, yield* Effect.result(Cache.get(answers, key)))
        if (answer === undefined) continue
        // the hash includes the kind
        if (Result.isSuccess(answer) && isOfKind(answer.success)) return answer.success
        return yield* Result.isFailure(answer) ? answer.failure : call
      }
    })

  /** A stream that is passed on while equal calls wait for its end. */
  const streamed = (request: Request) =>
    Effect.gen(function* () {
      const hash = yield* requestKey(provider, { asked: "text", request })
      const mine = yield* ownOf
      for (;;) {
        const end = Deferred.makeUnsafe<Kept, Missed>()
        const key = new Key(hash, Deferred.await(end))
        const waiting = yield* Effect.forkScoped(Cache.get(answers, key), { startImmediately: true })
        if (key.asked) {
          yield* Effect.addFinalizer(() => Deferred.fail(end, dropped))
          const found = yield* stored(hash)
          if (found !== undefined && isText(found)) {
            const answer = own(hash, found)
            yield* Deferred.succeed(end, { answer, isOld: true })
            yield* Fiber.await(waiting)
            return inOnePiece(again(answer))
          }
          const keep = (given: Response) => {
            const answer = own(hash, given)
            return Deferred.succeed(end, { answer, isOld: false }).pipe(
              Effect.andThen(Fiber.await(waiting)),
              Effect.andThen(put(hash, given)),
              Effect.as(answer)
            )
          }
          return provider.stream(request).pipe(
            Stream.mapEffect((part): Effect.Effect<StreamPart> =>
              part._tag === "Done"
                ? Effect.map(keep(part.response), (response) => ({ ...part, response }))
                : Effect.succeed(part)
            ),
            Stream.tapCause((cause) =>
              Cause.hasInterrupts(cause) ? Effect.void : Effect.asVoid(Deferred.failCause(end, Cause.map(cause, mine)))
            ),
            // others wait for the provider, not for the reader of this stream
            Stream.bufferArray({ capacity: "unbounded" })
          )
        }
        const answer = settled(key, yield* Effect.result(Fiber.join(waiting)))
        if (answer === undefined) continue
        if (Result.isFailure(answer)) return yield* answer.failure
        if (isText(answer.success)) return inOnePiece(answer.success)
        return provider.stream(request)
      }
    })

  return {
    complete: (request: Request) => {
      const call = Effect.suspend(() => provider.complete(request))
      return isKept(request) ? kept({ asked: "text", request }, isText, call) : call
    },
    stream: (request: Request) => (isKept(request) ? Stream.unwrap(streamed(request)) : provider.stream(request)),
    ...(decide !== undefined && {
      decide: (request: DecideRequest) =>
        kept(
          { asked: "native", request },
          isDecision,
          Effect.suspend(() => decide(request))
        )
    })
  }
}

const isText = (answer: Answered): answer is Response => "text" in answer
const isDecision = (answer: Answered): answer is DecideResponse => "answers" in answer

/** What a step can make use of in an answer. */
const contentOf = (answer: Answered): string =>
  JSON.stringify(isText(answer) ? [answer.text, answer.calls ?? []] : answer.answers)

/** The outcome for a caller that has called or waited; `undefined` if the request must be repeated. */
const settled = (
  { asked }: Key,
  result: Result.Result<Kept, Missed>
): Result.Result<Answered, ProviderError> | undefined => {
  if (Result.isSuccess(result)) {
    const { answer, isOld } = result.success
    return Result.succeed(asked && !isOld ? answer : again(answer))
  }
  if (result.failure === dropped) return undefined
  if (result.failure instanceof Own) return asked ? Result.fail(result.failure.error) : undefined
  return Result.fail(asked ? result.failure : unbilled(result.failure))
}

/** Marks failures that may come from the caller's own budgets, which other callers need not share. */
const ownOf = Effect.map(InForce, (budgets) => (error: ProviderError): ProviderError | Own => {
  const { _tag } = error.reason
  // a budget refuses a model without a price as invalid, and its bound can cut an answer off
  const isOwn = _tag === "BudgetExceeded" || (budgets.length > 0 && (_tag === "InvalidRequest" || _tag === "Truncated"))
  return isOwn ? new Own(error) : error
})

/** The answer without the fields that apply only to the original call. */
const lasting = <A extends Answered & { readonly sent?: unknown }>(answer: A): A => {
  const { limits: _, sent: __, usd: ___, ...rest } = answer
  // only optional fields are removed
  return free(rest as A)
}

const again = <A extends Answered>(answer: A): A => ({ ...lasting(answer), cached: true })

/** Only the call that was made has usage. */
const unbilled = ({ cause, model, provider, reason, requestId }: ProviderError): ProviderError =>
  new ProviderError({
    provider,
    model,
    reason,
    ...(requestId === undefined ? {} : { requestId }),
    ...(cause === undefined ? {} : { cause })
  })

const inOnePiece = (response: Response): Stream.Stream<StreamPart> => Stream.fromIterable(partsOf(response))
