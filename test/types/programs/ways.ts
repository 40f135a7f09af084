import { Effect, Schema } from "effect"
import { Note, Pipeline, Primitive, type Provider, Step, type Synapse, type Thought } from "cogito"
import { same } from "../same.ts"
import { equal, message, type Program, ticket } from "./program.ts"

// Steps that are taken or not, and what is known afterwards.

type Message = { readonly message: string }
type Asking = Provider.ProviderError | Synapse.ResponseError

export const ways = {
  "a filter": Effect.gen(function* () {
    const step = Pipeline.filter("if long", {
      when: Note.from(message, (text) => text.length > 3),
      step: Step.make("long", { schema: Schema.String, run: () => "yes" })
    })
    same<typeof step, Step.Step<Message, { readonly long?: string }>>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("long"), "yes")
  }),
  "a filter with two ways": Effect.gen(function* () {
    const step = Pipeline.filter("size", {
      when: (thought: Thought.Thought<Message>) => thought.get("message").length > 100,
      step: Step.make("size", { schema: Schema.String, run: () => "large" }),
      otherwise: Step.make("size", { schema: Schema.Finite, run: () => 1 })
    })
    same<typeof step, Step.Step<Message, { readonly size: string | number }>>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("size"), 1)
  }),
  "a read of what both ways wrote": Effect.gen(function* () {
    const size = Note.handle("size", Schema.Union([Schema.String, Schema.Finite]))
    const step = Pipeline.sequence("both", [
      Pipeline.filter("size", {
        when: () => true,
        step: Step.make("size", { schema: Schema.String, run: () => "7" }),
        otherwise: Step.make("size", { schema: Schema.Finite, run: () => 7 })
      }),
      Step.make("type", { schema: Schema.String, run: Note.from(size, (one) => typeof one) })
    ])
    same<typeof step, Step.Step<{}, { readonly size: string | number; readonly type: string }>>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("type"), "string")
  }),
  "a condition that is an effect": Effect.gen(function* () {
    const step = Pipeline.tap("begin", () => {}).pipe(
      Step.when("always", Effect.succeed(true), Step.make("n", { schema: Schema.Finite, run: () => 1 }))
    )
    same<typeof step, Step.Step<{}, { readonly n?: number }>>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("n"), 1)
  }),
  "a condition on what was just written": Effect.gen(function* () {
    const step = Step.make("n", { schema: Schema.Finite, run: () => 5 }).pipe(
      Step.when(
        "high",
        (thought) => thought.get("n") > 3,
        Step.make("alarm", { schema: Schema.String, run: Note.from(message, (text) => text.slice(0, 1)) })
      )
    )
    same<typeof step, Step.Step<Message, { readonly n: number; readonly alarm?: string }>>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("alarm"), "I")
  }),
  "a switch on a category": Effect.gen(function* () {
    const kind = Primitive.categorize("kind", { question: "Which?", categories: ["billing", "login"] })
    const step = Pipeline.sequence("route", [
      kind,
      Pipeline.switch("way", {
        on: Note.from(kind, ({ primary }) => primary),
        branches: {
          billing: Step.make("reply", { schema: Schema.String, run: () => "We refund it." }),
          login: Pipeline.sequence("help", [
            Step.make("reply", { schema: Schema.String, run: () => "Reset it." }),
            Step.make("link", { schema: Schema.String, run: () => "https://example.com" })
          ])
        }
      })
    ])
    same<
      typeof step,
      Step.Step<
        {},
        {
          readonly kind: Synapse.Classification<"billing" | "login">
          readonly reply: string
          readonly link?: string
        },
        Asking,
        Provider.Provider
      >
    >(true)
    const done = yield* Pipeline.run(step, yield* ticket)
    equal([done.get("reply"), done.get("link")], ["We refund it.", undefined])
  }),
  "a switch that may pass": Effect.gen(function* () {
    const step = Pipeline.switch("way", {
      on: Note.from(message, (text) => text.slice(0, 1)),
      branches: { I: Step.make("n", { schema: Schema.Finite, run: () => 1 }) },
      default: "pass"
    })
    same<typeof step, Step.Step<Message, { readonly n?: number }>>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("n"), 1)
  }),
  "a gate that fails, and one that skips": Effect.gen(function* () {
    const pass = (thought: Thought.Thought<Message>) => (thought.get("message") === "" ? "fail" : "pass")
    const skip = () => (Math.random() < 2 ? ("skip" as const) : ("pass" as const))
    const step = Pipeline.sequence("gates", [
      Pipeline.gate("allowed", { check: pass, step: Step.make("n", { schema: Schema.Finite, run: () => 1 }) }),
      Pipeline.gate("skipped", { check: skip, step: Step.make("m", { schema: Schema.Finite, run: () => 1 }) })
    ])
    same<typeof step, Step.Step<Message, { readonly n: number; readonly m?: number }, Pipeline.GateClosed>>(true)
    const done = yield* Pipeline.run(step, yield* ticket)
    equal([done.get("n"), done.get("m")], [1, undefined])
  }),
  "a sift, whose step reads its decision": Effect.gen(function* () {
    const worth = Note.handle("worth", Schema.Struct({ decision: Schema.Boolean }))
    const step = Primitive.sift("worth", {
      question: Note.from(message, (text) => `Is this worth it? ${text}`),
      step: Step.make("said", { schema: Schema.Boolean, run: Note.from(worth, ({ decision }) => decision) })
    })
    same<Step.In<typeof step>, Message>(true)
    same<Step.Out<typeof step>, { readonly worth: Synapse.Decision; readonly said?: boolean }>(true)
    same<Step.Err<typeof step>, Asking>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("said"), true)
  }),
  "a discern with a route that does nothing": Effect.gen(function* () {
    const step = Primitive.discern("way", {
      question: "Where to?",
      routes: {
        refund: Step.make("euros", { schema: Schema.Finite, run: () => 10 }),
        nothing: { when: "there is nothing to do" }
      }
    })
    same<
      Step.Out<typeof step>,
      { readonly way: Synapse.Classification<"refund" | "nothing">; readonly euros?: number }
    >(true)
    same<Step.Err<typeof step>, Asking>(true)
    same<Step.Req<typeof step>, Provider.Provider>(true)
    const done = yield* Pipeline.run(step, yield* ticket)
    equal([done.get("way").primary, done.get("euros")], ["refund", 10])
  })
} satisfies Record<string, Program>
