import { Context, Data, Effect, Layer, Schema } from "effect"
import { Note, Pipeline, Primitive, type Provider, Step, type Synapse, type Thought } from "cogito"
import { same } from "./same.ts"

class Rates extends Context.Service<Rates, { readonly euro: number }>()("test/Rates") {}
class Log extends Context.Service<Log, { readonly line: (text: string) => Effect.Effect<void> }>()("test/Log") {}
class NoRate extends Data.TaggedError("NoRate")<{ readonly currency: string }> {}
class Unpaid extends Data.TaggedError("Unpaid")<{ readonly amount: number }> {}

const message = Note.handle("message", Schema.String)
const amount = Note.handle("amount", Schema.Finite)
declare const convert: (n: number) => Effect.Effect<number, NoRate, Rates>

type Asking = Provider.ProviderError | Synapse.ResponseError

// --------------------------------------------------------------------------------------------------------- handle

const handled = Step.handle(
  Primitive.decide("spam", { question: Note.from(message, (text) => text) }),
  (failure, thought) => {
    same<typeof failure, Pipeline.Failure<Asking>>(true)
    same<typeof thought, Thought.Thought<{ readonly message: string }>>(true)
    return Effect.asVoid(convert(failure.durationMillis))
  },
  { name: "handled" }
)
// How the handler fails is nobody's business; what it needs is.
same<Step.Err<typeof handled>, Asking>(true)
same<Step.Req<typeof handled>, Provider.Provider | Rates>(true)
same<Step.In<typeof handled>, { readonly message: string }>(true)
same<Step.Out<typeof handled>, { readonly spam: Synapse.Decision }>(true)
const keptHandle: Note.Handle<"spam", Synapse.Decision> = handled
void keptHandle

const handledPiped = Primitive.decide("spam", { question: "Is this spam?" }).pipe(
  Step.handle(({ cause }) => {
    same<typeof cause, Asking>(true)
    return Effect.flatMap(Log, (log) => log.line(cause._tag))
  }),
  Step.handle(({ cause }) => Effect.succeed(cause._tag))
)
same<Step.Err<typeof handledPiped>, Asking>(true)
same<Step.Req<typeof handledPiped>, Provider.Provider | Log>(true)
const keptPiped: Note.Handle<"spam", Synapse.Decision> = handledPiped
void keptPiped
const handledFirst = Step.handle(Primitive.decide("spam", { question: "Is this spam?" }), ({ cause }) =>
  Effect.flatMap(Log, (log) => log.line(cause._tag))
)
same<typeof handledFirst, typeof handledPiped>(true)

// -------------------------------------------------------------------------------------------------------- recover

const recovered = Step.recover(
  Primitive.decide("spam", { question: Note.from(message, (text) => text) }),
  Step.make("rate", { schema: Schema.Finite, run: Note.from(amount, convert) }),
  { name: "recovered" }
)
same<Step.In<typeof recovered>, { readonly message: string; readonly amount: number }>(true)
same<Step.Out<typeof recovered>, { readonly spam?: Synapse.Decision; readonly rate?: number }>(true)
same<Step.Err<typeof recovered>, NoRate>(true)
same<Step.Req<typeof recovered>, Provider.Provider | Rates>(true)

const both = Step.recover(
  Primitive.decide("spam", { question: "Is this spam?" }),
  Step.make("spam", { schema: Schema.Boolean, run: () => true }),
  {
    when: (error) => {
      same<typeof error, Asking>(true)
      return error._tag === "ProviderError"
    },
    name: "both"
  }
)
same<Step.Out<typeof both>, { readonly spam: Synapse.Decision | boolean }>(true)
same<Step.Err<typeof both>, Asking>(true)

// ------------------------------------------------------------------------------------------- recover, from some errors

