import { Effect, Schema } from "effect"
import { Note, Pipeline, Primitive, type Provider, Step, type Synapse, Thought } from "cogito"
import { same } from "../same.ts"
import { equal, message, type Program, ticket } from "./program.ts"

// What a thought has after writes, of which some may not happen and some take the place of others.

type Message = { readonly message: string }
type Asking = Provider.ProviderError | Synapse.ResponseError

export const writes = {
  "a later write of the same type": Effect.gen(function* () {
    const n = Note.handle("n", Schema.Finite)
    const step = Pipeline.sequence(
      "twice",
      [
        Step.make("n", { schema: Schema.Finite, run: () => 1 }),
        Step.make("n", { schema: Schema.Finite, run: Note.from(n, (one) => one + 1) }).pipe(Step.named("again")),
        Step.make("text", { schema: Schema.String, run: Note.from(n, String) })
      ],
      { overwrite: true }
    )
    same<typeof step, Step.Step<{}, { readonly n: number; readonly text: string }>>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("text"), "2")
  }),
  "a write back to the first type before it is read": Effect.gen(function* () {
    const step = Pipeline.sequence(
      "there and back",
      [
        Step.make("n", { schema: Schema.String, run: () => "one" }),
        Step.make("n", { schema: Schema.Finite, run: () => 1 }).pipe(Step.named("back")),
        Step.make("next", { schema: Schema.Finite, run: Note.from(Note.handle("n", Schema.Finite), (n) => n + 1) })
      ],
      { overwrite: true }
    )
    same<typeof step, Step.Step<{}, { readonly n: number; readonly next: number }>>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("next"), 2)
  }),
  "a read before the write of another type": Effect.gen(function* () {
    const step = Pipeline.sequence("measure", [
      Step.make("size", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) }),
      Step.make("message", { schema: Schema.Finite, run: () => 0 })
    ])
    same<typeof step, Step.Step<Message, { readonly size: number; readonly message: number }>>(true)
    const done = yield* Pipeline.run(step, yield* ticket)
    same<typeof done, Thought.Thought<{ readonly size: number; readonly message: number }>>(true)
    equal([done.get("size"), done.get("message")], [21, 0])
  }),
  "a union after a write that may not happen": Effect.gen(function* () {
    const value = Note.handle("value", Schema.Union([Schema.Finite, Schema.String]))
    const step = Step.make("value", { schema: Schema.Finite, run: () => 1 }).pipe(
      Step.when("never", () => false, Step.make("value", { schema: Schema.String, run: () => "one" })),
      Step.andThen(Step.make("kind", { schema: Schema.String, run: Note.from(value, (one) => typeof one) }))
    )
    same<typeof step, Step.Step<{}, { readonly value: number | string; readonly kind: string }>>(true)
    const done = yield* Pipeline.run(step, yield* ticket)
    equal([done.get("value"), done.get("kind")], [1, "number"])
  }),
  "two writes that may not happen": Effect.gen(function* () {
    const step = Pipeline.sequence(
      "perhaps",
      [
        Pipeline.filter("one", { when: () => false, step: Step.make("n", { schema: Schema.Finite, run: () => 1 }) }),
        Pipeline.filter("two", { when: () => false, step: Step.make("n", { schema: Schema.String, run: () => "2" }) })
      ],
      { overwrite: true }
    )
    same<typeof step, Step.Step<{}, { readonly n?: number | string }>>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("n"), undefined)
  }),
  "a need that a write which may not happen leaves": Effect.gen(function* () {
    const step = Pipeline.sequence("shout", [
      Pipeline.filter("if long", {
        when: Note.from(message, (text) => text.length > 100),
        step: Step.make("message", { schema: Schema.String, run: () => "too long" })
      }),
      Step.make("loud", { schema: Schema.String, run: Note.from(message, (text) => text.toUpperCase()) })
    ])
    same<typeof step, Step.Step<Message, { readonly message?: string; readonly loud: string }>>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("loud"), "I WAS CHARGED 2 TIMES")
  }),
  "a key that is known only when it runs": Effect.gen(function* () {
    const key: string = ["dynamic"][0] ?? ""
    const step = Pipeline.sequence("row", [
      Step.make("size", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) }),
      Step.make(key, { schema: Schema.Boolean, run: () => true }),
      Step.make("read", { schema: Schema.Boolean, run: Note.from(Note.handle(key, Schema.Boolean), (it) => !it) })
    ])
    same<typeof step, Step.Step<Message, { readonly size: number; readonly read: boolean }>>(true)
    const done = yield* Pipeline.run(step, yield* ticket)
    equal([done.get("size"), done.get("read")], [21, false])
    equal(yield* Thought.read(done, Note.handle(key, Schema.Boolean)), true)
  }),
  "one of two keys": Effect.gen(function* () {
    const left = Math.random() >= 0
    const step = Step.make(left ? "left" : "right", { schema: Schema.Finite, run: () => 1 })
    same<Step.Out<typeof step>, { readonly left?: number; readonly right?: number }>(true)
    const done = yield* Pipeline.run(step, yield* ticket)
    equal([done.get("left"), done.get("right")], [1, undefined])
  }),
  "a note that the caller writes over what a pipeline gave": Effect.gen(function* () {
    const size = Step.make("size", { schema: Schema.Finite, run: () => 1 })
    const done = yield* Pipeline.run(size, yield* ticket)
    const after = yield* Thought.write(done, Note.handle("size", Schema.String), "one")
    same<typeof after, Thought.Thought<{ readonly message: string; readonly size: string }>>(true)
    const appended = yield* Thought.append(after, "more", "text")
    equal([appended.get("size"), appended.get("more")], ["one", "text"])
  }),
  "a value mutated in its place": Effect.gen(function* () {
    const n = Note.handle("n", Schema.Finite)
    const step = Pipeline.sequence("count", [
      Step.make("n", { schema: Schema.Finite, run: () => 1 }),
      Pipeline.mutate("more", {
        note: n,
        update: (one, thought: Thought.Thought<Message>) => one + thought.get("message").length
      }),
      Pipeline.mutate("perhaps", {
        note: n,
        update: (one) => Effect.succeed(one + 1),
        when: Note.from(n, (one) => one > 100)
      })
    ])
    same<typeof step, Step.Step<Message, { readonly n: number }>>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("n"), 22)
  }),
  "notes that are forgotten, and one that is written again": Effect.gen(function* () {
    const step = Pipeline.sequence("anew", [
      Step.make("size", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) }),
      Primitive.forget("drop", { drop: ["message", "size"] }),
      Step.make("message", { schema: Schema.String, run: () => "another" }).pipe(Step.named("again")),
      Step.make("loud", { schema: Schema.String, run: Note.from(message, (text) => text.toUpperCase()) })
    ])
    same<
      typeof step,
      Step.Step<Message, { readonly size: undefined; readonly message: string; readonly loud: string }>
    >(true)
    const done = yield* Pipeline.run(step, yield* ticket)
    equal([done.get("size"), done.get("loud")], [undefined, "ANOTHER"])
  }),
  "notes that are kept, or dropped by a list": Effect.gen(function* () {
    const names: ReadonlyArray<string> = ["other"]
    const step = Pipeline.sequence("anew", [
      Primitive.forget("keep", { keep: ["message"] }),
      Primitive.forget("drop", { drop: names }),
      Primitive.forget("talk")
    ])
    same<typeof step, Step.Step<{}, {}>>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("message").length, 21)
  }),
  "an answer that replaces a note of another type": Effect.gen(function* () {
    const step = Primitive.decide("message", { question: Note.from(message, (text) => `Is this rude? ${text}`) })
    same<typeof step, Step.Keyed<"message", Synapse.Decision, Message, Asking, Provider.Provider>>(true)
    const done = yield* Pipeline.run(step, yield* ticket)
    same<typeof done, Thought.Thought<{ readonly message: Synapse.Decision }>>(true)
    equal(done.get("message").decision, true)
  })
} satisfies Record<string, Program>
