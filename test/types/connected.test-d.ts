import { Context, Data, type Effect, Schema } from "effect"
import { Note, Pipeline, Primitive, type Provider, Step, type Synapse } from "cogito"
import { same } from "./same.ts"

// A hundred inline steps with connectors around them, up to five deep: what the whole reads, adds, fails with and needs stays
// exact.

class Rates extends Context.Service<Rates, { readonly euro: number }>()("test/Rates") {}
class NoRate extends Data.TaggedError("NoRate")<{ readonly currency: string }> {}
declare const rate: (n: number) => Effect.Effect<number, NoRate, Rates>

const hundred = Pipeline.sequence("hundred", [
  Primitive.analyze("a0", { schema: Schema.Struct({ text: Schema.String }), prompt: "Extract 0" }).pipe(
    Step.retry({ times: 2 })
  ),
  Pipeline.filter("f0", {
    when: Note.from(Note.handle("a0", Schema.Struct({ text: Schema.String })), ({ text }) => text !== ""),
    step: Primitive.decide("b0", { question: "Is it?" })
  }),
  Pipeline.switch("s0", {
    on: Note.from(Note.handle("message", Schema.String), (text): "long" | "short" =>
      text.length > 9 ? "long" : "short"
    ),
    branches: {
      long: Primitive.categorize("c0", { question: "Which?", categories: ["x", "y"] }),
      short: Pipeline.sequence("t0", [
        Primitive.categorize("c0", { question: "Which?", categories: ["z", "w"] }),
        Step.make("d0", { schema: Schema.Finite, run: () => rate(0) })
      ])
    }
  }),
  Pipeline.concurrent("k0", {
    left: Step.make("e0", { schema: Schema.Finite, run: () => 1 }),
    right: Pipeline.race("r0", [
      Step.make("g0", { schema: Schema.Finite, run: () => 1 }),
      Step.make("g0", { schema: Schema.String, run: () => "one" })
    ])
  }),
  Step.enrich(Step.make("h0", { schema: Schema.Finite, run: () => rate(0) }), { name: "n0" }),
  Pipeline.fallback("o0", [
    Step.make("i0", { schema: Schema.Finite, run: () => rate(0) }),
    Step.make("i0", { schema: Schema.Finite, run: () => 0 })
  ]),
  Step.timeout(
    Step.retry(
      Pipeline.race("p0", [
        Pipeline.filter("q0", {
          when: () => true,
          step: Pipeline.sequence("u0", [Step.make("v0", { schema: Schema.Finite, run: () => rate(0) })])
        })
      ]),
      { times: 1, name: "m0" }
    ),
    "1 second",
    { name: "l0" }
  ),
  Step.make("w0", { schema: Schema.Finite, run: () => rate(1) }).pipe(
    Step.recover(Step.make("w0", { schema: Schema.Finite, run: () => 2 }), { when: "NoRate" })
  ),
  Pipeline.gen("x0", function* () {
    const decision = yield* Pipeline.ask(Primitive.decide("y0", { question: "Is it?" }))
    if (decision.decision) yield* Pipeline.ask(Step.make("z0", { schema: Schema.Finite, run: () => 1 }))
  }),
  Primitive.decide("j0", { question: Note.from(Note.handle("i0", Schema.Finite), String) }),
  Primitive.analyze("a10", { schema: Schema.Struct({ text: Schema.String }), prompt: "Extract 10" }).pipe(
    Step.retry({ times: 2 })
  ),
  Pipeline.filter("f10", {
    when: Note.from(Note.handle("a10", Schema.Struct({ text: Schema.String })), ({ text }) => text !== ""),
    step: Primitive.decide("b10", { question: "Is it?" })
  }),
  Pipeline.switch("s10", {
    on: Note.from(Note.handle("message", Schema.String), (text): "long" | "short" =>
      text.length > 9 ? "long" : "short"
    ),
    branches: {
      long: Primitive.categorize("c10", { question: "Which?", categories: ["x", "y"] }),
      short: Pipeline.sequence("t10", [
        Primitive.categorize("c10", { question: "Which?", categories: ["z", "w"] }),
        Step.make("d10", { schema: Schema.Finite, run: () => rate(10) })
      ])
    }
  }),
  Pipeline.concurrent("k10", {
    left: Step.make("e10", { schema: Schema.Finite, run: () => 1 }),
    right: Pipeline.race("r10", [
      Step.make("g10", { schema: Schema.Finite, run: () => 1 }),
      Step.make("g10", { schema: Schema.String, run: () => "one" })
    ])
  }),
  Step.enrich(Step.make("h10", { schema: Schema.Finite, run: () => rate(10) }), { name: "n10" }),
  Pipeline.fallback("o10", [
    Step.make("i10", { schema: Schema.Finite, run: () => rate(10) }),
    Step.make("i10", { schema: Schema.Finite, run: () => 0 })
  ]),
  Step.timeout(
    Step.retry(
      Pipeline.race("p10", [
        Pipeline.filter("q10", {
          when: () => true,
          step: Pipeline.sequence("u10", [Step.make("v10", { schema: Schema.Finite, run: () => rate(10) })])
        })
      ]),
      { times: 1, name: "m10" }
    ),
    "1 second",
    { name: "l10" }
  ),
  Step.make("w10", { schema: Schema.Finite, run: () => rate(1) }).pipe(
    Step.recover(Step.make("w10", { schema: Schema.Finite, run: () => 2 }), { when: "NoRate" })
  ),
  Pipeline.gen("x10", function* () {
    const decision = yield* Pipeline.ask(Primitive.decide("y10", { question: "Is it?" }))
    if (decision.decision) yield* Pipeline.ask(Step.make("z10", { schema: Schema.Finite, run: () => 1 }))
  }),
  Primitive.decide("j10", { question: Note.from(Note.handle("i10", Schema.Finite), String) }),
  Primitive.analyze("a20", { schema: Schema.Struct({ text: Schema.String }), prompt: "Extract 20" }).pipe(
    Step.retry({ times: 2 })
  ),
  Pipeline.filter("f20", {
    when: Note.from(Note.handle("a20", Schema.Struct({ text: Schema.String })), ({ text }) => text !== ""),
    step: Primitive.decide("b20", { question: "Is it?" })
  }),
  Pipeline.switch("s20", {
    on: Note.from(Note.handle("message", Schema.String), (text): "long" | "short" =>
      text.length > 9 ? "long" : "short"
    ),
    branches: {
      long: Primitive.categorize("c20", { question: "Which?", categories: ["x", "y"] }),
      short: Pipeline.sequence("t20", [
        Primitive.categorize("c20", { question: "Which?", categories: ["z", "w"] }),
        Step.make("d20", { schema: Schema.Finite, run: () => rate(20) })
      ])
    }
  }),
  Pipeline.concurrent("k20", {
    left: Step.make("e20", { schema: Schema.Finite, run: () => 1 }),
    right: Pipeline.race("r20", [
      Step.make("g20", { schema: Schema.Finite, run: () => 1 }),
      Step.make("g20", { schema: Schema.String, run: () => "one" })
    ])
  }),
  Step.enrich(Step.make("h20", { schema: Schema.Finite, run: () => rate(20) }), { name: "n20" }),
  Pipeline.fallback("o20", [
    Step.make("i20", { schema: Schema.Finite, run: () => rate(20) }),
    Step.make("i20", { schema: Schema.Finite, run: () => 0 })
  ]),
  Step.timeout(
    Step.retry(
      Pipeline.race("p20", [
        Pipeline.filter("q20", {
          when: () => true,
          step: Pipeline.sequence("u20", [Step.make("v20", { schema: Schema.Finite, run: () => rate(20) })])
        })
      ]),
      { times: 1, name: "m20" }
    ),
    "1 second",
    { name: "l20" }
  ),
  Step.make("w20", { schema: Schema.Finite, run: () => rate(1) }).pipe(
    Step.recover(Step.make("w20", { schema: Schema.Finite, run: () => 2 }), { when: "NoRate" })
  ),
  Pipeline.gen("x20", function* () {
    const decision = yield* Pipeline.ask(Primitive.decide("y20", { question: "Is it?" }))
    if (decision.decision) yield* Pipeline.ask(Step.make("z20", { schema: Schema.Finite, run: () => 1 }))
  }),
  Primitive.decide("j20", { question: Note.from(Note.handle("i20", Schema.Finite), String) }),
  Primitive.analyze("a30", { schema: Schema.Struct({ text: Schema.String }), prompt: "Extract 30" }).pipe(
    Step.retry({ times: 2 })
  ),
  Pipeline.filter("f30", {
    when: Note.from(Note.handle("a30", Schema.Struct({ text: Schema.String })), ({ text }) => text !== ""),
    step: Primitive.decide("b30", { question: "Is it?" })
  }),
  Pipeline.switch("s30", {
    on: Note.from(Note.handle("message", Schema.String), (text): "long" | "short" =>
      text.length > 9 ? "long" : "short"
    ),
    branches: {
      long: Primitive.categorize("c30", { question: "Which?", categories: ["x", "y"] }),
      short: Pipeline.sequence("t30", [
        Primitive.categorize("c30", { question: "Which?", categories: ["z", "w"] }),
        Step.make("d30", { schema: Schema.Finite, run: () => rate(30) })
      ])
    }
  }),
  Pipeline.concurrent("k30", {
    left: Step.make("e30", { schema: Schema.Finite, run: () => 1 }),
    right: Pipeline.race("r30", [
      Step.make("g30", { schema: Schema.Finite, run: () => 1 }),
      Step.make("g30", { schema: Schema.String, run: () => "one" })
    ])
  }),
  Step.enrich(Step.make("h30", { schema: Schema.Finite, run: () => rate(30) }), { name: "n30" }),
  Pipeline.fallback("o30", [
    Step.make("i30", { schema: Schema.Finite, run: () => rate(30) }),
    Step.make("i30", { schema: Schema.Finite, run: () => 0 })
  ]),
  Step.timeout(
    Step.retry(
      Pipeline.race("p30", [
        Pipeline.filter("q30", {
          when: () => true,
          step: Pipeline.sequence("u30", [Step.make("v30", { schema: Schema.Finite, run: () => rate(30) })])
        })
      ]),
      { times: 1, name: "m30" }
    ),
    "1 second",
    { name: "l30" }
  ),
  Step.make("w30", { schema: Schema.Finite, run: () => rate(1) }).pipe(
    Step.recover(Step.make("w30", { schema: Schema.Finite, run: () => 2 }), { when: "NoRate" })
  ),
  Pipeline.gen("x30", function* () {
    const decision = yield* Pipeline.ask(Primitive.decide("y30", { question: "Is it?" }))
    if (decision.decision) yield* Pipeline.ask(Step.make("z30", { schema: Schema.Finite, run: () => 1 }))
  }),
  Primitive.decide("j30", { question: Note.from(Note.handle("i30", Schema.Finite), String) }),
  Primitive.analyze("a40", { schema: Schema.Struct({ text: Schema.String }), prompt: "Extract 40" }).pipe(
    Step.retry({ times: 2 })
  ),
  Pipeline.filter("f40", {
    when: Note.from(Note.handle("a40", Schema.Struct({ text: Schema.String })), ({ text }) => text !== ""),
    step: Primitive.decide("b40", { question: "Is it?" })
  }),
  Pipeline.switch("s40", {
    on: Note.from(Note.handle("message", Schema.String), (text): "long" | "short" =>
      text.length > 9 ? "long" : "short"
    ),
    branches: {
      long: Primitive.categorize("c40", { question: "Which?", categories: ["x", "y"] }),
      short: Pipeline.sequence("t40", [
        Primitive.categorize("c40", { question: "Which?", categories: ["z", "w"] }),
        Step.make("d40", { schema: Schema.Finite, run: () => rate(40) })
      ])
    }
  }),
  Pipeline.concurrent("k40", {
    left: Step.make("e40", { schema: Schema.Finite, run: () => 1 }),
    right: Pipeline.race("r40", [
      Step.make("g40", { schema: Schema.Finite, run: () => 1 }),
      Step.make("g40", { schema: Schema.String, run: () => "one" })
    ])
  }),
  Step.enrich(Step.make("h40", { schema: Schema.Finite, run: () => rate(40) }), { name: "n40" }),
  Pipeline.fallback("o40", [
    Step.make("i40", { schema: Schema.Finite, run: () => rate(40) }),
    Step.make("i40", { schema: Schema.Finite, run: () => 0 })
  ]),
  Step.timeout(
    Step.retry(
      Pipeline.race("p40", [
        Pipeline.filter("q40", {
          when: () => true,
          step: Pipeline.sequence("u40", [Step.make("v40", { schema: Schema.Finite, run: () => rate(40) })])
        })
      ]),
      { times: 1, name: "m40" }
    ),
    "1 second",
    { name: "l40" }
  ),
  Step.make("w40", { schema: Schema.Finite, run: () => rate(1) }).pipe(
    Step.recover(Step.make("w40", { schema: Schema.Finite, run: () => 2 }), { when: "NoRate" })
  ),
  Pipeline.gen("x40", function* () {
    const decision = yield* Pipeline.ask(Primitive.decide("y40", { question: "Is it?" }))
    if (decision.decision) yield* Pipeline.ask(Step.make("z40", { schema: Schema.Finite, run: () => 1 }))
  }),
  Primitive.decide("j40", { question: Note.from(Note.handle("i40", Schema.Finite), String) }),
  Primitive.analyze("a50", { schema: Schema.Struct({ text: Schema.String }), prompt: "Extract 50" }).pipe(
    Step.retry({ times: 2 })
  ),
  Pipeline.filter("f50", {
    when: Note.from(Note.handle("a50", Schema.Struct({ text: Schema.String })), ({ text }) => text !== ""),
    step: Primitive.decide("b50", { question: "Is it?" })
  }),
  Pipeline.switch("s50", {
    on: Note.from(Note.handle("message", Schema.String), (text): "long" | "short" =>
      text.length > 9 ? "long" : "short"
    ),
    branches: {
      long: Primitive.categorize("c50", { question: "Which?", categories: ["x", "y"] }),
      short: Pipeline.sequence("t50", [
        Primitive.categorize("c50", { question: "Which?", categories: ["z", "w"] }),
        Step.make("d50", { schema: Schema.Finite, run: () => rate(50) })
      ])
    }
  }),
  Pipeline.concurrent("k50", {
    left: Step.make("e50", { schema: Schema.Finite, run: () => 1 }),
    right: Pipeline.race("r50", [
      Step.make("g50", { schema: Schema.Finite, run: () => 1 }),
      Step.make("g50", { schema: Schema.String, run: () => "one" })
    ])
  }),
  Step.enrich(Step.make("h50", { schema: Schema.Finite, run: () => rate(50) }), { name: "n50" }),
  Pipeline.fallback("o50", [
    Step.make("i50", { schema: Schema.Finite, run: () => rate(50) }),
    Step.make("i50", { schema: Schema.Finite, run: () => 0 })
  ]),
  Step.timeout(
    Step.retry(
      Pipeline.race("p50", [
        Pipeline.filter("q50", {
          when: () => true,
          step: Pipeline.sequence("u50", [Step.make("v50", { schema: Schema.Finite, run: () => rate(50) })])
        })
      ]),
      { times: 1, name: "m50" }
    ),
    "1 second",
    { name: "l50" }
  ),
  Step.make("w50", { schema: Schema.Finite, run: () => rate(1) }).pipe(
    Step.recover(Step.make("w50", { schema: Schema.Finite, run: () => 2 }), { when: "NoRate" })
  ),
  Pipeline.gen("x50", function* () {
    const decision = yield* Pipeline.ask(Primitive.decide("y50", { question: "Is it?" }))
    if (decision.decision) yield* Pipeline.ask(Step.make("z50", { schema: Schema.Finite, run: () => 1 }))
  }),
  Primitive.decide("j50", { question: Note.from(Note.handle("i50", Schema.Finite), String) }),
  Primitive.analyze("a60", { schema: Schema.Struct({ text: Schema.String }), prompt: "Extract 60" }).pipe(
    Step.retry({ times: 2 })
  ),
  Pipeline.filter("f60", {
    when: Note.from(Note.handle("a60", Schema.Struct({ text: Schema.String })), ({ text }) => text !== ""),
    step: Primitive.decide("b60", { question: "Is it?" })
  }),
  Pipeline.switch("s60", {
    on: Note.from(Note.handle("message", Schema.String), (text): "long" | "short" =>
      text.length > 9 ? "long" : "short"
    ),
    branches: {
      long: Primitive.categorize("c60", { question: "Which?", categories: ["x", "y"] }),
      short: Pipeline.sequence("t60", [
        Primitive.categorize("c60", { question: "Which?", categories: ["z", "w"] }),
        Step.make("d60", { schema: Schema.Finite, run: () => rate(60) })
      ])
    }
  }),
  Pipeline.concurrent("k60", {
    left: Step.make("e60", { schema: Schema.Finite, run: () => 1 }),
    right: Pipeline.race("r60", [
      Step.make("g60", { schema: Schema.Finite, run: () => 1 }),
      Step.make("g60", { schema: Schema.String, run: () => "one" })
    ])
  }),
  Step.enrich(Step.make("h60", { schema: Schema.Finite, run: () => rate(60) }), { name: "n60" }),
  Pipeline.fallback("o60", [
    Step.make("i60", { schema: Schema.Finite, run: () => rate(60) }),
    Step.make("i60", { schema: Schema.Finite, run: () => 0 })
  ]),
  Step.timeout(
    Step.retry(
      Pipeline.race("p60", [
        Pipeline.filter("q60", {
          when: () => true,
          step: Pipeline.sequence("u60", [Step.make("v60", { schema: Schema.Finite, run: () => rate(60) })])
        })
      ]),
      { times: 1, name: "m60" }
    ),
    "1 second",
    { name: "l60" }
  ),
  Step.make("w60", { schema: Schema.Finite, run: () => rate(1) }).pipe(
    Step.recover(Step.make("w60", { schema: Schema.Finite, run: () => 2 }), { when: "NoRate" })
  ),
  Pipeline.gen("x60", function* () {
    const decision = yield* Pipeline.ask(Primitive.decide("y60", { question: "Is it?" }))
    if (decision.decision) yield* Pipeline.ask(Step.make("z60", { schema: Schema.Finite, run: () => 1 }))
  }),
  Primitive.decide("j60", { question: Note.from(Note.handle("i60", Schema.Finite), String) }),
  Primitive.analyze("a70", { schema: Schema.Struct({ text: Schema.String }), prompt: "Extract 70" }).pipe(
    Step.retry({ times: 2 })
  ),
  Pipeline.filter("f70", {
    when: Note.from(Note.handle("a70", Schema.Struct({ text: Schema.String })), ({ text }) => text !== ""),
    step: Primitive.decide("b70", { question: "Is it?" })
  }),
  Pipeline.switch("s70", {
    on: Note.from(Note.handle("message", Schema.String), (text): "long" | "short" =>
      text.length > 9 ? "long" : "short"
    ),
    branches: {
      long: Primitive.categorize("c70", { question: "Which?", categories: ["x", "y"] }),
      short: Pipeline.sequence("t70", [
        Primitive.categorize("c70", { question: "Which?", categories: ["z", "w"] }),
        Step.make("d70", { schema: Schema.Finite, run: () => rate(70) })
      ])
    }
  }),
  Pipeline.concurrent("k70", {
    left: Step.make("e70", { schema: Schema.Finite, run: () => 1 }),
    right: Pipeline.race("r70", [
      Step.make("g70", { schema: Schema.Finite, run: () => 1 }),
      Step.make("g70", { schema: Schema.String, run: () => "one" })
    ])
  }),
  Step.enrich(Step.make("h70", { schema: Schema.Finite, run: () => rate(70) }), { name: "n70" }),
  Pipeline.fallback("o70", [
    Step.make("i70", { schema: Schema.Finite, run: () => rate(70) }),
    Step.make("i70", { schema: Schema.Finite, run: () => 0 })
  ]),
  Step.timeout(
    Step.retry(
      Pipeline.race("p70", [
        Pipeline.filter("q70", {
          when: () => true,
          step: Pipeline.sequence("u70", [Step.make("v70", { schema: Schema.Finite, run: () => rate(70) })])
        })
      ]),
      { times: 1, name: "m70" }
    ),
    "1 second",
    { name: "l70" }
  ),
  Step.make("w70", { schema: Schema.Finite, run: () => rate(1) }).pipe(
    Step.recover(Step.make("w70", { schema: Schema.Finite, run: () => 2 }), { when: "NoRate" })
  ),
  Pipeline.gen("x70", function* () {
    const decision = yield* Pipeline.ask(Primitive.decide("y70", { question: "Is it?" }))
    if (decision.decision) yield* Pipeline.ask(Step.make("z70", { schema: Schema.Finite, run: () => 1 }))
  }),
  Primitive.decide("j70", { question: Note.from(Note.handle("i70", Schema.Finite), String) }),
  Primitive.analyze("a80", { schema: Schema.Struct({ text: Schema.String }), prompt: "Extract 80" }).pipe(
    Step.retry({ times: 2 })
  ),
  Pipeline.filter("f80", {
    when: Note.from(Note.handle("a80", Schema.Struct({ text: Schema.String })), ({ text }) => text !== ""),
    step: Primitive.decide("b80", { question: "Is it?" })
  }),
  Pipeline.switch("s80", {
    on: Note.from(Note.handle("message", Schema.String), (text): "long" | "short" =>
      text.length > 9 ? "long" : "short"
    ),
    branches: {
      long: Primitive.categorize("c80", { question: "Which?", categories: ["x", "y"] }),
      short: Pipeline.sequence("t80", [
        Primitive.categorize("c80", { question: "Which?", categories: ["z", "w"] }),
        Step.make("d80", { schema: Schema.Finite, run: () => rate(80) })
      ])
    }
  }),
  Pipeline.concurrent("k80", {
    left: Step.make("e80", { schema: Schema.Finite, run: () => 1 }),
    right: Pipeline.race("r80", [
      Step.make("g80", { schema: Schema.Finite, run: () => 1 }),
      Step.make("g80", { schema: Schema.String, run: () => "one" })
    ])
  }),
  Step.enrich(Step.make("h80", { schema: Schema.Finite, run: () => rate(80) }), { name: "n80" }),
  Pipeline.fallback("o80", [
    Step.make("i80", { schema: Schema.Finite, run: () => rate(80) }),
    Step.make("i80", { schema: Schema.Finite, run: () => 0 })
  ]),
  Step.timeout(
    Step.retry(
      Pipeline.race("p80", [
        Pipeline.filter("q80", {
          when: () => true,
          step: Pipeline.sequence("u80", [Step.make("v80", { schema: Schema.Finite, run: () => rate(80) })])
        })
      ]),
      { times: 1, name: "m80" }
    ),
    "1 second",
    { name: "l80" }
  ),
  Step.make("w80", { schema: Schema.Finite, run: () => rate(1) }).pipe(
    Step.recover(Step.make("w80", { schema: Schema.Finite, run: () => 2 }), { when: "NoRate" })
  ),
  Pipeline.gen("x80", function* () {
    const decision = yield* Pipeline.ask(Primitive.decide("y80", { question: "Is it?" }))
    if (decision.decision) yield* Pipeline.ask(Step.make("z80", { schema: Schema.Finite, run: () => 1 }))
  }),
  Primitive.decide("j80", { question: Note.from(Note.handle("i80", Schema.Finite), String) }),
  Primitive.analyze("a90", { schema: Schema.Struct({ text: Schema.String }), prompt: "Extract 90" }).pipe(
    Step.retry({ times: 2 })
  ),
  Pipeline.filter("f90", {
    when: Note.from(Note.handle("a90", Schema.Struct({ text: Schema.String })), ({ text }) => text !== ""),
    step: Primitive.decide("b90", { question: "Is it?" })
  }),
  Pipeline.switch("s90", {
    on: Note.from(Note.handle("message", Schema.String), (text): "long" | "short" =>
      text.length > 9 ? "long" : "short"
    ),
    branches: {
      long: Primitive.categorize("c90", { question: "Which?", categories: ["x", "y"] }),
      short: Pipeline.sequence("t90", [
        Primitive.categorize("c90", { question: "Which?", categories: ["z", "w"] }),
        Step.make("d90", { schema: Schema.Finite, run: () => rate(90) })
      ])
    }
  }),
  Pipeline.concurrent("k90", {
    left: Step.make("e90", { schema: Schema.Finite, run: () => 1 }),
    right: Pipeline.race("r90", [
      Step.make("g90", { schema: Schema.Finite, run: () => 1 }),
      Step.make("g90", { schema: Schema.String, run: () => "one" })
    ])
  }),
  Step.enrich(Step.make("h90", { schema: Schema.Finite, run: () => rate(90) }), { name: "n90" }),
  Pipeline.fallback("o90", [
    Step.make("i90", { schema: Schema.Finite, run: () => rate(90) }),
    Step.make("i90", { schema: Schema.Finite, run: () => 0 })
  ]),
  Step.timeout(
    Step.retry(
      Pipeline.race("p90", [
        Pipeline.filter("q90", {
          when: () => true,
          step: Pipeline.sequence("u90", [Step.make("v90", { schema: Schema.Finite, run: () => rate(90) })])
        })
      ]),
      { times: 1, name: "m90" }
    ),
    "1 second",
    { name: "l90" }
  ),
  Step.make("w90", { schema: Schema.Finite, run: () => rate(1) }).pipe(
    Step.recover(Step.make("w90", { schema: Schema.Finite, run: () => 2 }), { when: "NoRate" })
  ),
  Pipeline.gen("x90", function* () {
    const decision = yield* Pipeline.ask(Primitive.decide("y90", { question: "Is it?" }))
    if (decision.decision) yield* Pipeline.ask(Step.make("z90", { schema: Schema.Finite, run: () => 1 }))
  }),
  Primitive.decide("j90", { question: Note.from(Note.handle("i90", Schema.Finite), String) })
])

