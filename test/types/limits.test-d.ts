// @effect-diagnostics missingEffectError:off -- missing errors are what is tested
import { Context, Data, type Effect, Schema } from "effect"
import { Budget, CircuitBreaker, Note, Primitive, Provider, RateLimiter, Step, type Synapse, WorkerPool } from "cogito"
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

const limiter = RateLimiter.make({ limit: 1, per: "1 second" })

const waiting = Step.rateLimit(euros, { limit: 1, per: "1 second", name: "limited" })
same<Parts<typeof waiting>, Euros<NoRate>>(true)
const told = Step.rateLimit(euros, { limit: 1, per: "1 second", onExceeded: "wait", name: "limited" })
same<Parts<typeof told>, Euros<NoRate>>(true)
const failing = Step.rateLimit(euros, { limiter, onExceeded: "fail", name: "limited" })
same<Parts<typeof failing>, Euros<NoRate | RateLimiter.RateLimited>>(true)
declare const either: "wait" | "fail"
const open = Step.rateLimit(euros, { limiter, onExceeded: either, name: "limited" })
same<Parts<typeof open>, Euros<NoRate | RateLimiter.RateLimited>>(true)

const ratePiped = euros.pipe(Step.rateLimit({ limit: 1, per: "1 second", onExceeded: "fail" }))
same<Parts<typeof ratePiped>, Euros<NoRate | RateLimiter.RateLimited>>(true)
const rateWaiting = euros.pipe(Step.rateLimit({ limiter }))
same<Parts<typeof rateWaiting>, Euros<NoRate>>(true)
const rateFirst = Step.rateLimit(euros, { limiter, onExceeded: "fail" })
same<Parts<typeof rateFirst>, Euros<NoRate | RateLimiter.RateLimited>>(true)

const handled: Note.Handle<"euros", number> = rateFirst
void handled

// @ts-expect-error Property 'per' is missing
void Step.rateLimit(euros, { limit: 1, name: "limited" })
// @ts-expect-error 'string' is not assignable to type 'Input'
void Step.rateLimit(euros, { limiter, limit: 1, per: "1 second", name: "limited" })
// @ts-expect-error '"drop"' is not assignable to type '"fail" | "wait"'
void Step.rateLimit(euros, { limiter, onExceeded: "drop", name: "limited" })

// ------------------------------------------------------------------------------------------------ circuit breaker

const breaker = CircuitBreaker.make()

const guarded = Step.circuitBreaker(euros, { failures: 2, name: "guarded" })
same<Parts<typeof guarded>, Euros<NoRate | CircuitBreaker.CircuitOpen>>(true)
const counting = Step.circuitBreaker(Primitive.decide("spam", { question: "Is this spam?" }), {
  breaker,
  counts: (error) => {
    same<typeof error, Provider.ProviderError | Synapse.ResponseError>(true)
    return error._tag === "ProviderError" && error.isRetryable
  },
  name: "guarded"
})
same<
  Parts<typeof counting>,
  [
    {},
    { readonly spam: Synapse.Decision },
    Provider.ProviderError | Synapse.ResponseError | CircuitBreaker.CircuitOpen,
    Provider.Provider
  ]
>(true)

const breakerPiped = euros.pipe(Step.circuitBreaker())
same<Parts<typeof breakerPiped>, Euros<NoRate | CircuitBreaker.CircuitOpen>>(true)
const breakerCounting = euros.pipe(Step.circuitBreaker({ breaker, counts: (error: NoRate) => error.currency === "x" }))
same<Parts<typeof breakerCounting>, Euros<NoRate | CircuitBreaker.CircuitOpen>>(true)
const breakerChosen = euros.pipe(
  Step.circuitBreaker({
    failures: 2,
    counts: (error) => {
      same<typeof error, NoRate>(true)
      return error.currency === "x"
    }
  })
)
same<Parts<typeof breakerChosen>, Euros<NoRate | CircuitBreaker.CircuitOpen>>(true)
const breakerAgain = Step.circuitBreaker({ failures: 3 })(euros)
same<Parts<typeof breakerAgain>, Euros<NoRate | CircuitBreaker.CircuitOpen>>(true)
// @ts-expect-error Property 'Typo' does not exist
void euros.pipe(Step.circuitBreaker({ breaker, counts: (error) => error.Typo }))
const breakerFirst = Step.circuitBreaker(euros, {
  failures: 1,
  counts: (error) => {
    same<typeof error, NoRate>(true)
    return true
  }
})
same<Parts<typeof breakerFirst>, Euros<NoRate | CircuitBreaker.CircuitOpen>>(true)
const sum: Note.Handle<"euros", number> = breakerFirst
void sum

