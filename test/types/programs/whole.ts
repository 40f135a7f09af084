import { Context, Effect, Layer, ManagedRuntime, Schema, Stream } from "effect"
import { Memory, Note, Pipeline, Primitive, type Provider, Step, Synapse, Thought } from "cogito"
import { Spec } from "cogito/spec"
import { Testing } from "cogito/testing"
import { same } from "../same.ts"
import { equal, message, model, type Program, ticket } from "./program.ts"

// Whole programs: how they are run, by helpers of one's own too, and with whom.

type Message = { readonly message: string }
type Asking = Provider.ProviderError | Synapse.ResponseError
class Rates extends Context.Service<Rates, { readonly euro: number }>()("test/programs/Whole") {}
const live = Layer.merge(model, Testing.memory)
const size = Step.make("size", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) })

const logged = <I, O, E, R>(log: Array<string>, step: Step.Step<I, O, E, R>): Step.Step<I, O, E, R> =>
  Pipeline.sequence(`logged ${step.name}`, [
    Pipeline.tap("begin", () => void log.push(`begin ${step.name}`)),
    step,
    Pipeline.tap("end", () => void log.push(`end ${step.name}`))
  ])
const careful = <I, O, E, R>(step: Step.Step<I, O, E, R>): Step.Step<I, Partial<O>, never, R> =>
  step.pipe(Step.retry({ times: 1 }), Step.timeout("1 minute"), Step.enrich())

