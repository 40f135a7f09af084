import { Context, Data, Effect, Schema } from "effect"
import { Note, Pipeline, Primitive, type Provider, Step, type Synapse } from "cogito"
import { same } from "./same.ts"

// Steps that ask where to go on, with inline steps in them.

class Rates extends Context.Service<Rates, { readonly euro: number }>()("test/Rates") {}
class NoRate extends Data.TaggedError("NoRate")<{ readonly currency: string }> {}

type Asking = Provider.ProviderError | Synapse.ResponseError

const message = Note.handle("message", Schema.String)
const amount = Note.handle("amount", Schema.Finite)
declare const convert: (n: number) => Effect.Effect<number, NoRate, Rates>

type Parts<S> = [Step.In<S>, Step.Out<S>, Step.Err<S>, Step.Req<S>]

// ---------------------------------------------------------------------------------------------------------- sift

const sifted = Primitive.sift("refund", {
  question: Note.from(message, (text) => `Is this about money: ${text}?`),
  step: Step.make("euros", { schema: Schema.Finite, run: Note.from(amount, convert) })
})
same<
  Parts<typeof sifted>,
  [
    { readonly message: string; readonly amount: number },
    { readonly refund: Synapse.Decision; readonly euros?: number },
    Asking | NoRate,
    Provider.Provider | Rates
  ]
>(true)

const bare = Primitive.sift("bare", { question: "?", step: Step.make("aside", { run: Effect.void }) })
same<Parts<typeof bare>, [{}, { readonly bare: Synapse.Decision }, Asking, Provider.Provider]>(true)

// the step may read the decision, which is not demanded of the thought
const gate = Note.handle("gate", {} as typeof sifted.schema)
const reading = Primitive.sift("gate", {
  question: "?",
  step: Primitive.analyze("why", { schema: Schema.String, prompt: Note.from(gate, (d) => String(d.decision)) })
})
same<
  Parts<typeof reading>,
  [{}, { readonly gate: Synapse.Decision; readonly why?: string }, Asking, Provider.Provider]
>(true)

// the step is the handle of its note
const read = Note.from(sifted, (decision) => decision.decision)
same<typeof read, Note.Reader<{ readonly refund: Synapse.Decision }, boolean>>(true)

// ------------------------------------------------------------------------------------------------------- discern

const routed = Primitive.discern("route", {
  question: "Which?",
  routes: {
    billing: {
      when: "money",
      step: Step.make("euros", { schema: Schema.Finite, run: Note.from(amount, convert) })
    },
    technical: Pipeline.sequence("both", [
      Primitive.decide("urgent", { question: Note.from(message, (text) => text) }),
      Step.make("euros", { schema: Schema.String, run: () => "none" })
    ])
  }
})
same<
  Parts<typeof routed>,
  [
    { readonly amount: number; readonly message: string },
    {
      readonly route: Synapse.Classification<"billing" | "technical">
      readonly euros: string | number
      readonly urgent?: Synapse.Decision
    },
    Asking | NoRate,
    Provider.Provider | Rates
  ]
>(true)

// a route without a step: the thought may pass
const passing = Primitive.discern("route", {
  question: "Which?",
  routes: { a: Step.make("one", { schema: Schema.Finite, run: () => 1 }), b: { when: "all else" } }
})
same<
  Parts<typeof passing>,
  [{}, { readonly route: Synapse.Classification<"a" | "b">; readonly one?: number }, Asking, Provider.Provider]
>(true)

const withDefault = Primitive.discern("route", {
  question: "Which?",
  routes: { a: Step.make("one", { schema: Schema.Finite, run: () => 1 }), b: { when: "all else" } },
  default: Step.make("one", { schema: Schema.Boolean, run: Note.from(message, (text) => text === "one") }),
  minConfidence: 0.5
})
same<
  Parts<typeof withDefault>,
  [
    { readonly message: string },
    { readonly route: Synapse.Classification<"a" | "b">; readonly one: number | boolean },
    Asking,
    Provider.Provider
  ]
>(true)

const which = Note.from(routed, ({ primary }) => primary)
same<
  typeof which,
  Note.Reader<{ readonly route: Synapse.Classification<"billing" | "technical"> }, "billing" | "technical">
>(true)

// ------------------------------------------------------------------------------------------- inline in a sequence

const all = Pipeline.sequence("all", [
  Primitive.sift("refund", {
    question: "?",
    step: Step.make("euros", { schema: Schema.Finite, run: Note.from(amount, convert) })
  }),
  Primitive.discern("route", {
    question: Note.from(sifted, ({ decision }) => `Refund: ${decision}. Which?`),
    routes: { a: Primitive.decide("x", { question: "?" }), b: Primitive.decide("x", { question: "?" }) }
  }),
  Step.make("last", {
    schema: Schema.Boolean,
    run: Note.from({ x: Primitive.decide("x", { question: "?" }) }, ({ x }) => x.decision)
  })
])
same<
  Parts<typeof all>,
  [
    { readonly amount: number },
    {
      readonly refund: Synapse.Decision
      readonly euros?: number
      readonly route: Synapse.Classification<"a" | "b">
      readonly x: Synapse.Decision
      readonly last: boolean
    },
    Asking | NoRate,
    Provider.Provider | Rates
  ]
>(true)

// ------------------------------------------------------------------------------------------------ what is refused

const one = Step.make("one", { schema: Schema.Finite, run: () => 1 })
// @ts-expect-error Property 'step' is missing
Primitive.sift("x", { question: "?" })
// @ts-expect-error Property 'routes' is missing
Primitive.discern("x", { question: "?" })
// @ts-expect-error Property 'default' is missing
Primitive.discern("x", { question: "?", routes: { a: one }, minConfidence: 0.5 })
// @ts-expect-error Property 'when' is missing
Primitive.discern("x", { question: "?", routes: { a: { step: one } } })
declare const label: Synapse.Classification<"billing" | "technical">
// @ts-expect-error This comparison appears to be unintentional
if (label.primary === "other") throw new Error("unreachable")
