// @effect-diagnostics missingEffectError:off -- missing errors are what is tested
import { Context, Data, type Effect, Schema } from "effect"
import { Note, Pipeline, Primitive, Provider, Step, type Synapse } from "cogito"
import { same } from "./same.ts"

// Connectors with a state, around steps that are made in place.

class Rates extends Context.Service<Rates, { readonly euro: number }>()("test/Rates") {}
class NoRate extends Data.TaggedError("NoRate")<{ readonly currency: string }> {}

const amount = Note.handle("amount", Schema.Finite)
declare const convert: (n: number) => Effect.Effect<number, NoRate, Rates>
const euros = Step.make("euros", { schema: Schema.Finite, run: Note.from(amount, convert) })

type Parts<S> = [Step.In<S>, Step.Out<S>, Step.Err<S>, Step.Req<S>]
type Euros<E> = [{ readonly amount: number }, { readonly euros: number }, E, Rates]

// ---------------------------------------------------------------------------------------------------- rate limit

const limiter = Pipeline.makeRateLimiter({ limit: 1, per: "1 second" })

const waiting = Pipeline.rateLimit("limited", { step: euros, limit: 1, per: "1 second" })
same<Parts<typeof waiting>, Euros<NoRate>>(true)
const told = Pipeline.rateLimit("limited", { step: euros, limit: 1, per: "1 second", onExceeded: "wait" })
same<Parts<typeof told>, Euros<NoRate>>(true)
const failing = Pipeline.rateLimit("limited", { step: euros, limiter, onExceeded: "fail" })
same<Parts<typeof failing>, Euros<NoRate | Pipeline.RateLimited>>(true)
declare const either: Pipeline.OnExceeded
const open = Pipeline.rateLimit("limited", { step: euros, limiter, onExceeded: either })
same<Parts<typeof open>, Euros<NoRate | Pipeline.RateLimited>>(true)

const ratePiped = euros.pipe(Step.rateLimit({ limit: 1, per: "1 second", onExceeded: "fail" }))
same<Parts<typeof ratePiped>, Euros<NoRate | Pipeline.RateLimited>>(true)
const rateWaiting = euros.pipe(Step.rateLimit({ limiter }))
same<Parts<typeof rateWaiting>, Euros<NoRate>>(true)
const rateFirst = Step.rateLimit(euros, { limiter, onExceeded: "fail" })
same<Parts<typeof rateFirst>, Euros<NoRate | Pipeline.RateLimited>>(true)

const handled: Note.Handle<"euros", number> = rateFirst
void handled

// @ts-expect-error Property 'per' is missing
void Pipeline.rateLimit("limited", { step: euros, limit: 1 })
// @ts-expect-error 'string' is not assignable to type 'Input'
void Pipeline.rateLimit("limited", { step: euros, limiter, limit: 1, per: "1 second" })
// @ts-expect-error '"drop"' is not assignable to type 'OnExceeded'
void Pipeline.rateLimit("limited", { step: euros, limiter, onExceeded: "drop" })

// ------------------------------------------------------------------------------------------------ circuit breaker

const breaker = Pipeline.makeCircuitBreaker()

const guarded = Pipeline.circuitBreaker("guarded", { step: euros, failures: 2 })
same<Parts<typeof guarded>, Euros<NoRate | Pipeline.CircuitOpen>>(true)
const counting = Pipeline.circuitBreaker("guarded", {
  step: Primitive.decide("spam", { question: "Is this spam?" }),
  breaker,
  counts: (error) => {
    same<typeof error, Provider.ProviderError | Synapse.ResponseError>(true)
    return error._tag === "ProviderError" && error.isRetryable
  }
})
same<
  Parts<typeof counting>,
  [
    {},
    { readonly spam: Synapse.Decision },
    Provider.ProviderError | Synapse.ResponseError | Pipeline.CircuitOpen,
    Provider.Provider
  ]
>(true)

