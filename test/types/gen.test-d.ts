import { Context, Data, Effect, Schema } from "effect"
import { Note, Pipeline, Primitive, type Provider, Step, type Synapse, type Thought } from "cogito"
import { type Clash, same } from "./same.ts"

class Rates extends Context.Service<Rates, { readonly euro: number }>()("test/Rates") {}
class NoRate extends Data.TaggedError("NoRate")<{ readonly currency: string }> {}
class Late extends Data.TaggedError("Late")<{}> {}
class Clerk extends Context.Service<Clerk, { readonly name: string }>()("test/Clerk") {}

type Asking = Provider.ProviderError | Synapse.ResponseError
type Parts<S> = [Step.In<S>, Step.Out<S>, Step.Err<S>, Step.Req<S>]

const message = Note.handle("message", Schema.String)
const amount = Note.handle("amount", Schema.Finite)
declare const convert: (n: number) => Effect.Effect<number, NoRate, Rates>

// ---------------------------------------------------------------------------------------- what is asked, what it gives

const asked = Pipeline.gen("asked", function* () {
  const kind = yield* Pipeline.ask(
    Primitive.categorize("kind", { question: Note.from(message, (text) => text), categories: ["a", "b"] })
  )
  same<typeof kind, Synapse.Classification<"a" | "b">>(true)
  const euros = yield* Pipeline.ask(Step.make("euros", { schema: Schema.Finite, run: Note.from(amount, convert) }))
  same<typeof euros, number>(true)
  const wrapped = yield* Pipeline.ask(Primitive.decide("spam", { question: "?" }).pipe(Step.retry({ times: 2 })))
  same<typeof wrapped, Synapse.Decision>(true)
  const clerk = yield* Clerk
  same<typeof clerk, { readonly name: string }>(true)
  const later = yield* Effect.fail(new Late()).pipe(Effect.orElseSucceed(() => 1))
  same<typeof later, number>(true)
  if (later > 1) yield* new Late()
  const thought = yield* Pipeline.ask(
    Pipeline.sequence("both", [
      Step.make("one", { schema: Schema.Finite, run: () => 1 }),
      Step.make("two", { schema: Schema.String, run: () => "2" })
    ])
  )
  same<typeof thought, Thought.Thought<{ readonly one: number; readonly two: string }>>(true)
})
same<
  Parts<typeof asked>,
  [
    { readonly message: string; readonly amount: number },
    {
      readonly kind?: Synapse.Classification<"a" | "b">
      readonly euros?: number
      readonly spam?: Synapse.Decision
      readonly one?: number
      readonly two?: string
    },
    Asking | NoRate | Late | Note.NoteNotFound,
    Provider.Provider | Rates | Clerk
  ]
>(true)

// -------------------------------------------------------------------------------------------------- what is demanded

const size = Step.make("size", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) })
const long = Step.make("long", { schema: Schema.Boolean, run: Note.from(size, (n) => n > 5) })

// what another step could write is not demanded of the thought
const either = Pipeline.gen("either", function* () {
  yield* Pipeline.ask(long)
  yield* Pipeline.ask(size)
})
same<
  Parts<typeof either>,
  [{ readonly message: string }, { readonly size?: number; readonly long?: boolean }, Note.NoteNotFound, never]
>(true)

// a step does not supply itself; one that writes the note with another type makes the read impossible
const longer = Step.make("size", { schema: Schema.Finite, run: Note.from(size, (n) => n + 1) })
const alone = Pipeline.gen("alone", function* () {
  while ((yield* Pipeline.ask(longer)) < 5) yield* Effect.void
})
same<Parts<typeof alone>, [{ readonly size: number }, { readonly size?: number }, Note.NoteNotFound, never]>(true)
const otherType = Pipeline.gen("other", function* () {
  yield* Pipeline.ask(Step.make("size", { schema: Schema.String, run: () => "large" }))
  yield* Pipeline.ask(long)
})
same<
  Parts<typeof otherType>,
  [
    { readonly size: Clash<number, string> },
    { readonly size?: string; readonly long?: boolean },
    Note.NoteNotFound,
    never
  ]
>(true)

// steps of which one could stand for the other are not taken for one
const wide = Step.make("x", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) })
const narrow = Pipeline.sequence("narrow", [
  Step.make("x", { schema: Schema.Finite, run: () => 1 }),
  Step.make("y", { schema: Schema.Finite, run: () => 1 })
])
const both = Pipeline.gen("both", function* () {
  yield* Pipeline.ask(wide)
  yield* Pipeline.ask(narrow)
})
same<Step.Out<typeof both>, { readonly x?: number; readonly y?: number }>(true)

// nothing asked, or nothing read: no note can be missing
const effects = Pipeline.gen("effects", function* () {
  yield* convert(1)
})
same<Parts<typeof effects>, [{}, {}, NoRate, Rates]>(true)
const nothing = Pipeline.gen("nothing", function* () {})
same<typeof nothing, Step.Step<{}, {}>>(true)
const constant = Pipeline.gen("constant", function* () {
  const value = yield* Pipeline.ask(Step.make("one", { schema: Schema.Finite, run: () => 1 }))
  return value
})
same<Parts<typeof constant>, [{}, { readonly one?: number }, never, never]>(true)

// ------------------------------------------------------------------------------------------------------------ refused

declare const begun: Thought.Thought
// @ts-expect-error Property 'message' is missing
void Pipeline.run(either, begun)
// an ask is no effect
// @ts-expect-error 'Ask<Keyed<"size"
void Effect.runPromise(Pipeline.ask(size))
// @ts-expect-error is not assignable to parameter of type
Pipeline.ask(1)
// @ts-expect-error is not assignable to
Pipeline.gen("numbers", function* () {
  yield 1
})

// -------------------------------------------------------------------------------------------------------- five deep

const five = Pipeline.race("race", {
  one: Step.retry(
    Pipeline.switch("switch", {
      on: Note.from(amount, (n) => Effect.map(convert(n), (euros) => (euros > 1 ? "many" : "few"))),
      branches: {
        many: Pipeline.filter("filter", {
          when: (thought) => thought.length > 1,
          step: Pipeline.gen("gen", function* () {
            const kind = yield* Pipeline.ask(
              Primitive.categorize("kind", { question: Note.from(message, (text) => text), categories: ["a", "b"] })
            )
            const clerk = yield* Clerk
            if (kind.primary === "a" && clerk.name === "") yield* new Late()
          })
        }),
        few: Pipeline.gate("gate", {
          check: Effect.succeed<"pass" | "fail">("pass"),
          step: Step.make("few", { schema: Schema.Boolean, run: () => true })
        })
      }
    }),
    { times: 2, name: "retry" }
  ),
  two: Step.make("few", { schema: Schema.Boolean, run: () => false })
})
same<
  Parts<typeof five>,
  [
    { readonly amount: number; readonly message: string },
    { readonly kind?: Synapse.Classification<"a" | "b">; readonly few?: boolean },
    Asking | NoRate | Late | Note.NoteNotFound | Pipeline.GateClosed,
    Provider.Provider | Rates | Clerk
  ]
>(true)
