/** What the session of a running agent shows of a turn that was cancelled. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schema, Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { TestClock } from "effect/testing"
import { Memory, Session, Thought } from "cogito"
import { Agent, Host } from "cogito/agent"
import { Testing } from "cogito/testing"
import { makeInMemory as makeStore } from "../../src/memory/inMemory/store.ts"
import { calls, Done, guide, toolkit } from "./kit.ts"

const hosted = <A, E>(program: Effect.Effect<A, E, Host.Host | Memory.Memory>) =>
  program.pipe(Effect.provide(Layer.provideMerge(Host.layer, Testing.memory)))

const defined = (model: Testing.Scripted, tools: Layer.Layer<any> = new Done().layer, agent = guide) =>
  Host.define({ agent, config: Schema.Struct({}), provide: () => Layer.merge(model.layer, tools) })

/** Reads a turn until an event. */
const until = (tag: string) => (events: Stream.Stream<{ readonly _tag: string }, unknown>) =>
  Stream.runDrain(Stream.takeUntil(events, ({ _tag }) => _tag === tag))

describe("a turn that was cancelled after it had waited for approvals", () => {
  it.effect("shows what became of each call, and what was changed or refused", () =>
    Effect.gen(function* () {
      const host = yield* Host.Host
      const model = Testing.scripted([calls(["book", "Porto"], ["book", "Rom"], ["book", "Bonn"]), "Here I am."])
      const booked: Array<string> = []
      const tools = toolkit.toLayer({
        ...new Done().handlers,
        book: ({ city }) => (city === "Rom" ? Effect.never : Effect.sync(() => (booked.push(city), `booked ${city}`)))
      })
      const a = yield* host.create(defined(model, tools), {})
      const session = yield* Memory.commit(yield* Thought.make("session"))
      const suspended = yield* Effect.flip(Stream.runDrain(a.receive("Book all", session.id)))
      assert.ok(suspended._tag === "Suspended")
      const [porto, rom, bonn] = yield* Agent.waiting({ runId: suspended.runId })
      assert.ok(porto !== undefined && rom !== undefined && bonn !== undefined)
      yield* Agent.approve(suspended.runId, porto.callId, { params: { city: "Faro" } })
      yield* Agent.approve(suspended.runId, rom.callId, "yes")
      yield* Agent.approve(suspended.runId, bonn.callId, { no: "too far" })
      yield* until("Returned")(a.resume(suspended.runId))
      assert.deepStrictEqual(booked, ["Faro"])

      yield* Stream.runDrain(a.receive("And now?", session.id))
      const messages = model.requests.at(-1)?.messages ?? []
      assert.deepStrictEqual(
        messages.flatMap(({ results = [] }) => results.map(({ isFailure, text }) => [isFailure, text])),
        [
          [false, `A person has approved other parameters: «{"city":"Faro"}»\nbooked Faro`],
          [
            true,
            "It is not known whether this was carried out: it was cancelled. Find out before you call the tool again."
          ],
          [true, "Not approved: too far"]
        ]
      )
      assert.deepStrictEqual(booked, ["Faro"])
    }).pipe(hosted)
  )

  it.effect("shows which of them nobody has approved in time", () =>
    Effect.gen(function* () {
      const host = yield* Host.Host
      const model = Testing.scripted([calls(["book", "Porto"], ["book", "Rom"]), "Here I am."])
      const agent = Agent.make("guide", {
        instructions: "You plan trips.",
        triage: false,
        toolkit,
        approval: { timeout: "1 hour" }
      })
      const tools = toolkit.toLayer({ ...new Done().handlers, book: () => Effect.never })
      const a = yield* host.create(defined(model, tools, agent), {})
      const session = yield* Memory.commit(yield* Thought.make("session"))
      const suspended = yield* Effect.flip(Stream.runDrain(a.receive("Book both", session.id)))
      assert.ok(suspended._tag === "Suspended")
      const [porto] = yield* Agent.waiting({ runId: suspended.runId })
      yield* Agent.approve(suspended.runId, porto?.callId ?? "", "yes")
      yield* TestClock.adjust("2 hours")
      yield* until("Denied")(a.resume(suspended.runId))
      yield* Stream.runDrain(a.receive("And now?", session.id))
      const results = model.requests.at(-1)?.messages.flatMap((message) => message.results ?? []) ?? []
      assert.match(results[0]?.text ?? "", /^It is not known whether this was carried out/)
      assert.strictEqual(results[1]?.text, "Nobody has approved it in time.")
    }).pipe(hosted)
  )
})

