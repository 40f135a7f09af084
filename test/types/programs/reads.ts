import { Context, Data, Effect, Schema } from "effect"
import { Note, Pipeline, Primitive, type Provider, Step, type Synapse, Thought } from "cogito"
import { same } from "../same.ts"
import { equal, message, type Program, ticket } from "./program.ts"

// What a step may read, in every form that says so.

class Rates extends Context.Service<Rates, { readonly euro: number }>()("test/programs/Rates") {}
class NoRate extends Data.TaggedError("NoRate")<{ readonly currency: string }> {}
type Asking = Provider.ProviderError | Synapse.ResponseError
type Message = { readonly message: string }

export const reads = {
  "a step by its own value": Effect.gen(function* () {
    const size = Step.make("size", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) })
    const both = Pipeline.sequence("both", [
      size,
      Step.make("long", { schema: Schema.Boolean, run: Note.from(size, (n) => n > 3) })
    ])
    same<typeof both, Step.Step<Message, { readonly size: number; readonly long: boolean }>>(true)
    equal((yield* Pipeline.run(both, yield* ticket)).get("long"), true)
  }),
  "several notes at once": Effect.gen(function* () {
    const size = Step.make("size", { schema: Schema.Finite, run: () => 3 })
    const line = Pipeline.sequence("line", [
      size,
      Step.make("line", {
        schema: Schema.String,
        run: Note.from({ size, text: message }, ({ size, text }) => `${size}: ${text}`)
      })
    ])
    same<typeof line, Step.Step<Message, { readonly size: number; readonly line: string }>>(true)
    equal((yield* Pipeline.run(line, yield* ticket)).get("line"), "3: I was charged 2 times")
  }),
  "a function of the thought": Effect.gen(function* () {
    const step = Step.make("size", {
      schema: Schema.Finite,
      run: (thought: Thought.Thought<{ readonly message: string; readonly extra?: number }>) =>
        thought.get("message").length + (thought.get("extra") ?? 0)
    })
    same<Step.In<typeof step>, { readonly message: string; readonly extra?: number }>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("size"), 21)
  }),
  "a reader that fails and needs a service": Effect.gen(function* () {
    const euros = Step.make("euros", {
      schema: Schema.Finite,
      run: Note.from(message, (text) =>
        Effect.gen(function* () {
          const { euro } = yield* Rates
          return text === "" ? yield* new NoRate({ currency: "EUR" }) : euro * text.length
        })
      )
    })
    same<typeof euros, Step.Keyed<"euros", number, Message, NoRate, Rates>>(true)
    const done = yield* Pipeline.run(euros, yield* ticket).pipe(Effect.provideService(Rates, { euro: 2 }))
    equal(done.get("euros"), 42)
  }),
  "a question from earlier answers": Effect.gen(function* () {
    const kind = Primitive.categorize("kind", { question: "Which?", categories: ["billing", "login"] })
    const step = Pipeline.sequence("asked", [
      kind,
      Primitive.decide("urgent", {
        question: Note.from({ kind, message }, ({ kind, message }) => `Is this ${kind.primary} urgent? ${message}`)
      })
    ])
    same<
      typeof step,
      Step.Step<
        Message,
        { readonly kind: Synapse.Classification<"billing" | "login">; readonly urgent: Synapse.Decision },
        Asking,
        Provider.Provider
      >
    >(true)
    const done = yield* Pipeline.run(step, yield* ticket)
    equal([done.get("kind").primary, done.get("urgent").decision], ["billing", true])
  }),
  "a part of what a primitive wrote, by a handle of less": Effect.gen(function* () {
    const kind = Note.handle("kind", Schema.Struct({ primary: Schema.String }))
    const step = Pipeline.sequence("part", [
      Primitive.categorize("kind", { question: "Which?", categories: ["billing", "login"] }),
      Step.make("word", { schema: Schema.String, run: Note.from(kind, ({ primary }) => primary) })
    ])
    same<
      typeof step,
      Step.Step<
        {},
        { readonly kind: Synapse.Classification<"billing" | "login">; readonly word: string },
        Asking,
        Provider.Provider
      >
    >(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("word"), "billing")
  }),
  "a text by a handle that has room for more": Effect.gen(function* () {
    const perhaps = Note.handle("note", Schema.NullOr(Schema.String))
    const either = Note.handle("note", Schema.Union([Schema.Finite, Schema.String]))
    const step = Pipeline.sequence("wider", [
      Step.make("note", { schema: Schema.String, run: () => "42" }),
      Step.make("first", { schema: Schema.Boolean, run: Note.from(perhaps, (text) => text === "42") }),
      Step.make("second", { schema: Schema.Boolean, run: Note.from(either, (text) => text === "42") })
    ])
    same<typeof step, Step.Step<{}, { readonly note: string; readonly first: boolean; readonly second: boolean }>>(true)
    const done = yield* Pipeline.run(step, yield* ticket)
    equal([done.get("first"), done.get("second")], [true, true])
  }),
  "a number by a handle that writes it as text": Effect.gen(function* () {
    const step = Pipeline.sequence("forms", [
      Step.make("n", { schema: Schema.FiniteFromString, run: () => 41 }),
      Step.make("next", { schema: Schema.Finite, run: Note.from(Note.handle("n", Schema.Finite), (n) => n + 1) })
    ])
    same<typeof step, Step.Step<{}, { readonly n: number; readonly next: number }>>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("next"), 42)
  }),
  "the message of the thought by a wider handle": Effect.gen(function* () {
    const step = Step.make("size", {
      schema: Schema.Finite,
      run: Note.from(Note.handle("message", Schema.NullOr(Schema.String)), (text) => text?.length ?? 0)
    })
    same<typeof step, Step.Keyed<"size", number, { readonly message: string | null }>>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("size"), 21)
  }),
  "a note that was required of a loaded thought": Effect.gen(function* () {
    const size = Step.make("size", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) })
    const more = Step.make("more", { schema: Schema.Finite, run: Note.from(size, (n) => n + 1) })
    const stored = yield* Pipeline.run(size, yield* ticket)
    const loaded = yield* Thought.require(Thought.at(stored, stored.length), [size])
    same<typeof loaded, Thought.Thought<{ readonly size: number }>>(true)
    const done = yield* Pipeline.run(more, yield* Thought.fork(loaded))
    same<typeof done, Thought.Thought<{ readonly size: number; readonly more: number }>>(true)
    equal(done.get("more"), 22)
  }),
  "items to rank from a note": Effect.gen(function* () {
    const names = Note.handle("names", Schema.Array(Schema.String))
    const step = Pipeline.sequence("line", [
      Step.make("names", { schema: Schema.Array(Schema.String), run: () => ["a", "b"] }),
      Step.make("count", { schema: Schema.Finite, run: Note.from(names, (all) => all.length) }),
      Pipeline.tap(
        "look",
        Note.from({ names, message }, ({ message, names }) => `${names.length} ${message}`)
      )
    ])
    same<typeof step, Step.Step<Message, { readonly names: ReadonlyArray<string>; readonly count: number }>>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("count"), 2)
  })
} satisfies Record<string, Program>
