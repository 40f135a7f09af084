import { Context, Effect, Layer, Schema } from "effect"
import { Note, Pipeline, Primitive, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"

// What helpers, keys and runs cannot promise.

class Rates extends Context.Service<Rates, { readonly euro: number }>()("test/refused/Rates") {}
type Any<I, O, E, R> = Step.Step<I, O, E, R>
declare const begun: Thought.Thought<{ readonly message: string }>
declare const name: string
const message = Note.handle("message", Schema.String)
const size = Step.make("size", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) })

// that a step surely ran, which may not have
export const enriched = <I, O, E, R>(step: Any<I, O, E, R>): Any<I, O, never, R> =>
  // @ts-expect-error Type 'Partial<O>' is not assignable to type 'O'
  step.pipe(Step.enrich())
export const filtered = <I, O, E, R>(step: Any<I, O, E, R>): Any<I, O, E, R> =>
  // @ts-expect-error is not assignable to type 'O'
  Pipeline.filter("if", { when: () => true, step })

// that nothing more is read, added, failed with or needed
export const reading = <I, O, E, R>(step: Any<I, O, E, R>): Any<I, O, E, R> =>
  // @ts-expect-error is not assignable to type 'Any<I, O, E, R>'
  Pipeline.sequence("read", [
    Pipeline.tap(
      "log",
      Note.from(message, (text) => Effect.log(text))
    ),
    step
  ])
export const failing = <I, O, E, R>(step: Any<I, O, E, R>): Any<I, O, E, R> =>
  // @ts-expect-error TimeoutError
  step.pipe(Step.timeout("1 second"))
export const needing = <I, O, E, R>(step: Any<I, O, E, R>): Any<I, O, E, R> =>
  // @ts-expect-error Rates
  Pipeline.tap("rates", Effect.asVoid(Rates)).pipe(Step.andThen(step))
export const writing = <I, O, E, R>(step: Any<I, O, E, R>): Any<I, O, E, R> =>
  // @ts-expect-error is not assignable to type 'Any<I, O, E, R>'
  step.pipe(Step.andThen(Step.make("size", { schema: Schema.Finite, run: () => 1 })))

// that a note is there whose key is known only when it runs, or is one of several
const any = Pipeline.run(Step.make(name, { schema: Schema.Finite, run: () => 1 }), begun)
// @ts-expect-error Argument of type '"size"' is not assignable to parameter of type '"message"'
void Effect.map(any, (done) => done.get("size"))
const either = Pipeline.run(Step.make(name === "" ? "a" : "b", { schema: Schema.Finite, run: () => 1 }), begun)
// @ts-expect-error is possibly 'undefined'
void Effect.map(either, (done) => done.get("a") + 1)
const texts: Readonly<Record<string, string>> = { message: "Hello" }
// @ts-expect-error Property 'message' is missing in type '{}'
void Effect.flatMap(Thought.make("begin", texts), (thought) => Pipeline.run(size, thought))

// that a layer gives what it does not, however much else it gives
const live = Layer.mergeAll(Testing.memory, Layer.succeed(Rates, { euro: 1 }))
// @ts-expect-error Provider
void Pipeline.runPromise(Primitive.decide("ok", { question: "?" }), { intent: "ask" }, { layer: live })
const euros = Step.make("euros", { schema: Schema.Finite, run: Effect.map(Rates, ({ euro }) => euro) })
// @ts-expect-error Rates
void Pipeline.runPromise(euros, { intent: "count" }, { layer: Testing.memory })
// @ts-expect-error Rates
const provided: Step.Step<{}, { readonly euros: number }> = euros.pipe(Step.provide(Testing.memory))
void provided