describe("a turn that was cancelled after a change that did not fit, and another decision", () => {
  it.effect("shows only what was decided at last", () =>
    Effect.gen(function* () {
      const host = yield* Host.Host
      // only the code of the schema knows that nobody flies there
      const City = Schema.String.check(Schema.makeFilter((city) => city !== "Atlantis"))
      const book = Tool.make("book", { parameters: Schema.Struct({ city: City }), success: Schema.String })
      const kit = Toolkit.make(book.annotate(Tool.Destructive, true))
      const agent = Agent.make("guide", { instructions: "You plan trips.", triage: false, toolkit: kit })
      const model = Testing.scripted([calls(["book", "Porto"], ["book", "Rom"]), "Here I am."])
      const tools = kit.toLayer({
        book: ({ city }) => (city === "Rom" ? Effect.never : Effect.succeed(`booked ${city}`))
      })
      const a = yield* host.create(
        Host.define({ agent, config: Schema.Struct({}), provide: () => Layer.merge(model.layer, tools) }),
        {}
      )
      const session = yield* Memory.commit(yield* Thought.make("session"))
      const suspended = yield* Effect.flip(Stream.runDrain(a.receive("Book both", session.id)))
      assert.ok(suspended._tag === "Suspended")
      const { runId } = suspended
      const [porto, rom] = yield* Agent.waiting({ runId })
      assert.ok(porto !== undefined && rom !== undefined)
      yield* Agent.approve(runId, porto.callId, { params: { city: "Atlantis" } })
      yield* Agent.approve(runId, rom.callId, "yes")
      const again = yield* Effect.flip(Stream.runDrain(a.resume(runId)))
      assert.strictEqual(again._tag, "Suspended")
      yield* Agent.approve(runId, porto.callId, "yes")
      yield* until("Returned")(a.resume(runId))
      yield* Stream.runDrain(a.receive("And now?", session.id))
      const results = model.requests.at(-1)?.messages.flatMap((message) => message.results ?? []) ?? []
      assert.deepInclude(results[0], { isFailure: false, text: "booked Porto" })
      assert.match(results[1]?.text ?? "", /^It is not known whether this was carried out/)
    }).pipe(hosted)
  )
})

describe("a turn that was cancelled after its triage", () => {
  it.effect("shows the message, and not what was found of it", () =>
    Effect.gen(function* () {
      const host = yield* Host.Host
      const judging = Agent.make("guide", { instructions: "You plan trips.", toolkit })
      const model = Testing.scripted([{ safe: true, mode: "deep" }, Effect.never])
      const a = yield* host.create(defined(model, new Done().layer, judging), {})
      const session = yield* Memory.commit(yield* Thought.make("session"))
      yield* until("Triaged")(a.receive("Is it warm?", session.id))
      const stored = yield* Memory.load(session.id)
      const [user, mark, ...more] = Session.entries(stored.session)
      assert.match(user?.text ?? "", /Is it warm\?/)
      assert.notInclude(user?.text, "deep")
      assert.deepInclude(mark, { role: "assistant", text: "(cancelled)" })
      assert.deepStrictEqual(more, [])
    }).pipe(hosted)
  )
})

describe("a run that was interrupted before anything was stored", () => {
  it.effect("is signalled with its thought when a running agent goes on with it", () =>
    Effect.gen(function* () {
      const begins = yield* Deferred.make<void>()
      const model = Testing.scripted([Effect.andThen(Deferred.succeed(begins, undefined), Effect.never), "It is warm."])
      const session = yield* Memory.commit(yield* Thought.make("session"))
      const saying = Agent.say(guide, session, "Is it warm?", { durable: { id: "run" } })
      const fiber = yield* Effect.forkChild(Effect.provide(saying, Layer.merge(model.layer, new Done().layer)))
      yield* Deferred.await(begins)
      yield* Fiber.interrupt(fiber)
      const a = yield* (yield* Host.Host).create(defined(model), {})
      const places: Array<Host.Place> = []
      a.on((_, place) => places.push(place))
      yield* Stream.runDrain(a.resume("run"))
      assert.isAbove(places.length, 0)
      for (const place of places) assert.deepStrictEqual(place, { agentId: a.id, thoughtId: session.id })
      const missing = yield* Effect.flip(Stream.runDrain(a.resume("nowhere")))
      assert.include(String(missing), "nowhere")
    }).pipe(hosted)
  )
})

describe("a turn that was cancelled while an agent within it worked", () => {
  it.effect("is shown as cancelled in its own session", () =>
    Effect.gen(function* () {
      const inner = Agent.make("scout", { instructions: "You look around.", toolkit, triage: false })
      const scout = Agent.asTool("scout", inner, {
        description: "Looks around",
        parameters: Schema.Struct({ message: Schema.String })
      })
      const lead = Agent.make("lead", { instructions: "You lead.", toolkit: Toolkit.make(scout.tool), triage: false })
      const begins = yield* Deferred.make<void>()
      const model = Testing.scripted([
        Testing.calls([{ name: "scout", params: { message: "Is it warm?" } }]),
        calls(["weather"]),
        Effect.andThen(Deferred.succeed(begins, undefined), Effect.never),
        "Here I am."
      ])
      const host = yield* Host.Host
      const services = Layer.mergeAll(
        model.layer,
        new Done().layer,
        Layer.provide(scout.layer, Layer.merge(model.layer, new Done().layer))
      )
      const a = yield* host.create(Host.define({ agent: lead, config: Schema.Struct({}), provide: () => services }), {})
      const session = yield* Memory.commit(yield* Thought.make("session"))
      const fiber = yield* Effect.forkChild(Stream.runDrain(a.receive("Look around", session.id)))
      yield* Deferred.await(begins)
      yield* Fiber.interrupt(fiber)
      const stored = yield* Memory.load(session.id)
      assert.deepStrictEqual(
        Session.entries(stored.session).map(({ role, text }) => [role, text.split("\n")[0]?.slice(0, 5)]),
        [
          ["user", "<note"],
          ["assistant", "[call"],
          ["user", "<note"],
          ["assistant", "(canc"]
        ]
      )
      yield* Stream.runDrain(a.receive("And now?", session.id))
      assert.deepStrictEqual(
        model.requests
          .at(-1)
          ?.messages.map(
            ({ results, role, text }) => results?.map((one) => one.text) ?? (role === "assistant" ? text : role)
          ),
        [
          "system",
          "user",
          "",
          ["It is not known whether this was carried out: it was cancelled. Find out before you call the tool again."],
          "(cancelled)",
          "user"
        ]
      )
    }).pipe(hosted)
  )
})

