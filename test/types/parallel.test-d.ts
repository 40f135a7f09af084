// @effect-diagnostics missingEffectError:off -- missing errors are what is tested
import { Context, Data, Effect, type Layer, Schema } from "effect"
import { type Memory, Note, Pipeline, Primitive, type Provider, Step, type Synapse, type Thought } from "cogito"
import { same } from "./same.ts"

// Connectors that run several steps on one thought, with inline steps in them.

class Rates extends Context.Service<Rates, { readonly euro: number }>()("test/Rates") {}
class NoRate extends Data.TaggedError("NoRate")<{ readonly currency: string }> {}
class Unread extends Data.TaggedError("Unread")<{}> {}

type Asking = Provider.ProviderError | Synapse.ResponseError
type Parts<S> = [Step.In<S>, Step.Out<S>, Step.Err<S>, Step.Req<S>]

const message = Note.handle("message", Schema.String)
const amount = Note.handle("amount", Schema.Finite)
declare const convert: (n: number) => Effect.Effect<number, NoRate, Rates>
declare const read: Effect.Effect<string, Unread>

// ---------------------------------------------------------------------------------------------------- concurrent

// All of them add their notes, and any of them may fail.
const facts = Pipeline.concurrent("facts", {
  euros: Step.make("euros", { schema: Schema.Finite, run: Note.from(amount, convert) }),
  spam: Primitive.decide("spam", { question: Note.from(message, (text) => `Is this spam: ${text}?`) }),
  aside: Step.make("aside", { run: read }),
  some: Pipeline.filter("some", { when: () => true, step: Step.make("seldom", { schema: Schema.String, run: read }) })
})
same<
  Parts<typeof facts>,
  [
    { readonly amount: number; readonly message: string },
    { readonly euros: number; readonly spam: Synapse.Decision; readonly seldom?: string },
    Asking | NoRate | Unread,
    Provider.Provider | Rates
  ]
>(true)

// With a number of those that must succeed, none of the notes is sure.
const quorum = Pipeline.concurrent(
  "quorum",
  [
    Step.make("euros", { schema: Schema.Finite, run: Note.from(amount, convert) }),
    Step.make("note", { schema: Schema.String, run: read })
  ],
  { minSuccesses: 1, report: "how", concurrency: 2 }
)
same<
  Parts<typeof quorum>,
  [
    { readonly amount: number },
    { readonly euros?: number; readonly note?: string; readonly how: ReadonlyArray<Pipeline.BranchResult> },
    Pipeline.BranchesFailed<NoRate | Unread>,
    Rates
  ]
>(true)
// it is the handle of its report
const tags = Note.from(quorum, (results) => results.map(({ error }) => error))
same<typeof tags, Note.Reader<{ readonly how: ReadonlyArray<Pipeline.BranchResult> }, Array<string | undefined>>>(true)
// @ts-expect-error is not assignable to parameter
Note.from(facts, () => 1)

// Two branches that write one key are refused, those of a condition as well.
const a = Step.make("a", { schema: Schema.String, run: () => "" })
const mayWriteA = Pipeline.filter("f", {
  when: () => true,
  step: Step.make("a", { schema: Schema.Finite, run: () => 1 })
})
// @ts-expect-error two branches write the same note
Pipeline.concurrent("x", [a, mayWriteA])

const text = Step.make("mood", { schema: Schema.String, run: () => "glad" })
const level = Step.make("mood", { schema: Schema.Finite, run: () => 1 })
const flag = Step.make("mood", { schema: Schema.Boolean, run: () => true })
const maybe = <S extends Step.Any>(name: string, step: S) => Pipeline.filter(name, { when: () => true, step })
const inner = <S extends Step.Any>(name: string, step: S) => Pipeline.sequence(name, [step])

