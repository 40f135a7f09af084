/** Messages of a chat that are taken back. */
import { assert, describe, it } from "@effect/vitest"
import { setImmediate } from "node:timers/promises"
import { Pipeline } from "cogito"
import { Agent } from "cogito/agent"
import { Cogito } from "cogito/promise"
import { Testing } from "cogito/testing"
import { Effect } from "effect"
import { Toolkit } from "effect/ai"

const poet = Agent.make("poet", { instructions: "You write poems.", toolkit: Toolkit.empty, triage: false })

describe("a chat whose last message is taken back", () => {
  it("goes on from the message before, also when it was loaded", async () => {
    for (const isLoaded of [false, true]) {
      const model = Testing.scripted(["One.", "Two.", "Three."])
      await using ai = Cogito.make(model.layer)
      const begun = ai.chat(poet, { intent: "poems" })
      await begun.say("First")
      await begun.say("Second")
      const { id = "" } = begun.thought ?? {}
      const chat = isLoaded ? ai.chat(poet, await ai.load(id)) : begun
      assert.strictEqual(await chat.undo(), "Second")
      assert.notStrictEqual(chat.thought?.id, id)
      assert.strictEqual((await ai.load(chat.thought?.id ?? "")).note("answer")?.content, "One.")
      await chat.say("Third")
      const texts =
        model.requests
          .at(-1)
          ?.messages.map(({ text }) => text)
          .join() ?? ""
      for (const text of ["First", "One.", "Third"]) assert.include(texts, text)
      assert.notInclude(texts, "Second")
      assert.notInclude(texts, "Two.")
    }
  })

  it("stops an answer that is being written", async () => {
    let asked = 0
    const model = Testing.scripted(() => (++asked === 1 ? Effect.never : "Two."))
    await using ai = Cogito.make(model.layer)
    const chat = ai.chat(poet, { intent: "poems" })
    const said = chat.say("First").catch((thrown: unknown) => thrown)
    while (model.requests.length === 0) await setImmediate()
    assert.strictEqual(await chat.undo(), "First")
    assert.instanceOf(await said, DOMException)
    const [run] = await ai.effect(Pipeline.runs())
    assert.deepInclude(run, { status: "failed", error: "Cancelled" })
    assert.strictEqual(await chat.say("Second"), "Two.")
    const texts =
      model.requests
        .at(-1)
        ?.messages.map(({ text }) => text)
        .join() ?? ""
    assert.notInclude(texts, "First")
    assert.notInclude(texts, "(cancelled)")
  })

  it("stays as it is before its first message", async () => {
    await using ai = Cogito.make(Testing.scripted(["One."]).layer)
    const chat = ai.chat(poet, { intent: "poems" })
    assert.isUndefined(await chat.undo())
    assert.strictEqual(await chat.say("First"), "One.")
    assert.strictEqual(await chat.undo(), "First")
    assert.isUndefined(await chat.undo())
  })
})
