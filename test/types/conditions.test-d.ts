import { Context, Data, Effect, Schema } from "effect"
import { Note, Pipeline, Primitive, type Provider, Step, type Synapse, type Thought } from "cogito"
import { same } from "./same.ts"

// Steps that lead to one of several others, with inline steps in them.

class Rates extends Context.Service<Rates, { readonly euro: number }>()("test/Rates") {}
class NoRate extends Data.TaggedError("NoRate")<{ readonly currency: string }> {}

type Asking = Provider.ProviderError | Synapse.ResponseError
type Parts<S> = [Step.In<S>, Step.Out<S>, Step.Err<S>, Step.Req<S>]

const message = Note.handle("message", Schema.String)
const amount = Note.handle("amount", Schema.Finite)
declare const convert: (n: number) => Effect.Effect<number, NoRate, Rates>

const one = Step.make("one", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) })
const two = Step.make("two", { schema: Schema.Finite, run: () => 2 })

// --------------------------------------------------------------------------------------------------------- filter

const filtered = Pipeline.filter("filtered", {
  when: Note.from(amount, (n) => Effect.map(convert(n), (euros) => euros > 10)),
  step: Step.make("long", { schema: Schema.Boolean, run: Note.from(message, (text) => text.length > 10) })
})
same<
  Parts<typeof filtered>,
  [{ readonly amount: number; readonly message: string }, { readonly long?: boolean }, NoRate, Rates]
>(true)

const either = Pipeline.filter("either", {
  when: (thought: Thought.Thought<{ readonly amount: number }>) => thought.get("amount") > 10,
  step: Step.make("size", { schema: Schema.Finite, run: () => 1 }),
  otherwise: Pipeline.sequence("both", [
    Step.make("size", { schema: Schema.String, run: () => "none" }),
    Primitive.decide("urgent", { question: Note.from(message, (text) => text) })
  ])
})
same<
  Parts<typeof either>,
  [
    { readonly amount: number; readonly message: string },
    { readonly size: number | string; readonly urgent?: Synapse.Decision },
    Asking,
    Provider.Provider
  ]
>(true)

// @ts-expect-error is not assignable to type
Pipeline.filter("wrong", { when: Note.from(message, (text) => text), step: two })

// --------------------------------------------------------------------------------------------------------- switch

const routed = Pipeline.switch("routed", {
  on: Note.from(amount, (n) => Effect.map(convert(n), (euros) => (euros > 10 ? "large" : "small"))),
  branches: {
    large: Primitive.decide("approved", { question: Note.from(message, (text) => text) }),
    small: Pipeline.sequence("small", [
      Step.make("approved", { schema: Schema.Boolean, run: () => true }),
      Step.make("euros", { schema: Schema.Finite, run: Note.from(amount, convert) })
    ])
  }
})
same<
  Parts<typeof routed>,
  [
    { readonly amount: number; readonly message: string },
    { readonly approved: Synapse.Decision | boolean; readonly euros?: number },
    NoRate | Asking,
    Rates | Provider.Provider
  ]
>(true)

// a function of the thought, annotated or not, or an effect
const onFunction = Pipeline.switch("on", {
  on: (thought: Thought.Thought<{ readonly amount: number }>) => (thought.get("amount") > 1 ? "many" : "few"),
  branches: { many: one, few: two }
})
same<
  Parts<typeof onFunction>,
  [
    { readonly amount: number; readonly message: string },
    { readonly one?: number; readonly two?: number },
    never,
    never
  ]