const breakerPiped = euros.pipe(Step.circuitBreaker())
same<Parts<typeof breakerPiped>, Euros<NoRate | Pipeline.CircuitOpen>>(true)
const breakerCounting = euros.pipe(Step.circuitBreaker({ breaker, counts: (error: NoRate) => error.currency === "x" }))
same<Parts<typeof breakerCounting>, Euros<NoRate | Pipeline.CircuitOpen>>(true)
const breakerChosen = euros.pipe(
  Step.circuitBreaker({
    failures: 2,
    counts: (error) => {
      same<typeof error, NoRate>(true)
      return error.currency === "x"
    }
  })
)
same<Parts<typeof breakerChosen>, Euros<NoRate | Pipeline.CircuitOpen>>(true)
const breakerAgain = Step.circuitBreaker({ failures: 3 })(euros)
same<Parts<typeof breakerAgain>, Euros<NoRate | Pipeline.CircuitOpen>>(true)
// @ts-expect-error Property 'Typo' does not exist
void euros.pipe(Step.circuitBreaker({ breaker, counts: (error) => error.Typo }))
const breakerFirst = Step.circuitBreaker(euros, {
  failures: 1,
  counts: (error) => {
    same<typeof error, NoRate>(true)
    return true
  }
})
same<Parts<typeof breakerFirst>, Euros<NoRate | Pipeline.CircuitOpen>>(true)
const sum: Note.Handle<"euros", number> = breakerFirst
void sum

same<Effect.Success<typeof breaker.state>, "closed" | "open" | "half-open">(true)
// @ts-expect-error Types of property 'failures' are incompatible
void Pipeline.circuitBreaker("guarded", { step: euros, breaker, failures: 2 })
// @ts-expect-error Type 'NoRate' is missing the following properties from type 'RateLimited'
void euros.pipe(Step.circuitBreaker({ counts: (error: Pipeline.RateLimited) => error.isRetryable }))

// --------------------------------------------------------------------------------------------------- worker limit

const pool = Pipeline.makeWorkerPool({ workers: 2 })

const limited = Pipeline.workerLimit("limited", { step: euros, workers: 2 })
same<Parts<typeof limited>, Euros<NoRate>>(true)
const poolPiped = euros.pipe(Step.workerLimit({ pool }))
same<Parts<typeof poolPiped>, Euros<NoRate>>(true)
const poolFirst = Step.workerLimit(euros, { workers: 1 })
same<Parts<typeof poolFirst>, Euros<NoRate>>(true)
const total: Note.Handle<"euros", number> = poolFirst
void total

// @ts-expect-error Types of property 'workers' are incompatible
void Pipeline.workerLimit("limited", { step: euros, pool, workers: 2 })
// @ts-expect-error Property 'workers' is missing
void Pipeline.workerLimit("limited", { step: euros })

// --------------------------------------------------------------------------------------------------------- budget

const purse = Provider.makeBudget({ calls: 2 })

const cheap = Pipeline.budget("cheap", {
  step: euros,
  calls: 2,
  tokens: 1_000,
  usd: 1,
  time: "1 minute",
  onShort: "fail"
})
same<Parts<typeof cheap>, Euros<NoRate>>(true)
const pursePiped = euros.pipe(Step.budget({ budget: purse }))
same<Parts<typeof pursePiped>, Euros<NoRate>>(true)
const purseFirst = Step.budget(euros, { usd: 0.1 })
same<Parts<typeof purseFirst>, Euros<NoRate>>(true)
const cost: Note.Handle<"euros", number> = purseFirst
void cost
const asked = Pipeline.budget("asked", { step: Primitive.decide("spam", { question: "Is this spam?" }), calls: 1 })
same<
  Parts<typeof asked>,
  [{}, { readonly spam: Synapse.Decision }, Provider.ProviderError | Synapse.ResponseError, Provider.Provider]
>(true)

declare const paid: Effect.Effect<1, NoRate, Rates>
const withPurse = Provider.withBudget(purse)(paid)
same<typeof withPurse, Effect.Effect<1, NoRate, Rates>>(true)

// @ts-expect-error Types of property 'calls' are incompatible
void Pipeline.budget("cheap", { step: euros, budget: purse, calls: 2 })
// @ts-expect-error 'per' does not exist
void Pipeline.budget("cheap", { step: euros, calls: 2, per: "thought" })
// @ts-expect-error '"drop"' is not assignable to type
void Provider.makeBudget({ calls: 2, onShort: "drop" })

// ------------------------------------------------------------------------------------------------------- together

const all = Pipeline.circuitBreaker("all", {
  step: euros.pipe(
    Step.rateLimit({ limiter, onExceeded: "fail" }),
    Step.workerLimit({ pool }),
    Step.retry({ times: 1 }),
    Step.budget({ calls: 3 })
  )
})
same<Parts<typeof all>, Euros<NoRate | Pipeline.RateLimited | Pipeline.CircuitOpen>>(true)
