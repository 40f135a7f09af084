import { Data, Effect, Schema } from "effect"
import {
  type CircuitBreaker,
  Note,
  Pipeline,
  Primitive,
  type Provider,
  type RateLimiter,
  Step,
  type Synapse,
  type Thought
} from "cogito"
import { same } from "../same.ts"
import { equal, message, type Program, ticket } from "./program.ts"

// Steps that fail, and what is known of their failures and notes afterwards.

type Message = { readonly message: string }
class Down extends Data.TaggedError("Down") {}
class Late extends Data.TaggedError("Late") {}
const down = <A = never>(): Effect.Effect<A, Down> => Effect.fail(new Down())

export const failures = {
  "a failure with its type": Effect.gen(function* () {
    const step = Step.make("n", { schema: Schema.Finite, run: () => down<number>() })
    same<typeof step, Step.Keyed<"n", number, {}, Down>>(true)
    const error = yield* Effect.flip(Pipeline.run(step, yield* ticket))
    equal(error.cause._tag, "Down")
  }),
  "a retry that stays a handle": Effect.gen(function* () {
    let calls = 0
    const run = Effect.suspend(() => (++calls < 3 ? down<number>() : Effect.succeed(calls)))
    const n = Step.make("n", { schema: Schema.Finite, run }).pipe(Step.retry({ times: 5 }), Step.named("patient"))
    const step = Pipeline.sequence("both", [
      n,
      Step.make("m", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
    ])
    same<typeof step, Step.Step<{}, { readonly n: number; readonly m: number }, Down>>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("m"), 4)
  }),
  "a fallback of the same note": Effect.gen(function* () {
    const n = Step.make("n", { schema: Schema.Finite, run: () => down<number>() }).pipe(
      Step.recover(
        Step.make("n", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) }).pipe(
          Step.named("other")
        )
      )
    )
    same<Step.In<typeof n>, Message>(true)
    same<Step.Err<typeof n>, never>(true)
    const step = Pipeline.sequence("both", [
      n,
      Step.make("m", { schema: Schema.Finite, run: Note.from(n, (it) => it) })
    ])
    same<typeof step, Step.Step<Message, { readonly n: number; readonly m: number }>>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("m"), 21)
  }),
  "a fallback of other notes": Effect.gen(function* () {
    const step = Pipeline.fallback("either", [
      Step.make("n", { schema: Schema.Finite, run: () => down<number>() }),
      Step.make("text", { schema: Schema.String, run: () => "none" })
    ])
    same<typeof step, Step.Step<{}, { readonly n?: number; readonly text?: string }>>(true)
    const done = yield* Pipeline.run(step, yield* ticket)
    equal([done.get("n"), done.get("text")], [undefined, "none"])
  }),
  "a fallback that accepts by what was written": Effect.gen(function* () {
    const n = Step.make("n", { schema: Schema.Finite, run: () => 1 })
    const step = Pipeline.fallback(
      "good",
      [n, Step.make("n", { schema: Schema.Finite, run: () => 2 }).pipe(Step.named("second"))],
      {
        accept: Note.from({ n, message }, ({ message, n }) => n > message.length)
      }
    )
    same<Step.In<typeof step>, Message>(true)
    same<Step.Out<typeof step>, { readonly n: number }>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("n"), 2)
  }),
  "a recovery from certain errors": Effect.gen(function* () {
    const run: Effect.Effect<number, Down | Late> = down()
    const step = Step.make("n", { schema: Schema.Finite, run }).pipe(
      Step.recover(Step.make("n", { schema: Schema.Finite, run: () => 0 }).pipe(Step.named("zero")), { when: "Down" })
    )
    same<Step.Err<typeof step>, Late>(true)
    same<Step.Out<typeof step>, { readonly n: number }>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("n"), 0)
  }),
  "a recovery with another note": Effect.gen(function* () {
    const step = Step.recover(
      Step.make("n", { schema: Schema.Finite, run: () => down<number>() }),
      Step.make("why", { schema: Schema.String, run: Note.from(message, (text) => text.slice(0, 1)) }),
      { name: "recovered" }
    )
    same<typeof step, Step.Step<Message, { readonly n?: number; readonly why?: string }>>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("why"), "I")
  }),
  "an enrichment with a report": Effect.gen(function* () {
    const step = Step.enrich(Step.make("n", { schema: Schema.Finite, run: () => down<number>() }), {
      report: "missing",
      name: "rich"
    })
    same<typeof step, Step.Step<{}, { readonly n?: number; readonly missing?: Step.FailureReport }>>(true)
    const done = yield* Pipeline.run(step, yield* ticket)
    equal([done.get("n"), done.get("missing")?.error], [undefined, "Down"])
  }),
  "an enrichment without one": Effect.gen(function* () {
    const step = Primitive.decide("urgent", { question: "Is this urgent?" }).pipe(Step.enrich())
    same<typeof step, Step.Step<{}, { readonly urgent?: Synapse.Decision }, never, Provider.Provider>>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("urgent")?.decision, true)
  }),
  "limits around a step": Effect.gen(function* () {
    const step = Primitive.decide("urgent", { question: Note.from(message, (text) => text) }).pipe(
      Step.timeout("1 minute"),
      Step.rateLimit({ limit: 10, per: "1 second", onExceeded: "fail" }),
      Step.workerLimit({ workers: 2 }),
      Step.circuitBreaker({ failures: 3 }),
      Step.backoff({ times: 1, base: "1 millis" }),
      Step.budget({ calls: 3 })
    )
    same<Step.In<typeof step>, Message>(true)
    same<Step.Out<typeof step>, { readonly urgent: Synapse.Decision }>(true)
    same<
      Step.Err<typeof step>,
      | Provider.ProviderError
      | Synapse.ResponseError
      | Step.TimeoutError
      | RateLimiter.RateLimited
      | CircuitBreaker.CircuitOpen
    >(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("urgent").decision, true)
  }),
  "a handler that looks at what was read": Effect.gen(function* () {
    const seen: Array<number> = []
    const step = Step.handle(
      Step.make("n", { schema: Schema.Finite, run: Note.from(message, () => down<number>()) }),
      ({ cause }, thought: Thought.Thought<Message>) =>
        Effect.sync(() => seen.push(cause._tag.length + thought.get("message").length)),
      { name: "told" }
    )
    same<Step.Err<typeof step>, Down>(true)
    yield* Effect.flip(Pipeline.run(step, yield* ticket))
    equal(seen, [25])
  })
} satisfies Record<string, Program>
