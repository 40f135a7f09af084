import { it } from "@effect/vitest"
import { Context, Data, Effect, Layer, Ref, Schema } from "effect"
import { Note, Pipeline, Primitive, Step, Thought } from "cogito"
import { observe, start } from "../observed.ts"
import { transcribe } from "../transcript.ts"

class Broken extends Data.TaggedError("Broken")<{ readonly part: string }> {}
class Stamps extends Context.Service<Stamps, { readonly left: number }>()("test/pipeline/routes/Stamps") {}

const yes = { decision: true, confidence: 0.91, reasoning: ["It says so."] }
const write = <const K extends string>(key: K, text = `by ${key}`) =>
  Step.make(key, { schema: Schema.String, run: () => text })
const fails = <const K extends string>(key: K) =>
  Step.make(key, { schema: Schema.String, run: Effect.fail(new Broken({ part: key })) })
const ask = (key: string) => Primitive.decide(key, { question: `${key}?` })
const message = Note.handle("message", Schema.String)
const customer = Note.handle("customer", Schema.String)
const topic = write("topic", "bill")

/** A switch whose labels no compiler has seen. */
const loose = (on: any, branches: any, more: object = {}) =>
  Pipeline.switch("way", { on, branches, ...more }) as Step.Any

it.effect("which steps run, and what others leave behind", () =>
  transcribe("routes", {
    "By the label of a note, to a step that is named otherwise": observe(
      Pipeline.sequence("all", [
        topic,
        loose(
          Note.from(topic, (text) => text),
          {
            mail: write("letter"),
            bill: Pipeline.sequence("pay", [write("sum"), ask("late")]),
            1: write("one")
          }
        )
      ]),
      { replies: [yes] }
    ),
    "By a function of the thought, to the default": observe(
      loose(
        (thought: Thought.Thought<any>) => `${thought.length} notes`,
        { mail: write("letter") },
        { default: write("other") }
      )
    ),
    "By an effect, past all steps": observe(
      loose(Effect.succeed("nobody"), { mail: write("letter"), bill: write("sum") }, { default: "pass" })
    ),
    "By a label without a way": observe(loose(() => "nobody", { mail: write("letter") })),
    "By something that is no label": observe(loose(() => 1, { 1: write("one") })),
    "By what fails, and to a step that fails": Effect.all([
      observe(loose(Effect.fail(new Broken({ part: "on" })), { mail: write("letter") })),
      observe(Pipeline.sequence("all", [write("a"), loose(() => "bill", { bill: fails("sum"), mail: write("b") })]))
    ]),
    "Switches that cannot be made": Effect.forEach(
      [
        () => loose(() => "a", {}),
        () => loose(() => "a", { " ": topic }),
        () => loose(() => "a", { default: topic }, { default: write("b") }),
        () => loose(() => "a", { default: topic }, { default: "pass" }),
        () => loose(undefined, { a: topic }),
        () => loose("a", { a: topic })
      ],
      (make) => Effect.exit(Effect.sync(() => make().node))
    ),
    "A conditional step in a pipe, whose condition reads what was just written": observe(
      topic.pipe(
        Step.when("short", (thought) => thought.get("topic").length < 5, write("remark")),
        Step.when(
          "trusted",
          Note.from(customer, (text) => text.startsWith("Bob")),
          write("topic", "changed")
        ),
        Step.when("sure", Effect.succeed(true), write("topic", "at last"))
      ) as Step.Any
    ),
    "A conditional step whose condition fails": observe(
      topic.pipe(Step.when("never", Effect.fail(new Broken({ part: "predicate" })), write("remark")))
    ),
    "Steps in the order that a generator asks, one of them three times": observe(
      Pipeline.gen("talk", function* () {
        const first = yield* Pipeline.ask(ask("a"))
        const count = yield* Effect.succeed(first.decision ? 2 : 0)
        for (let i = 0; i < count; i++) yield* Pipeline.ask(write("b", `round ${i}`))
        const thought = yield* Pipeline.ask(Pipeline.sequence("in", [write("c"), write("d")]))
        yield* Pipeline.ask(write("b", thought.get("c")))
      }),
      { replies: [yes] }
    ),
    "What steps are derived from that a generator asks after it has seen others": observe(
      Pipeline.gen("talk", function* () {
        const own = <const K extends string>(key: K) =>
          Step.make(key, { schema: Schema.String, run: Note.from(customer, (text) => text) })
        yield* Pipeline.ask(own("alone"))
        yield* Pipeline.ask(topic)
        yield* Pipeline.ask(own("after a note"))
        yield* Pipeline.ask(Pipeline.sequence("in", [write("c")]))
        yield* Pipeline.ask(own("after a thought"))
      })
    ),
    "A generator that lists its steps, and asks one that it has not listed": Effect.suspend(() => {
      const [a, b] = [write("a"), write("b")]
      return observe(
        Pipeline.gen(
          "talk",
          function* () {
            yield* Pipeline.ask(a)
            yield* Pipeline.ask(b)
          },
          { steps: [a] }
        )
      )
    }),
    "A generator whose steps and effects fail, with what it does at last": Effect.forEach(
      [fails("bad"), Effect.fail(new Broken({ part: "effect" })), Effect.interrupt],
      (what) =>
        observe(
          Pipeline.gen("talk", function* () {
            try {
              yield* Pipeline.ask(write("a"))
              if (Effect.isEffect(what)) yield* what
              else yield* Pipeline.ask(what)
              yield* Pipeline.ask(write("never"))
            } finally {
              yield* Pipeline.ask(write("last"))
            }
          }) as Step.Any
        )
    ),
    "A generator that fails at last, too": observe(
      Pipeline.gen("talk", function* () {
        try {
          yield* Pipeline.ask(fails("first"))
        } finally {
          yield* Pipeline.ask(fails("last"))
        }
      })
    ),
    "A generator that asks for a note too early": Effect.forEach([true, false], (listed) => {
      const reader = Step.make("reader", { run: Note.from(topic, (text) => text) })
      return observe(
        Pipeline.gen(
          "talk",
          function* () {
            yield* Pipeline.ask(reader)
            yield* Pipeline.ask(topic)
          },
          listed ? { steps: [reader, topic, Step.make("own", { run: Note.from(customer, (text) => text) })] } : {}
        )
      )
    }),
    "Functions that are no generators, and yields that are no effects": Effect.forEach(
      [
        () => 3,
        function* () {
          yield "text"
        },
        function* () {
          yield* Effect.void
          throw new Error("no more stamps")
        }
      ],
      (body) => observe(Pipeline.gen("talk", body as never))
    ),
    "Services of a layer, of a context, and of a layer that cannot be built": Effect.forEach(
      [
        Layer.succeed(Stamps, { left: 7 }),
        Context.make(Stamps, { left: 8 }),
        Layer.effect(Stamps, Effect.fail(new Broken({ part: "layer" })))
      ],
      (given: any) =>
        observe(
          Pipeline.sequence("all", [
            write("before"),
            Step.provide(Step.make("count", { schema: Schema.Int, run: Effect.map(Stamps, ({ left }) => left) }), given)
          ])
        )
    ),
    "A layer that would be gone too early": Effect.exit(
      Effect.sync(() => Step.provide(Pipeline.sequence("all", [Step.once("later", Effect.void)]), Layer.empty))
    ),
    "Keys of effects, by the place of the step and the notes before it": Effect.gen(function* () {
      const keys = yield* Ref.make<ReadonlyArray<string>>([])
      const note = (name: string) =>
        Step.make(name, {
          run: Effect.flatMap(Step.idempotencyKey, (key) => Ref.update(keys, (all) => [...all, key]))
        })
      const steps = Pipeline.sequence("a/b ü", [
        note("first"),
        write("one"),
        Step.retry(note("second")),
        Step.named(note("third"), "other"),
        Pipeline.tap(
          "fourth",
          Effect.flatMap(Step.idempotencyKey, (key) => Ref.update(keys, (all) => [...all, key]))
        )
      ])
      const seen = yield* observe(steps)
      const outside = yield* Effect.exit(Step.idempotencyKey)
      return { seen, keys: yield* Ref.get(keys), outside }
    }),
    "Effects after what is stored, once, also in what is tried again": Effect.gen(function* () {
      const seen: Array<unknown> = []
      let runs = 0
      const once = (name: string) =>
        Step.once(name, (stored) =>
          Effect.sync(() => seen.push([name, ...Thought.notes(stored).map(({ key }) => key)]))
        )
      const shaky = Step.make("shaky", {
        run: Effect.suspend(() => (runs++ < 1 ? Effect.fail("no") : Effect.void))
      })
      const run = yield* observe(
        Pipeline.sequence("all", [
          once("at once"),
          Step.retry(Pipeline.sequence("tried", [write("a"), once("inside"), shaky, write("b")])),
          Step.recover(Pipeline.sequence("bad", [once("never"), fails("c")]), write("d"), { name: "lost" })
        ])
      )
      return { run, seen }
    }),
    "What is shown of a step in the conversation, and what comes after": observe(
      Pipeline.sequence("all", [
        Step.make("rules", {
          run: Effect.void,
          shows: (thought) => ({ notes: [thought.note("customer")!], text: "Mind the rules." })
        }),
        Step.make("sum", {
          schema: Schema.Finite,
          run: Note.from(message, (text) => text.length),
          trust: "trusted",
          shows: (thought) => ({ notes: Thought.unpublished(thought), text: "Count it." })
        }),
        ask("a")
      ]),
      { replies: [yes] }
    ),
    "Showing what is not of the thought": observe(
      Step.make("rules", { run: Effect.void, shows: () => ({ notes: [{ id: "x" }] as never, text: "" }) })
    ),
    "Trust of what is made from notes": Effect.forEach(
      [Note.from(customer, (text) => text), Note.from(message, (text) => text), () => "free"],
      (run) => observe(Step.make("made", { schema: Schema.String, run: run as () => string }))
    ),
    "Effects beside the thought, a failing one, and one that gives something": observe(
      Pipeline.sequence("all", [
        Pipeline.tap("given", (thought: Thought.Thought<any>) => Effect.succeed(thought.length)),
        Pipeline.tap("bad", Effect.fail(new Broken({ part: "tap" })))
      ]),
      { thought: Effect.flatMap(start, (thought) => Thought.append(thought, "more", "three")) }
    )
  })
)
