import { Schema } from "effect"
import { Note, Pipeline, Primitive, Step, type Thought } from "cogito"

// A read of a key that has another type by then does not compile, whatever reads it.

declare const begun: Thought.Thought<{ readonly n: number; readonly message: string }>
const message = Note.handle("message", Schema.String)
const n = Note.handle("n", Schema.Finite)

// in a generator
{
  const step = Pipeline.gen("both", function* () {
    yield* Pipeline.ask(Step.make("n", { schema: Schema.String, run: () => "42" }))
    yield* Pipeline.ask(Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) }))
  })
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// after a generator
{
  const step = Pipeline.sequence("all", [
    Pipeline.gen("one", function* () {
      yield* Pipeline.ask(Step.make("n", { schema: Schema.String, run: () => "42" }))
    }),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in a mutation
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Pipeline.mutate("more", { note: n, update: (it) => it + 1 })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in the condition of a mutation
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Pipeline.mutate("more", { note: message, update: (it) => it, when: Note.from(n, (it) => it > 1) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in an update that looks at the thought
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Pipeline.mutate("more", {
      note: message,
      update: (it, thought: Thought.Thought<{ readonly n: number }>) => it.repeat(thought.get("n"))
    })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in a question
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Primitive.decide("ok", { question: Note.from(n, (it) => `Is ${it + 1} enough?`) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in a prompt
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Primitive.analyze("data", { schema: Schema.Struct({ a: Schema.String }), prompt: Note.from(n, (it) => `${it}`) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in a query
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Primitive.seek("found", { query: Note.from(n, (it) => `${it}`) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in a survey
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Primitive.survey("tasks", { query: Note.from(n, (it) => `${it}`) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in the id of a thought to recall
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Primitive.recall("past", { thought: Note.from(n, (it) => `${it}`) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in the id of a thought to go back to
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Primitive.restore("back", { from: Note.from(n, (it) => `${it}`) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in the items to rank
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Primitive.prioritize("order", { criteria: "?", items: Note.from(n, (it) => [`${it}`]) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in the source of an amplification
{
  const step = Pipeline.sequence("all", [
    Step.make("message", { schema: Schema.Finite, run: () => 1 }),
    Primitive.amplify("better", { source: message, refine: "Improve it.", criteria: "Is it good?" })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in the step of a sift
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Primitive.sift("worth", {
      question: "?",
      step: Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
    })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// of what the sift itself decides
{
  const step = Primitive.sift("n", {
    question: "?",
    step: Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  })
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// after a discern
{
  const step = Pipeline.sequence("all", [
    Primitive.discern("way", {
      question: "?",
      routes: { a: Step.make("n", { schema: Schema.String, run: () => "42" }), b: { when: "else" } }
    }),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in the prompt of a synthesis
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Primitive.converge("sum", { branches: [Pipeline.tap("look", () => {})], prompt: Note.from(n, (it) => `${it}`) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// after a synthesis
{
  const step = Pipeline.sequence("all", [
    Primitive.converge("sum", { branches: [Step.make("n", { schema: Schema.String, run: () => "42" })], prompt: "?" }),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}
