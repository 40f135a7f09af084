import { Effect, Schema } from "effect"
import { type CircuitBreaker, type Memory, Note, Pipeline, Primitive, type RateLimiter, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { same } from "./same.ts"

// Helpers over any step keep what it reads, adds, fails with and needs.

type Same<I, O, E, R> = Step.Step<I, O, E, R>
const message = Note.handle("message", Schema.String)
const begin = (name: string) => Pipeline.tap(name, () => {})

// One after another.
export const before = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E, R> =>
  Pipeline.sequence("logged", [begin("log"), step])
export const around = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E, R> =>
  Pipeline.sequence("logged", [begin("begin"), step, begin("end")])
export const piped = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E, R> => begin("log").pipe(Step.andThen(step))
export const pipedAfter = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E, R> =>
  step.pipe(Step.andThen(begin("log")))
export const dataFirst = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E, R> => Step.andThen(begin("log"), step)
export const dataFirstAfter = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E, R> => Step.andThen(step, begin("log"))
export const reading = <I extends { readonly message: string }, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E, R> =>
  Pipeline.sequence("logged", [
    Pipeline.tap(
      "log",
      Note.from(message, (text) => Effect.log(text.length))
    ),
    step
  ])
export const needing = <I, O, E, R>(step: Same<I, O, E, R>): Same<I & { readonly message: string }, O, E, R> =>
  Pipeline.sequence("logged", [
    Pipeline.tap(
      "log",
      Note.from(message, (text) => Effect.log(text.length))
    ),
    step
  ])

// Around one.
export const named = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E, R> => step.pipe(Step.named("short"))
export const namedFirst = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E, R> => Step.named(step, "short")
export const timeout = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E | Step.TimeoutError, R> =>
  step.pipe(Step.timeout("1 second"))
export const timeoutNamed = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E | Step.TimeoutError, R> =>
  Step.timeout(step, "1 second", { name: "soon" })
export const retry = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E, R> => step.pipe(Step.retry({ times: 2 }))
export const retryPlain = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E, R> => step.pipe(Step.retry())
export const retryWhile = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E, R> =>
  Step.retry(step, { while: (error) => error !== undefined })
export const retryNamed = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E, R> =>
  Step.retry(step, { times: 2, name: "again" })
export const backoff = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E, R> => step.pipe(Step.backoff({ times: 2 }))
export const backoffNamed = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E, R> =>
  Step.backoff(step, { times: 2, name: "again" })
export const budget = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E, R> => step.pipe(Step.budget({ calls: 2 }))
export const budgetNamed = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E, R> =>
  Step.budget(step, { calls: 2, name: "cheap" })
export const rate = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E, R> =>
  step.pipe(Step.rateLimit({ limit: 2, per: "1 second" }))
export const rateOrFail = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E | RateLimiter.RateLimited, R> =>
  step.pipe(Step.rateLimit({ limit: 2, per: "1 second", onExceeded: "fail" }))
export const workers = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E, R> =>
  step.pipe(Step.workerLimit({ workers: 2 }))
export const circuit = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E | CircuitBreaker.CircuitOpen, R> =>
  step.pipe(Step.circuitBreaker({}))
export const handle = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E, R> =>
  step.pipe(Step.handle(() => Effect.void))
export const handleNamed = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E, R> =>
  Step.handle(step, ({ path }) => Effect.log(path.length), { name: "told" })
export const introspect = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E, R> => Pipeline.introspect(step)
export const compact = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E, R> => Pipeline.compact(step)
export const provide = <I, O, E, R>(
  step: Same<I, O, E, R>
): Same<I, O, E | Memory.MemoryError, Exclude<R, Memory.Memory>> => step.pipe(Step.provide(Testing.memory))
export const gate = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, O, E | Pipeline.GateClosed, R> =>
  Pipeline.gate("gate", { check: (): "pass" | "fail" => "pass", step })

// Beside others.
const calm = Step.make("mood", { schema: Schema.String, run: () => "calm" })
const others = <S extends Step.Any>(step: S) => ({
  concurrent: Pipeline.concurrent("c", { a: step }),
  race: Pipeline.race("c", { a: step, calm }),
  contest: Pipeline.contest("c", { a: step, calm }, { accept: () => true }),
  switch: Pipeline.switch("c", { on: (): string => "a", branches: { a: step }, default: "pass" }),
  discern: Primitive.discern("c", { question: "Which?", routes: { a: step, calm } })
})
const loud = others(Step.make("loud", { schema: Schema.String, run: Note.from(message, (text) => text) }))
type Loud = { readonly loud?: string; readonly mood?: string }
same<Step.Out<typeof loud.concurrent>, { readonly loud: string }>(true)
same<typeof loud.race, Step.Step<{ readonly message: string }, Loud>>(true)
same<typeof loud.contest, Step.Step<{ readonly message: string }, Loud, Pipeline.NoneAccepted>>(true)
same<Step.In<typeof loud.switch>, { readonly message: string }>(true)
same<Step.In<typeof loud.discern>, { readonly message: string }>(true)
export const racing = <S extends Step.Any>(steps: Readonly<Record<string, S>>) => Pipeline.race("c", steps)

// What may not run is optional.
export const enrich = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, Partial<O>, never, R> => step.pipe(Step.enrich())
export const enrichNamed = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, Partial<O>, never, R> =>
  Step.enrich(step, { name: "rich" })
export const filter = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, Partial<O>, E, R> =>
  Pipeline.filter("if", { when: () => true, step })
export const when = <I, O, E, R>(step: Same<I, O, E, R>): Same<I, Partial<O>, E, R> =>
  begin("log").pipe(Step.when("if", Effect.succeed(true), step))
export const scaffold = <I, O, E, R>(
  step: Same<I, O, E, R>
): Same<I, {}, never, R | Memory.Memory | Pipeline.Supervisor> => Pipeline.scaffold("later", { step })

// A handle stays one, and a run is typed.
export const whole = <S extends Step.Any>(step: S) => step.pipe(Step.retry(), Step.named("again"))
const found = whole(Primitive.seek("found", { query: "hello" }))
same<Step.Out<typeof found>, { readonly found: Primitive.Findings }>(true)
declare const thought: Thought.Thought
const value = Thought.read(thought, found)
same<Effect.Success<typeof value>, Primitive.Findings>(true)
export const ran = <I, O, E, R>(step: Same<I, O, E, R>, on: Thought.Thought<I>) => Pipeline.run(around(step), on)

// What is expected of a step is no reason for a report.
const expected: Step.Step<{ readonly message: string }, { readonly size?: number }> = Step.enrich(
  Step.make("size", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) }),
  { name: "rich" }
)
same<Step.Out<typeof expected>, { readonly size?: number }>(true)
const exact = Step.enrich(
  Step.make("size", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) }),
  { report: "missing", name: "rich" }
)
same<
  typeof exact,
  Step.Step<{ readonly message: string }, { readonly size?: number; readonly missing?: Step.FailureReport }>
>(true)
