import { it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import { Note, Pipeline, Primitive, Provider, Step, Thought } from "cogito"
import { Spec } from "cogito/spec"
import { Testing } from "cogito/testing"
import { full } from "../spec/full.ts"
import { every, list, message, registry } from "../spec/types.ts"
import { transcribe } from "../transcript.ts"

const write = <const K extends string>(key: K) => Step.make(key, { schema: Schema.String, run: () => `by ${key}` })
const ask = (key: string) => Primitive.decide(key, { question: `${key}?` })
const [a, b, c] = [write("a"), write("b"), ask("c")]
const text = Note.handle("message", Schema.String)
const thoughtId = Note.handle("thoughtId", Schema.String)

/** What is seen of a step before it runs. */
const seen = (step: Step.Any) =>
  Effect.map(Pipeline.fingerprint(step), (fingerprint) => ({
    outline: Pipeline.outline(step),
    fingerprint,
    chart: Pipeline.toMermaid(step)
  }))

const charted = (spec: unknown) =>
  Effect.gen(function* () {
    const document = yield* Spec.decode(registry, { cogito: 1, name: "pipeline", step: spec })
    const step = yield* Spec.build(registry, document, { reads: [message, list, thoughtId] })
    return Pipeline.toMermaid(step, { direction: "LR" })
  }).pipe(Effect.catch((error) => Effect.succeed(error.problems.map((problem) => problem.message))))

it.effect("what steps show before they run", () =>
  transcribe("sight", {
    "A name that has characters of its own in charts and outlines": seen(
      Pipeline.sequence('a "b" <c>; d\n#1 | e', [Step.named(a, "x\u202Ey"), Step.named(b, "ü-1.5_z [(")])
    ),
    "A name as long as is shown, and one longer": seen(
      Pipeline.sequence("all", [Step.named(a, "n".repeat(80)), Step.named(b, "m".repeat(81))])
    ),
    "Settings of many characters": seen(
      Primitive.assess("mood", {
        question: "How?",
        aspects: ["x".repeat(70), "a, b", 'c "d"'],
        introspect: { prompt: "Why?" }
      })
    ),
    "Steps that a generator calls, one that goes on in the background, and nothing at all": seen(
      Pipeline.sequence("all", [
        Pipeline.gen("talk", function* () {}, { steps: [a, c] }),
        Pipeline.gen("silent", function* () {}),
        Pipeline.scaffold("later", { step: Pipeline.sequence("in", [b]) }),
        Pipeline.sequence("empty", []),
        Step.once("last", Effect.void)
      ])
    ),
    "Steps beside each other in each other, chained and conditional": seen(
      Pipeline.concurrent(
        "both",
        {
          left: Pipeline.race("race", [a, Step.timeout(b, "3 seconds")]),
          right: a.pipe(
            Step.andThen(c),
            Step.when(
              "maybe",
              Note.from(text, (words) => words !== ""),
              write("d")
            )
          )
        },
        { conflicts: "namespace", minSuccesses: 1, concurrency: 2, report: "report" }
      )
    ),
    "As many that must succeed as there are": seen(Pipeline.concurrent("both", [a, b], { minSuccesses: 2 })),
    "Gates, with and without a step, and a contest in a fallback": seen(
      Pipeline.fallback("any", [
        Pipeline.sequence("first", [
          Pipeline.gate("open", { check: () => "pass" as const, step: a }),
          Pipeline.gate("shut", { check: () => "fail" as const })
        ]),
        Pipeline.contest("best", { x: a, y: b }, { accept: () => true, concurrency: 1 }),
        Step.handle(c, () => Effect.fail("no"), { name: "handled" })
      ])
    ),
    "Under introspection and compaction, settled within and around": seen(
      Pipeline.compact(
        Pipeline.introspect(Pipeline.sequence("all", [c, Pipeline.introspect(ask("d"), false)]), {
          onFailure: "skip",
          prompt: "Why?",
          sampling: { temperature: 0.5 }
        }),
        {
          turns: 9,
          keep: 3,
          tokens: 777,
          summaryKey: "so_far",
          prompt: "Shorter.",
          onFailure: "skip",
          sampling: { seed: 5 }
        }
      )
    ),
    "Compaction that is off, and by default": Effect.all([
      seen(Pipeline.compact(c, false)),
      seen(Pipeline.compact(c)),
      seen(Pipeline.introspect(c)),
      seen(Pipeline.introspect(c, false))
    ]),
    "Fingerprints of what is the same or differs a little": Effect.gen(function* () {
      const same = (one: Step.Any, other: Step.Any) =>
        Effect.zipWith(Pipeline.fingerprint(one), Pipeline.fingerprint(other), (x, y) => x === y)
      const two = (...steps: ReadonlyArray<Step.Any>) => Pipeline.sequence("two", steps)
      return {
        made: yield* same(two(a, b), two(write("a"), write("b"))),
        order: yield* same(two(a, b), two(b, a)),
        question: yield* same(ask("c"), Primitive.decide("c", { question: "c!" })),
        setting: yield* same(Step.retry(a), Step.retry(a, { times: 3 })),
        function: yield* same(Step.make("a", { run: () => 1 }), Step.make("a", { run: () => 2 })),
        nested: yield* same(two(two(a), b), two(two(a, b)))
      }
    }),
    ...Object.fromEntries(Object.entries(every).map(([type, { spec }]) => [`A chart of ${type}`, charted(spec)])),
    ...Object.fromEntries(
      Object.entries(full)
        .filter(([heading]) => /every option/.test(heading))
        .map(([heading, spec]) => [`A chart of ${heading}`, charted(spec)])
    )
  })
)

const Ticket = Schema.Struct({ customer: Schema.String, urgent: Schema.Boolean, tags: Schema.Array(Schema.String) })
const ticket = Primitive.analyze("ticket", { schema: Ticket, prompt: "Read it.", repairs: 1 })
const told = { customer: "Ada", urgent: true, tags: ["mail", "money"] }
const yes = { decision: true, confidence: 0.9, reasoning: ["It is urgent."] }

/** The events of a streamed run, and how it ends. */
const streamed = (step: Step.Any, replies: ReadonlyArray<Testing.Reply>, script: Testing.ScriptOptions = {}) =>
  Effect.gen(function* () {
    const events: Array<unknown> = []
    const model = Testing.scripted(replies, { pieceLength: 16, ...script })
    const thought: Thought.Thought<any> = yield* Thought.make("triage", { message: "Ada here" })
    const end = yield* Pipeline.stream(step, thought).pipe(
      Stream.runForEach((event) =>
        Effect.sync(() => {
          const { _tag, ...rest } = event
          const { path, ...others } = rest as { readonly path?: ReadonlyArray<string> }
          const done = event._tag === "Done" ? { notes: Thought.notes(event.thought).map(({ key }) => key) } : others
          events.push({ _tag: path === undefined ? _tag : `${_tag} of ${path.join("/")}`, ...done })
        })
      ),
      Effect.provide(model.layer),
      Effect.exit
    )
    return { events, end }
  }).pipe(Effect.provide(Testing.memory))

it.effect("what a streamed run emits", () =>
  transcribe("streams", {
    "An object that grows, an answer that is looked back on, and a step that asks nobody": streamed(
      Pipeline.sequence("all", [ticket, Primitive.decide("go", { question: "Go?", introspect: true }), a]),
      [told, yes, "It looks urgent."]
    ),
    "An answer that is not taken, and one that repairs it": streamed(ticket, ["no idea", told]),
    "Answers that are never taken": streamed(ticket, ["no idea", { customer: 3 }]),
    "A failure, and another attempt": streamed(Step.retry(ticket), [
      Effect.fail(
        new Provider.ProviderError({
          provider: "scripted",
          model: "script",
          reason: { _tag: "Overloaded", message: "too many at once" }
        })
      ),
      told
    ]),
    "Two answers beside each other": streamed(
      Pipeline.concurrent("both", { x: ticket, y: ask("go") }, { concurrency: 1 }),
      [told, yes]
    ),
    "An answer that is stopped, as another step was first": streamed(
      Pipeline.race("race", [ask("go"), Step.make("quick", { run: Effect.yieldNow })]),
      [Effect.never]
    ),
    "A step that fails": streamed(Pipeline.sequence("all", [a, Step.make("bad", { run: Effect.fail("no") })]), []),
    "A text, and a summary of it": streamed(
      Pipeline.sequence("all", [
        Primitive.analyze("words", { schema: Schema.String, prompt: "Say it." }),
        Primitive.reflect("sum", { prompt: "Sum it up." })
      ]),
      ['"One and two"', "All in all, three."]
    )
  })
)
