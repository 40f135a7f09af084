import { Context, Data, type Effect, Schema } from "effect"
import { type Memory, Note, Pipeline, Primitive, type Provider, Step, type Synapse, type Thought } from "cogito"
import { same } from "./same.ts"

// A hundred inline steps of every form in one sequence: what it reads, adds, fails with and needs stays exact.

class Rates extends Context.Service<Rates, { readonly euro: number }>()("test/Rates") {}
class NoRate extends Data.TaggedError("NoRate")<{ readonly currency: string }> {}
declare const rate: (n: number) => Effect.Effect<number, NoRate, Rates>

const hundred = Pipeline.sequence("hundred", [
  Primitive.analyze("n0", { schema: Schema.Struct({ a0: Schema.String, b: Schema.Finite }), prompt: "Extract 0" }),
  Primitive.decide("n1", {
    question: Note.from(Note.handle("n0", Schema.Struct({ a0: Schema.String, b: Schema.Finite })), (t) => t.a0)
  }),
  Primitive.categorize("n2", { question: "Which?", categories: ["x2", "y2"] }),
  Primitive.seek("n3", { query: Note.from(Note.handle("message", Schema.String), (t) => t) }),
  Step.make("n4", {
    schema: Schema.Finite,
    run: (thought: Thought.Thought<{ readonly message: string }>) => thought.get("message").length
  }),
  Step.make("n5", { schema: Schema.Finite, run: Note.from(Note.handle("n4", Schema.Finite), (n) => rate(n)) }).pipe(
    Step.when(
      "w5",
      (thought) => thought.get("n5") > 0,
      Step.make("n5_maybe", { schema: Schema.String, run: () => "x" })
    )
  ),
  Primitive.assess("n6", { question: "How does it feel?" }).pipe(
    Step.andThen(
      Step.make("n6_short", {
        schema: Schema.String,
        run: Note.from(Note.handle("message", Schema.String), (text) => text)
      })
    )
  ),
  Primitive.analyze("n7", { schema: Schema.Struct({ a7: Schema.String, b: Schema.Finite }), prompt: "Extract 7" }),
  Primitive.decide("n8", {
    question: Note.from(Note.handle("n7", Schema.Struct({ a7: Schema.String, b: Schema.Finite })), (t) => t.a7)
  }),
  Primitive.categorize("n9", { question: "Which?", categories: ["x9", "y9"] }),
  Primitive.seek("n10", { query: Note.from(Note.handle("message", Schema.String), (t) => t) }),
  Step.make("n11", {
    schema: Schema.Finite,
    run: (thought: Thought.Thought<{ readonly message: string }>) => thought.get("message").length
  }),
  Step.make("n12", { schema: Schema.Finite, run: Note.from(Note.handle("n11", Schema.Finite), (n) => rate(n)) }).pipe(
    Step.when(
      "w12",
      (thought) => thought.get("n12") > 0,
      Step.make("n12_maybe", { schema: Schema.String, run: () => "x" })
    )
  ),
  Primitive.assess("n13", { question: "How does it feel?" }).pipe(
    Step.andThen(
      Step.make("n13_short", {
        schema: Schema.String,
        run: Note.from(Note.handle("message", Schema.String), (text) => text)
      })
    )
  ),
  Primitive.analyze("n14", { schema: Schema.Struct({ a14: Schema.String, b: Schema.Finite }), prompt: "Extract 14" }),
  Primitive.decide("n15", {
    question: Note.from(Note.handle("n14", Schema.Struct({ a14: Schema.String, b: Schema.Finite })), (t) => t.a14)
  }),
  Primitive.categorize("n16", { question: "Which?", categories: ["x16", "y16"] }),
  Primitive.seek("n17", { query: Note.from(Note.handle("message", Schema.String), (t) => t) }),
  Step.make("n18", {
    schema: Schema.Finite,
    run: (thought: Thought.Thought<{ readonly message: string }>) => thought.get("message").length
  }),
  Step.make("n19", { schema: Schema.Finite, run: Note.from(Note.handle("n18", Schema.Finite), (n) => rate(n)) }).pipe(
    Step.when(
      "w19",
      (thought) => thought.get("n19") > 0,
      Step.make("n19_maybe", { schema: Schema.String, run: () => "x" })
    )
  ),
  Primitive.assess("n20", { question: "How does it feel?" }).pipe(
    Step.andThen(
      Step.make("n20_short", {
        schema: Schema.String,
        run: Note.from(Note.handle("message", Schema.String), (text) => text)
      })
    )
  ),
  Primitive.analyze("n21", { schema: Schema.Struct({ a21: Schema.String, b: Schema.Finite }), prompt: "Extract 21" }),
  Primitive.decide("n22", {
    question: Note.from(Note.handle("n21", Schema.Struct({ a21: Schema.String, b: Schema.Finite })), (t) => t.a21)
  }),
  Primitive.categorize("n23", { question: "Which?", categories: ["x23", "y23"] }),
  Primitive.seek("n24", { query: Note.from(Note.handle("message", Schema.String), (t) => t) }),
  Step.make("n25", {
    schema: Schema.Finite,
    run: (thought: Thought.Thought<{ readonly message: string }>) => thought.get("message").length
  }),
  Step.make("n26", { schema: Schema.Finite, run: Note.from(Note.handle("n25", Schema.Finite), (n) => rate(n)) }).pipe(
    Step.when(
      "w26",
      (thought) => thought.get("n26") > 0,
      Step.make("n26_maybe", { schema: Schema.String, run: () => "x" })
    )
  ),
  Primitive.assess("n27", { question: "How does it feel?" }).pipe(
    Step.andThen(
      Step.make("n27_short", {
        schema: Schema.String,
        run: Note.from(Note.handle("message", Schema.String), (text) => text)
      })
    )
  ),
  Primitive.analyze("n28", { schema: Schema.Struct({ a28: Schema.String, b: Schema.Finite }), prompt: "Extract 28" }),
  Primitive.decide("n29", {
    question: Note.from(Note.handle("n28", Schema.Struct({ a28: Schema.String, b: Schema.Finite })), (t) => t.a28)
  }),
  Primitive.categorize("n30", { question: "Which?", categories: ["x30", "y30"] }),
  Primitive.seek("n31", { query: Note.from(Note.handle("message", Schema.String), (t) => t) }),
  Step.make("n32", {
    schema: Schema.Finite,
    run: (thought: Thought.Thought<{ readonly message: string }>) => thought.get("message").length
  }),
  Step.make("n33", { schema: Schema.Finite, run: Note.from(Note.handle("n32", Schema.Finite), (n) => rate(n)) }).pipe(
    Step.when(
      "w33",
      (thought) => thought.get("n33") > 0,
      Step.make("n33_maybe", { schema: Schema.String, run: () => "x" })
    )
  ),
  Primitive.assess("n34", { question: "How does it feel?" }).pipe(
    Step.andThen(
      Step.make("n34_short", {
        schema: Schema.String,
        run: Note.from(Note.handle("message", Schema.String), (text) => text)
      })
    )
  ),
  Primitive.analyze("n35", { schema: Schema.Struct({ a35: Schema.String, b: Schema.Finite }), prompt: "Extract 35" }),
  Primitive.decide("n36", {
    question: Note.from(Note.handle("n35", Schema.Struct({ a35: Schema.String, b: Schema.Finite })), (t) => t.a35)
  }),
  Primitive.categorize("n37", { question: "Which?", categories: ["x37", "y37"] }),
  Primitive.seek("n38", { query: Note.from(Note.handle("message", Schema.String), (t) => t) }),
  Step.make("n39", {
    schema: Schema.Finite,
    run: (thought: Thought.Thought<{ readonly message: string }>) => thought.get("message").length
  }),
  Step.make("n40", { schema: Schema.Finite, run: Note.from(Note.handle("n39", Schema.Finite), (n) => rate(n)) }).pipe(
    Step.when(
      "w40",
      (thought) => thought.get("n40") > 0,
      Step.make("n40_maybe", { schema: Schema.String, run: () => "x" })
    )
  ),
  Primitive.assess("n41", { question: "How does it feel?" }).pipe(
    Step.andThen(
      Step.make("n41_short", {
        schema: Schema.String,
        run: Note.from(Note.handle("message", Schema.String), (text) => text)
      })
    )
  ),
  Primitive.analyze("n42", { schema: Schema.Struct({ a42: Schema.String, b: Schema.Finite }), prompt: "Extract 42" }),
  Primitive.decide("n43", {
    question: Note.from(Note.handle("n42", Schema.Struct({ a42: Schema.String, b: Schema.Finite })), (t) => t.a42)
  }),
  Primitive.categorize("n44", { question: "Which?", categories: ["x44", "y44"] }),
  Primitive.seek("n45", { query: Note.from(Note.handle("message", Schema.String), (t) => t) }),
  Step.make("n46", {
    schema: Schema.Finite,
    run: (thought: Thought.Thought<{ readonly message: string }>) => thought.get("message").length
  }),
  Step.make("n47", { schema: Schema.Finite, run: Note.from(Note.handle("n46", Schema.Finite), (n) => rate(n)) }).pipe(
    Step.when(
      "w47",
      (thought) => thought.get("n47") > 0,
      Step.make("n47_maybe", { schema: Schema.String, run: () => "x" })
    )
  ),
  Primitive.assess("n48", { question: "How does it feel?" }).pipe(
    Step.andThen(
      Step.make("n48_short", {
        schema: Schema.String,
        run: Note.from(Note.handle("message", Schema.String), (text) => text)
      })
    )
  ),
  Primitive.analyze("n49", { schema: Schema.Struct({ a49: Schema.String, b: Schema.Finite }), prompt: "Extract 49" }),
  Primitive.decide("n50", {
    question: Note.from(Note.handle("n49", Schema.Struct({ a49: Schema.String, b: Schema.Finite })), (t) => t.a49)
  }),
  Primitive.categorize("n51", { question: "Which?", categories: ["x51", "y51"] }),
  Primitive.seek("n52", { query: Note.from(Note.handle("message", Schema.String), (t) => t) }),
  Step.make("n53", {
    schema: Schema.Finite,
    run: (thought: Thought.Thought<{ readonly message: string }>) => thought.get("message").length
  }),
  Step.make("n54", { schema: Schema.Finite, run: Note.from(Note.handle("n53", Schema.Finite), (n) => rate(n)) }).pipe(
    Step.when(
      "w54",
      (thought) => thought.get("n54") > 0,
      Step.make("n54_maybe", { schema: Schema.String, run: () => "x" })
    )
  ),
  Primitive.assess("n55", { question: "How does it feel?" }).pipe(
    Step.andThen(
      Step.make("n55_short", {
        schema: Schema.String,
        run: Note.from(Note.handle("message", Schema.String), (text) => text)
      })
    )
  ),
  Primitive.analyze("n56", { schema: Schema.Struct({ a56: Schema.String, b: Schema.Finite }), prompt: "Extract 56" }),
  Primitive.decide("n57", {
    question: Note.from(Note.handle("n56", Schema.Struct({ a56: Schema.String, b: Schema.Finite })), (t) => t.a56)
  }),
  Primitive.categorize("n58", { question: "Which?", categories: ["x58", "y58"] }),
  Primitive.seek("n59", { query: Note.from(Note.handle("message", Schema.String), (t) => t) }),
  Step.make("n60", {
    schema: Schema.Finite,
    run: (thought: Thought.Thought<{ readonly message: string }>) => thought.get("message").length
  }),
  Step.make("n61", { schema: Schema.Finite, run: Note.from(Note.handle("n60", Schema.Finite), (n) => rate(n)) }).pipe(
    Step.when(
      "w61",
      (thought) => thought.get("n61") > 0,
      Step.make("n61_maybe", { schema: Schema.String, run: () => "x" })
    )
  ),
  Primitive.assess("n62", { question: "How does it feel?" }).pipe(
    Step.andThen(
      Step.make("n62_short", {
        schema: Schema.String,
        run: Note.from(Note.handle("message", Schema.String), (text) => text)
      })
    )
  ),
  Primitive.analyze("n63", { schema: Schema.Struct({ a63: Schema.String, b: Schema.Finite }), prompt: "Extract 63" }),
  Primitive.decide("n64", {
    question: Note.from(Note.handle("n63", Schema.Struct({ a63: Schema.String, b: Schema.Finite })), (t) => t.a63)
  }),
  Primitive.categorize("n65", { question: "Which?", categories: ["x65", "y65"] }),
  Primitive.seek("n66", { query: Note.from(Note.handle("message", Schema.String), (t) => t) }),
  Step.make("n67", {
    schema: Schema.Finite,
    run: (thought: Thought.Thought<{ readonly message: string }>) => thought.get("message").length
  }),
  Step.make("n68", { schema: Schema.Finite, run: Note.from(Note.handle("n67", Schema.Finite), (n) => rate(n)) }).pipe(
    Step.when(
      "w68",
      (thought) => thought.get("n68") > 0,
      Step.make("n68_maybe", { schema: Schema.String, run: () => "x" })
    )
  ),
  Primitive.assess("n69", { question: "How does it feel?" }).pipe(
    Step.andThen(
      Step.make("n69_short", {
        schema: Schema.String,
        run: Note.from(Note.handle("message", Schema.String), (text) => text)
      })
    )
  ),
  Primitive.analyze("n70", { schema: Schema.Struct({ a70: Schema.String, b: Schema.Finite }), prompt: "Extract 70" }),
  Primitive.decide("n71", {
    question: Note.from(Note.handle("n70", Schema.Struct({ a70: Schema.String, b: Schema.Finite })), (t) => t.a70)
  }),
  Primitive.categorize("n72", { question: "Which?", categories: ["x72", "y72"] }),
  Primitive.seek("n73", { query: Note.from(Note.handle("message", Schema.String), (t) => t) }),
  Step.make("n74", {
    schema: Schema.Finite,
    run: (thought: Thought.Thought<{ readonly message: string }>) => thought.get("message").length
  }),
  Step.make("n75", { schema: Schema.Finite, run: Note.from(Note.handle("n74", Schema.Finite), (n) => rate(n)) }).pipe(
    Step.when(
      "w75",
      (thought) => thought.get("n75") > 0,
      Step.make("n75_maybe", { schema: Schema.String, run: () => "x" })
    )
  ),
  Primitive.assess("n76", { question: "How does it feel?" }).pipe(
    Step.andThen(
      Step.make("n76_short", {
        schema: Schema.String,
        run: Note.from(Note.handle("message", Schema.String), (text) => text)
      })
    )
  ),
  Primitive.analyze("n77", { schema: Schema.Struct({ a77: Schema.String, b: Schema.Finite }), prompt: "Extract 77" }),
  Primitive.decide("n78", {
    question: Note.from(Note.handle("n77", Schema.Struct({ a77: Schema.String, b: Schema.Finite })), (t) => t.a77)
  }),
  Primitive.categorize("n79", { question: "Which?", categories: ["x79", "y79"] }),
  Primitive.seek("n80", { query: Note.from(Note.handle("message", Schema.String), (t) => t) }),
  Step.make("n81", {
    schema: Schema.Finite,
    run: (thought: Thought.Thought<{ readonly message: string }>) => thought.get("message").length
  }),
  Step.make("n82", { schema: Schema.Finite, run: Note.from(Note.handle("n81", Schema.Finite), (n) => rate(n)) }).pipe(
    Step.when(
      "w82",
      (thought) => thought.get("n82") > 0,
      Step.make("n82_maybe", { schema: Schema.String, run: () => "x" })
    )
  ),
  Primitive.assess("n83", { question: "How does it feel?" }).pipe(
    Step.andThen(
      Step.make("n83_short", {
        schema: Schema.String,
        run: Note.from(Note.handle("message", Schema.String), (text) => text)
      })
    )
  ),
  Primitive.analyze("n84", { schema: Schema.Struct({ a84: Schema.String, b: Schema.Finite }), prompt: "Extract 84" }),
  Primitive.decide("n85", {
    question: Note.from(Note.handle("n84", Schema.Struct({ a84: Schema.String, b: Schema.Finite })), (t) => t.a84)
  }),
  Primitive.categorize("n86", { question: "Which?", categories: ["x86", "y86"] }),
  Primitive.seek("n87", { query: Note.from(Note.handle("message", Schema.String), (t) => t) }),
  Step.make("n88", {
    schema: Schema.Finite,
    run: (thought: Thought.Thought<{ readonly message: string }>) => thought.get("message").length
  }),
  Step.make("n89", { schema: Schema.Finite, run: Note.from(Note.handle("n88", Schema.Finite), (n) => rate(n)) }).pipe(
    Step.when(
      "w89",
      (thought) => thought.get("n89") > 0,
      Step.make("n89_maybe", { schema: Schema.String, run: () => "x" })
    )
  ),
  Primitive.assess("n90", { question: "How does it feel?" }).pipe(
    Step.andThen(
      Step.make("n90_short", {
        schema: Schema.String,
        run: Note.from(Note.handle("message", Schema.String), (text) => text)
      })
    )
  ),
  Primitive.analyze("n91", { schema: Schema.Struct({ a91: Schema.String, b: Schema.Finite }), prompt: "Extract 91" }),
  Primitive.decide("n92", {
    question: Note.from(Note.handle("n91", Schema.Struct({ a91: Schema.String, b: Schema.Finite })), (t) => t.a91)
  }),
  Primitive.categorize("n93", { question: "Which?", categories: ["x93", "y93"] }),
  Primitive.seek("n94", { query: Note.from(Note.handle("message", Schema.String), (t) => t) }),
  Step.make("n95", {
    schema: Schema.Finite,
    run: (thought: Thought.Thought<{ readonly message: string }>) => thought.get("message").length
  }),
  Step.make("n96", { schema: Schema.Finite, run: Note.from(Note.handle("n95", Schema.Finite), (n) => rate(n)) }).pipe(
    Step.when(
      "w96",
      (thought) => thought.get("n96") > 0,
      Step.make("n96_maybe", { schema: Schema.String, run: () => "x" })
    )
  ),
  Primitive.assess("n97", { question: "How does it feel?" }).pipe(
    Step.andThen(
      Step.make("n97_short", {
        schema: Schema.String,
        run: Note.from(Note.handle("message", Schema.String), (text) => text)
      })
    )
  ),
  Primitive.analyze("n98", { schema: Schema.Struct({ a98: Schema.String, b: Schema.Finite }), prompt: "Extract 98" }),
  Primitive.decide("n99", {
    question: Note.from(Note.handle("n98", Schema.Struct({ a98: Schema.String, b: Schema.Finite })), (t) => t.a98)
  })
])