same<Step.In<typeof hundred>, { readonly message: string }>(true)
same<Step.Err<typeof hundred>, Provider.ProviderError | Synapse.ResponseError | NoRate | Step.TimeoutError>(true)
same<Step.Req<typeof hundred>, Provider.Provider | Rates>(true)
same<
  Step.Out<typeof hundred>,
  {
    readonly a0: { readonly text: string }
    readonly b0?: Synapse.Decision
    readonly c0: Synapse.Classification<"x" | "y"> | Synapse.Classification<"z" | "w">
    readonly d0?: number
    readonly e0: number
    readonly g0: number | string
    readonly h0?: number
    readonly i0: number
    readonly v0?: number
    readonly w0: number
    readonly y0?: Synapse.Decision
    readonly z0?: number
    readonly j0: Synapse.Decision
    readonly a10: { readonly text: string }
    readonly b10?: Synapse.Decision
    readonly c10: Synapse.Classification<"x" | "y"> | Synapse.Classification<"z" | "w">
    readonly d10?: number
    readonly e10: number
    readonly g10: number | string
    readonly h10?: number
    readonly i10: number
    readonly v10?: number
    readonly w10: number
    readonly y10?: Synapse.Decision
    readonly z10?: number
    readonly j10: Synapse.Decision
    readonly a20: { readonly text: string }
    readonly b20?: Synapse.Decision
    readonly c20: Synapse.Classification<"x" | "y"> | Synapse.Classification<"z" | "w">
    readonly d20?: number
    readonly e20: number
    readonly g20: number | string
    readonly h20?: number
    readonly i20: number
    readonly v20?: number
    readonly w20: number
    readonly y20?: Synapse.Decision
    readonly z20?: number
    readonly j20: Synapse.Decision
    readonly a30: { readonly text: string }
    readonly b30?: Synapse.Decision
    readonly c30: Synapse.Classification<"x" | "y"> | Synapse.Classification<"z" | "w">
    readonly d30?: number
    readonly e30: number
    readonly g30: number | string
    readonly h30?: number
    readonly i30: number
    readonly v30?: number
    readonly w30: number
    readonly y30?: Synapse.Decision
    readonly z30?: number
    readonly j30: Synapse.Decision
    readonly a40: { readonly text: string }
    readonly b40?: Synapse.Decision
    readonly c40: Synapse.Classification<"x" | "y"> | Synapse.Classification<"z" | "w">
    readonly d40?: number
    readonly e40: number
    readonly g40: number | string
    readonly h40?: number
    readonly i40: number
    readonly v40?: number
    readonly w40: number
    readonly y40?: Synapse.Decision
    readonly z40?: number
    readonly j40: Synapse.Decision
    readonly a50: { readonly text: string }
    readonly b50?: Synapse.Decision
    readonly c50: Synapse.Classification<"x" | "y"> | Synapse.Classification<"z" | "w">
    readonly d50?: number
    readonly e50: number
    readonly g50: number | string
    readonly h50?: number
    readonly i50: number
    readonly v50?: number
    readonly w50: number
    readonly y50?: Synapse.Decision
    readonly z50?: number
    readonly j50: Synapse.Decision
    readonly a60: { readonly text: string }
    readonly b60?: Synapse.Decision
    readonly c60: Synapse.Classification<"x" | "y"> | Synapse.Classification<"z" | "w">
    readonly d60?: number
    readonly e60: number
    readonly g60: number | string
    readonly h60?: number
    readonly i60: number
    readonly v60?: number
    readonly w60: number
    readonly y60?: Synapse.Decision
    readonly z60?: number
    readonly j60: Synapse.Decision
    readonly a70: { readonly text: string }
    readonly b70?: Synapse.Decision
    readonly c70: Synapse.Classification<"x" | "y"> | Synapse.Classification<"z" | "w">
    readonly d70?: number
    readonly e70: number
    readonly g70: number | string
    readonly h70?: number
    readonly i70: number
    readonly v70?: number
    readonly w70: number
    readonly y70?: Synapse.Decision
    readonly z70?: number
    readonly j70: Synapse.Decision
    readonly a80: { readonly text: string }
    readonly b80?: Synapse.Decision
    readonly c80: Synapse.Classification<"x" | "y"> | Synapse.Classification<"z" | "w">
    readonly d80?: number
    readonly e80: number
    readonly g80: number | string
    readonly h80?: number
    readonly i80: number
    readonly v80?: number
    readonly w80: number
    readonly y80?: Synapse.Decision
    readonly z80?: number
    readonly j80: Synapse.Decision
    readonly a90: { readonly text: string }
    readonly b90?: Synapse.Decision
    readonly c90: Synapse.Classification<"x" | "y"> | Synapse.Classification<"z" | "w">
    readonly d90?: number
    readonly e90: number
    readonly g90: number | string
    readonly h90?: number
    readonly i90: number
    readonly v90?: number
    readonly w90: number
    readonly y90?: Synapse.Decision
    readonly z90?: number
    readonly j90: Synapse.Decision
  }
>(true)