// The one declared last has the key: in a list the types know which that is.
const last = Pipeline.concurrent("last", [inner("a", text), inner("b", level)], { conflicts: "last" })
same<Step.Out<typeof last>, { readonly mood: number }>(true)
const lastMaybe = Pipeline.concurrent("last", [inner("a", text), maybe("b", level)], { conflicts: "last" })
same<Step.Out<typeof lastMaybe>, { readonly mood: string | number }>(true)
const lastSure = Pipeline.concurrent("last", [maybe("a", text), inner("b", level)], { conflicts: "last" })
same<Step.Out<typeof lastSure>, { readonly mood: number }>(true)
const lastNone = Pipeline.concurrent("last", [maybe("a", text), maybe("b", level), maybe("c", flag)], {
  conflicts: "last"
})
same<Step.Out<typeof lastNone>, { readonly mood?: string | number | boolean }>(true)
const lastSome = Pipeline.concurrent("last", [inner("a", text), maybe("b", level), maybe("c", flag)], {
  conflicts: "last"
})
same<Step.Out<typeof lastSome>, { readonly mood: string | number | boolean }>(true)
// in a record they do not
const record = Pipeline.concurrent("last", { one: text, two: level, three: maybe("b", flag) }, { conflicts: "last" })
same<Step.Out<typeof record>, { readonly mood: string | number | boolean }>(true)
// and when any may fail, any may be the last
const lastFew = Pipeline.concurrent("last", [inner("a", text), inner("b", level)], {
  conflicts: "last",
  minSuccesses: 1
})
same<Step.Out<typeof lastFew>, { readonly mood?: string | number }>(true)

// Every key goes under the name of its branch.
const spaced = Pipeline.concurrent("spaced", { one: text, two: maybe("b", level) }, { conflicts: "namespace" })
same<Step.Out<typeof spaced>, { readonly "one.mood": string; readonly "two.mood"?: number }>(true)
const spacedFew = Pipeline.concurrent(
  "spaced",
  { one: text, two: level },
  { conflicts: "namespace", minSuccesses: 2, report: "how" }
)
same<
  Step.Out<typeof spacedFew>,
  {
    readonly "one.mood"?: string
    readonly "two.mood"?: number
    readonly how: ReadonlyArray<Pipeline.BranchResult>
  }
>(true)
// @ts-expect-error branches need names, as those of a record have
Pipeline.concurrent("spaced", [inner("a", text), inner("b", level)], { conflicts: "namespace" })
// @ts-expect-error is not assignable to type 'Conflicts
Pipeline.concurrent("spaced", { one: text }, { conflicts: "first" })

// Of branches whose number is not known, no note is sure, except those of a branch that is surely there.
declare const many: readonly [typeof text, ...ReadonlyArray<typeof level>]
declare const named: Readonly<Record<string, typeof text>>
const unknown = Pipeline.concurrent("unknown", many, { conflicts: "last" })
same<Step.Out<typeof unknown>, { readonly mood: string | number }>(true)
const dynamic = Pipeline.concurrent("dynamic", named, { conflicts: "last" })
same<Step.Out<typeof dynamic>, { readonly mood?: string }>(true)

// What follows may read what all of them have written, and not what one of them may have.
const after = Pipeline.sequence("after", [
  Pipeline.concurrent("both", [
    Step.make("sure", { schema: Schema.Finite, run: () => 1 }),
    maybe("may", Step.make("unsure", { schema: Schema.Finite, run: () => 1 }))
  ]),
  Step.make("sum", {
    schema: Schema.Finite,
    run: Note.from(
      { sure: Note.handle("sure", Schema.Finite), unsure: Note.handle("unsure", Schema.Finite) },
      ({ sure, unsure }) => sure + unsure
    )
  })
])
same<Step.In<typeof after>, { readonly unsure: number }>(true)

// ---------------------------------------------------------------------------------------------------------- race

