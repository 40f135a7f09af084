import { assert, describe, it } from "@effect/vitest"
import { setImmediate } from "node:timers/promises"
import { Memory, Note, Pipeline, Thought } from "cogito"
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

type Client = Pick<Cogito.Cogito<unknown>, "effect" | "load">

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

  it("go on from what others have stored, and from what a redaction has left", async () => {
    const model = Testing.scripted(["One.", "Two.", "Three.", "Four."])
    await using ai = Cogito.make([model.layer, Testing.memory])
    const chat = ai.chat(poet, { intent: "poems" })
    await chat.say("First")
    const other = ai.chat(poet, await ai.load(chat.thought!.id))
    await other.say("Second")
    assert.strictEqual(await chat.say("Third"), "Three.")
    await ai.effect(Memory.redact(Thought.history(chat.thought!, "message")[0]!))
    assert.strictEqual(await chat.say("Fourth"), "Four.")
    const texts = model.requests.map(({ messages }) => JSON.stringify(messages))
    assert.include(texts[2], "Second")
    assert.notInclude(texts[3], "First")
    assert.lengthOf(model.requests, 4)
  })

  it("fail if their thought was removed, and say so", async () => {
    await using ai = Cogito.make([Testing.scripted(["One."]).layer, Testing.memory])
    const chat = ai.chat(poet, { intent: "poems" })
    await chat.say("First")
    await ai.effect(Memory.remove(chat.thought!.id))
    for (const text of ["Second", "Third"]) {
      const error = await chat.say(text).catch((error: unknown) => error)
      assert.ok(error instanceof Memory.MemoryError)
      assert.strictEqual(error.reason._tag, "NotFound")
    }
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

describe("a chat whose run was left", () => {
  const answers = (...texts: ReadonlyArray<string>) => Testing.scripted(texts, { pieceLength: 4 })
  const heard = ({ requests }: Testing.Scripted) =>
    requests.map(({ messages }) => messages.map(({ text }) => text).join())
  /** Waits until an answer is stored, and no run is in progress. */
  const ended = async (ai: Client, thoughtId = "") => {
    const running = Effect.map(Pipeline.runs({ status: "running" }), (runs) => runs.length)
    while ((await ai.load(thoughtId)).note("answer") === undefined || (await ai.effect(running)) > 0) {
      await setImmediate()
    }
  }

  it.each(["by leaving the loop", "by an error in it", "by its signal"] as const)(
    "%s goes on from the answer, if the run has completed all the same",
    async (how) => {
      for (const durable of [true, false]) {
        const model = answers("One of many words.", "Two.", "Three.")
        await using ai = Cogito.make(model.layer)
        const chat = ai.chat(poet, { intent: "poems" })
        const stop = new AbortController()
        const mine = new Error("mine")
        const reading = async () => {
          for await (const event of chat.stream("First", { durable, signal: stop.signal })) {
            if (event._tag !== "Text") continue
            await ended(ai, chat.thought?.id)
            if (how === "by leaving the loop") break
            if (how === "by an error in it") throw mine
            stop.abort(mine)
          }
        }
        const error = await reading().catch((thrown: unknown) => thrown)
        assert.strictEqual(error, how === "by leaving the loop" ? undefined : mine)
        const id = chat.thought?.id
        assert.strictEqual(await chat.say("Second"), "Two.")
        assert.strictEqual(await chat.say("Third"), "Three.")
        assert.strictEqual(chat.thought?.id, id)
        const [, second = "", third = ""] = heard(model)
        for (const text of ["First", "One of many words.", "Second"]) assert.include(second, text)
        assert.include(third, "Two.")
      }
    }
  )

  it("gives its answer again if the message is said with the id of the run", async () => {
    const model = answers("One of many words.", "Two.")
    await using ai = Cogito.make(model.layer)
    const chat = ai.chat(poet, { intent: "poems" })
    const durable = { id: "first" }
    for await (const event of chat.stream("First", { durable })) {
      if (event._tag !== "Text") continue
      await ended(ai, chat.thought?.id)
      break
    }
    assert.strictEqual(await chat.say("First", { durable }), "One of many words.")
    assert.lengthOf(model.requests, 1)
    assert.strictEqual(await chat.say("Second"), "Two.")
  })

  it("waits for a run that has not completed, and goes on from what is stored wherever that ends", async () => {
    let asked = 0
    const model = Testing.scripted(() => (++asked === 1 ? Effect.never : `Answer ${asked}.`))
    await using ai = Cogito.make(model.layer)
    const chat = ai.chat(poet, { intent: "poems" })
    const stop = new AbortController()
    const first = chat.say("First", { durable: { id: "first" }, signal: stop.signal }).catch(() => "left")
    while (model.requests.length === 0) await setImmediate()
    const beside = ai.chat(poet, await ai.load(chat.thought?.id ?? ""))
    assert.deepInclude(await beside.say("Now").catch((error: unknown) => error), { _tag: "RunBusy", runId: "first" })
    stop.abort()
    assert.strictEqual(await first, "left")
    for (const other of [chat, beside]) {
      const refused = await other.say("Second").catch((error: unknown) => error)
      assert.deepInclude(refused, { _tag: "RunBusy", runId: "first", isOpen: true })
    }
    await ai.resume(poet, "first")
    assert.strictEqual(await chat.say("Second"), "Answer 3.")
    assert.include(heard(model)[2], "Answer 2.")
    // the other chat has seen neither of the two end
    assert.strictEqual(await beside.say("Third"), "Answer 4.")
    assert.include(heard(model)[3], "Answer 3.")
  })

  it("says the next message after all others, also when an earlier run was resumed", async () => {
    const model = answers("One.", "Two.", "Three.")
    await using ai = Cogito.make(model.layer)
    const chat = ai.chat(poet, { intent: "poems" })
    await chat.say("First", { durable: { id: "first" } })
    await chat.say("Second")
    assert.strictEqual(await chat.resume("first"), "One.")
    assert.strictEqual(await chat.say("Third"), "Three.")
    assert.include(heard(model)[2], "Two.")
  })

  it("keeps the types of the notes that it began with", async () => {
    const model = answers("One of many words.", "Two.")
    await using ai = Cogito.make(model.layer)
    const verses = Note.handle("verses", Schema.Finite)
    const begin = Effect.flatMap(Thought.make("poems"), (thought) => Thought.write(thought, verses, 3))
    const chat = ai.chat(poet, await ai.effect(Effect.flatMap(begin, Memory.commit)))
    for await (const event of chat.stream("First")) {
      if (event._tag !== "Text") continue
      await ended(ai, chat.thought?.id)
      break
    }
    assert.strictEqual(await chat.say("Second"), "Two.")
    assert.strictEqual((chat.thought as Thought.Thought<any> | undefined)?.get("verses"), 3)
  })

  it("keeps the notes that it began with, if nothing was stored", async () => {
    const store = await Effect.runPromise(makeStore)
    let isSlow = true
    const runs: typeof store.ledger.runs = (...of) => (isSlow ? Effect.never : store.ledger.runs(...of))
    const slow = { ...store, ledger: { ...store.ledger, runs } }
    const memory = Layer.effect(Memory.Memory, Memory.make({ store: slow, scope: "local", embedder: "none" }))
    const model = answers("Two.")
    await using ai = Cogito.make([model.layer, memory])
    const chat = ai.chat(poet, await Effect.runPromise(Thought.make("poems", { style: "short" })))
    assert.instanceOf(
      await chat.say("First", { signal: AbortSignal.timeout(20) }).catch((error: unknown) => error),
      Error
    )
    isSlow = false
    assert.strictEqual(await chat.say("Second"), "Two.")
    assert.notInclude(heard(model)[0], "First")
    assert.strictEqual((await ai.load(chat.thought?.id ?? "")).note("style")?.content, "short")
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
