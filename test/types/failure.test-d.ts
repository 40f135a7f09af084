// @effect-diagnostics missingEffectError:off -- a schedule that reads other errors is what is refused
import { Context, Data, Effect, Schedule, Schema } from "effect"
import { Note, Pipeline, Primitive, type Provider, Step, type Synapse, type Thought } from "cogito"
import { same } from "./same.ts"

// What fails, waits and falls back keeps exact types: what it reads and adds, how it fails, what it needs.

class Rates extends Context.Service<Rates, { readonly euro: number }>()("test/Rates") {}
class NoRate extends Data.TaggedError("NoRate")<{ readonly currency: string }> {}
class Late extends Data.TaggedError("Late") {}
declare const rate: (n: number) => Effect.Effect<number, NoRate, Rates>
declare const late: Effect.Effect<number, Late>
declare const paced: Schedule.Schedule<number, NoRate, Late, Rates>

type AskError = Provider.ProviderError | Synapse.ResponseError

const message = Note.handle("message", Schema.String)

// ---------------------------------------------------------------------------------------------------------- retry

const retried = Step.retry(
  Step.make("price", { schema: Schema.Finite, run: Note.from(message, (text) => rate(text.length)) }),
  { while: (error) => error.currency === "EUR", name: "retried" }
)
same<Step.In<typeof retried>, { readonly message: string }>(true)
same<Step.Out<typeof retried>, { readonly price: number }>(true)
same<Step.Err<typeof retried>, NoRate>(true)
same<Step.Req<typeof retried>, Rates>(true)
const price: Note.Reader<{ readonly price: number }, number> = Note.from(retried, (n) => n)
void price

const pipedRetry = Primitive.decide("spam", { question: "Is this spam?" }).pipe(
  Step.retry({ times: 2 }),
  Step.retry({ while: (error: AskError) => error._tag === "ProviderError" })
)
same<Step.Err<typeof pipedRetry>, AskError>(true)
same<Step.Req<typeof pipedRetry>, Provider.Provider>(true)
same<typeof pipedRetry.key, "spam">(true)

const firstRetry = Step.retry(Primitive.decide("spam", { question: "Is this spam?" }), {
  while: (error) => error._tag === "ProviderError"
})
same<Step.Err<typeof firstRetry>, AskError>(true)
same<typeof firstRetry.key, "spam">(true)

Primitive.decide("spam", { question: "Is this spam?" }).pipe(
  Step.retry({
    while: (error) => {
      same<typeof error, AskError>(true)
      return error._tag === "ProviderError"
    }
  }),
  // @ts-expect-error have no overlap
  Step.retry({ times: 3, while: (error) => error._tag === "Typo" })
)
const chosenRetry = retried.pipe(Step.retry({ times: 3, while: (error) => error.currency === "EUR" }))
same<Step.In<typeof chosenRetry>, { readonly message: string }>(true)
same<Step.Out<typeof chosenRetry>, { readonly price: number }>(true)
same<Step.Err<typeof chosenRetry>, NoRate>(true)
same<Step.Req<typeof chosenRetry>, Rates>(true)
same<typeof chosenRetry.key, "price">(true)

// one for steps of any type, and one for steps with an error
const again = Step.retry({ times: 3 })
const ofAgain = again(retried)
same<Step.Err<typeof ofAgain>, NoRate>(true)
same<typeof ofAgain.key, "price">(true)
const inEuros = Step.retry({ while: (error: NoRate) => error.currency === "EUR" })
const ofEuros = inEuros(retried)
same<Step.Out<typeof ofEuros>, { readonly price: number }>(true)
same<Step.Err<typeof ofEuros>, NoRate>(true)
same<typeof ofEuros.key, "price">(true)
// @ts-expect-error Property 'currency' is missing in type 'Late'
void inEuros(Step.make("slow", { schema: Schema.Finite, run: late }))

// -------------------------------------------------------------------------------------------------------- backoff

const backed = Step.backoff(
  Step.make("price", { schema: Schema.Finite, run: Note.from(message, (text) => rate(text.length)) }),
  { while: (error) => error.currency === "EUR", cap: "10 seconds", name: "backed" }
)
same<Step.In<typeof backed>, { readonly message: string }>(true)
same<Step.Out<typeof backed>, { readonly price: number }>(true)
same<Step.Err<typeof backed>, NoRate>(true)
same<Step.Req<typeof backed>, Rates>(true)
same<typeof backed.key, "price">(true)