const raced = Pipeline.race("race", [
  Pipeline.sequence("a", [
    Step.make("price", { schema: Schema.Finite, run: Note.from(amount, convert) }),
    Step.make("from", { schema: Schema.String, run: read })
  ]),
  Step.make("price", { schema: Schema.String, run: Note.from(message, (said) => said) })
])
same<
  Parts<typeof raced>,
  [
    { readonly amount: number; readonly message: string },
    { readonly price: number | string; readonly from?: string },
    NoRate | Unread,
    Rates
  ]
>(true)

// ------------------------------------------------------------------------------------------------------- contest

// The condition sees what a branch reads and what it may have written, and fails and needs on its own.
const contested = Pipeline.contest(
  "contest",
  [
    Step.make("x", { schema: Schema.Finite, run: () => 1 }),
    Step.make("x", { schema: Schema.String, run: Note.from(message, (said) => said) })
  ],
  {
    accept: (thought) => {
      const value: string | number = thought.get("x")
      const said: string = thought.get("message")
      return convert(1).pipe(Effect.as(value === said))
    }
  }
)
same<
  Parts<typeof contested>,
  [{ readonly message: string }, { readonly x: string | number }, NoRate | Pipeline.NoneAccepted, Rates]
>(true)

const x = Step.make("x", { schema: Schema.Finite, run: () => 1 })
const byReader = Pipeline.contest("contest", { one: x, two: x }, { accept: Note.from(x, (n) => n > 1) })
same<Parts<typeof byReader>, [{}, { readonly x: number }, Pipeline.NoneAccepted, never]>(true)
const byEffect = Pipeline.contest("contest", [x], { accept: Effect.map(read, (said) => said === "yes") })
same<Step.Err<typeof byEffect>, Pipeline.NoneAccepted | Unread>(true)
// @ts-expect-error Property 'message' is missing
Pipeline.contest("contest", [x], { accept: Note.from(message, (said) => said === "yes") })
// @ts-expect-error Type 'string' is not assignable to type 'boolean
Pipeline.contest("contest", [x], { accept: () => "yes" })

// ------------------------------------------------------------------------------------------------------ scaffold

// Its failures are the supervisor's, and what it writes goes elsewhere.
const later = Pipeline.scaffold("later", {
  step: Step.make("euros", { schema: Schema.Finite, run: Note.from(amount, convert) })
})
same<Parts<typeof later>, [{ readonly amount: number }, {}, never, Rates | Memory.Memory | Pipeline.Supervisor]>(true)

const quiet = Pipeline.supervisor()
same<typeof quiet, Layer.Layer<Pipeline.Supervisor>>(true)
const reporting = Pipeline.supervisor({
  grace: "5 seconds",
  onFailure: (error) => {
    const cause: unknown = error.cause
    return Effect.map(Rates, () => cause)
  }
})
same<typeof reporting, Layer.Layer<Pipeline.Supervisor, never, Rates>>(true)
// @ts-expect-error Type 'Unread' is not assignable to type 'never'
Pipeline.supervisor({ onFailure: () => read })

// --------------------------------------------------------------------------------------------------------- nested

// Five deep, errors and needs are exact.
const five = Pipeline.race("one", {
  a: Pipeline.sequence("two", [
    Pipeline.concurrent("three", {
      left: Pipeline.contest("four", [Pipeline.sequence("five", [x])], { accept: () => read.pipe(Effect.as(true)) }),
      right: Step.make("y", { schema: Schema.Finite, run: Note.from(amount, convert) })
    }),
    later
  ])
})
same<
  Parts<typeof five>,
  [
    { readonly amount: number },
    { readonly x: number; readonly y: number },
    Pipeline.NoneAccepted | Unread | NoRate,
    Rates | Memory.Memory | Pipeline.Supervisor
  ]
>(true)

// What a thought has after it.
declare const thought: Thought.Thought<{ readonly amount: number }>
const done = Pipeline.run(five, thought)
same<Effect.Success<typeof done>, Thought.Thought<{ readonly amount: number; readonly x: number; readonly y: number }>>(
  true
)
