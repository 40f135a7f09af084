import { Context, Data, Effect, Schema } from "effect"
import { type Memory, Note, Pipeline, Primitive, type Provider, Step, type Synapse, type Thought } from "cogito"
import { type Clash, same } from "./same.ts"

class Rates extends Context.Service<Rates, { readonly euro: number }>()("test/Rates") {}
class NoRate extends Data.TaggedError("NoRate")<{ readonly currency: string }> {}

const message = Note.handle("message", Schema.String)
const amount = Note.handle("amount", Schema.Finite)
declare const convert: (n: number) => Effect.Effect<number, NoRate, Rates>

// ------------------------------------------------------------------------------------------------------ Step.make

const fromReader = Step.make("size", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) })
same<typeof fromReader, Step.Keyed<"size", number, { readonly message: string }>>(true)

const fromEffectfulReader = Step.make("euros", { schema: Schema.Finite, run: Note.from(amount, convert) })
same<typeof fromEffectfulReader, Step.Keyed<"euros", number, { readonly amount: number }, NoRate, Rates>>(true)

const fromTwo = Step.make("line", {
  schema: Schema.String,
  run: Note.from({ amount, text: message }, ({ amount, text }) => `${text}: ${amount.toFixed(2)}`)
})
same<typeof fromTwo, Step.Keyed<"line", string, { readonly amount: number; readonly message: string }>>(true)

const fromAnnotated = Step.make("double", {
  schema: Schema.Finite,
  run: (thought: Thought.Thought<{ readonly amount: number }>) => thought.get("amount") * 2
})
same<typeof fromAnnotated, Step.Keyed<"double", number, { readonly amount: number }>>(true)

const fromAnnotatedEffect = Step.make("euros", {
  schema: Schema.Finite,
  run: (thought: Thought.Thought<{ readonly amount: number }>) => convert(thought.get("amount"))
})
same<typeof fromAnnotatedEffect, Step.Keyed<"euros", number, { readonly amount: number }, NoRate, Rates>>(true)

const fromUnannotated = Step.make("intent", { schema: Schema.String, run: (thought) => thought.intent })
same<typeof fromUnannotated, Step.Keyed<"intent", string, {}>>(true)

const fromConstant = Step.make("one", { schema: Schema.Finite, run: () => 1 })
same<typeof fromConstant, Step.Keyed<"one", number, {}>>(true)

const fromEffect = Step.make("rate", { schema: Schema.Finite, run: Effect.map(Rates, (rates) => rates.euro) })
same<typeof fromEffect, Step.Keyed<"rate", number, {}, never, Rates>>(true)

const fromFailing = Step.make("rate", {
  schema: Schema.Finite,
  run: Effect.gen(function* () {
    const rates = yield* Rates
    if (rates.euro === 0) return yield* new NoRate({ currency: "EUR" })
    return rates.euro
  })
})
same<typeof fromFailing, Step.Keyed<"rate", number, {}, NoRate, Rates>>(true)

const literal = Step.make("mode", { schema: Schema.Literals(["on", "off"]), run: () => "on" })
same<typeof literal, Step.Keyed<"mode", "on" | "off", {}>>(true)

// Without a schema nothing is written.
const aside = Step.make("aside", {
  run: (thought: Thought.Thought<{ readonly amount: number }>) => convert(thought.get("amount"))
})
same<typeof aside, Step.Step<{ readonly amount: number }, {}, NoRate, Rates>>(true)
const asideReader = Step.make("aside", { run: Note.from(message, () => Effect.void) })
same<typeof asideReader, Step.Step<{ readonly message: string }, {}>>(true)

// A value of another type than the schema's.
// @ts-expect-error 'string' is not assignable to type 'number'
Step.make("size", { schema: Schema.Finite, run: Note.from(message, (text) => text) })
// @ts-expect-error is not assignable to type 'number
Step.make("size", { schema: Schema.Finite, run: () => "one" })
// @ts-expect-error is not assignable to type 'number'
Step.make("size", { schema: Schema.Finite, run: Effect.succeed("one") })
// @ts-expect-error is not assignable to type
Step.make("mode", { schema: Schema.Literals(["on", "off"]), run: () => "auto" })

// ------------------------------------------------------------------------------------------------- readers, texts

const asked = Primitive.decide("fair", {
  question: Note.from(amount, (n) => Effect.map(convert(n), (euros) => `Is ${euros} euros fair?`))
})
same<
  typeof asked,
  Step.Keyed<
    "fair",
    Synapse.Decision,
    { readonly amount: number },
    Provider.ProviderError | Synapse.ResponseError | NoRate,
    Provider.Provider | Rates
  >