const unknown = Step.make("unknown", { schema: Schema.Boolean, run: () => true })
const caught = Primitive.decide("spam", { question: "Is this spam?" }).pipe(
  Step.recover(unknown, { when: "ProviderError" })
)
same<Step.Err<typeof caught>, Synapse.ResponseError>(true)
same<Step.Req<typeof caught>, Provider.Provider>(true)
same<Step.Out<typeof caught>, { readonly spam?: Synapse.Decision; readonly unknown?: boolean }>(true)

const caughtAll = Primitive.decide("spam", { question: "Is this spam?" }).pipe(
  Step.recover(Step.make("spam", { schema: Schema.Finite, run: convert(1) }), {
    when: ["ProviderError", "ResponseError"]
  })
)
same<Step.Err<typeof caughtAll>, NoRate>(true)
same<Step.Req<typeof caughtAll>, Provider.Provider | Rates>(true)
same<Step.Out<typeof caughtAll>, { readonly spam: Synapse.Decision | number }>(true)

// Where the recovery writes the same note, it stays readable through the step.
const caughtSame = Primitive.decide("spam", { question: "Is this spam?" }).pipe(
  Step.recover(Primitive.decide("spam", { question: "Is it?" }), { when: "ProviderError" })
)
const keptCaught: Note.Handle<"spam", Synapse.Decision> = caughtSame
void keptCaught
// @ts-expect-error is missing the following properties from type 'Handle<"spam",
const lostCaught: Note.Handle<"spam", Synapse.Decision> = caughtAll
void lostCaught

const caughtFirst = Step.recover(Primitive.decide("spam", { question: "Is this spam?" }), unknown, {
  when: "ProviderError"
})
same<typeof caughtFirst, typeof caught>(true)

// An error without a tag passes.
const untagged = Step.make("pay", { run: Effect.fail<Unpaid | "lost">("lost") }).pipe(
  Step.recover(unknown, { when: "Unpaid" })
)
same<Step.Err<typeof untagged>, "lost">(true)

// A function says which errors, also in a pipe.
const caughtWhere = Primitive.decide("spam", { question: "Is this spam?" }).pipe(
  Step.recover(Primitive.decide("spam", { question: "Is it?" }), {
    when: (error) => {
      same<typeof error, Asking>(true)
      return error._tag === "ProviderError"
    }
  })
)
same<Step.Err<typeof caughtWhere>, Asking>(true)
const keptWhere: Note.Handle<"spam", Synapse.Decision> = caughtWhere
void keptWhere

// A recovery that can be reused.
const orUnknown = Step.recover(unknown, { when: "ProviderError" })
const reused = orUnknown(Primitive.decide("spam", { question: "Is this spam?" }))
same<typeof reused, typeof caught>(true)

// @ts-expect-error "no error of the step has the tag"
Primitive.decide("spam", { question: "Is this spam?" }).pipe(Step.recover(unknown, { when: "ProviderErorr" }))

// --------------------------------------------------------------------------------------------------------- enrich

const enriched = Step.enrich(Primitive.decide("spam", { question: Note.from(message, (text) => text) }), {
  report: "missing",
  name: "enriched"
})
same<Step.In<typeof enriched>, { readonly message: string }>(true)
same<Step.Out<typeof enriched>, { readonly spam?: Synapse.Decision; readonly missing?: Step.FailureReport }>(true)
same<Step.Err<typeof enriched>, never>(true)
same<Step.Req<typeof enriched>, Provider.Provider>(true)
const enrichedPiped = Primitive.decide("spam", { question: Note.from(message, (text) => text) }).pipe(
  Step.enrich({ report: "missing" })
)
same<typeof enrichedPiped, typeof enriched>(true)
const enrichedFirst = Step.enrich(Primitive.decide("spam", { question: Note.from(message, (text) => text) }), {
  report: "missing"
})
same<typeof enrichedFirst, typeof enriched>(true)
const silent = Primitive.decide("spam", { question: "Is this spam?" }).pipe(Step.enrich())
same<Step.Out<typeof silent>, { readonly spam?: Synapse.Decision }>(true)

