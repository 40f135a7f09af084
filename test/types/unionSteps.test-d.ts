import { Context, Data, Effect, Layer, Schema, type Stream } from "effect"
import {
  type CircuitBreaker,
  type Memory,
  Note,
  Pipeline,
  Primitive,
  type RateLimiter,
  Step,
  type Synapse,
  type Thought
} from "cogito"
import { same } from "./same.ts"

// One step or another, as a setting decides: a connector around it reads what either of them reads, and adds what both of
// them add. What only one of them adds is optional.

class Rates extends Context.Service<Rates, { readonly euro: number }>()("test/Rates") {}
class Ledger extends Context.Service<Ledger, { readonly open: number }>()("test/Ledger") {}
class Down extends Data.TaggedError("Down")<{}> {}

const h1 = Note.handle("h1", Schema.String)
const h2 = Note.handle("h2", Schema.String)
const mood = Step.make("mood", { schema: Schema.String, run: Note.from(h1, (it) => it) })
const price = Step.make("price", {
  schema: Schema.Finite,
  run: Note.from(h2, () =>
    Effect.gen(function* () {
      const rates = yield* Rates
      return rates.euro > 0 ? rates.euro : yield* new Down()
    })
  )
})
const moodToo = Step.make("mood", { schema: Schema.Finite, run: Note.from(h2, () => 1) })

const unpaid = Step.make("unpaid", { run: Effect.flatMap(Ledger, ({ open }) => Effect.fail(open)) })
const last = Step.make("last", { schema: Schema.Finite, run: () => 1 })
const other = Step.make("other", { schema: Schema.String, run: () => "" })

declare const flag: boolean
declare const store: Layer.Layer<Memory.Memory>
const either = flag ? mood : price
const sameKey = flag ? mood : moodToo

interface Read {
  readonly h1: string
  readonly h2: string
}
interface Added {
  readonly mood?: string
  readonly price?: number
}
type Simplify<A> = { [K in keyof A]: A[K] }
type Mutual<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false
type Parts<S, E, R, I, O> = [
  Mutual<Step.In<S>, I>,
  Mutual<Step.Out<S>, O>,
  Mutual<Step.Err<S>, E>,
  Mutual<Step.Req<S>, R>
]

/** The names of steps that do not read the notes of both, or do not add, fail and need as either of them does. */
type Wrong<T, E = Down, R = Rates, I = Read, O = Added> = {
  [N in keyof T]: Parts<T[N], E, R, I, O> extends [true, true, true, true] ? never : N
}[keyof T]

same<Step.In<typeof either>, { readonly h1: string; readonly h2: string }>(true)
same<Step.Out<typeof either>, { readonly mood?: string; readonly price?: number }>(true)
same<Step.Out<typeof sameKey>, { readonly mood: string | number }>(true)

// ------------------------------------------------------------------------------------------------- around one step

const around = {
  named: either.pipe(Step.named("n")),
  namedFirst: Step.named(either, "n"),
  retry: either.pipe(Step.retry()),
  retryTimes: either.pipe(Step.retry({ times: 1 })),
  retryFirst: Step.retry(either, { times: 1 }),
  retryWhile: Step.retry(either, { while: (error: Down) => error._tag === "Down" }),
  backoff: either.pipe(Step.backoff({ times: 1 })),
  backoffFirst: Step.backoff(either, { times: 1 }),
  budget: either.pipe(Step.budget({ calls: 1 })),
  budgetFirst: Step.budget(either, { calls: 1 }),
  workerLimit: either.pipe(Step.workerLimit({ workers: 1 })),
  workerLimitFirst: Step.workerLimit(either, { workers: 1 }),
  handle: either.pipe(Step.handle(() => Effect.void)),
  handleFirst: Step.handle(either, (_failure, thought) => Effect.succeed([thought.get("h1"), thought.get("h2")])),
  introspect: Pipeline.introspect(either),
  compact: Pipeline.compact(either)
}
same<Wrong<typeof around>, never>(true)

