import { assert, describe, it } from "@effect/vitest"
import { Memory } from "cogito"
import { Agent } from "cogito/agent"
import { Cogito } from "cogito/promise"
import { Testing } from "cogito/testing"
import { Effect } from "effect"
import { Toolkit } from "effect/ai"

const poet = Agent.make("poet", { instructions: "You write poems.", toolkit: Toolkit.empty, triage: false })

const runIds = Effect.flatMap(Memory.Memory, ({ ledger }) =>
  Effect.map(ledger.runs({ limit: 9 }), (runs) => runs.map(({ id }) => id))
)

describe("the runs of a chat", () => {
  it("are durable unless it is told otherwise, with the id that a message brings", async () => {
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
})
