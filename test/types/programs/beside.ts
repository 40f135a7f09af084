import { Effect, Layer, Schema } from "effect"
import { type Memory, Note, Pipeline, Primitive, type Provider, Step, type Synapse, Thought } from "cogito"
import { same } from "../same.ts"
import { equal, message, type Program, ticket } from "./program.ts"

// Steps beside each other, steps in an order of one's own, and steps that look or wait.

type Message = { readonly message: string }
type Asking = Provider.ProviderError | Synapse.ResponseError
const size = Step.make("size", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) })

export const beside = {
  "all of a list": Effect.gen(function* () {
    const step = Pipeline.concurrent("all", [size, Primitive.decide("urgent", { question: "Is this urgent?" })])
    same<
      typeof step,
      Step.Step<Message, { readonly size: number; readonly urgent: Synapse.Decision }, Asking, Provider.Provider>
    >(true)
    const done = yield* Pipeline.run(step, yield* ticket)
    equal([done.get("size"), done.get("urgent").decision], [21, true])
  }),
  "a branch that changes what another reads": Effect.gen(function* () {
    const step = Pipeline.concurrent("all", {
      measure: size,
      replace: Step.make("message", { schema: Schema.Finite, run: () => 0 })
    })
    same<typeof step, Step.Step<Message, { readonly size: number; readonly message: number }>>(true)
    const done = yield* Pipeline.run(step, yield* ticket)
    equal([done.get("size"), done.get("message")], [21, 0])
  }),
  "the last of several": Effect.gen(function* () {
    const step = Pipeline.concurrent(
      "last",
      [
        Step.make("n", { schema: Schema.Finite, run: () => 1 }),
        Step.make("n", { schema: Schema.String, run: () => "two" }).pipe(Step.named("second"))
      ],
      { conflicts: "last" }
    )
    same<typeof step, Step.Step<{}, { readonly n: string }>>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("n"), "two")
  }),
  "each under its own name": Effect.gen(function* () {
    const step = Pipeline.concurrent(
      "both",
      {
        a: Step.make("n", { schema: Schema.Finite, run: () => 1 }),
        b: Step.make("n", { schema: Schema.String, run: () => "two" })
      },
      { conflicts: "namespace" }
    )
    same<typeof step, Step.Step<{}, { readonly "a.n": number; readonly "b.n": string }>>(true)
    const done = yield* Pipeline.run(step, yield* ticket)
    equal([done.get("a.n"), done.get("b.n")], [1, "two"])
    equal(yield* Thought.read(done, Note.handle("b.n", Schema.String)), "two")
  }),
  "most of them, with a report": Effect.gen(function* () {
    const step = Pipeline.concurrent(
      "most",
      [size, Step.make("n", { schema: Schema.Finite, run: () => Effect.fail("no" as const) })],
      { minSuccesses: 1, report: "report" }
    )
    same<
      Step.Out<typeof step>,
      { readonly size?: number; readonly n?: number; readonly report: ReadonlyArray<Pipeline.BranchResult> }
    >(true)
    same<Step.Err<typeof step>, Pipeline.BranchesFailed<"no">>(true)
    const done = yield* Pipeline.run(step, yield* ticket)
    equal([done.get("size"), done.get("n"), done.get("report").length], [21, undefined, 2])
  }),
  "whichever is first": Effect.gen(function* () {
    const step = Pipeline.race("first", [
      Step.make("n", { schema: Schema.Finite, run: () => 1 }),
      Step.make("n", { schema: Schema.String, run: Effect.never }).pipe(Step.named("never"))
    ])
    same<typeof step, Step.Step<{}, { readonly n: number | string }>>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("n"), 1)
  }),
  "whichever is good": Effect.gen(function* () {
    const step = Pipeline.contest("good", [size, size.pipe(Step.named("again"))], {
      accept: (thought) => thought.get("size") === thought.get("message").length
    })
    same<typeof step, Step.Step<Message, { readonly size: number }, Pipeline.NoneAccepted>>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("size"), 21)
  }),
  "a synthesis of branches": Effect.gen(function* () {
    const step = Primitive.converge("sum", {
      branches: { measure: size, judge: Primitive.decide("rude", { question: "Is this rude?" }) },
      prompt: Note.from(message, (text) => `Put it together: ${text}`)
    })
    same<Step.In<typeof step>, Message>(true)
    same<
      Step.Out<typeof step>,
      { readonly sum: Primitive.Convergence; readonly size?: number; readonly rude?: Synapse.Decision }
    >(true)
    const done = yield* Pipeline.run(step, yield* ticket)
    equal([done.get("size"), done.get("sum").branches.length], [21, 2])
  }),
  "a generator with a loop": Effect.gen(function* () {
    const n = Step.make("n", { schema: Schema.Finite, run: () => 3 })
    const less = Pipeline.mutate("less", { note: n, update: (it) => it - 1 })
    const step = Pipeline.gen("count", function* () {
      let left = yield* Pipeline.ask(n)
      same<typeof left, number>(true)
      while (left > 0) left = (yield* Pipeline.ask(less)).get("n")
      yield* Pipeline.ask(size)
    })
    same<typeof step, Step.Step<Message, { readonly n?: number; readonly size?: number }, Note.NoteNotFound>>(true)
    const done = yield* Pipeline.run(step, yield* ticket)
    equal([done.get("n"), done.get("size")], [0, 21])
  }),
  "effects that look, and wait for the commit": Effect.gen(function* () {
    const seen: Array<string | number> = []
    const step = Pipeline.sequence("looked at", [
      size,
      Pipeline.tap(
        "look",
        Note.from(size, (n) => Effect.sync(() => seen.push(n)))
      ),
      Step.once("stored", (thought: Thought.Thought<Message>) => Effect.sync(() => seen.push(thought.get("message"))))
    ])
    same<typeof step, Step.Step<Message, { readonly size: number }>>(true)
    yield* Pipeline.run(step, yield* ticket)
    equal(seen, [21, "I was charged 2 times"])
  }),
  "a step in the background": Effect.gen(function* () {
    const seen: Array<number> = []
    const step = Pipeline.scaffold("later", {
      step: Pipeline.tap(
        "look",
        Note.from(message, (text) => Effect.sync(() => seen.push(text.length)))
      )
    })
    same<typeof step, Step.Step<Message, {}, never, Memory.Memory | Pipeline.Supervisor>>(true)
    yield* Effect.scoped(
      Effect.gen(function* () {
        const context = yield* Layer.build(Pipeline.supervisor())
        yield* Pipeline.run(step, yield* ticket).pipe(Effect.provideContext(context))
      })
    )
    equal(seen, [21])
  })
} satisfies Record<string, Program>
