import { Schema } from "effect"
import { Note, Pipeline, Step, type Thought } from "cogito"

// A read of a key that has, or may have, another type by then does not compile, whichever of several steps wrote it.

declare const begun: Thought.Thought<{ readonly n: number; readonly message: string }>
const n = Note.handle("n", Schema.Finite)

// after a fallback of which one alternative fits
{
  const step = Pipeline.sequence("all", [
    Pipeline.fallback("either", [
      Step.make("n", { schema: Schema.Finite, run: () => 1 }),
      Step.make("n", { schema: Schema.String, run: () => "42" }).pipe(Step.named("other"))
    ]),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in what a fallback accepts
{
  const step = Pipeline.fallback(
    "either",
    [
      Step.make("n", { schema: Schema.String, run: () => "42" }),
      Step.make("n", { schema: Schema.Finite, run: () => 1 }).pipe(Step.named("other"))
    ],
    {
      accept: Note.from(n, (it) => it > 1)
    }
  )
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in an alternative
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Pipeline.fallback("either", [
      Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) }),
      Pipeline.tap("none", () => {})
    ])
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// after a recovery with another type
{
  const step = Pipeline.sequence("all", [
    Step.recover(
      Step.make("n", { schema: Schema.Finite, run: () => 1 }),
      Step.make("n", { schema: Schema.String, run: () => "42" }).pipe(Step.named("other")),
      { name: "safe" }
    ),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// after an enrichment
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }).pipe(Step.enrich()),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in an enrichment
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) }).pipe(Step.enrich())
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// after and in limits
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }).pipe(Step.timeout("1 second"), Step.retry()),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) }).pipe(
      Step.budget({ calls: 1 }),
      Step.named("short")
    )
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// after branches beside each other
{
  const step = Pipeline.sequence("all", [
    Pipeline.concurrent("both", [
      Step.make("n", { schema: Schema.String, run: () => "42" }),
      Pipeline.tap("look", () => {})
    ]),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// in a branch
{
  const step = Pipeline.sequence("all", [
    Step.make("n", { schema: Schema.String, run: () => "42" }),
    Pipeline.concurrent("both", [
      Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) }),
      Pipeline.tap("look", () => {})
    ])
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// after branches of which the last one does not fit
{
  const step = Pipeline.sequence("all", [
    Pipeline.concurrent(
      "both",
      [
        Step.make("n", { schema: Schema.Finite, run: () => 1 }),
        Step.make("n", { schema: Schema.String, run: () => "42" }).pipe(Step.named("other"))
      ],
      { conflicts: "last" }
    ),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// after branches of which some may fail
{
  const step = Pipeline.sequence("all", [
    Pipeline.concurrent(
      "most",
      [Step.make("n", { schema: Schema.String, run: () => "42" }), Pipeline.tap("look", () => {})],
      { minSuccesses: 1 }
    ),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// under the name of a branch
{
  const step = Pipeline.sequence("all", [
    Pipeline.concurrent(
      "both",
      { a: Step.make("n", { schema: Schema.String, run: () => "42" }) },
      { conflicts: "namespace" }
    ),
    Step.make("next", { schema: Schema.Finite, run: Note.from(Note.handle("a.n", Schema.Finite), (it) => it + 1) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun as Thought.Thought<{ readonly "a.n": number }>)
}

// after a race of which one branch fits
{
  const step = Pipeline.sequence("all", [
    Pipeline.race("first", [
      Step.make("n", { schema: Schema.Finite, run: () => 1 }),
      Step.make("n", { schema: Schema.String, run: () => "42" }).pipe(Step.named("other"))
    ]),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// after a contest
{
  const step = Pipeline.sequence("all", [
    Pipeline.contest("good", [Step.make("n", { schema: Schema.String, run: () => "42" })], { accept: () => true }),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}

// after a report
{
  const step = Pipeline.sequence("all", [
    Step.enrich(
      Pipeline.tap("look", () => {}),
      { report: "n", name: "rich" }
    ),
    Step.make("next", { schema: Schema.Finite, run: Note.from(n, (it) => it + 1) })
  ])
  // @ts-expect-error a step writes another type under this key before it is read
  void Pipeline.run(step, begun)
}