const timeout = { piped: either.pipe(Step.timeout("1 second")), first: Step.timeout(either, "1 second") }
same<Wrong<typeof timeout, Down | Step.TimeoutError>, never>(true)
const breaker = { piped: either.pipe(Step.circuitBreaker()), first: Step.circuitBreaker(either) }
same<Wrong<typeof breaker, Down | CircuitBreaker.CircuitOpen>, never>(true)
const limit = { limit: 1, per: "1 second", onExceeded: "fail" } as const
const limited = { piped: either.pipe(Step.rateLimit(limit)), first: Step.rateLimit(either, limit) }
same<Wrong<typeof limited, Down | RateLimiter.RateLimited>, never>(true)

declare const rates: Layer.Layer<Rates>
declare const services: Context.Context<Rates>
const provided = {
  piped: either.pipe(Step.provide(rates)),
  first: Step.provide(either, rates),
  context: either.pipe(Step.provide(services)),
  contextFirst: Step.provide(either, services)
}
same<Wrong<typeof provided, Down, never>, never>(true)

const rest = Step.make("mood", { schema: Schema.String, run: () => "calm" })
const unfailing = {
  enrich: either.pipe(Step.enrich()),
  enrichFirst: Step.enrich(either),
  recover: either.pipe(Step.recover(rest)),
  recoverFirst: Step.recover(either, rest),
  recoverTag: Step.recover(either, rest, { when: "Down" })
}
same<Wrong<typeof unfailing, never>, never>(true)

const later = { scaffold: Pipeline.scaffold("k", { step: either }) }
same<Wrong<typeof later, never, Rates | Memory.Memory | Pipeline.Supervisor, Read, {}>, never>(true)

// ------------------------------------------------------------------------------------------------------------ running

declare const both: Thought.Thought<Read>
declare const neither: Thought.Thought<{ readonly other: string }>
type Gave<T> = T extends Effect.Effect<infer A, any, any> ? A : never
type Needed<T> = T extends Effect.Effect<any, any, infer R> ? R : never
interface Noted extends Read, Added {}

const ran = Pipeline.run(either, both)
same<Gave<typeof ran>, Thought.Thought<Simplify<Noted>>>(true)
same<Needed<typeof ran>, Rates | Memory.Memory>(true)
const durable = Pipeline.run(either, both, { durable: true })
same<Gave<typeof durable>, Gave<typeof ran>>(true)
const resumed = Pipeline.resume(either, "run")
same<Gave<typeof resumed>, Thought.Thought<Simplify<Added>>>(true)
const rerun = Pipeline.rerun(either, "run")
same<Gave<typeof rerun>["thought"], Thought.Thought<Simplify<Added>>>(true)
const events = Pipeline.stream(either, both)
type Last = Extract<Stream.Success<typeof events>, { readonly _tag: "Done" }>["thought"]
same<Last, Gave<typeof ran>>(true)
const layer = Layer.merge(rates, store)
const promised = Pipeline.runPromise(either, { intent: "price", notes: { h1: "a", h2: "b" } }, { layer })
same<Awaited<typeof promised>, Thought.Thought<Simplify<Noted>>>(true)

// @ts-expect-error Argument of type 'Thought<{ readonly other: string; }>' is not assignable to parameter of type 'Thought<{ readonly h1: string; readonly h2: string; }>'
export const lacking = Pipeline.run(either, neither)
// @ts-expect-error Property '"the thought lacks notes that the step reads"' is missing in type
export const lackingOne = Pipeline.runPromise(either, { intent: "price", notes: { h1: "a" } }, { layer })

// steps that fail and need differently are resumed together
const all = Pipeline.resumeAll([mood, price, unpaid])
same<Needed<typeof all>, Rates | Ledger | Memory.Memory>(true)
const supervised = Pipeline.supervisor({ resume: { steps: [mood, price, unpaid] } })
same<Layer.Services<typeof supervised>, Rates | Ledger | Memory.Memory>(true)
const unsupervised = Pipeline.supervisor({ onFailure: () => Effect.void })
same<Layer.Services<typeof unsupervised>, never>(true)

