/** Options of runs and chats, as they arrive at the run. */
import { assert, describe, it } from "@effect/vitest"
import { Memory, Pipeline, Primitive, Provider } from "cogito"
import { Agent } from "cogito/agent"
import { Cogito } from "cogito/promise"
import { Testing } from "cogito/testing"
import { Effect, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"

const rejected = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "resolved",
    (error: unknown) => error
  )

const amount = Pipeline.waitFor("amount", { schema: Schema.Finite, prompt: "How much?" })

describe("a run of a client", () => {
  it("is the only one whose questions are listed, if it is named", async () => {
    await using ai = Cogito.make(Testing.scripted([]).layer)
    for (const id of ["pay-1", "pay-2"]) await rejected(ai.run(amount, { intent: "pay" }, { durable: { id } }))
    const runsOf = async (...options: Parameters<typeof ai.waiting>) =>
      (await ai.waiting(...options)).map(({ runId }) => runId)
    assert.sameMembers(await runsOf(), ["pay-1", "pay-2"])
    assert.deepStrictEqual(await runsOf({ runId: "pay-2" }), ["pay-2"])
    assert.deepStrictEqual(await runsOf({ runId: "pay-3" }), [])
    assert.deepStrictEqual(await runsOf({ scope: "acme" }), [])
  })

  it("has the id and the answers that its options say, also as a stream", async () => {
    const yes = { decision: true, confidence: 1, reasoning: ["it says so"] }
    const urgent = Primitive.decide("urgent", { question: "Is this urgent?" })
    await using ai = Cogito.make(Testing.scripted([yes, yes]).layer)
    const durable = (id: string) => ({ durable: { id, keep: "answers" as const } })
    await ai.run(urgent, { intent: "triage" }, durable("run"))
    for await (const _ of ai.stream(urgent, { intent: "triage" }, durable("stream"))) continue
    const rows = await ai.effect(Effect.flatMap(Memory.Memory, ({ ledger }) => ledger.runs({ limit: 9 })))
    assert.sameDeepMembers(
      rows.map(({ id, keep }) => [id, keep]),
      [
        ["run", "answers"],
        ["stream", "answers"]
      ]
    )
  })
})

describe("a chat of a client", () => {
  const weather = Tool.make("weather", {
    parameters: Schema.Struct({ city: Schema.String }),
    success: Schema.Struct({ celsius: Schema.Finite })
  }).annotate(Tool.Readonly, true)
  const toolkit = Toolkit.make(weather)
  const guide = Agent.make("guide", { instructions: "You plan trips.", toolkit, triage: false })
  const call = Testing.calls([{ name: "weather", params: { city: "Porto" } }])
  const tools = Cogito.handlers(toolkit, { weather: () => ({ celsius: 24 }) })
  const broken = new Provider.ProviderError({
    provider: "script",
    model: "script",
    reason: { _tag: "Authentication", message: "no key" }
  })

  it("goes on from what a message that has failed had stored", async () => {
    for (const durable of [true, false]) {
      const model = Testing.scripted([call, broken, "It has 24 degrees."])
      await using ai = Cogito.make([model.layer, tools])
      const chat = ai.chat(guide, { intent: "trip" })
      const error = await rejected(chat.say("Is Porto warm?", { durable }))
      assert.isTrue(error instanceof Pipeline.PipelineError && error.cause === broken)
      assert.strictEqual(chat.thought?.note("message")?.content, "Is Porto warm?")
      assert.strictEqual(await chat.say("And now?", { durable }), "It has 24 degrees.")
      const { messages = [] } = model.requests[2] ?? {}
      assert.include(messages.map(({ text }) => text).join("\n"), "Is Porto warm?")
      assert.deepStrictEqual(
        messages.flatMap(({ results = [] }) => results.map(({ text }) => text)),
        [`{"celsius":24}`]
      )
    }
  })

  it("has options of its own for each message, and for going on with one", async () => {
    const heard: Array<string> = []
    const options = (name: string) => ({ onUsage: ({ calls }: { calls: number }) => heard.push(`${name}: ${calls}`) })
    const model = Testing.scripted([broken, call, "It has 24 degrees.", "As I said."])
    await using ai = Cogito.make([model.layer, tools])
    const chat = ai.chat(guide, { intent: "trip" })
    await rejected(chat.say("Is Porto warm?", { ...options("say"), durable: { id: "trip" } }))
    const aborted = chat.resume("trip", { signal: AbortSignal.abort(new Error("left")) })
    assert.match(String(await rejected(aborted)), /left/)
    assert.strictEqual(await chat.resume("trip", options("resume")), "It has 24 degrees.")
    for await (const _ of chat.stream("Sure?", options("stream"))) continue
    assert.deepStrictEqual(heard, ["say: 1", "resume: 2", "stream: 1"])
    assert.include(String(await rejected(chat.resume("trip", { scope: "acme" }))), "trip")
  })
})
