/** Answers of a chat that are stopped, and runs that nobody goes on with. */
import { assert, describe, it } from "@effect/vitest"
import { setImmediate } from "node:timers/promises"
import { Pipeline, Provider, Session } from "cogito"
import { Agent } from "cogito/agent"
import { Cogito } from "cogito/promise"
import { Testing } from "cogito/testing"
import { Effect, Layer, Schema, Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"

const poet = Agent.make("poet", { instructions: "You write poems.", toolkit: Toolkit.empty, triage: false })

/** A model that stops after the first piece of its first answer. */
const stopping = (...texts: ReadonlyArray<string>) => {
  const model = Testing.scripted(texts, { pieceLength: 4 })
  const { provider } = model
  const layer = Layer.succeed(Provider.Provider, {
    ...provider,
    stream: (request) =>
      Stream.flatMap(provider.stream(request), (part): Stream.Stream<Provider.StreamPart> =>
        part._tag === "Text" && model.requests.length === 1
          ? Stream.concat(Stream.make(part), Stream.never)
          : Stream.make(part)
      )
  })
  return { layer, requests: model.requests }
}

const statuses = Effect.map(Pipeline.runs(), (runs) => runs.map(({ error, status }) => [status, error]))

const last = (chat: { readonly thought: Parameters<typeof shown>[0] | undefined }) => shown(chat.thought!).at(-1)
const shown = ({ session }: { readonly session: Session.Session }) => Session.entries(session).map(({ text }) => text)

describe("a chat whose answer is cancelled", () => {
  it("stops the answer, keeps what was written, and answers the next message", async () => {
    const model = stopping("One of many words.", "Two.")
    await using ai = Cogito.make(model.layer)
    const chat = ai.chat(poet, { intent: "poems" })
    let cancelled: Promise<boolean> | undefined
    const reading = async () => {
      for await (const event of chat.stream("First")) if (event._tag === "Text") cancelled ??= chat.cancel()
    }
    const error = await reading().catch((thrown: unknown) => thrown)
    assert.ok(error instanceof DOMException && error.name === "AbortError")
    assert.isTrue(await cancelled)
    assert.strictEqual(last(chat), "One\n\n(cancelled)")
    assert.deepStrictEqual(await ai.effect(statuses), [["failed", "Cancelled"]])
    assert.isFalse(await chat.cancel())
    const id = chat.thought?.id
    assert.strictEqual(await chat.say("Second"), "Two.")
    assert.strictEqual(chat.thought?.id, id)
    const texts =
      model.requests
        .at(-1)
        ?.messages.map(({ text }) => text)
        .join() ?? ""
    for (const text of ["First", "(cancelled)", "Second"]) assert.include(texts, text)
  })

  it("gives up a run that its reader has left, also in a chat that has loaded the conversation", async () => {
    for (const other of [false, true]) {
      const model = stopping("One of many words.", "Two.")
      await using ai = Cogito.make(model.layer)
      const chat = ai.chat(poet, { intent: "poems" })
      for await (const event of chat.stream("First")) if (event._tag === "Text") break
      const next = other ? ai.chat(poet, await ai.load(chat.thought?.id ?? "")) : chat
      assert.instanceOf(await next.say("Second").catch((thrown: unknown) => thrown), Pipeline.RunBusy)
      assert.isTrue(await next.cancel())
      assert.strictEqual(last(next), other ? "(cancelled)" : "One\n\n(cancelled)")
      assert.strictEqual(await next.say("Second"), "Two.")
    }
  })

  it("may be cancelled twice at once", async () => {
    await using ai = Cogito.make(stopping("One of many words.", "Two.").layer)
    const chat = ai.chat(poet, { intent: "poems" })
    for await (const event of chat.stream("First")) if (event._tag === "Text") break
    assert.deepStrictEqual(await Promise.all([chat.cancel(), chat.cancel()]), [true, false])
    assert.strictEqual(await chat.say("Second"), "Two.")
  })

  it("gives up a run that waits for an approval", async () => {
    const book = Tool.make("book", { success: Schema.String }).annotate(Tool.Destructive, true)
    const toolkit = Toolkit.make(book)
    const clerk = Agent.make("clerk", { instructions: "You book.", toolkit, triage: false })
    let booked = 0
    const model = Testing.scripted([Testing.calls([{ name: "book" }]), "Two."])
    await using ai = Cogito.make([model.layer, Cogito.handlers(toolkit, { book: async () => `${++booked}` })])
    const chat = ai.chat(clerk, { intent: "trips" })
    assert.instanceOf(await chat.say("Book it").catch((thrown: unknown) => thrown), Pipeline.Suspended)
    assert.isTrue(await chat.cancel())
    assert.deepStrictEqual(await ai.waiting(), [])
    assert.strictEqual(await chat.say("Second"), "Two.")
    assert.strictEqual(booked, 0)
  })

  it("has nothing to stop before its first message and after an answer", async () => {
    await using ai = Cogito.make(Testing.scripted(["One."]).layer)
    const chat = ai.chat(poet, { intent: "poems" })
    assert.isFalse(await chat.cancel())
    await chat.say("First")
    assert.isFalse(await chat.cancel())
    assert.strictEqual(last(chat), "One.")
  })

  it("is not that of another chat: a run that is in progress there goes on", async () => {
    let goOn: () => void = () => {}
    const waits = new Promise<void>((resolve) => (goOn = resolve))
    const model = Testing.scripted([
      Effect.as(
        Effect.promise(() => waits),
        "One."
      )
    ])
    await using ai = Cogito.make(model.layer)
    const chat = ai.chat(poet, { intent: "poems" })
    const first = chat.say("First")
    while (model.requests.length === 0) await setImmediate()
    const beside = ai.chat(poet, await ai.load(chat.thought?.id ?? ""))
    assert.instanceOf(await beside.cancel().catch((thrown: unknown) => thrown), Pipeline.RunBusy)
    goOn()
    assert.strictEqual(await first, "One.")
  })
})