const chained = {
  first: either.pipe(Step.andThen(flag ? last : other)),
  second: Step.andThen(flag ? last : other, either)
}
same<Wrong<typeof chained, Down, Rates, Read, Added & { readonly last?: number; readonly other?: string }>, never>(true)

// ----------------------------------------------------------------------------------------------- conditions and lists

const connected = {
  recover: Step.recover(price, either),
  filter: Pipeline.filter("k", { when: () => true, step: either }),
  otherwise: Pipeline.filter("k", { when: () => true, step: mood, otherwise: either }),
  gate: Pipeline.gate("k", { check: () => "skip", step: either }),
  switch: Pipeline.switch("k", { on: () => "a", branches: { a: either } }),
  switchPast: Pipeline.switch("k", { on: (): string => "a", branches: { a: either }, default: "pass" }),
  switchDefault: Pipeline.switch("k", { on: (): string => "a", branches: { a: mood }, default: either }),
  sequence: Pipeline.sequence("k", [either]),
  sequences: Pipeline.sequence("k", flag ? [mood] : [price]),
  concurrent: Pipeline.concurrent("k", [either]),
  concurrentRecord: Pipeline.concurrent("k", { a: either }),
  race: Pipeline.race("k", [either]),
  raceRecord: Pipeline.race("k", { a: either }),
  fallback: Pipeline.fallback("k", [either]),
  fallbackLater: Pipeline.fallback("k", [price, either])
}
same<Wrong<typeof connected>, never>(true)

const gate = { gate: Pipeline.gate("k", { check: () => "fail", step: either }) }
same<Wrong<typeof gate, Down | Pipeline.GateClosed>, never>(true)
const contest = { contest: Pipeline.contest("k", { a: either }, { accept: () => true }) }
same<Wrong<typeof contest, Down | Pipeline.NoneAccepted>, never>(true)
const gen = {
  gen: Pipeline.gen("k", function* () {
    yield* Pipeline.ask(either)
  })
}
same<Wrong<typeof gen, Down | Note.NoteNotFound>, never>(true)

const sifted = Primitive.sift("k", { question: "Is it?", step: either })
same<Step.In<typeof sifted>, { readonly h1: string; readonly h2: string }>(true)
same<Step.Out<typeof sifted>, { readonly k: Synapse.Decision; readonly mood?: string; readonly price?: number }>(true)
const discerned = Primitive.discern("k", {
  question: "Which?",
  routes: { a: either, b: { when: "else", step: either } }
})
same<Step.In<typeof discerned>, { readonly h1: string; readonly h2: string }>(true)
same<
  Step.Out<typeof discerned>,
  { readonly k: Synapse.Classification<"a" | "b">; readonly mood?: string; readonly price?: number }
>(true)
const converged = Primitive.converge("k", { branches: { a: either }, prompt: "Sum up" })
same<Step.In<typeof converged>, { readonly h1: string; readonly h2: string }>(true)
same<
  Step.Out<typeof converged>,
  { readonly k: Primitive.Convergence; readonly mood?: string; readonly price?: number }
>(true)

// a key that both of them add is there, with the value of one of them
const kept = Pipeline.sequence("k", [sameKey.pipe(Step.retry())])
same<Step.Out<typeof kept>, { readonly mood: string | number }>(true)

// ---------------------------------------------------------------------------------------------------- what is refused

declare const begun: Thought.Thought<{ readonly h1: string }>
// @ts-expect-error Property 'h2' is missing
void Pipeline.run(either.pipe(Step.retry()), begun)
// @ts-expect-error Property 'h2' is missing
void Pipeline.run(Pipeline.sequence("p", [either]), begun)
// @ts-expect-error missing the following properties from type
void Pipeline.run(Pipeline.sequence("p", [either, Step.make("loud", { run: Note.from(mood, (it) => it) })]), begun)
// two branches of which each may write a key are refused
// @ts-expect-error two branches write the same note
Pipeline.concurrent("k", { a: either, b: price })
