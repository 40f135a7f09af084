import { assert, describe, it } from "@effect/vitest"
import { Memory, Pipeline } from "cogito"
import { Agent } from "cogito/agent"
import { Cogito } from "cogito/promise"
import { Testing } from "cogito/testing"
import { Effect, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { makeInMemory as makeStore } from "../../src/memory/inMemory/store.ts"

const poet = Agent.make("poet", { instructions: "You write poems.", toolkit: Toolkit.empty, triage: false })

const runIds = Effect.flatMap(Memory.Memory, ({ ledger }) =>
  Effect.map(ledger.runs({ limit: 9 }), (runs) => runs.map(({ id }) => id))
)

const down = { _tag: "Connection", message: "the database is down" } as const

describe("the runs of a chat", () => {
  it("are durable unless an option says otherwise, with the id that a message brings", async () => {
    await using ai = Cogito.make(Testing.scripted(["One.", "Two.", "Three.", "Four.", "Five."]).layer)
    const chat = ai.chat(poet, { intent: "poems" })
    assert.strictEqual(await chat.say("One", { durable: false }), "One.")
    for await (const _ of chat.stream("Two", { durable: false })) continue
    assert.deepStrictEqual(await ai.effect(runIds), [])
    // it is one conversation all the same, and stored
    assert.strictEqual((await ai.load(chat.thought?.id ?? "")).note("answer")?.content, "Two.")
    await chat.say("Three", { durable: { id: "third" } })
    assert.deepStrictEqual(await ai.effect(runIds), ["third"])
    await chat.say("Four", { durable: true })
    await chat.say("Five")
    assert.lengthOf(await ai.effect(runIds), 3)
  })

  it("go on from the last answer, if the memory fails before a message is stored", async () => {
    const store = await Effect.runPromise(makeStore)
    let isDown = false
    const runs: typeof store.ledger.runs = (...of) =>
      Effect.suspend(() => (isDown ? Effect.fail(new Memory.MemoryError({ reason: down })) : store.ledger.runs(...of)))
    const ledger = { ...store.ledger, runs }
    const memory = Layer.effect(
      Memory.Memory,
      Memory.make({ store: { ...store, ledger }, scope: "local", embedder: "none" })
    )
    const model = Testing.scripted(["One.", "Three."])
    await using ai = Cogito.make([model.layer, memory])
    const chat = ai.chat(poet, { intent: "poems" })
    await chat.say("First")
    const id = chat.thought?.id
    isDown = true
    const error = await chat.say("Second").catch((error: unknown) => error)
    isDown = false
    assert.ok(error instanceof Pipeline.PipelineError && error.thought === undefined)
    assert.strictEqual(chat.thought?.id, id)
    assert.strictEqual(await chat.say("Third"), "Three.")
    const texts = model.requests[1]?.messages.map(({ text }) => text)
    assert.include(texts?.join(), "One.")
    assert.notInclude(texts?.join(), "Second")
  })
})

describe("a chat with an agent that has an agent as a tool", () => {
  it("stays at its own conversation while a call of the inner agent waits", async () => {
    const book = Tool.make("book", { success: Schema.String }).annotate(Tool.Destructive, true)
    const kit = Toolkit.make(book)
    const inner = Agent.make("scout", { instructions: "You look around.", toolkit: kit, triage: false })
    const parameters = Schema.Struct({ message: Schema.String })
    const scout = Agent.asTool("scout", inner, { description: "Looks around", parameters })
    const lead = Agent.make("lead", { instructions: "You lead.", toolkit: Toolkit.make(scout.tool), triage: false })
    const look = Testing.calls([{ name: "scout", params: { message: "Book it" } }])
    const model = Testing.scripted([look, Testing.calls([{ name: "book" }]), "Booked.", "Done."])
    const done = kit.toLayer({ book: () => Effect.succeed("booked") })
    const tools = Layer.provideMerge(scout.layer, Layer.mergeAll(model.layer, done, Testing.memory))
    await using ai = Cogito.make(tools)
    const chat = ai.chat(lead, { intent: "trips" })
    const error = await chat.say("Book it").catch((error: unknown) => error)
    assert.ok(error instanceof Pipeline.Suspended)
    assert.strictEqual(chat.thought?.intent, "trips")
    assert.strictEqual(error.thoughtId, chat.thought?.id)
    const [pending] = await ai.effect(Agent.waiting({ thoughtId: error.thoughtId }))
    await ai.effect(Agent.approve(error.runId, pending?.callId ?? "", "yes"))
    assert.strictEqual(await chat.resume(error.runId), "Done.")
    assert.strictEqual(chat.thought?.id, error.thoughtId)
  })
})
