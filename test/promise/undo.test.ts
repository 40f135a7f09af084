/** Messages of a chat that are taken back. */
import { assert, describe, it } from "@effect/vitest"
import { setImmediate } from "node:timers/promises"
import { Memory, Pipeline } from "cogito"
import { Agent } from "cogito/agent"
import { Cogito } from "cogito/promise"
import { Testing } from "cogito/testing"
import { Deferred, Effect, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { makeInMemory as makeStore } from "../../src/memory/inMemory/store.ts"

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

  it("takes back its own last message while somebody resumes the run that it gives up", async () => {
    const store = await Effect.runPromise(makeStore)
    const moment = () => Deferred.makeUnsafe<void>()
    const [begun, read, ended, claimed, undone] = [moment(), moment(), moment(), moment(), moment()]
    const passes = (one: Deferred.Deferred<void>) => Deferred.succeed(one, undefined)
    // the run is resumed while the chat gives it up, and claimed before the chat reads what was stored
    let isResumed = false
    const claim: typeof store.ledger.claim = (...of) => {
      if (!isResumed) return store.ledger.claim(...of)
      return Effect.andThen(passes(read), Deferred.await(ended)).pipe(
        Effect.andThen(store.ledger.claim(...of)),
        Effect.tap(() => passes(claimed)),
        Effect.tap(() => Deferred.await(undone))
      )
    }
    const commit: typeof store.commit = (...of) => {
      if (of[1].ledger?.ends?.error !== "Cancelled") return store.commit(...of)
      return Effect.andThen(passes(begun), Deferred.await(read)).pipe(
        Effect.andThen(store.commit(...of)),
        Effect.tap(() => passes(ended)),
        Effect.tap(() => Deferred.await(claimed))
      )
    }
    const slow = { ...store, commit, ledger: { ...store.ledger, claim } }
    const memory = Layer.effect(Memory.Memory, Memory.make({ store: slow, scope: "local", embedder: "none" }))
    const toolkit = Toolkit.make(Tool.make("book", { success: Schema.String }).annotate(Tool.Destructive, true))
    const guide = Agent.make("guide", { instructions: "You plan trips.", toolkit, triage: false })
    const model = Testing.scripted(["One.", Testing.calls([{ name: "book" }]), "Three."])
    const handlers = Cogito.handlers(toolkit, { book: async () => "booked" })
    await using ai = Cogito.make([model.layer, handlers, memory])
    const chat = ai.chat(guide, { intent: "trips" })
    await chat.say("First")
    const suspended = await chat.say("Second").catch((thrown: unknown) => thrown)
    assert.ok(suspended instanceof Pipeline.Suspended)
    const undoing = chat.undo()
    await Effect.runPromise(Deferred.await(begun))
    isResumed = true
    const resumed = ai.resume(guide, suspended.runId).catch((thrown: unknown) => thrown)
    const message = await undoing
    Deferred.doneUnsafe(undone, Effect.void)
    assert.strictEqual(message, "Second")
    assert.instanceOf(await resumed, Pipeline.PipelineError)
    assert.strictEqual(await chat.say("Third"), "Three.")
    const texts = model.requests.at(-1)?.messages.map(({ text }) => text)
    assert.include(texts?.join(), "First")
    assert.notInclude(texts?.join(), "Second")
  })
})
