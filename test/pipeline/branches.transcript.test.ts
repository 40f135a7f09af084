import { it } from "@effect/vitest"
import { Data, Duration, Effect, Schema } from "effect"
import { CircuitBreaker, Note, Pipeline, Primitive, Step, type Thought } from "cogito"
import { observe } from "../observed.ts"
import { transcribe } from "../transcript.ts"

class Broken extends Data.TaggedError("Broken")<{ readonly part: string; readonly isRetryable?: boolean }> {}
class Busy extends Data.TaggedError("Busy")<{ readonly retryAfter: Duration.Duration }> {}

const yes = { decision: true, confidence: 0.91, reasoning: ["It says so."] }
const write = (key: string, text = `by ${key}`) => Step.make(key, { schema: Schema.String, run: () => text })
const fails = (key: string) => Step.make(key, { schema: Schema.String, run: Effect.fail(new Broken({ part: key })) })
const late = (key: string, millis: number) =>
  Step.make(key, { schema: Schema.String, run: Effect.as(Effect.sleep(millis), `late ${key}`) })
const failsLate = (key: string, millis: number) =>
  Step.make(key, { run: Effect.andThen(Effect.sleep(millis), Effect.fail(new Broken({ part: key }))) })
const ask = (key: string) => Primitive.decide(key, { question: `${key}?` })
const message = Note.handle("message", Schema.String)
const customer = Note.handle("customer", Schema.String)

const breaker = CircuitBreaker.make({ failures: 1, reset: "7 seconds" })

/** Fails so many times, with these errors, and then writes. */
const shaky = (key: string, errors: ReadonlyArray<unknown>) =>
  Effect.sync(() => {
    let runs = 0
    return Step.make(key, {
      schema: Schema.String,
      run: Effect.suspend(() => (runs < errors.length ? Effect.fail(errors[runs++]) : Effect.succeed(`${key} at last`)))
    })
  })
const broken = (part: string) => new Broken({ part })