same<
  typeof hundred,
  Step.Step<
    { readonly message: string },
    Hundred,
    Provider.ProviderError | Synapse.ResponseError | Memory.MemoryError | NoRate,
    Provider.Provider | Memory.Memory | Rates
  >
>(true)

type Hundred = {
  readonly n0: { readonly a0: string; readonly b: number }
  readonly n1: Synapse.Decision
  readonly n2: Synapse.Classification<"x2" | "y2">
  readonly n3: Primitive.Findings
  readonly n4: number
  readonly n5: number
  readonly n5_maybe?: string
  readonly n6: Synapse.Assessment
  readonly n6_short: string
  readonly n7: { readonly a7: string; readonly b: number }
  readonly n8: Synapse.Decision
  readonly n9: Synapse.Classification<"x9" | "y9">
  readonly n10: Primitive.Findings
  readonly n11: number
  readonly n12: number
  readonly n12_maybe?: string
  readonly n13: Synapse.Assessment
  readonly n13_short: string
  readonly n14: { readonly a14: string; readonly b: number }
  readonly n15: Synapse.Decision
  readonly n16: Synapse.Classification<"x16" | "y16">
  readonly n17: Primitive.Findings
  readonly n18: number
  readonly n19: number
  readonly n19_maybe?: string
  readonly n20: Synapse.Assessment
  readonly n20_short: string
  readonly n21: { readonly a21: string; readonly b: number }
  readonly n22: Synapse.Decision
  readonly n23: Synapse.Classification<"x23" | "y23">
  readonly n24: Primitive.Findings
  readonly n25: number
  readonly n26: number
  readonly n26_maybe?: string
  readonly n27: Synapse.Assessment
  readonly n27_short: string
  readonly n28: { readonly a28: string; readonly b: number }
  readonly n29: Synapse.Decision
  readonly n30: Synapse.Classification<"x30" | "y30">
  readonly n31: Primitive.Findings
  readonly n32: number
  readonly n33: number
  readonly n33_maybe?: string
  readonly n34: Synapse.Assessment
  readonly n34_short: string
  readonly n35: { readonly a35: string; readonly b: number }
  readonly n36: Synapse.Decision
  readonly n37: Synapse.Classification<"x37" | "y37">
  readonly n38: Primitive.Findings
  readonly n39: number
  readonly n40: number
  readonly n40_maybe?: string
  readonly n41: Synapse.Assessment
  readonly n41_short: string
  readonly n42: { readonly a42: string; readonly b: number }
  readonly n43: Synapse.Decision
  readonly n44: Synapse.Classification<"x44" | "y44">
  readonly n45: Primitive.Findings
  readonly n46: number
  readonly n47: number
  readonly n47_maybe?: string
  readonly n48: Synapse.Assessment
  readonly n48_short: string
  readonly n49: { readonly a49: string; readonly b: number }
  readonly n50: Synapse.Decision
  readonly n51: Synapse.Classification<"x51" | "y51">
  readonly n52: Primitive.Findings
  readonly n53: number
  readonly n54: number
  readonly n54_maybe?: string
  readonly n55: Synapse.Assessment
  readonly n55_short: string
  readonly n56: { readonly a56: string; readonly b: number }
  readonly n57: Synapse.Decision
  readonly n58: Synapse.Classification<"x58" | "y58">
  readonly n59: Primitive.Findings
  readonly n60: number
  readonly n61: number
  readonly n61_maybe?: string
  readonly n62: Synapse.Assessment
  readonly n62_short: string
  readonly n63: { readonly a63: string; readonly b: number }
  readonly n64: Synapse.Decision
  readonly n65: Synapse.Classification<"x65" | "y65">
  readonly n66: Primitive.Findings
  readonly n67: number
  readonly n68: number
  readonly n68_maybe?: string
  readonly n69: Synapse.Assessment
  readonly n69_short: string
  readonly n70: { readonly a70: string; readonly b: number }
  readonly n71: Synapse.Decision
  readonly n72: Synapse.Classification<"x72" | "y72">
  readonly n73: Primitive.Findings
  readonly n74: number
  readonly n75: number
  readonly n75_maybe?: string
  readonly n76: Synapse.Assessment
  readonly n76_short: string
  readonly n77: { readonly a77: string; readonly b: number }
  readonly n78: Synapse.Decision
  readonly n79: Synapse.Classification<"x79" | "y79">
  readonly n80: Primitive.Findings
  readonly n81: number
  readonly n82: number
  readonly n82_maybe?: string
  readonly n83: Synapse.Assessment
  readonly n83_short: string
  readonly n84: { readonly a84: string; readonly b: number }
  readonly n85: Synapse.Decision
  readonly n86: Synapse.Classification<"x86" | "y86">
  readonly n87: Primitive.Findings
  readonly n88: number
  readonly n89: number
  readonly n89_maybe?: string
  readonly n90: Synapse.Assessment
  readonly n90_short: string
  readonly n91: { readonly a91: string; readonly b: number }
  readonly n92: Synapse.Decision
  readonly n93: Synapse.Classification<"x93" | "y93">
  readonly n94: Primitive.Findings
  readonly n95: number
  readonly n96: number
  readonly n96_maybe?: string
  readonly n97: Synapse.Assessment
  readonly n97_short: string
  readonly n98: { readonly a98: string; readonly b: number }
  readonly n99: Synapse.Decision
}

declare const begun: Thought.Thought<{ readonly message: string }>
const ran = Pipeline.run(hundred, begun)
same<
  Effect.Error<typeof ran>,
  Pipeline.PipelineError<Provider.ProviderError | Synapse.ResponseError | Memory.MemoryError | NoRate>
>(true)
declare const done: Effect.Success<typeof ran>
const message = done.get("message")
same<typeof message, string>(true)
const last = done.get("n99").decision
same<typeof last, boolean>(true)
const maybe = done.get("n96_maybe")
same<typeof maybe, string | undefined>(true)
declare const unfit: Thought.Thought
// @ts-expect-error Property 'message' is missing
void Pipeline.run(hundred, unfit)
