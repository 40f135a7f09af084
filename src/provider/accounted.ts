/** Reserves room for calls in the budgets in force before they are made, and books their usage when they end. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { emit } from "../run/run.ts"
import type { Usage } from "../thought/tokens.ts"
import { now } from "../limits/now.ts"
import { decisionOf, inputOf, mostNanos } from "./bounds.ts"
import { cutShort, refuse, refuseBoundless, refuseUnpriced, stop } from "./exceeded.ts"
import { perDollar } from "../limits/budget/accounts.ts"
import { InForce, Made, place, Reserved, type Source } from "../limits/budget/inForce.ts"
import { Meters } from "../limits/budget/meter.ts"
import type { Capabilities } from "./capabilities.ts"
import type { Shape } from "./Shape.ts"
import type { ProviderError } from "./ProviderError.ts"
import type { AnyRequest, DecideRequest, Request, Response, StreamPart } from "./request.ts"
import { type Account, type Demand, longestTimer, type Reservation, reserve } from "../limits/budget/reservation.ts"
import { charge, chargeAll, chargeFailure } from "./settlement.ts"

/** The provider that makes the calls. */
type Caller = Pick<Shape, "name" | "model" | "capabilities">

/** How one kind of call is measured and bounded. */
interface Kind<Q> {
  readonly measure: (caller: Caller, request: Q) => Omit<Demand, "nanos">
  /** The request with a limit on the tokens of its answer. */
  readonly bound: (request: Q, output: number) => Q
  /** Whether the length of an answer has no known limit. */
  readonly isBoundless: (capabilities: Capabilities) => boolean
}

/** Tokens reserved for an answer that neither the request nor the model limits. */
const defaultOutput = 4_096
/** A call with room for fewer answer tokens than this is not made. */
const leastOutput = 64

const completion: Kind<Request> = {
  measure: ({ capabilities }, request) => {
    const { boundsOutput = true, outputTokens = defaultOutput } = capabilities
    const input = inputOf(request)
    if (!boundsOutput) return { input, output: outputTokens, least: outputTokens }
    const output = request.sampling.maxTokens ?? outputTokens
    return { input, output, least: Math.min(leastOutput, output) }
  },
  bound: (request, maxTokens) => ({ ...request, sampling: { ...request.sampling, maxTokens } }),
  isBoundless: ({ boundsOutput = true, outputTokens }) => !boundsOutput && outputTokens === undefined
}

const decision: Kind<DecideRequest> = {
  measure: (_, request) => {
    const { input, output } = decisionOf(request)
    return { input, output, least: output }
  },
  bound: (request) => request,
  isBoundless: () => false
}

/** The most that a call can use, whatever becomes of it. */
export const mostOf = (
  caller: Caller,
  { asked, request }: AnyRequest
): { readonly usage: Usage; readonly usd?: number } => {
  const { input, output } = asked === "text" ? completion.measure(caller, request) : decision.measure(caller, request)
  const { prices } = caller.capabilities
  const usage = { inputTokens: input, outputTokens: output }
  return prices === undefined ? { usage } : { usage, usd: mostNanos(prices, input, output) / perDollar }
}

/** A call that has room in its budgets. */
interface Admitted<Q> {
  readonly request: Q
  readonly reservation: Reservation
  /** The budget whose time ends first, and the milliseconds until then. */
  readonly deadline: { readonly account: Account; readonly millis: number } | undefined
}

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Waits for room for a call, or fails if its budgets have none. Run it uninterruptibly. */
const admit = <Q>(
  caller: Caller,
  { bound, isBoundless, measure }: Kind<Q>,
  sources: ReadonlyArray<Source>,
  request: Q,
  restore: Restore
): Effect.Effect<Admitted<Q>, ProviderError> =>
  Effect.gen(function* () {
    const outer = yield* Reserved
    outer?.cancel()
    const where = yield* place
    const accounts = [...new Set(sources.map((source) => source(where)))]
    const { prices } = caller.capabilities
    const unpriced = prices === undefined && accounts.find(({ limits }) => limits.nanos < Infinity)
    if (unpriced) return yield* refuseUnpriced(caller, unpriced)
    const boundless = isBoundless(caller.capabilities) && accounts.find(({ measures }) => measures)
    if (boundless) return yield* refuseBoundless(caller, boundless)
    const size = measure(caller, request)
    const demand: Demand = { ...size, nanos: prices && ((output) => mostNanos(prices, size.input, output)) }
    const waits = emit(where.thought, { _tag: "Throttled", waitMillis: undefined })
    const outcome = yield* reserve(accounts, demand, restore, waits)
    if (outcome._tag === "Short") return yield* refuse(caller, outcome.account, outcome.limit, demand)
    outcome.made = yield* Made
    outcome.meters = yield* Meters
    const at = yield* now
    const [deadline] = accounts
      .map((account) => ({ account, millis: account.limits.millis - account.elapsed(at) }))
      .filter(({ millis }) => millis <= longestTimer)
      .toSorted((a, b) => a.millis - b.millis)
    return {
      request:
        caller.capabilities.boundsOutput !== false && accounts.some(({ measures }) => measures)
          ? bound(request, outcome.output)
          : request,
      reservation: outcome,
      deadline
    }
  })

