import { Effect, Layer, Schema } from "effect"
import { Note, Pipeline, Primitive, Thought } from "cogito"
import { OpenAi } from "cogito/openai"
import { Testing } from "cogito/testing"
import { key, model } from "./loopback.ts"
import { categories, items, type Outcome, policy, questions } from "./task.ts"

const message = Note.handle("message", Schema.String)

const steps = Pipeline.sequence("refund", [
  Primitive.analyze("ticket", {
    schema: Schema.Struct({ customer: Schema.String, amount: Schema.Finite }),
    prompt: questions.ticket
  }),
  Primitive.seek("history", { query: Note.from(message, (text) => text) }),
  Primitive.categorize("kind", { question: questions.kind, categories }),
  Primitive.assess("mood", { question: questions.mood }),
  Primitive.decide("urgent", { question: questions.urgent }),
  Primitive.reflect("stock", { prompt: questions.stock }),
  Primitive.decide("refund", { question: questions.refund, introspect: true }),
  Primitive.prioritize("order", { criteria: questions.order, items }),
  Primitive.decide("close", { question: questions.close })
])

/** What is the default at OpenAI itself has to be said for another address. */
const atOpenAi = { api: "responses", formInText: 1024 } as const

const provided = (baseUrl: string) =>
  Layer.merge(OpenAi.layer({ model, baseUrl, apiKey: key, ...atOpenAi }), Testing.memory)

export const refund = (text: string, baseUrl: string): Promise<Outcome> =>
  Effect.gen(function* () {
    const start = yield* Thought.make("handle a refund", { message: text })
    const done = yield* Pipeline.run(steps, start)
    return {
      ticket: done.get("ticket"),
      kind: done.get("kind").primary,
      mood: done.get("mood").overall,
      urgent: done.get("urgent").decision,
      stock: done.get("stock"),
      refund: done.get("refund").decision,
      order: done.get("order").ranked,
      close: done.get("close").decision
    }
  }).pipe(Effect.provide(provided(baseUrl)), Effect.runPromise)

const underPolicy = Pipeline.sequence("ticket", [
  Primitive.categorize("kind", { question: questions.kind, categories }),
  Primitive.decide("refund", { question: questions.refund }),
  Primitive.decide("close", { question: questions.close })
])

/** Handles one ticket after another, each in a thought of its own with the same policy. */
export const tickets = (
  texts: ReadonlyArray<string>,
  baseUrl: string
): Promise<ReadonlyArray<ReadonlyArray<unknown>>> =>
  Effect.forEach(texts, (text) =>
    Effect.gen(function* () {
      const notes = { policy: { content: policy, trust: "trusted" }, message: text } as const
      const done = yield* Pipeline.run(underPolicy, yield* Thought.make("handle a ticket", notes))
      return [done.get("kind").primary, done.get("refund").decision, done.get("close").decision]
    })
  ).pipe(Effect.provide(provided(baseUrl)), Effect.runPromise)
