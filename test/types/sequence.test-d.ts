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

// Steps of unknown number between others: those before and after them always run.
const text = <const K extends string>(key: K) => Step.make(key, { schema: Schema.String, run: () => key })
const loud = Step.make("loud", { schema: Schema.String, run: Note.from(text("c"), (it) => `${it}!`) })
declare const flag: boolean
declare const names: ReadonlyArray<string>
const between = Pipeline.sequence("between", [text("a"), ...(flag ? [text("b")] : []), text("c"), loud])
same<
  typeof between,
  Step.Step<{}, { readonly a: string; readonly b?: string; readonly c: string; readonly loud: string }>
>(true)
const before = Pipeline.sequence("before", [text("c"), ...names.map(text), loud])
same<typeof before, Step.Step<{}, { readonly c: string; readonly loud: string }>>(true)
const after = Pipeline.sequence("after", [...names.map(text), text("c"), loud])
same<typeof after, Step.Step<{}, { readonly c: string; readonly loud: string }>>(true)
const last = Pipeline.sequence("last", [text("c"), ...(flag ? [loud] : [])])
same<typeof last, Step.Step<{}, { readonly c: string; readonly loud?: string }>>(true)
const oneOrTwo = Pipeline.sequence("one or two", [text("c"), ...(flag ? [text("a"), text("b")] : [text("d")]), loud])
same<
  typeof oneOrTwo,
  Step.Step<
    {},
    { readonly c: string; readonly loud: string; readonly a?: string; readonly b?: string; readonly d?: string }
  >
>(true)

// Between two such parts nothing is sure, unless they are tuples or sequences.
const parts = Pipeline.sequence("parts", [...(flag ? [text("a")] : []), text("b"), ...(flag ? [loud] : []), text("d")])
same<
  typeof parts,
  Step.Step<
    { readonly c: string },
    { readonly a?: string; readonly b?: string; readonly loud?: string; readonly d: string }
  >
>(true)
const tuples = Pipeline.sequence("tuples", [
  ...(flag ? ([text("a")] as const) : ([] as const)),
  text("b"),
  ...(flag ? ([text("c")] as const) : ([] as const)),
  text("d")
])
same<
  typeof tuples,
  Step.Step<{}, { readonly b: string; readonly d: string; readonly a?: string; readonly c?: string }>
>(true)

const sequences = Pipeline.sequence("sequences", [
  Pipeline.sequence("first", flag ? [text("a")] : []),
  text("c"),
  Pipeline.sequence("second", flag ? [loud] : []),
  text("d")
])
same<
  typeof sequences,
  Step.Step<{}, { readonly a?: string; readonly c: string; readonly loud?: string; readonly d: string }>
>(true)

// A step of that part may read what another one of them may write.
const within = Pipeline.sequence("within", [...(flag ? [text("c"), loud] : []), text("a")])
same<
  typeof within,
  Step.Step<{ readonly c: string }, { readonly c?: string; readonly loud?: string; readonly a: string }>
>(true)

// What such a step itself writes comes after its read.
const toText = Step.make("size", {
  schema: Schema.String,
  run: Note.from(Note.handle("size", Schema.Finite), (n) => String(n))
})
const shown = Step.make("shown", {
  schema: Schema.String,
  run: Note.from(Note.handle("size", Schema.Union([Schema.String, Schema.Finite])), String)
})
const replaced = Pipeline.sequence("replaced", [...(flag ? [toText] : []), shown])
same<typeof replaced, Step.Step<{ readonly size: number }, { readonly size?: string; readonly shown: string }>>(true)

// Steps of any type.
declare const any: ReadonlyArray<Step.Any>
const anyBetween = Pipeline.sequence("any", [text("c"), ...any, text("a"), loud])
same<Step.Out<typeof anyBetween>["a"], string>(true)

// An error that the caller handles is no longer in the type.
const handled = Pipeline.run(five, begun).pipe(Effect.catchTag("PipelineError", (error) => Effect.succeed(error.cause)))
same<Effect.Error<typeof handled>, never>(true)
declare const outcome: Effect.Success<typeof handled>
if (outcome instanceof NoRate) same<typeof outcome, NoRate>(true)