>(true)
const onUnannotated = Pipeline.switch("on", {
  on: (thought) => (thought.intent === "" ? "none" : Effect.as(convert(1), "some" as const)),
  branches: { some: two, none: two }
})
same<Parts<typeof onUnannotated>, [{}, { readonly two: number }, NoRate, Rates]>(true)
const onEffect = Pipeline.switch("on", {
  on: Effect.map(Rates, ({ euro }) => (euro > 1 ? "strong" : "weak")),
  branches: { strong: one, weak: one }
})
same<Parts<typeof onEffect>, [{ readonly message: string }, { readonly one: number }, never, Rates]>(true)
const onOne = Pipeline.switch("on", { on: () => "only", branches: { only: two } })
same<Parts<typeof onOne>, [{}, { readonly two: number }, never, never]>(true)
const onLabels = Pipeline.switch("on", {
  on: Note.from(Primitive.categorize("kind", { question: "?", categories: ["1", "2"] }), ({ primary }) => primary),
  branches: { 1: one, "2": two }
})
same<Step.Out<typeof onLabels>, { readonly one?: number; readonly two?: number }>(true)

// with a default
declare const anyLabel: Note.Reader<{ readonly message: string }, string>
const withDefault = Pipeline.switch("with", {
  on: anyLabel,
  branches: { a: two },
  default: Step.make("two", { schema: Schema.String, run: Note.from(amount, (n) => Effect.map(convert(n), String)) })
})
same<
  Parts<typeof withDefault>,
  [{ readonly message: string; readonly amount: number }, { readonly two: number | string }, NoRate, Rates]
>(true)
const passing = Pipeline.switch("passing", { on: anyLabel, branches: { a: two, b: two }, default: "pass" })
same<Parts<typeof passing>, [{ readonly message: string }, { readonly two?: number }, never, never]>(true)
const partly = Pipeline.switch("partly", {
  on: Note.from(message, (text) => (text === "" ? "empty" : "text")),
  branches: { text: two },
  default: "pass"
})
same<Step.Out<typeof partly>, { readonly two?: number }>(true)

const ab = Note.from(message, (text) => (text === "" ? "a" : "b"))
// @ts-expect-error a label has no branch: add it, or a default
Pipeline.switch("wrong", { on: ab, branches: { a: two } })
// @ts-expect-error a branch has a label that is never given
Pipeline.switch("wrong", { on: ab, branches: { a: two, b: two, c: two } })
// @ts-expect-error a branch has a label that is never given
Pipeline.switch("wrong", { on: ab, branches: { a: two, b: two, c: two }, default: "pass" })
// @ts-expect-error a label may be any string: add a default
Pipeline.switch("wrong", { on: anyLabel, branches: { a: two } })
// @ts-expect-error a label has no branch: add it, or a default
Pipeline.switch("wrong", { on: (thought) => (thought.length > 1 ? "a" : "b"), branches: { a: two } })
// @ts-expect-error is not assignable to type
Pipeline.switch("wrong", { on: Note.from(amount, (n) => n), branches: { a: two }, default: "pass" })
// @ts-expect-error '"skip"' is not assignable to type
Pipeline.switch("wrong", { on: ab, branches: { a: two }, default: "skip" })

// ----------------------------------------------------------------------------------------------------------- gate

const gated = Pipeline.gate("gated", {
  check: Note.from(amount, (n) => Effect.map(convert(n), (euros) => (euros > 10 ? "pass" : "fail"))),
  step: Primitive.decide("approved", { question: Note.from(message, (text) => text) })
})
same<
  Parts<typeof gated>,
  [
    { readonly amount: number; readonly message: string },
    { readonly approved: Synapse.Decision },
    Pipeline.GateClosed | NoRate | Asking,
    Rates | Provider.Provider
  ]
>(true)
const skipping = Pipeline.gate("skipping", {
  check: (thought) => (thought.length > 3 ? "fail" : thought.length > 1 ? "skip" : "pass"),
  step: two,
  reason: "there is too much"
})
same<Parts<typeof skipping>, [{}, { readonly two?: number }, Pipeline.GateClosed, never]>(true)
const neverClosed = Pipeline.gate("open", { check: Note.from(message, (text) => (text ? "pass" : "skip")), step: two })
same<Parts<typeof neverClosed>, [{ readonly message: string }, { readonly two?: number }, never, never]>(true)
const stepless = Pipeline.gate("stepless", { check: Effect.map(Rates, ({ euro }) => (euro > 1 ? "pass" : "fail")) })
same<Parts<typeof stepless>, [{}, {}, Pipeline.GateClosed, Rates]>(true)

