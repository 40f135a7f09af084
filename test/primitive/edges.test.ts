import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Schema } from "effect"
import { Pipeline, Primitive, Session, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { withModel } from "../pipeline/triage.ts"

const go = Primitive.decide("go", { question: "Go on?" })
const answer = { decision: true, confidence: 0.9, reasoning: ["It says so."] }

describe("a step", () => {
  it.effect("asks on top of a conversation of a thousand messages [C337]", () =>
    Effect.gen(function* () {
      const drafts = Array.from({ length: 1000 }, (_, i) => ({
        role: i % 2 === 0 ? ("user" as const) : ("assistant" as const),
        text: `message ${i}`
      }))
      const thought = Thought.withSession(yield* Thought.make("talk"), Session.append(Session.empty, ...drafts))
      const model = Testing.scripted([answer])
      const done = yield* Pipeline.run(go, thought).pipe(withModel(model))
      assert.strictEqual(done.session.length, 1002)
      const sent = model.requests[0]?.messages ?? []
      assert.strictEqual(sent.length, 1002) // the system message, the conversation, the request
      assert.deepStrictEqual(
        sent.slice(1, -1).map(({ text }) => text),
        drafts.map(({ text }) => text)
      )
    })
  )

  it.effect("sends an input of a hundred thousand characters whole [C338]", () =>
    Effect.gen(function* () {
      const text = Array.from({ length: 10_000 }, (_, i) => `word${i % 1000}`.padEnd(9)).join(" ")
      assert.isAtLeast(text.length, 99_000)
      const model = Testing.scripted([answer])
      yield* Pipeline.run(go, yield* Thought.make("read", { text })).pipe(withModel(model))
      const [request] = model.requests
      assert.isTrue(request?.messages.at(-1)?.text.includes(text))
      assert.strictEqual(request?.task.context[0]?.text, text)
    })
  )
})

describe("a ranking", () => {
  it.effect("of a single item is that item [C348]", () =>
    Effect.gen(function* () {
      const only = Primitive.prioritize("order", { criteria: "urgency", items: ["answer Ada"] })
      const model = Testing.scripted([{ ranked: ["answer Ada"], confidence: 1, reasoning: ["There is no other."] }])
      const done = yield* Pipeline.run(only, yield* Thought.make("plan", { mail: "Hello?" })).pipe(withModel(model))
      assert.deepStrictEqual(done.get("order").ranked, ["answer Ada"])
    })
  )
})

class Tenant extends Context.Service<Tenant, { readonly name: string }>()("test/Tenant") {}

describe("a custom step", () => {
  it.effect("receives the services of the program that runs it [C104]", () =>
    Effect.gen(function* () {
      const whose = Step.make("whose", { schema: Schema.String, run: Effect.map(Tenant, ({ name }) => name) })
      const done = yield* Pipeline.run(whose, yield* Thought.make("ask")).pipe(
        Effect.provideService(Tenant, { name: "acme" }),
        Effect.provide(Testing.memory)
      )
      assert.strictEqual(done.get("whose"), "acme")
    })
  )
})
