import { Schema } from "effect"
import { Note, Pipeline, Primitive, Step, type Thought } from "cogito"

// A read of a key that has, or may have, another type by then does not compile, wherever the write was.

declare const begun: Thought.Thought<{ readonly n: number; readonly message: string }>
const message = Note.handle("message", Schema.String)
const n = Note.handle("n", Schema.Finite)

// in a sequence
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in a sequence inside another
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Pipeline.sequence("inner", [Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })])
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// after a sequence that wrote it
{
  const step = Pipeline.sequence("all", [
    Pipeline.sequence("inner", [Step.make("n", { schema: Schema.String, run: () => "42" })]),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in steps of unknown number
{
  const some: ReadonlyArray<Step.Keyed<"next", number, { readonly n: number }>> = []
  const step = Pipeline.sequence("all", [Step.make("n", { schema: Schema.String, run: () => "42" }), ...some])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// after steps of unknown number
{
  const some: ReadonlyArray<Step.Keyed<"n", string, {}>> = []
  const step = Pipeline.sequence("all", [
    ...some,
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// between steps of unknown number
{
  const some: ReadonlyArray<Step.Keyed<"n", string, {}> | Step.Keyed<"next", number, { readonly n: number }>> = []
  const step = Pipeline.sequence("all", some)
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// between steps of unknown number, of which the reader and another write it
{
  const toText = Step.make("n", { schema: Schema.String, run: Note.from(n, (it) => String(it)) })
  const write = Step.make("n", { schema: Schema.String, run: () => "42" })
  const some: ReadonlyArray<typeof toText | typeof write> = []
  const step = Pipeline.sequence("all", some, { overwrite: true })
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// between steps of unknown number, of which one forgets it
{
  const forget = Primitive.forget("drop", { drop: ["n"] })
  const next = Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  const some: ReadonlyArray<typeof forget | typeof next> = []
  const step = Pipeline.sequence("all", some)
  // @ts-expect-error { readonly read: number; readonly written: undefined; }
  void Pipeline.run(step, begun)
}

// in a pipe
{
  const step = Step.make("n", { schema: Schema.String, run: () => "42" }).pipe(
    Step.andThen(Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) }))
  )
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// data first
{
  const step = Step.andThen(
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  )
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// after a conditional step
{
  const step = Pipeline.tap("begin", () => {}).pipe(
    Step.when("if", () => true, Step.make("n", { schema: Schema.String, run: () => "42" })),
    Step.andThen(Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) }))
  )
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in the condition of a conditional step
{
  const step = Step.make("n", { schema: Schema.String, run: () => "42" }).pipe(
    Step.when(
      "if",
      Note.from(n, (it) => it > 1),
      Pipeline.tap("look", () => {})
    )
  )
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in a conditional step
{
  const step = Step.make("n", { schema: Schema.String, run: () => "42" }).pipe(
    Step.when("if", () => true, Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) }))
  )
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in a condition that is a function, at the read itself
{
  const text = Step.make("n", { schema: Schema.String, run: () => "42" })
  const look = Pipeline.tap("look", () => {})
  // @ts-expect-error Operator '>' cannot be applied to types 'string' and 'number'
  void text.pipe(Step.when("if", (thought) => thought.get("n") > 1, look))
}

// after a filter
{
  const step = Pipeline.sequence("all", [
    Pipeline.filter("if", { when: () => true, step: Step.make("n", { schema: Schema.String, run: () => "42" }) }),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// after a filter that may forget it
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.Finite, run: () => 1 }),
    Pipeline.filter("if", { when: () => true, step: Primitive.forget("drop", { drop: ["n"] }) }),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error { readonly read: number; readonly written: number | undefined; }
  void Pipeline.run(step, begun)
}

// after a filter of which one way forgets it
{
  const step = Pipeline.sequence("all", [
    Pipeline.filter("if", {
      when: () => true,
      step: Primitive.forget("drop", { drop: ["n"] }),
      otherwise: Pipeline.tap("look", () => {})
    }),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error { readonly read: number; readonly written: undefined; }
  void Pipeline.run(step, begun)
}

// after a filter of which one way fits
{
  const step = Pipeline.sequence("all", [
    Pipeline.filter("if", {
      when: () => true,
      step: Step.make("n", { schema: Schema.Finite, run: () => 1 }),
      otherwise: Step.make("n", { schema: Schema.String, run: () => "42" })
    }),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in the condition of a filter
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Pipeline.filter("if", { when: Note.from(n, (it) => it > 1), step: Pipeline.tap("look", () => {}) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in a condition that is a function of the thought
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Pipeline.filter("if", {
      when: (thought: Thought.Thought<{ readonly n: number }>) => thought.get("n") > 1,
      step: Pipeline.tap("look", () => {})
    })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in a filtered step
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Pipeline.filter("if", {
      when: () => true,
      step: Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
    })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// after a switch of which one branch fits
{
  const step = Pipeline.sequence("all", [
    Pipeline.switch("way", {
      on: Note.from(message, (text) => (text === "" ? "a" : "b")),
      branches: {
        a: Step.make("n", { schema: Schema.Finite, run: () => 1 }),
        b: Step.make("n", { schema: Schema.String, run: () => "42" })
      }
    }),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in the choice of a switch
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Pipeline.switch("way", {
      on: Note.from(n, (it) => (it > 1 ? "a" : "b")),
      branches: { a: Pipeline.tap("a", () => {}), b: Pipeline.tap("b", () => {}) }
    })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in a branch of a switch
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Pipeline.switch("way", {
      on: () => "a",
      branches: { a: Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) }) }
    })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in the check of a gate
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Pipeline.gate("gate", { check: Note.from(n, (it) => (it > 1 ? "pass" : "fail")) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// after a gate
{
  const step = Pipeline.sequence("all", [
    Pipeline.gate("gate", {
      check: (): "pass" | "skip" => "pass",
      step: Step.make("n", { schema: Schema.String, run: () => "42" })
    }),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}