>(true)

const sought = Primitive.seek("found", { query: Note.from(amount, (n) => Effect.map(convert(n), String)) })
same<
  typeof sought,
  Step.Keyed<
    "found",
    Primitive.Findings,
    { readonly amount: number },
    Memory.MemoryError | NoRate,
    Memory.Memory | Rates
  >
>(true)

// @ts-expect-error is not assignable to type
Primitive.decide("fair", { question: Note.from(amount, (n) => n) })
// @ts-expect-error 'number' is not assignable to type
Primitive.seek("found", { query: 1 })

declare const log: Thought.Thought<{ readonly amount: number }>
const read = Note.from(amount, convert).read(log)
same<typeof read, Effect.Effect<number, NoRate, Rates>>(true)

// ---------------------------------------------------------------------------------------------------- andThen, when

const chained = fromTwo.pipe(Step.andThen(asked), Step.andThen(fromReader))
same<
  typeof chained,
  Step.Step<
    { readonly amount: number; readonly message: string },
    { readonly line: string; readonly fair: Synapse.Decision; readonly size: number },
    Provider.ProviderError | Synapse.ResponseError | NoRate,
    Provider.Provider | Rates
  >
>(true)

// What the first step writes, the second one may read: the thought need not have it.
const supplied = Step.make("amount", { schema: Schema.Finite, run: () => 3 }).pipe(Step.andThen(fromAnnotated))
same<typeof supplied, Step.Step<{}, { readonly amount: number; readonly double: number }>>(true)
const dataFirst = Step.andThen(Step.make("amount", { schema: Schema.Finite, run: () => 3 }), fromAnnotated)
same<typeof dataFirst, typeof supplied>(true)

const score = Step.make("score", { schema: Schema.Finite, run: () => 0.5 })
const alarm = Step.make("alarm", { schema: Schema.String, run: Note.from(message, (text) => text) })
const guarded = score.pipe(
  Step.when(
    "high",
    (thought) => {
      const value = thought.get("score")
      same<typeof value, number>(true)
      // @ts-expect-error '"alarm"' is not assignable to parameter of type '"score"'
      thought.get("alarm")
      return value > 0.5
    },
    alarm
  )
)
same<typeof guarded, Step.Step<{ readonly message: string }, { readonly score: number; readonly alarm?: string }>>(true)

// What may not have been written does not satisfy a read.
const notify = Step.make("notify", { run: Note.from(alarm, () => Effect.void) })
const unsure = guarded.pipe(Step.andThen(notify))
same<Step.In<typeof unsure>, { readonly message: string; readonly alarm: string }>(true)
declare const withMessage: Thought.Thought<{ readonly message: string }>
// @ts-expect-error Property 'alarm' is missing
void Pipeline.run(unsure, withMessage)
const unsureInSequence = Pipeline.sequence("unsure", [guarded, notify])
same<Step.In<typeof unsureInSequence>, { readonly message: string; readonly alarm: string }>(true)
// @ts-expect-error Property 'alarm' is missing
void Pipeline.run(unsureInSequence, withMessage)

// It is optional in the result.
const ran = Pipeline.run(guarded, withMessage)
same<
  Effect.Success<typeof ran>,
  Thought.Thought<{ readonly message: string; readonly score: number; readonly alarm?: string }>
>(true)
declare const done: Effect.Success<typeof ran>
const maybe = done.get("alarm")
same<typeof maybe, string | undefined>(true)

// A later write wins; one that may not happen leaves a union with what was there.
const asNumber = Step.make("value", { schema: Schema.Finite, run: () => 1 })
const asText = Step.make("value", { schema: Schema.String, run: () => "one" })
const overwritten = asNumber.pipe(Step.andThen(asText))
same<Step.Out<typeof overwritten>, { readonly value: string }>(true)
const maybeOverwritten = asNumber.pipe(Step.when("sometimes", () => true, asText))
same<Step.Out<typeof maybeOverwritten>, { readonly value: number | string }>(true)
const overThought = Pipeline.run(maybeOverwritten, withMessage)
same<
  Effect.Success<typeof overThought>,
  Thought.Thought<{ readonly message: string; readonly value: number | string }>
>(true)
const needsNumber = Step.make("next", { schema: Schema.Finite, run: Note.from(asNumber, (n) => n + 1) })
const needsNumberAfter = maybeOverwritten.pipe(Step.andThen(needsNumber))
same<Step.In<typeof needsNumberAfter>, { readonly value: Clash<number, string | number> }>(true)
