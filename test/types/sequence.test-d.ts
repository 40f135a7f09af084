import { Context, Data, Effect, Schema } from "effect"
import { type Memory, Note, Pipeline, Primitive, type Provider, Step, type Synapse, type Thought } from "cogito"
import { type Clash, same } from "./same.ts"

class Rates extends Context.Service<Rates, { readonly euro: number }>()("test/Rates") {}
class NoRate extends Data.TaggedError("NoRate")<{ readonly currency: string }> {}
const message = Note.handle("message", Schema.String)

const nothing = Pipeline.sequence("nothing", [])
same<typeof nothing, Step.Step<{}, {}>>(true)

// A read of what no earlier step writes is demanded of the thought; one that an earlier step satisfies is not.
const reads = Pipeline.sequence("reads", [
  Step.make("size", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) }),
  Step.make("double", { schema: Schema.Finite, run: Note.from(Note.handle("size", Schema.Finite), (n) => n * 2) }),
  Step.make("unread", { run: (thought: Thought.Thought<{ readonly language: string }>) => thought.get("language") })
])
same<
  typeof reads,
  Step.Step<{ readonly message: string; readonly language: string }, { readonly size: number; readonly double: number }>
>(true)

// A key that was written with another type can no longer be read, whatever note the thought began with.
const mistyped = Pipeline.sequence("mistyped", [
  Step.make("size", { schema: Schema.String, run: () => "long" }),
  Step.make("double", { schema: Schema.Finite, run: Note.from(Note.handle("size", Schema.Finite), (n) => n * 2) })
])
same<Step.In<typeof mistyped>, { readonly size: Clash<number, string> }>(true)
declare const sized: Thought.Thought<{ readonly size: number }>
// @ts-expect-error "a step writes another type under this key before it is read": { readonly read: number; readonly written: string; };
void Pipeline.run(mistyped, sized)

// So it is after a write of another type that may not happen; one that fits leaves the need as it is.
const sometimes = (schema: "text" | "number") =>
  Pipeline.filter("sometimes", {
    when: () => schema === "text",
    step: Step.make("size", { schema: Schema.String, run: () => "long" })
  })
const perhapsMistyped = Pipeline.sequence("perhaps", [
  sometimes("text"),
  Step.make("double", { schema: Schema.Finite, run: Note.from(Note.handle("size", Schema.Finite), (n) => n * 2) })
])
same<Step.In<typeof perhapsMistyped>, { readonly size: Clash<number, string> }>(true)
const perhaps = Pipeline.sequence("perhaps", [
  sometimes("text"),
  Step.make("loud", { schema: Schema.String, run: Note.from(Note.handle("size", Schema.String), (text) => `${text}!`) })
])
same<Step.In<typeof perhaps>, { readonly size: string }>(true)

// An optional read is no way around it.
const optional = Pipeline.sequence("optional", [
  Step.make("size", { schema: Schema.String, run: () => "long" }),
  Step.make("double", {
    schema: Schema.Finite,
    run: (thought: Thought.Thought<{ readonly size?: number }>) => (thought.get("size") ?? 0) * 2
  })
])
same<Step.In<typeof optional>, { readonly size: Clash<number | undefined, string> }>(true)

// Two writes that may not happen stay optional, of either type.
const twice = Pipeline.sequence(
  "twice",
  [
    Pipeline.filter("maybe a text", {
      when: () => true,
      step: Step.make("size", { schema: Schema.String, run: () => "" })
    }),
    Pipeline.filter("maybe a number", {
      when: () => true,
      step: Step.make("size", { schema: Schema.Finite, run: () => 1 })
    })
  ],
  { overwrite: true }
)
same<Step.Out<typeof twice>, { readonly size?: string | number }>(true)

// A later write wins, also over what the thought had.
const overwrite = Pipeline.sequence(
  "overwrite",
  [Step.make("value", { schema: Schema.String, run: () => "one" }), Primitive.decide("value", { question: "Well?" })],
  { overwrite: true }
)
same<Step.Out<typeof overwrite>, { readonly value: Synapse.Decision }>(true)
declare const begun: Thought.Thought<{ readonly value: number; readonly message: string }>
const ran = Pipeline.run(overwrite, begun)
same<Effect.Success<typeof ran>, Thought.Thought<{ readonly value: Synapse.Decision; readonly message: string }>>(true)

// Five deep, with a condition on the way.
const five = Pipeline.sequence("one", [
  Primitive.categorize("kind", { question: "Which?", categories: { a: "first", b: "second" } }),
  Pipeline.sequence("two", [
    Step.make("rate", {
      schema: Schema.Finite,
      run: Effect.gen(function* () {
        const rates = yield* Rates
        return rates.euro > 0 ? rates.euro : yield* new NoRate({ currency: "EUR" })
      })
    }),
    Pipeline.sequence("three", [
      Pipeline.sequence("four", [
        Pipeline.sequence("five", [
          Primitive.seek("found", {
            query: Note.from(
              { kind: Note.handle("kind", Schema.Struct({ primary: Schema.Literals(["a", "b"]) })), message },
              ({ kind, message }) => `${kind.primary}: ${message}`
            )
          })
        ]).pipe(
          Step.when(
            "rarely",
            (thought) => thought.get("found").matches.length === 0,
            Step.make("note", { schema: Schema.String, run: () => "nothing" })
          )
        )
      ])
    ])
  ])
])
same<
  typeof five,
  Step.Step<
    { readonly message: string },
    {
      readonly kind: Synapse.Classification<"a" | "b">
      readonly rate: number
      readonly found: Primitive.Findings
      readonly note?: string
    },
    Provider.ProviderError | Synapse.ResponseError | Memory.MemoryError | NoRate,
    Provider.Provider | Memory.Memory | Rates
  >
>(true)
const ranFive = Pipeline.run(five, begun)
same<
  Effect.Error<typeof ranFive>,
  Pipeline.PipelineError<Provider.ProviderError | Synapse.ResponseError | Memory.MemoryError | NoRate>
>(true)
same<Effect.Services<typeof ranFive>, Provider.Provider | Memory.Memory | Rates>(true)

// Steps in an array: any number of them may run, so nothing is sure afterwards.
declare const some: ReadonlyArray<typeof nothing | Step.Keyed<"size", number, { readonly message: string }>>
const dynamic = Pipeline.sequence("dynamic", some)
same<Step.Out<typeof dynamic>, { readonly size?: number }>(true)
same<Step.In<typeof dynamic>, { readonly message: string }>(true)

// An error that the caller handles is no longer in the type.
const handled = Pipeline.run(five, begun).pipe(Effect.catchTag("PipelineError", (error) => Effect.succeed(error.cause)))
same<Effect.Error<typeof handled>, never>(true)
declare const outcome: Effect.Success<typeof handled>
if (outcome instanceof NoRate) same<typeof outcome, NoRate>(true)