it.effect("what concurrent steps send, write and signal", () =>
  transcribe("branches", {
    "Branches that write the same key, of which the last holds": observe(
      Pipeline.concurrent("all", [late("text", 30), Pipeline.sequence("other", [write("text", "second")])], {
        conflicts: "last",
        concurrency: 2
      }),
      { ticking: true }
    ),
    "Branches under their names, with a report, of which one fails": observe(
      Pipeline.concurrent(
        "all",
        { b: write("text"), a: fails("text"), c: Pipeline.sequence("two", [ask("one"), write("text")]) },
        { conflicts: "namespace", minSuccesses: 2, report: "report", concurrency: 1 }
      ),
      { replies: [yes] }
    ),
    "Too few branches": observe(
      Pipeline.concurrent("all", [fails("b"), write("a"), fails("c")], { minSuccesses: 2, report: "report" })
    ),
    "A branch that fails while the others run": observe(
      Pipeline.concurrent("all", { slow: late("x", 40), failing: failsLate("y", 20), quick: write("z") }),
      { ticking: true }
    ),
    "A race": observe(
      Pipeline.race("race", { slow: late("x", 40), failing: fails("y"), quick: late("z", 15) }, { concurrency: 3 }),
      { ticking: true }
    ),
    "A race one at a time": observe(
      Pipeline.race("race", [failsLate("y", 5), late("x", 40), write("z")], { concurrency: 1 }),
      { ticking: true }
    ),
    "A race that all lose": observe(Pipeline.race("race", [failsLate("y", 25), fails("x"), failsLate("z", 5)]), {
      ticking: true
    }),
    "A contest": observe(
      Pipeline.contest(
        "contest",
        { first: write("text", "poor"), second: fails("x"), third: late("text", 10), fourth: late("text", 90) },
        { accept: (thought) => thought.note("text")?.content !== "poor", concurrency: 4 }
      ),
      { ticking: true }
    ),
    "A contest that nobody wins": observe(
      Pipeline.contest("contest", [write("b"), fails("x"), write("a")], { accept: () => false, concurrency: 1 })
    ),
    "A fallback to the second of three": observe(
      Pipeline.fallback("any", [fails("a"), Pipeline.sequence("in", [write("c"), ask("b")]), write("d")]),
      { replies: [yes] }
    ),
    "A fallback from one that is not good enough to the last, which fails": observe(
      Pipeline.fallback("any", [write("a"), fails("b"), fails("c")], {
        accept: Note.from(customer, (text) => text === ""),
        while: ({ part }) => part !== "never"
      })
    ),
    "A fallback that ends at an error not worth another": observe(
      Pipeline.fallback("any", [fails("a"), write("b")], { while: () => false })
    ),
    "A recovery": observe(Step.recover(fails("a"), write("b"), { when: () => true, name: "again" })),
    "A recovery that does not fit": observe(
      Step.recover(fails("a"), write("b"), { when: ({ part }) => part === "b", name: "again" })
    ),
    "A recovery that fails": observe(Step.recover(fails("a"), fails("b"), { name: "again" })),
    "A handler that fails too": observe(
      Step.handle(fails("a"), () => Effect.fail(broken("handler")), { name: "handled" })
    ),
    "An enrichment that fails, with a report": observe(
      Step.enrich(Pipeline.sequence("in", [write("a"), fails("b")]), { report: "why", name: "more" })
    ),
    "An enrichment that fails without one, and one that succeeds": observe(
      Pipeline.sequence("all", [Step.enrich(fails("b"), { name: "less" }), Step.enrich(write("a"), { name: "more" })])
    ),
    "A retry after waits that grow": Effect.flatMap(
      shaky("a", [broken("1"), new Busy({ retryAfter: Duration.millis(700) }), broken("3"), broken("4")]),
      (step) =>
        observe(
          Step.backoff(step, {
            times: 4,
            base: "100 millis",
            factor: 3,
            cap: "800 millis",
            jitter: false,
            name: "slowly"
          }),
          { ticking: true }
        )
    ),
    "A retry that is given up": Effect.flatMap(shaky("a", [broken("1"), broken("2"), broken("3")]), (step) =>
      observe(Step.retry(step, { times: 2, name: "twice" }), { ticking: true })
    ),
    "A retry of what is not worth one": Effect.flatMap(
      shaky("a", [broken("1"), new Broken({ part: "2", isRetryable: false })]),
      (step) => observe(Step.backoff(step, { jitter: false, name: "slowly" }), { ticking: true })
    ),
    "A time limit that is kept, and one that is not": observe(
      Pipeline.sequence("all", [
        Step.timeout(late("a", 10), "11 millis", { name: "long" }),
        Step.timeout(late("b", 30), "12 millis", { name: "short" })
      ]),
      { ticking: true }
    ),
    "A limit of a rate that is waited for": observe(
      Step.rateLimit(write("a"), { limit: 1, per: "2 seconds", burst: 1, name: "seldom" }),
      { again: true, ticking: true }
    ),
    "A limit of a rate that is not": observe(
      Step.rateLimit(write("a"), { limit: 1, per: "2 seconds", onExceeded: "fail", name: "seldom" }),
      { again: true }
    ),
    "A budget of calls": observe(
      Step.budget(Pipeline.sequence("in", [ask("a"), ask("b")]), { calls: 1, onShort: "fail", name: "cheap" }) as never,
      { replies: [yes, yes], script: { usage: { inputTokens: 7, outputTokens: 2 } } }
    ),
    "A circuit that opens": observe(
      Pipeline.sequence("all", [
        Step.enrich(Step.circuitBreaker(fails("a"), { failures: 1, reset: "5 seconds", successes: 2, name: "fuse" }), {
          name: "first"
        })
      ]),
      { again: true }
    ),
    "A shared circuit that is open for the second": observe(
      Pipeline.fallback("any", [
        Step.circuitBreaker(fails("a"), { breaker, name: "one" }),
        Step.circuitBreaker(write("b"), { breaker, name: "two" })
      ])
    ),
    "A condition that holds, and one that does not": observe(
      Pipeline.sequence("all", [
        Pipeline.filter("if", { when: Note.from(message, (text) => text.length > 3), step: write("a") }),
        Pipeline.filter("unless", { when: Effect.succeed(false), step: write("b"), otherwise: write("c") })
      ])
    ),
    "A gate that passes, skips and closes": observe(
      Pipeline.sequence("all", [
        Pipeline.gate("open", { check: () => "pass" as const, step: write("a") }),
        Pipeline.gate("around", { check: () => "skip" as const, step: write("b") }),
        Pipeline.gate("shut", { check: () => "fail" as const, reason: "no stamps" })
      ])
    ),
    "A note that is changed, where it must be": observe(
      Pipeline.sequence("all", [
        Pipeline.mutate("louder", { note: message, update: (text) => text.toUpperCase() }),
        Pipeline.mutate("never", { note: customer, update: () => "nobody", when: () => false })
      ])
    ),
    "What a step is derived from": observe(
      Step.make("own", {
        schema: Schema.String,
        run: (thought: Thought.Thought<any>) =>
          Effect.as(Step.derivedFrom([thought.note("customer")!, "00000000-0000-7000-8000-00000000aaaa"]), "made")
      })
    )
  })
)
