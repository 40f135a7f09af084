import { Effect, Schema } from "effect"
import { Note, Pipeline, Primitive, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"

// A read of a key that has another type by then does not compile, however it is run.

declare const begun: Thought.Thought<{ readonly n: number; readonly message: string }>
const message = Note.handle("message", Schema.String)
const n = Note.handle("n", Schema.Finite)

// in an effect that looks
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Pipeline.tap(
      "look",
      Note.from(n, (it) => Effect.log(it + 1))
    )
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in an effect that waits for the commit
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Step.once("stored", (thought: Thought.Thought<{ readonly n: number }>) => Effect.log(thought.get("n") + 1))
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in the background
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Pipeline.scaffold("later", {
      step: Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
    })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// within introspection and compaction
{
  const step = Pipeline.introspect(
    Pipeline.compact(
      Pipeline.sequence("all", [
        Step.make("n", { schema: Schema.String, run: () => "42" }),
        Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
      ])
    )
  )
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// by an optional read
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Step.make("next", {
      schema: Schema.Finite,
      run: (thought: Thought.Thought<{ readonly n?: number }>) => (thought.get("n") ?? 0) + 1
    })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// by one of several handles
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Step.make("line", { schema: Schema.String, run: Note.from({ n, message }, ({ message, n }) => message.repeat(n)) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// after it was forgotten
{
  const step = Pipeline.sequence("all", [
    Primitive.forget("anew", { drop: ["n"] }),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in a stream
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.stream(step, begun)
}

// from a promise
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.runPromise(step, { intent: "run", notes: { n: "1" } }, { layer: Testing.memory })
}

// where an annotation hides it
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error is not assignable to type 'Step<{ readonly n: number; }, { readonly n: string; readonly next: number; }
  const hidden: Step.Step<{ readonly n: number }, { readonly n: string; readonly next: number }> = step
  void hidden
}

// after the caller wrote another type
{
  const step = Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  // @ts-expect-error Type 'string' is not assignable to type 'number'
  void Effect.flatMap(Thought.write(begun, Note.handle("n", Schema.String), "42"), (after) => Pipeline.run(step, after))
}

// of an answer of the model
{
  const step = Pipeline.sequence("all", [
    Primitive.decide("n", { question: "?" }),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}