const paceless = Step.backoff(Step.make("price", { schema: Schema.Finite, run: () => rate(1) }), {
  while: (error) => error.currency === "EUR",
  schedule: Schedule.spaced("1 second"),
  name: "backed"
})
same<Step.Err<typeof paceless>, NoRate>(true)
same<Step.Req<typeof paceless>, Rates>(true)

const own = Step.backoff(Step.make("price", { schema: Schema.Finite, run: () => rate(1) }), {
  schedule: paced,
  name: "backed"
})
same<Step.Err<typeof own>, NoRate | Late>(true)
same<Step.Req<typeof own>, Rates>(true)

const pipedBackoff = Primitive.decide("spam", { question: "Is this spam?" }).pipe(
  Step.backoff(),
  Step.backoff({ times: 2 }),
  Step.backoff({ while: (error: AskError) => error._tag === "ProviderError" }),
  Step.backoff({ schedule: Schedule.exponential("1 second") })
)
same<Step.Err<typeof pipedBackoff>, AskError>(true)
same<Step.Req<typeof pipedBackoff>, Provider.Provider>(true)
same<typeof pipedBackoff.key, "spam">(true)

const ownPiped = Step.make("price", { schema: Schema.Finite, run: () => rate(1) }).pipe(
  Step.backoff({ schedule: paced })
)
same<Step.Err<typeof ownPiped>, NoRate | Late>(true)
same<Step.Req<typeof ownPiped>, Rates>(true)

const chosenBackoff = retried.pipe(
  Step.backoff({
    base: "1 second",
    while: (error) => {
      same<typeof error, NoRate>(true)
      return true
    }
  }),
  Step.backoff({ schedule: paced, while: (error) => error.currency === "EUR" })
)
same<Step.Err<typeof chosenBackoff>, NoRate | Late>(true)
same<Step.Req<typeof chosenBackoff>, Rates>(true)
same<typeof chosenBackoff.key, "price">(true)
// @ts-expect-error Property 'Typo' does not exist
void retried.pipe(Step.backoff({ while: (error) => error.Typo }))

const firstBackoff = Step.backoff(Step.make("price", { schema: Schema.Finite, run: () => rate(1) }), {
  while: (error) => error.currency === "EUR"
})
same<Step.Err<typeof firstBackoff>, NoRate>(true)
same<Step.Req<typeof firstBackoff>, Rates>(true)

// @ts-expect-error Type 'number' is not assignable to type 'undefined'
Step.backoff(retried, { schedule: Schedule.forever, times: 3, name: "both" })
// @ts-expect-error Property 'currency' is missing in type 'Late'
Step.backoff(Step.make("slow", { schema: Schema.Finite, run: late }), { schedule: paced, name: "wrong" })

// -------------------------------------------------------------------------------------------------------- timeout

const timed = Step.timeout(
  Step.make("price", { schema: Schema.Finite, run: Note.from(message, (text) => rate(text.length)) }),
  "1 second",
  { name: "timed" }
)
same<Step.In<typeof timed>, { readonly message: string }>(true)
same<Step.Out<typeof timed>, { readonly price: number }>(true)
same<Step.Err<typeof timed>, NoRate | Step.TimeoutError>(true)
same<Step.Req<typeof timed>, Rates>(true)
same<typeof timed.key, "price">(true)

const pipedTimeout = Primitive.decide("spam", { question: "Is this spam?" }).pipe(Step.timeout("1 second"))
same<Step.Err<typeof pipedTimeout>, AskError | Step.TimeoutError>(true)
same<Step.Req<typeof pipedTimeout>, Provider.Provider>(true)
same<typeof pipedTimeout.key, "spam">(true)

const firstTimeout = Step.timeout(Step.make("price", { schema: Schema.Finite, run: () => rate(1) }), 500)
same<Step.Err<typeof firstTimeout>, NoRate | Step.TimeoutError>(true)
same<Step.Req<typeof firstTimeout>, Rates>(true)

// ------------------------------------------------------------------------------------------------------- fallback

const fallen = Pipeline.fallback("fallen", [
  Primitive.decide("spam", { question: Note.from(message, (text) => text) }),
  Step.make("price", { schema: Schema.Finite, run: () => rate(1) }),
  Step.make("price", {
    schema: Schema.String,
    run: (thought: Thought.Thought<{ readonly unit: string }>) => late.pipe(Effect.as(thought.get("unit")))
  })
])
same<Step.In<typeof fallen>, { readonly message: string; readonly unit: string }>(true)
same<Step.Out<typeof fallen>, { readonly spam?: Synapse.Decision; readonly price?: number | string }>(true)
// those before the last one are passed over
same<Step.Err<typeof fallen>, Late>(true)
same<Step.Req<typeof fallen>, Provider.Provider | Rates>(true)