export const whole = {
  "a search, without knowing Effect": Effect.promise(async () => {
    const step = Primitive.seek("found", { query: Note.from(message, (text) => text) })
    same<typeof step, Step.Keyed<"found", Primitive.Findings, Message, Memory.MemoryError, Memory.Memory>>(true)
    const start = { intent: "look", notes: { message: "Hello" } }
    const done = await Pipeline.runPromise(step, start, { layer: live })
    same<typeof done, Thought.Thought<{ readonly message: string; readonly found: Primitive.Findings }>>(true)
    equal(done.get("found").matches, [])
  }),
  "a step that needs nothing, with a layer that offers more": Effect.promise(async () => {
    const done = await Pipeline.runPromise(
      Step.make("n", { schema: Schema.Finite, run: () => 1 }),
      { intent: "count" },
      { layer: live }
    )
    same<typeof done, Thought.Thought<{ readonly n: number }>>(true)
    equal(done.get("n"), 1)
  }),
  "several runs with one runtime": Effect.promise(async () => {
    const runtime = ManagedRuntime.make(live)
    try {
      const step = Pipeline.sequence("both", [size, Primitive.decide("urgent", { question: "Is this urgent?" })])
      const start = { intent: "triage", notes: { message: "Help!" } }
      const first = await Pipeline.runPromise(step, start, { runtime })
      const second = await Pipeline.runPromise(
        Primitive.recall("past", { thought: first.id }),
        { intent: "look" },
        { runtime }
      )
      same<typeof second, Thought.Thought<{ readonly past: string }>>(true)
      equal([first.get("size"), typeof second.get("past")], [5, "string"])
    } finally {
      await runtime.dispose()
    }
  }),
  "a stream of what is told": Effect.gen(function* () {
    const step = Pipeline.sequence("both", [size, Primitive.decide("urgent", { question: "Is this urgent?" })])
    const events = yield* Stream.runCollect(Pipeline.stream(step, yield* ticket))
    const done = Array.from(events).flatMap((event) => (event._tag === "Done" ? [event.thought] : []))
    same<
      (typeof done)[number],
      Thought.Thought<{ readonly message: string; readonly size: number; readonly urgent: Synapse.Decision }>
    >(true)
    equal(
      done.map((thought) => thought.get("size")),
      [21]
    )
  }),
  "a logger around any step": Effect.gen(function* () {
    const log: Array<string> = []
    const step = Pipeline.sequence("all", [
      logged(log, size),
      logged(log, Primitive.decide("urgent", { question: Note.from(size, (n) => `Is it? ${n}`) }))
    ])
    same<
      typeof step,
      Step.Step<Message, { readonly size: number; readonly urgent: Synapse.Decision }, Asking, Provider.Provider>
    >(true)
    yield* Pipeline.run(step, yield* ticket)
    equal(log, ["begin size", "end size", "begin urgent", "end urgent"])
  }),
  "a helper that makes any step optional": Effect.gen(function* () {
    const step = Pipeline.sequence("all", [
      careful(size),
      careful(Step.make("n", { schema: Schema.Finite, run: () => Effect.fail("no") }))
    ])
    same<typeof step, Step.Step<Message, { readonly size?: number; readonly n?: number }>>(true)
    const done = yield* Pipeline.run(step, yield* ticket)
    equal([done.get("size"), done.get("n")], [21, undefined])
  }),
  "a helper that is generic in the key": Effect.gen(function* () {
    const scored = <const K extends string>(key: K) =>
      Step.make(key, { schema: Schema.Finite, run: () => key.length }).pipe(Step.retry())
    const step = Pipeline.sequence("scores", [scored("a"), scored("bb")])
    same<typeof step, Step.Step<{}, { readonly a: number; readonly bb: number }>>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("bb"), 2)
  }),
  "a service that is given to one step": Effect.gen(function* () {
    const euros = Step.make("euros", {
      schema: Schema.Finite,
      run: Note.from(message, (text) => Effect.map(Rates, ({ euro }) => euro * text.length))
    }).pipe(Step.provide(Layer.succeed(Rates, { euro: 2 })))
    same<Step.Req<typeof euros>, never>(true)
    const step = Pipeline.sequence("all", [
      euros,
      Step.make("more", { schema: Schema.Finite, run: Note.from(euros, (n) => n + 1) })
    ])
    same<typeof step, Step.Step<Message, { readonly euros: number; readonly more: number }>>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("more"), 43)
  }),
  "introspection and compaction around a pipeline": Effect.gen(function* () {
    const step = Pipeline.introspect(
      Pipeline.compact(Pipeline.sequence("all", [Primitive.decide("urgent", { question: "Is this urgent?" })]), {
        turns: 4
      })
    )
    same<typeof step, Step.Step<{}, { readonly urgent: Synapse.Decision }, Asking, Provider.Provider>>(true)
    const done = yield* Pipeline.run(step, yield* ticket)
    equal(Thought.note(done, "urgent_summary") === undefined, false)
  }),
  "a checkpoint to come back to": Effect.gen(function* () {
    const step = Pipeline.sequence("all", [
      size,
      Primitive.checkpoint("here"),
      Step.make("n", { schema: Schema.Finite, run: Note.from(size, (it) => it + 1) }),
      Primitive.restore("back", { from: { checkpoint: "here" } })
    ])
    same<Step.In<typeof step>, Message>(true)
    same<Step.Err<typeof step>, Memory.MemoryError | Primitive.CheckpointNotFound>(true)
    same<Step.Req<typeof step>, Memory.Memory>(true)
    const done = yield* Pipeline.run(step, yield* ticket)
    equal([done.get("size"), Thought.note(done, "n")], [21, undefined])
  }),
  "a thought that is loaded and goes on": Effect.gen(function* () {
    const first = yield* Pipeline.run(size, yield* ticket)
    const loaded = yield* Thought.require(yield* Memory.load(first.id), [size, message])
    same<typeof loaded, Thought.Thought<{ readonly size: number; readonly message: string }>>(true)
    const next = Step.make("next", {
      schema: Schema.Finite,
      run: Note.from({ size, message }, ({ message, size }) => message.length - size)
    })
    equal((yield* Pipeline.run(next, loaded)).get("next"), 0)
  }),
  "a pipeline from a document, told what it reads and writes": Effect.gen(function* () {
    const urgent = Note.handle("urgent", Synapse.Decision)
    const registry = Spec.registry({ readers: { ask: Note.from(message, (text) => `Is this urgent? ${text}`) } })
    const text = "cogito: 1\nname: triage\nstep: { type: decide, key: urgent, question: { reader: ask } }\n"
    const document = yield* Spec.decode(registry, text)
    const built = yield* Spec.build(registry, document, { reads: [message], writes: [urgent] })
    const step = Pipeline.sequence("all", [
      built,
      Step.make("n", { schema: Schema.Finite, run: Note.from(urgent, ({ confidence }) => confidence) })
    ])
    same<Step.In<typeof step>, Message>(true)
    same<Step.Out<typeof step>, { readonly urgent: Synapse.Decision; readonly n: number }>(true)
    equal((yield* Pipeline.run(step, yield* ticket)).get("n"), 0.9)
  })
} satisfies Record<string, Program>