// @ts-expect-error without a step there is nothing to "skip"
Pipeline.gate("wrong", { check: Note.from(message, (text) => (text ? "pass" : "skip")) })
// @ts-expect-error without a step there is nothing to "skip"
Pipeline.gate("wrong", { check: (thought) => (thought.length > 1 ? "fail" : "skip") })
// @ts-expect-error is not assignable to type
Pipeline.gate("wrong", { check: Note.from(message, (text) => text) })
// @ts-expect-error is not assignable to type
Pipeline.gate("wrong", { check: () => "yes" })

// ----------------------------------------------------------------------------------------------------------- when

const score = Step.make("score", { schema: Schema.Finite, run: () => 0.5 })

const byReader = score.pipe(
  Step.when(
    "high",
    Note.from({ amount, score }, ({ amount, score }) => Effect.map(convert(amount), (euros) => euros > score)),
    Step.make("alarm", { schema: Schema.String, run: Note.from(message, (text) => text) })
  )
)
same<
  Parts<typeof byReader>,
  [
    { readonly amount: number; readonly message: string },
    { readonly score: number; readonly alarm?: string },
    NoRate,
    Rates
  ]
>(true)
const byEffect = one.pipe(
  Step.when(
    "strong",
    Effect.map(Rates, ({ euro }) => euro > 1),
    Primitive.decide("urgent", { question: "?" })
  )
)
same<
  Parts<typeof byEffect>,
  [
    { readonly message: string },
    { readonly one: number; readonly urgent?: Synapse.Decision },
    Asking,
    Rates | Provider.Provider
  ]
>(true)
const byFunction = score.pipe(
  Step.when(
    "high",
    (thought) => {
      const value = thought.get("score")
      same<typeof value, number>(true)
      return Effect.map(convert(value), (euros) => euros > 1)
    },
    two
  ),
  Step.when("again", (thought) => thought.get("two") === 2, one)
)
same<
  Parts<typeof byFunction>,
  [
    { readonly message: string },
    { readonly score: number; readonly two?: number; readonly one?: number },
    NoRate,
    Rates
  ]
>(true)

// @ts-expect-error Type 'number' is not assignable to type 'boolean | Effect<
score.pipe(Step.when("wrong", (thought) => thought.get("score"), two))
const text = Note.from(message, (text) => text)
// @ts-expect-error 'Reader<{ readonly message: string; }, string, never, never>' is not assignable to
score.pipe(Step.when("wrong", text, two))

// in a sequence, where the steps around it are typed as any step
const inSequence = Pipeline.sequence("outer", [
  Pipeline.sequence("inner", [
    Step.make("score", { schema: Schema.Finite, run: () => 0.5 }).pipe(
      Step.when(
        "reader",
        Note.from(score, (n) => n > 1),
        Step.make("a", { schema: Schema.Finite, run: () => 1 })
      ),
      Step.when(
        "function",
        (thought) => thought.get("score") > 1,
        Step.make("b", { schema: Schema.Finite, run: () => 1 })
      ),
      Step.when(
        "effect",
        Effect.map(Rates, ({ euro }) => euro > 1),
        Step.make("c", { schema: Schema.Finite, run: () => 1 })
      ),
      Step.when(
        "function of an effect",
        (thought) => Effect.map(convert(thought.get("score")), (euros) => euros > 1),
        Step.make("d", { schema: Schema.Finite, run: () => 1 })
      )
    )
  ])
])
same<
  Parts<typeof inSequence>,
  [
    {},
    { readonly score: number; readonly a?: number; readonly b?: number; readonly c?: number; readonly d?: number },
    NoRate,
    Rates
  ]
>(true)