const decided = Pipeline.fallback(
  "decided",
  [
    Step.make("price", { schema: Schema.Finite, run: () => rate(1) }),
    Step.make("price", { schema: Schema.Finite, run: late })
  ],
  { while: (error) => error._tag === "NoRate" && error.currency === "EUR" }
)
same<Step.Err<typeof decided>, NoRate | Late>(true)
same<Step.Out<typeof decided>, { readonly price: number }>(true)
same<typeof decided.key, "price">(true)

const sure = Pipeline.fallback("sure", [
  Step.make("price", { schema: Schema.Finite, run: () => rate(1) }),
  Step.make("price", { schema: Schema.Finite, run: () => 1 })
])
same<Step.Err<typeof sure>, never>(true)
same<Step.Req<typeof sure>, Rates>(true)

const asked = Pipeline.fallback(
  "asked",
  [
    Step.make("price", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) }),
    Step.make("price", { schema: Schema.Finite, run: () => 1 })
  ],
  {
    accept: (thought) => {
      const n: number = thought.get("price")
      const text: string = thought.get("message")
      return rate(n).pipe(Effect.map((euro) => euro > text.length))
    }
  }
)
same<Step.In<typeof asked>, { readonly message: string }>(true)
same<Step.Err<typeof asked>, NoRate>(true)
same<Step.Req<typeof asked>, Rates>(true)

const read = Pipeline.fallback(
  "read",
  [
    Step.make("price", { schema: Schema.Finite, run: () => 2 }),
    Step.make("price", { schema: Schema.Finite, run: late })
  ],
  {
    accept: Note.from({ price: Note.handle("price", Schema.Finite), message }, ({ message, price }) =>
      rate(price).pipe(Effect.map((euro) => euro > message.length))
    )
  }
)
// what the reader needs and no alternative writes, the thought must have
same<Step.In<typeof read>, { readonly message: string }>(true)
same<Step.Err<typeof read>, NoRate | Late>(true)
same<Step.Req<typeof read>, Rates>(true)

const effect = Pipeline.fallback(
  "effect",
  [
    Step.make("price", { schema: Schema.Finite, run: () => 2 }),
    Step.make("price", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) })
  ],
  { accept: rate(1).pipe(Effect.map((euro) => euro > 1)) }
)
same<Step.In<typeof effect>, { readonly message: string }>(true)
same<Step.Err<typeof effect>, NoRate>(true)
same<Step.Req<typeof effect>, Rates>(true)

const pipedFallback = Primitive.decide("spam", { question: Note.from(message, (text) => text) }).pipe(
  Step.recover(Primitive.decide("spam", { question: "Is this spam?" })),
  Step.recover(Step.make("price", { schema: Schema.Finite, run: () => rate(1) }))
)
same<Step.In<typeof pipedFallback>, { readonly message: string }>(true)
same<Step.Out<typeof pipedFallback>, { readonly spam?: Synapse.Decision; readonly price?: number }>(true)
same<Step.Err<typeof pipedFallback>, NoRate>(true)
same<Step.Req<typeof pipedFallback>, Provider.Provider | Rates>(true)
// the note may be missing, so there is no handle of it
same<"key" extends keyof typeof pipedFallback ? true : false, false>(true)

const firstFallback = Step.recover(
  Primitive.decide("spam", { question: "Is this spam?" }),
  Primitive.decide("spam", { question: "Is this really spam?" })
)
same<Step.Err<typeof firstFallback>, AskError>(true)
same<typeof firstFallback.key, "spam">(true)

// @ts-expect-error Source has 0 element(s) but target requires 1
Pipeline.fallback("none", [])
// @ts-expect-error Type 'number' is not assignable to type 'boolean'
Pipeline.fallback("sum", [retried, retried], { accept: Note.from(retried, (n) => n + 1) })

// --------------------------------------------------------------------------------------------------- in each other

const nested = Primitive.decide("spam", { question: Note.from(message, (text) => text) }).pipe(
  Step.timeout("5 seconds"),
  Step.retry({ times: 2 }),
  Step.backoff(),
  Step.timeout("1 minute"),
  Step.recover(Primitive.decide("spam", { question: "Is this spam?" }).pipe(Step.timeout("5 seconds")))
)
same<Step.In<typeof nested>, { readonly message: string }>(true)
same<Step.Out<typeof nested>, { readonly spam: Synapse.Decision }>(true)
same<Step.Err<typeof nested>, AskError | Step.TimeoutError>(true)
same<Step.Req<typeof nested>, Provider.Provider>(true)
same<typeof nested.key, "spam">(true)
