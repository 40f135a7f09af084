/** A run of the pipeline of examples/support-triage.ts, with a scripted model: for the pictures of the documentation, and for tests. */
import { Effect, Layer } from "effect"
import { Memory, Pipeline, Thought } from "cogito"
import { Report } from "cogito/report"
import { Testing } from "cogito/testing"
import { taskId, triage } from "../examples/support-triage/pipeline.ts"

const message =
  "There are two identical debits from your shop on my bank statement, dated 2026-02-14. I bought one thing only! Send the " +
  "second amount back, please. Mari Tanaka"

const earlier = ["I was charged twice for one order.", "There are two debits on my bank statement from your shop."]

/** What the model answers. The second answer is refused and repaired, the third one has a mistake that is corrected. */
const replies = [
  {
    customer: "Mari Tanaka",
    issue: "The bank statement shows two identical debits for one purchase.",
    signals: ["I bought one thing only!"]
  },
  { primary: "payments", confidence: 0.9, reasoning: ["Money was taken twice."] },
  {
    primary: "billing",
    secondary: "account",
    confidence: 0.94,
    reasoning: ["The customer was charged twice.", "The customer asks for the second amount."]
  },
  '{"overall": "negative", "confidence": 0.81, "scores": {"positive": 0.05, "negative": 0.78, "neutral": 0.17}, "emotions": ["annoyance"], "aspects": {}, "reasoning": ["One thing only, with an exclamation mark."],}',
  {
    decision: true,
    confidence: 0.72,
    reasoning: ["Money was taken twice, and the customer wants it back.", "There is no threat to leave."]
  },
  "I decided that a senior agent should take over, because money was taken twice. The customer is annoyed, and stays polite."
]

/** The second run asks again whether to escalate, and the model decides otherwise. */
const again = [
  { decision: false, confidence: 0.55, reasoning: ["A refund of a double charge is routine."] },
  "I decided that no senior agent is needed: a refund of a double charge is routine."
]

const prices = { input: 2.5, output: 10, asOf: "2026-11-22" }

/** A provider with a delay, so that the times in the picture are those of a model and not those of a script. */
const model = (millis: number) => {
  const script = [...replies, ...again]
  let at = 0
  return Testing.scripted(
    () => {
      const reply = script[at++]
      return reply === undefined
        ? undefined
        : Effect.delay(Effect.succeed(reply), `${Math.round(millis * (0.6 + ((at * 7) % 5) / 5))} millis`)
    },
    { name: "openai", model: "gpt-5-mini", usage: { inputTokens: 612, outputTokens: 84 }, capabilities: { prices } }
  ).layer
}

/** A report of the first run, or of its repetition. Every call takes about as long as `millis`. */
export const sampleReport = (of: "first" | "repetition" = "first", millis = 0) =>
  Effect.gen(function* () {
    for (const [at, text] of earlier.entries()) {
      yield* Memory.commit(
        yield* Thought.make("triage a support ticket", { message: text }, { taskId, traceId: `ticket-${at + 1}` })
      )
    }
    const start = yield* Thought.make("triage a support ticket", { message }, { taskId, traceId: "ticket-3" })
    const done = yield* Pipeline.run(triage, start, { durable: { id: "ticket-3", keep: "answers" } })
    const repeated = yield* Pipeline.rerun(triage, "ticket-3", { id: "ticket-3-again", from: "escalate" })
    return yield* of === "first" ? Report.collect(done.id) : Report.collect(repeated.thought.id)
  }).pipe(Effect.provide(Layer.merge(model(millis), Testing.memory)))