/** A call that returns its answer as a whole. */
const whole =
  <Q, A extends { readonly usage: Usage; readonly usd?: number }>(
    caller: Caller,
    kind: Kind<Q>,
    call: (request: Q) => Effect.Effect<A, ProviderError>,
    /** Changes the answer to a request that was sent in another form than it was given. */
    settled: (answer: A, given: Q, sent: Q) => A
  ): ((request: Q) => Effect.Effect<A, ProviderError>) =>
  (request) =>
    Effect.withFiber((fiber) => {
      const sources = fiber.getRef(InForce)
      if (sources.length === 0 && fiber.getRef(Meters).length === 0) return call(request)
      return Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(admit(caller, kind, sources, request, restore), ({ deadline, request: sent, reservation }) => {
          let isMade = false
          const answering = Effect.suspend(() => {
            isMade = true
            return call(sent)
          }).pipe(Effect.provideService(Reserved, reservation))
          const timed =
            deadline === undefined
              ? answering
              : Effect.timeoutOrElse(answering, {
                  duration: deadline.millis,
                  orElse: () => stop(caller, deadline.account)
                })
          const { prices } = caller.capabilities
          return restore(timed).pipe(
            Effect.onExit((exit) => {
              if (Exit.isSuccess(exit)) return charge(reservation, exit.value, prices)
              if (isMade) return chargeFailure(reservation, exit.cause, prices, false)
              return Effect.sync(() => reservation.cancel())
            }),
            Effect.catch((error) => cutShort(caller, reservation, error)),
            Effect.map((answer) => settled(answer, request, sent))
          )
        })
      )
    })

/** Adds the sampling that was sent, if a budget has limited it. */
const telling = (response: Response, given: Request, sent: Request): Response =>
  given.sampling.maxTokens === sent.sampling.maxTokens || response.sampling !== undefined
    ? response
    : { ...response, sampling: sent.sampling }

/** A call that streams its answer. A stream that nobody reads any more counts as interrupted. */
const pieces = (
  caller: Caller,
  call: Shape["stream"],
  sources: ReadonlyArray<Source>,
  request: Request
): ReturnType<Shape["stream"]> =>
  Stream.unwrap(
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const { prices } = caller.capabilities
        let isMade = false
        let hasBegun = false
        const {
          deadline,
          request: sent,
          reservation
        } = yield* Effect.acquireRelease(
          admit(caller, completion, sources, request, restore),
          // after the last piece the reservation is settled already
          (admitted) => (isMade ? chargeAll(admitted.reservation) : Effect.sync(() => admitted.reservation.cancel()))
        )
        const parts = Stream.suspend(() => {
          isMade = true
          return call(sent)
        }).pipe(
          Stream.mapEffect((part): Effect.Effect<StreamPart> => {
            hasBegun = true
            if (part._tag !== "Done") return Effect.succeed(part)
            const response = telling(part.response, request, sent)
            return Effect.as(charge(reservation, response, prices), { ...part, response })
          }),
          Stream.onError((cause) => (isMade ? chargeFailure(reservation, cause, prices, hasBegun) : Effect.void)),
          Stream.catch((error) => Stream.fromEffect(cutShort(caller, reservation, error))),
          Stream.provideService(Reserved, reservation)
        )
        if (deadline === undefined) return parts
        return Stream.interruptWhen(parts, Effect.delay(stop(caller, deadline.account), deadline.millis))
      })
    )
  )

/** Makes a provider's calls count in the budgets in force. */
export const accounted = (caller: Caller) => ({
  complete: (call: Shape["complete"]): Shape["complete"] => whole(caller, completion, call, telling),
  decide: (call: NonNullable<Shape["decide"]>): NonNullable<Shape["decide"]> =>
    whole(caller, decision, call, (answer) => answer),
  stream:
    (call: Shape["stream"]): Shape["stream"] =>
    (request) =>
      Stream.unwrap(
        Effect.zipWith(InForce, Meters, (sources, meters) =>
          sources.length === 0 && meters.length === 0 ? call(request) : pieces(caller, call, sources, request)
        )
      )
})