same<Effect.Success<typeof breaker.state>, "closed" | "open" | "half-open">(true)
// @ts-expect-error Type 'number' is not assignable to type 'undefined'
void Step.circuitBreaker(euros, { breaker, failures: 2, name: "guarded" })
// @ts-expect-error Type 'NoRate' is missing the following properties from type 'RateLimited'
void euros.pipe(Step.circuitBreaker({ counts: (error: RateLimiter.RateLimited) => error.isRetryable }))

// --------------------------------------------------------------------------------------------------- worker limit

const pool = WorkerPool.make({ workers: 2 })

const limited = Step.workerLimit(euros, { workers: 2, name: "limited" })
same<Parts<typeof limited>, Euros<NoRate>>(true)
const poolPiped = euros.pipe(Step.workerLimit({ pool }))
same<Parts<typeof poolPiped>, Euros<NoRate>>(true)
const poolFirst = Step.workerLimit(euros, { workers: 1 })
same<Parts<typeof poolFirst>, Euros<NoRate>>(true)
const total: Note.Handle<"euros", number> = poolFirst
void total

// @ts-expect-error Types of property 'workers' are incompatible
void Step.workerLimit(euros, { pool, workers: 2, name: "limited" })
// @ts-expect-error Property 'workers' is missing
void Step.workerLimit(euros, { name: "limited" })

// --------------------------------------------------------------------------------------------------------- budget

const purse = Budget.make({ calls: 2 })

const cheap = Step.budget(euros, { calls: 2, tokens: 1_000, usd: 1, time: "1 minute", onShort: "fail", name: "cheap" })
same<Parts<typeof cheap>, Euros<NoRate>>(true)
const pursePiped = euros.pipe(Step.budget({ budget: purse }))
same<Parts<typeof pursePiped>, Euros<NoRate>>(true)
const purseFirst = Step.budget(euros, { usd: 0.1 })
same<Parts<typeof purseFirst>, Euros<NoRate>>(true)
const cost: Note.Handle<"euros", number> = purseFirst
void cost
const asked = Step.budget(Primitive.decide("spam", { question: "Is this spam?" }), { calls: 1, name: "asked" })
same<
  Parts<typeof asked>,
  [{}, { readonly spam: Synapse.Decision }, Provider.ProviderError | Synapse.ResponseError, Provider.Provider]
>(true)

declare const paid: Effect.Effect<1, NoRate, Rates>
const withPurse = Provider.withBudget(purse)(paid)
same<typeof withPurse, Effect.Effect<1, NoRate, Rates>>(true)

// @ts-expect-error Types of property 'calls' are incompatible
void Step.budget(euros, { budget: purse, calls: 2, name: "cheap" })
// @ts-expect-error 'per' does not exist
void Step.budget(euros, { calls: 2, per: "thought", name: "cheap" })
// @ts-expect-error '"drop"' is not assignable to type
void Budget.make({ calls: 2, onShort: "drop" })

// ------------------------------------------------------------------------------------------------------- together

const all = Step.circuitBreaker(
  euros.pipe(
    Step.rateLimit({ limiter, onExceeded: "fail" }),
    Step.workerLimit({ pool }),
    Step.retry({ times: 1 }),
    Step.budget({ calls: 3 })
  ),
  { name: "all" }
)
same<Parts<typeof all>, Euros<NoRate | RateLimiter.RateLimited | CircuitBreaker.CircuitOpen>>(true)
