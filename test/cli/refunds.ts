/** Pipelines of durable runs, and what they need: for tests of the command line, which loads this module too. */
import { Data, Effect, Layer, Schema } from "effect"
import { existsSync } from "node:fs"
import { Note, Pipeline, Primitive, Step } from "../../src/index.ts"
import { Testing } from "../../src/testing/index.ts"

class Closed extends Data.TaggedError("Closed") {}

const message = Note.handle("message", Schema.String)

/** Asks two things of a person, at the same time, before it pays. */
export const refund = Pipeline.sequence("refund", [
  Primitive.decide("fraud", { question: "Does this look like fraud?" }),
  Pipeline.concurrent("people", [
    Primitive.approve("ok", { prompt: Note.prompt`May we refund ${message}?` }),
    Pipeline.waitFor("amount", { schema: Schema.Finite, prompt: "How much, in EUR?", timeout: "365 days" })
  ]),
  Primitive.decide("happy", { question: "Is the customer happy now?" })
])

/** Fails while there is no file of this name. */
export const order = Pipeline.sequence("order", [
  Primitive.decide("stock", { question: "Is it in stock?" }),
  Step.make("ship", {
    schema: Schema.String,
    run: Effect.suspend(() =>
      existsSync(process.env["COGITO_TEST_OPEN"] ?? "") ? Effect.succeed("shipped") : Effect.fail(new Closed())
    )
  })
])

export const triage = Pipeline.sequence("triage", [
  Primitive.decide("spam", { question: "Is this spam?" }),
  Primitive.decide("urgent", { question: "Is this urgent?" })
])

/** Asks a person if the model fails. */
export const doubt = Step.recover(
  Primitive.decide("risk", { question: "Is it a risk?" }),
  Pipeline.waitFor("person", { schema: Schema.String, prompt: "Which risk is it?" })
)

/** Asks a person for a yes or no that is no approval. */
export const check = Pipeline.waitFor("damaged", { schema: Schema.Boolean, prompt: "Was it damaged?" })

/** What is urgent says that it is down. Each answer has cost something. */
const model = Testing.scripted(
  ({ messages, task: { instruction } }) => ({
    decision: instruction.includes("urgent") && messages.some(({ text }) => text.includes("down")),
    confidence: 0.9,
    reasoning: ["it says so"]
  }),
  { name: "house", model: "m-1", usage: { inputTokens: 9, outputTokens: 3 } }
)

export const layer = Layer.merge(model.layer, Testing.embedder)