describe("a run that was cancelled within an agent that is a tool", () => {
  const inner = Agent.make("scout", { instructions: "You look around.", toolkit, triage: false })
  const scout = Agent.asTool("scout", inner, {
    description: "Looks around",
    parameters: Schema.Struct({ message: Schema.String })
  })
  const write = Tool.make("write", { parameters: Schema.Struct({ city: Schema.String }), success: Schema.String })

  it.effect("shows nothing that this agent's calls have come to for calls that have the same ids", () => {
    const outerKit = Toolkit.make(write, scout.tool)
    const lead = Agent.make("lead", { instructions: "You lead.", toolkit: outerKit, triage: false })
    const ids = ["call_1", "call_2", "call_3"]
    const made = (...names: ReadonlyArray<readonly [string, object]>) =>
      Testing.calls(names.map(([name, params], i) => ({ id: ids[i] ?? "", name, params })))
    const model = Testing.scripted(({ messages }) =>
      messages[0]?.text.startsWith("You lead.") === true
        ? made(["write", { city: "Porto" }], ["write", { city: "Rom" }], ["scout", { message: "Book Porto" }])
        : made(["note", { city: "Porto" }], ["weather", { city: "Porto" }], ["book", { city: "Porto" }])
    )
    const writes = Toolkit.make(write).toLayer({ write: () => Effect.never })
    return Effect.gen(function* () {
      const said = Agent.say(lead, yield* Thought.make("trip"), "Go", { durable: { id: "run" } })
      const saying = yield* Effect.forkChild(said)
      while ((yield* Agent.waiting({ runId: "run" })).length === 0) yield* Effect.yieldNow
      yield* Fiber.interrupt(saying)
      const thought = yield* Agent.cancel("run")
      const results = Thought.notes(thought).filter(({ source }) => source === "tool")
      assert.deepStrictEqual(
        results.map(({ content, key }) => [key, content.split(":", 1)[0]]),
        ["write", "write", "scout"].map((name) => [`lead.${name}`, "It is not known whether this was carried out"])
      )
    }).pipe(
      Effect.provide(
        Layer.provideMerge(scout.layer, Layer.mergeAll(model.layer, writes, new Done().layer, Testing.memory))
      )
    )
  })

  it.effect("goes on with the thought of the agent around it after its process has ended", () => {
    const outerKit = Toolkit.make(scout.tool, write)
    const lead = Agent.make("lead", {
      instructions: "You lead.",
      toolkit: outerKit,
      triage: false,
      limits: { parallel: 1 }
    })
    const both = Testing.calls([
      { name: "scout", params: { message: "Look" } },
      { name: "write", params: { city: "Ulm" } }
    ])
    // the tool's thought is stored more often
    const model = Testing.scripted([both, calls(["weather"]), calls(["weather"]), "Nothing there."])
    return Effect.gen(function* () {
      const store = yield* makeStore
      const memoryOf = (ledger: Partial<typeof store.ledger>) => {
        const shared = { ...store, ledger: { ...store.ledger, exclusive: false, ...ledger } }
        return Layer.effect(Memory.Memory, Memory.make({ store: shared, scope: "local", embedder: "none" }))
      }
      const begun = yield* Deferred.make<void>()
      const writes = Toolkit.make(write).toLayer({
        write: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      })
      const start = yield* Thought.make("trip")
      // a process that does nothing any more
      const memory = memoryOf({ renew: () => Effect.never })
      const services = Layer.mergeAll(model.layer, writes, new Done().layer, memory)
      const said = Agent.say(lead, start, "Go", { durable: { id: "run" } })
      yield* Effect.forkDetach(Effect.provide(said, Layer.provideMerge(scout.layer, services)))
      yield* Deferred.await(begun)
      yield* TestClock.adjust("31 seconds")
      const thought = yield* Effect.provide(Agent.cancel("run"), memoryOf({}))
      assert.strictEqual(thought.id, start.id)
      const results = Thought.notes(thought).filter(({ source }) => source === "tool")
      assert.deepStrictEqual(
        results.map(({ content }) => content.split(":", 1)[0]),
        Array.from({ length: 2 }, () => "It is not known whether this was carried out")
      )
    })
  })
})
