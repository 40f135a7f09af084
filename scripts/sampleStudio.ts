/** A memory with runs of several kinds, and its studio: for the pictures of the documentation, and to look at by hand. */
import { Data, Deferred, Effect, Layer, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, Step, Thought } from "cogito"
import { Studio } from "cogito/studio"
import { Testing } from "cogito/testing"

class CarrierDown extends Data.TaggedError("CarrierDown") {}

const message = Note.handle("message", Schema.String)

const refund = Pipeline.sequence("refund", [
  Primitive.decide("fraud", { question: Note.prompt`Does this look like fraud? ${message}` }),
  Pipeline.concurrent("people", [
    Primitive.approve("ok", { prompt: Note.prompt`May we refund this order? The customer writes ${message}` }),
    Pipeline.waitFor("details", {
      schema: Schema.Struct({
        amount: Schema.Finite.annotate({ description: "In EUR, as in the order" }),
        method: Schema.Literals(["card", "voucher"]),
        note: Schema.optionalKey(Schema.String)
      }),
      prompt: "How much do we refund, and how?",
      timeout: "2 days"
    })
  ])
])

const triage = Pipeline.sequence("triage", [
  Primitive.decide("urgent", { question: "Is it urgent?" }),
  Primitive.decide("spam", { question: "Is it spam?" })
])

const ship = Pipeline.sequence("ship", [
  Primitive.decide("stock", { question: "Is it in stock?" }),
  Step.make("book", { schema: Schema.String, run: () => new CarrierDown() })
])

const model = Testing.scripted(
  () => ({ decision: false, confidence: 0.86, reasoning: ["The customer has ordered before."] }),
  {
    name: "openai",
    model: "gpt-5-mini",
    usage: { inputTokens: 612, outputTokens: 84 },
    capabilities: { prices: { input: 2.5, output: 10, asOf: "2026-11-22" } }
  }
)

const begin = <E, R>(step: Step.Step<any, any, E, R>, id: string, intent: string, text: string) =>
  Effect.flatMap(Thought.make(intent, { message: text }, { taskId: id.split("-")[0] ?? id }), (thought) =>
    Effect.exit(Pipeline.run(step, thought, { durable: { id, keep: "answers" } }))
  )

/** Serves the studio until the scope closes, and returns its address. */
export const sampleStudio = Effect.gen(function* () {
  yield* begin(triage, "mail-7", "sort the inbox", "The invoice of May is missing.")
  yield* begin(ship, "order-12", "ship an order", "Two chairs, please, to Lyon.")
  yield* begin(triage, "mail-8", "sort the inbox", "I was charged twice for my May invoice!")
  yield* begin(refund, "refund-17", "refund an order", "The chair arrived broken. Order 17, 49.90 EUR.")
  const memory = yield* Memory.Memory
  yield* memory.flush
  const ready = yield* Deferred.make<string>()
  yield* Layer.build(Studio.layer({ onReady: (address) => void Deferred.doneUnsafe(ready, Effect.succeed(address)) }))
  return yield* Deferred.await(ready)
}).pipe(Effect.provide(Layer.merge(model.layer, Testing.memory)))