// What may not be there cannot be read.
const needsSpam = Step.make("needs", { run: Note.from(handled, () => Effect.void) })
same<Step.In<typeof needsSpam>, { readonly spam: Synapse.Decision }>(true)
const unsure = Pipeline.sequence("unsure", [enriched, needsSpam])
same<Step.In<typeof unsure>, { readonly message: string; readonly spam: Synapse.Decision }>(true)

// ------------------------------------------------------------------------------------------------------------ tap

const tapped = Pipeline.tap("tapped", Note.from(amount, convert))
same<typeof tapped, Step.Step<{ readonly amount: number }, {}, NoRate, Rates>>(true)
const tappedEffect = Pipeline.tap(
  "tapped",
  Effect.flatMap(Log, (log) => log.line("here"))
)
same<typeof tappedEffect, Step.Step<{}, {}, never, Log>>(true)
const tappedThought = Pipeline.tap("tapped", (thought: Thought.Thought<{ readonly amount: number }>) =>
  convert(thought.get("amount"))
)
same<typeof tappedThought, Step.Step<{ readonly amount: number }, {}, NoRate, Rates>>(true)
const tappedPlain = Pipeline.tap("tapped", (thought) => void thought.intent)
same<typeof tappedPlain, Step.Step<{}, {}>>(true)
const tappedPromise = Pipeline.tap("tapped", () => Promise.resolve(1))
same<typeof tappedPromise, Step.Step<{}, {}, Error>>(true)

// --------------------------------------------------------------------------------------------------------- mutate

const mutated = Pipeline.mutate("mutated", { note: amount, update: (value) => convert(value + 1) })
same<typeof mutated, Step.Step<{ readonly amount: number }, { readonly amount: number }, NoRate, Rates>>(true)
const mutatedWhen = Pipeline.mutate("mutated", {
  note: amount,
  update: (value, thought: Thought.Thought<{ readonly other: number }>) => value + thought.get("other"),
  when: Note.from(message, (text) => Effect.map(Log, () => text !== ""))
})
same<
  typeof mutatedWhen,
  Step.Step<
    { readonly amount: number; readonly other: number; readonly message: string },
    { readonly amount: number },
    never,
    Log
  >
>(true)
const mutatedPlain = Pipeline.mutate("mutated", {
  note: amount,
  update: (value, thought) => value + thought.length,
  when: (thought) => Effect.map(Rates, () => thought.length > 1)
})
same<typeof mutatedPlain, Step.Step<{ readonly amount: number }, { readonly amount: number }, never, Rates>>(true)
const mode = Note.handle("mode", Schema.Literals(["on", "off"]))
const flipped = Pipeline.mutate("flip", { note: mode, update: (value) => (value === "on" ? "off" : "on") })
same<typeof flipped, Step.Step<{ readonly mode: "on" | "off" }, { readonly mode: "on" | "off" }>>(true)
// @ts-expect-error is not assignable to type
Pipeline.mutate("mutated", { note: amount, update: (value) => String(value) })
const mutatedPromise = Pipeline.mutate("mutated", { note: amount, update: (value) => Promise.resolve(value) })
same<typeof mutatedPromise, Step.Step<{ readonly amount: number }, { readonly amount: number }, Error>>(true)
// @ts-expect-error is not assignable to type
Pipeline.mutate("mutated", { note: amount, update: async (value) => String(value) })

// After the step that writes the note, it need not be there before.
const afterWriter = Pipeline.sequence("all", [
  Step.make("amount", { schema: Schema.Finite, run: () => 1 }),
  Pipeline.mutate("more", { note: amount, update: (value) => value + 1 }),
  Step.make("line", { schema: Schema.String, run: Note.from(amount, (value) => value.toFixed(2)) })
])
same<typeof afterWriter, Step.Step<{}, { readonly amount: number; readonly line: string }>>(true)

// ----------------------------------------------------------------------------------------------------------- once

