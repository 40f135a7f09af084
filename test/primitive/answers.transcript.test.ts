import { it } from "@effect/vitest"
import { Duration, Effect, Schema } from "effect"
import { Note, Pipeline, Primitive, Provider, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { observe, start } from "../observed.ts"
import { transcribe } from "../transcript.ts"

const yes = { decision: true, confidence: 0.91, reasoning: ["It says so.", "Twice."] }
const no = { decision: false, confidence: 0.62, reasoning: ["It asks."] }
const billing = { primary: "billing", secondary: "other", confidence: 0.83, reasoning: ["It is of a card."] }
const mood = {
  overall: "negative",
  confidence: 0.74,
  scores: { positive: 0.1, negative: 0.7, neutral: 0.2 },
  emotions: ["anger"],
  aspects: { tone: "mixed", price: "negative" },
  reasoning: ["Short."]
}
const ranked = { ranked: ["refund", "call", "wait"], confidence: 0.55, reasoning: ["By haste."] }
const usage = { inputTokens: 31, outputTokens: 17, cachedInputTokens: 9 }
const sampling = { temperature: 0.3, maxTokens: 222, seed: 5, stop: ["END", "STOP"], effort: "high" }
const capabilities = { temperature: "free", efforts: ["low", "high"], structuredOutput: "none" } as const
const script = { usage, capabilities }
const message = Note.handle("message", Schema.String)
const customer = Note.handle("customer", Schema.String)
const list = Note.handle("list", Schema.Array(Schema.String))
const Bill = Schema.Struct({ amount: Schema.Finite, currency: Schema.String })
const other = Testing.scripted([yes, "The other looks back.", "The other summary.", yes], {
  name: "other",
  model: "other-1",
  usage: { inputTokens: 3 }
})
const failing = new Provider.ProviderError({
  provider: "vendor",
  model: "vendor-1",
  reason: { _tag: "Overloaded", message: "Busy.", retryAfter: Duration.seconds(7) },
  usage: { inputTokens: 2 },
  requestId: "request-5"
})

const decided = Pipeline.sequence("twice", [
  Primitive.decide("urgent", { question: "Is it urgent?", introspect: true }),
  Primitive.decide("known", { question: "Is it known?", view: { recent: 1 }, introspect: { prompt: "What of it?" } }),
  Primitive.decide("mine", { question: "Is it mine?", view: { summaryAndRecent: 2 }, introspect: false })
])
const described = { billing: "money", technical: "errors", other: "the rest" }

it.effect("what questions send, write and signal", () =>
  transcribe("answers", {
    "A yes/no question": observe(Primitive.decide("urgent", { question: "Is it urgent?" }), { replies: [yes] }),
    "A question read from an untrusted note": observe(
      Primitive.decide("urgent", { question: Note.from(message, (text) => `Is «${text}» urgent?`) }),
      { replies: [yes] }
    ),
    "A question read from a trusted note": observe(
      Primitive.decide("urgent", { question: Note.from(customer, (text) => `Is ${text} known?`) }),
      { replies: [no] }
    ),
    "A question with every option, repaired once, on a model with plain text": observe(
      Primitive.decide("urgent", {
        question: "Is it urgent?",
        sampling,
        repairs: 2,
        reasons: true,
        parsing: "lenient",
        via: "text",
        view: { recent: 3 },
        compact: false,
        introspect: {
          prompt: "What was unsure?",
          summaryKey: "doubt",
          onFailure: "skip",
          sampling: { temperature: 0.8, maxTokens: 77 }
        }
      }),
      {
        replies: ["No JSON at all.", "{\"decision\": true, confidence: 0.4, reasoning: ['So.'],}", "I was unsure."],
        script
      }
    ),
    "Looking back that fails and is skipped": observe(
      Primitive.decide("urgent", { question: "Is it urgent?", introspect: { onFailure: "skip" } }),
      { replies: [yes, failing], script }
    ),
    "Looking back that fails": observe(
      Primitive.decide("urgent", { question: "Is it urgent?", introspect: { summaryKey: "doubt" } }),
      { replies: [yes, failing], script }
    ),
    "Three questions in one conversation, two of which look back, with partial views": observe(decided, {
      replies: [yes, "Bear in mind: money.", no, "It is known.", yes],
      script: { usage }
    }),
    "A provider of the step's own": observe(
      Primitive.decide("urgent", { question: "Is it urgent?", provider: other.provider, introspect: true })
    ),
    "An answer that cannot be read, when no repairs are left": observe(
      Primitive.decide("urgent", { question: "Is it urgent?", repairs: 0 }),
      { replies: ["perhaps"], script: { usage } }
    ),
    "A native answer with reasons": observe(
      Primitive.decide("urgent", { question: "Is it urgent?", via: "native", reasons: true }),
      {
        script: {
          usage,
          capabilities: { reasons: true } as never,
          decide: () => [{ _tag: "Predicate", name: "decision", probability: 0.87, reasons: ["charged twice"] }]
        },
        replies: [yes]
      }
    ),
    "A native answer, looked back on in words": observe(
      Primitive.categorize("team", { question: "Whose?", categories: ["billing", "other"], introspect: true }),
      {
        script: {
          decide: () => [
            { _tag: "Choice", name: "category", label: "other", distribution: { billing: 0.2, other: 0.8 } }
          ]
        },
        replies: ["Bear in mind."]
      }
    ),
    "Categories with words, one of which is taken": observe(
      Primitive.categorize("team", { question: "Whose is it?", categories: described, sampling: { seed: 3 } }),
      { replies: [billing] }
    ),
    "A mood, of aspects": observe(
      Primitive.assess("mood", { question: "How does she feel?", aspects: ["tone", "price"], view: "full" }),
      { replies: [mood], script: { usage } }
    ),
    "Fixed items in an order": observe(
      Primitive.prioritize("next", { criteria: "haste", items: ["call", "wait", "refund"], repairs: 3 }),
      { replies: [ranked] }
    ),
    "Items read from a note, by criteria read from another": observe(
      Primitive.prioritize("next", { criteria: Note.from(message, (text) => `what «${text}» asks`), items: list }),
      {
        replies: [ranked],
        thought: Effect.flatMap(start, (thought) =>
          Thought.write(thought, list, ["wait", "refund", "call"], { trust: "trusted" })
        )
      }
    ),
    "Items read from a note that has the same one twice": observe(
      Primitive.prioritize("next", { criteria: "haste", items: list }),
      { thought: Effect.flatMap(start, (thought) => Thought.write(thought, list, ["wait", "wait"])) }
    ),
    "A value of a schema": observe(
      Primitive.analyze("bill", { schema: Bill, prompt: "Which bill?", sampling: { maxTokens: 50 }, repairs: 0 }),
      { replies: [{ amount: 12.5, currency: "EUR" }] }
    ),
    "A kind of question of one's own, with instructions": observe(
      Primitive.make("estimate", {
        kind: "estimating",
        schema: Bill,
        question: "What does it cost?",
        instructions: "Give the whole amount.",
        compact: false
      }),
      { replies: [{ amount: 7, currency: "USD" }] }
    ),
    "A kind of question of one's own, answered natively": observe(
      Primitive.make("cheap", {
        kind: "judging",
        schema: Schema.Boolean,
        question: "Is it cheap?",
        native: {
          questions: (question) => [{ _tag: "Predicate", name: "is", question }],
          value: (answers) => (answers.get("is") as { probability: number }).probability > 0.5
        }
      }),
      { script: { decide: () => [{ _tag: "Predicate", name: "is", probability: 0.51 }] } }
    ),
    "Under a default way of looking back, and compacted at two turns": observe(
      Pipeline.compact(
        Pipeline.introspect(
          Pipeline.sequence("all", [
            Primitive.decide("urgent", { question: "Is it urgent?" }),
            Primitive.decide("known", { question: "Is it known?", introspect: false }),
            Primitive.decide("mine", { question: "Is it mine?", compact: false }),
            Primitive.categorize("team", { question: "Whose?", categories: ["billing", "other"] })
          ]),
          { prompt: "Say what follows.", onFailure: "skip", sampling: { temperature: 0.9, seed: 4 } }
        ),
        { turns: 3, tokens: 5000, keep: 1, summaryKey: "so_far", prompt: "Sum up.", sampling: { maxTokens: 99 } }
      ),
      {
        replies: ({ task }) =>
          task.kind === "decide" ? yes : task.kind === "categorize" ? billing : `A text for ${task.kind}.`,
        script: { usage }
      }
    )
  })
)