const mailed = Step.once("mail", (thought: Thought.Thought<{ readonly amount: number }>) =>
  Effect.flatMap(Log, (log) => log.line(`${thought.get("amount")}`))
)
same<typeof mailed, Step.Step<{ readonly amount: number }, {}, never, Log>>(true)
const mailedPlain = Step.once("mail", (thought) => Effect.flatMap(Log, (log) => log.line(thought.intent)))
same<typeof mailedPlain, Step.Step<{}, {}, never, Log>>(true)
const mailedEffect = Step.once(
  "mail",
  Effect.flatMap(Log, (log) => log.line("sent"))
)
same<typeof mailedEffect, Step.Step<{}, {}, never, Log>>(true)
// @ts-expect-error "an effect after the commit cannot fail: handle its errors inside it"
Step.once("mail", convert(1))
// @ts-expect-error "an effect after the commit cannot fail: handle its errors inside it"
Step.once("mail", () => convert(1))

// -------------------------------------------------------------------------------------------------- provide, named

declare const rates: Layer.Layer<Rates, Unpaid, Log>
const needs = Step.make("euros", { schema: Schema.Finite, run: Effect.flatMap(Log, () => convert(1)) })
const provided = Step.make("euros", { schema: Schema.Finite, run: convert(1) }).pipe(Step.provide(rates))
same<Step.Err<typeof provided>, NoRate | Unpaid>(true)
same<Step.Req<typeof provided>, Log>(true)
const keptProvided: Note.Handle<"euros", number> = provided
void keptProvided
const providedFirst = Step.provide(needs, rates)
same<Step.Req<typeof providedFirst>, Log>(true)
const providedContext = needs.pipe(Step.provide(Context.make(Rates, { euro: 1 })))
same<Step.Err<typeof providedContext>, NoRate>(true)
same<Step.Req<typeof providedContext>, Log>(true)
const providedUnneeded = unknown.pipe(Step.provide(Layer.succeed(Rates, { euro: 1 })))
same<Step.Req<typeof providedUnneeded>, never>(true)
const providedModel = Primitive.decide("spam", { question: "Is this spam?" }).pipe(
  Step.provide(Layer.empty as Layer.Layer<Provider.Provider>)
)
same<Step.Req<typeof providedModel>, never>(true)

const renamed = Primitive.decide("spam", { question: Note.from(message, (text) => text) }).pipe(Step.named("first"))
same<Step.In<typeof renamed>, { readonly message: string }>(true)
same<Step.Out<typeof renamed>, { readonly spam: Synapse.Decision }>(true)
same<Step.Err<typeof renamed>, Asking>(true)
same<Step.Req<typeof renamed>, Provider.Provider>(true)
const keptRenamed: Note.Handle<"spam", Synapse.Decision> = renamed
void keptRenamed

// ------------------------------------------------------------------------------------------------- idempotencyKey

same<typeof Step.idempotencyKey, Effect.Effect<string>>(true)

// -------------------------------------------------------------------------------------------------- nested inline

const nested = Pipeline.sequence("nested", [
  Primitive.decide("spam", { question: Note.from(message, (text) => text) }).pipe(
    Step.handle(({ cause }) => Effect.flatMap(Log, (log) => log.line(cause._tag))),
    Step.recover(Step.make("spam", { schema: Schema.Boolean, run: () => false }), { when: "ProviderError" }),
    Step.named("guarded"),
    Step.enrich({ report: "missing" })
  ),
  Pipeline.tap("look", Note.from(amount, convert)),
  Step.once("mail", () => Effect.void)
])
same<Step.In<typeof nested>, { readonly message: string; readonly amount: number }>(true)
same<Step.Out<typeof nested>, { readonly spam?: Synapse.Decision | boolean; readonly missing?: Step.FailureReport }>(
  true
)
same<Step.Err<typeof nested>, NoRate>(true)
same<Step.Req<typeof nested>, Provider.Provider | Log | Rates>(true)
