/** Runs that are given up, and what the next message sees of them. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Latch, Layer, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Pipeline, Primitive, Session, Step, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { makeInMemory as makeStore } from "../../src/memory/inMemory/store.ts"
import { calls, Done, guide, start, toolkit } from "./kit.ts"

const runId = "run"
const durable = { id: runId }

const unknown =
  "It is not known whether this was carried out: it was cancelled. Find out before you call the tool again."

const statuses = Effect.map(Pipeline.runs(), (runs) => runs.map(({ error, status }) => [status, error]))

const shownIn = ({ session }: Thought.Thought<any>) => Session.entries(session).map(({ role, text }) => [role, text])

/** Says something, and stops once this event has come. */
const until = (tag: string) => (thought: Thought.Thought) =>
  Agent.stream(guide, thought, "Is Porto warm?", { durable }).pipe(
    Stream.takeUntil(({ _tag }) => _tag === tag),
    Stream.runDrain
  )

/** Runs the program with a model and tools. */
const using =
  (model: Testing.Scripted, tools: Layer.Layer<any> = new Done().layer) =>
  <A, E>(program: Effect.Effect<A, E, any>): Effect.Effect<A, E> =>
    Effect.provide(program, Layer.mergeAll(model.layer, tools, Testing.memory)) as Effect.Effect<A, E>

/** A tool that never ends, beside one that does. */
const slow = toolkit.toLayer({ ...new Done().handlers, weather: () => Effect.never })

describe("a run that is given up", () => {
  it.effect(
    "ends, and the next message follows: the model sees the message before it, and that it was cancelled",
    () => {
      const model = Testing.scripted([calls(["weather", "Porto"], ["note", "Porto"]), "Here I am."])
      return Effect.gen(function* () {
        const start = yield* Memory.commit(yield* Thought.make("trip"))
        yield* until("Returned")(start)
        const busy = yield* Effect.flip(Agent.say(guide, start, "And now?"))
        assert.deepInclude(busy, { _tag: "RunBusy", runId, isOpen: true })

        const thought = yield* Agent.cancel(runId)
        assert.strictEqual(thought.id, start.id)
        assert.deepStrictEqual(yield* statuses, [["failed", "Cancelled"]])
        const done = yield* Agent.say(guide, thought, "And now?")
        assert.strictEqual(done.get("answer"), "Here I am.")
        const [, user, call, result, mark, again] = model.requests.at(-1)?.messages ?? []
        assert.match(user?.text ?? "", /Is Porto warm\?/)
        assert.lengthOf(call?.calls ?? [], 2)
        assert.deepStrictEqual(
          result?.results?.map(({ isFailure, text }) => [isFailure, text]),
          [
            [true, unknown],
            [false, "noted"]
          ]
        )
        assert.deepInclude(mark, { role: "assistant", text: "(cancelled)" })
        assert.match(again?.text ?? "", /And now\?/)
      }).pipe(using(model, slow))
    }
  )

  it.effect(
    "shows which calls had not begun: unknown and unreadable ones, and one that nobody was asked about yet",
    () => {
      const named = ["nothing", "weather", "book", "note", "lost"].map((name) => [name, "Porto"] as const)
      const model = Testing.scripted([calls(["note", 3], ...named)])
      const begun = Latch.makeUnsafe()
      const done = new Done()
      const tools = toolkit.toLayer({
        ...done.handlers,
        note: () => Effect.andThen(begun.open, Effect.never),
        book: () => Effect.die("never approved")
      })
      return Effect.gen(function* () {
        const saying = yield* Effect.forkChild(Agent.say(guide, yield* start, "Is Porto warm?", { durable }))
        yield* begun.await
        for (let i = 0; i < 20; i++) yield* Effect.yieldNow
        yield* Fiber.interrupt(saying)
        const thought = yield* Agent.cancel(runId)
        const notBegun = "It was not carried out: the run was cancelled before."
        assert.deepStrictEqual(
          Thought.notes(thought)
            .filter(({ source }) => source === "tool")
            .map(({ content, key }) => [key, content]),
          [
            ["guide.note", notBegun],
            ["guide.unknown", notBegun],
            ["guide.weather", '{"celsius":5}'],
            ["guide.book", notBegun],
            ["guide.note", unknown],
            ["guide.lost", "Porto is not there"]
          ]
        )
      }).pipe(using(model, tools))
    }
  )

  it.effect("is over: to give it up again changes nothing, and nothing goes on with it", () => {
    const model = Testing.scripted([calls(["weather", "Porto"])])
    return Effect.gen(function* () {
      yield* until("Called")(yield* Thought.make("trip"))
      const thought = yield* Agent.cancel(runId)
      const again = yield* Agent.cancel(runId)
      assert.deepStrictEqual(shownIn(again), shownIn(thought))
      assert.deepStrictEqual(yield* Pipeline.resumeAll([guide]), [])
      const error = yield* Effect.flip(Pipeline.resume(guide, runId))
      assert.include(String(error.cause), 'The run "run" was given up: begin another one')
      assert.deepStrictEqual(yield* statuses, [["failed", "Cancelled"]])
      assert.lengthOf(model.requests, 1)
    }).pipe(using(model, slow))
  })

  it.effect("shows what the model had written, if the reader has kept it", () =>
    Effect.gen(function* () {
      yield* until("Called")(yield* Thought.make("trip"))
      const thought = yield* Agent.cancel(runId, { written: " It is warm, and\n" })
      assert.deepStrictEqual(shownIn(thought).at(-1), ["assistant", "It is warm, and\n\n(cancelled)"])
    }).pipe(using(Testing.scripted([calls(["weather", "Porto"])]), slow))
  )

  it.effect("does not show once more what the model had written of a round that is stored", () =>
    Effect.gen(function* () {
      yield* until("Returned")(yield* Thought.make("trip"))
      const thought = yield* Agent.cancel(runId, { written: "I look it" })
      const shown = shownIn(thought)
      assert.deepStrictEqual(shown.at(-1), ["assistant", "(cancelled)"])
      assert.lengthOf(
        shown.filter(([, text]) => text?.startsWith("I look it up") === true),
        1
      )
    }).pipe(
      using(
        Testing.scripted([
          Testing.calls([{ name: "weather", params: { city: "Porto" } }], { text: "I look it up." }),
          Effect.never
        ])
      )
    )
  )

  it.effect("takes no approval any more", () => {
    const model = Testing.scripted([calls(["book", "Porto"], ["book", "Rom"]), "Here I am."])
    const done = new Done()
    return Effect.gen(function* () {
      const start = yield* Thought.make("trip")
      yield* Effect.flip(Agent.say(guide, start, "Book both", { durable }))
      const [porto, rom] = yield* Agent.waiting({ runId })
      yield* Agent.approve(runId, porto?.callId ?? "", { no: "too far" })
      const thought = yield* Agent.cancel(runId)
      assert.deepStrictEqual([yield* Agent.waiting(), yield* Pipeline.waiting()], [[], []])
      const late = yield* Effect.flip(Agent.approve(runId, rom?.callId ?? "", "yes"))
      assert.ok(late._tag === "MemoryError" && late.reason._tag === "NotFound")
      yield* Agent.say(guide, thought, "And now?")
      assert.deepStrictEqual(
        model.requests.at(-1)?.messages.flatMap(({ results = [] }) => results.map(({ text }) => text)),
        ["Not approved: too far", "It was not carried out: nobody has approved it."]
      )
      assert.deepStrictEqual(done.all, [])
    }).pipe(using(model, done.layer))
  })

  it.effect("is not one that is in progress here, which goes on", () =>
    Effect.gen(function* () {
      const begins = yield* Deferred.make<void>()
      const goesOn = yield* Deferred.make<void>()
      const answer = Effect.andThen(Deferred.succeed(begins, undefined), Effect.as(Deferred.await(goesOn), "Warm."))
      yield* Effect.gen(function* () {
        const said = Agent.say(guide, yield* Thought.make("trip"), "Is Porto warm?", { durable })
        const running = yield* Effect.forkChild(said)
        yield* Deferred.await(begins)
        const busy = yield* Effect.flip(Agent.cancel(runId))
        assert.ok(busy._tag === "RunBusy" && busy.isOpen === undefined)
        yield* Deferred.succeed(goesOn, undefined)
        assert.strictEqual((yield* Fiber.join(running)).get("answer"), "Warm.")
        const completed = yield* Effect.flip(Agent.cancel(runId))
        assert.deepStrictEqual(
          [completed._tag, completed.message],
          ["RunCompleted", 'The run "run" is completed: there is nothing to cancel. Agent.resume gives its answer.']
        )
        assert.deepStrictEqual(yield* statuses, [["completed", undefined]])
      }).pipe(using(Testing.scripted([answer])))
    })
  )

  it.effect("is not one that another process has, until its lease ends", () =>
    Effect.gen(function* () {
      const store = yield* makeStore
      const shared = { ...store, ledger: { ...store.ledger, exclusive: false } }
      const memory = Layer.effect(Memory.Memory, Memory.make({ store: shared, scope: "local", embedder: "none" }))
      const model = Testing.scripted([calls(["weather", "Porto"])])
      yield* Effect.gen(function* () {
        yield* until("Called")(yield* Thought.make("trip"))
        const { ledger } = yield* Memory.Memory
        const lease = { owner: "another process", millis: 30_000, seize: false }
        assert.isTrue((yield* ledger.claim(runId, lease))?.claimed)
        assert.deepInclude(yield* Effect.flip(Agent.cancel(runId)), { _tag: "RunBusy", leaseUntilMillis: 30_000 })
        assert.strictEqual((yield* ledger.load(runId))?.run.owner, "another process")
        yield* TestClock.adjust("31 seconds")
        const thought = yield* Agent.cancel(runId)
        assert.deepStrictEqual(shownIn(thought).at(-1), ["assistant", "(cancelled)"])
        assert.deepStrictEqual(yield* statuses, [["failed", "Cancelled"]])
      }).pipe(Effect.provide(Layer.mergeAll(model.layer, slow, memory)))
    })
  )

  it.effect("is not taken by somebody who has read it before", () =>
    Effect.gen(function* () {
      const store = yield* makeStore
      let first: Effect.Effect<unknown> = Effect.void
      const claim: typeof store.ledger.claim = (...of) =>
        Effect.suspend(() => {
          const before = first
          first = Effect.void
          return Effect.andThen(before, store.ledger.claim(...of))
        })
      const memory = Layer.effect(
        Memory.Memory,
        Memory.make({ store: { ...store, ledger: { ...store.ledger, claim } }, scope: "local", embedder: "none" })
      )
      const model = Testing.scripted([calls(["book", "Porto"]), "Booked."])
      const done = new Done()
      yield* Effect.gen(function* () {
        yield* Effect.flip(Agent.say(guide, yield* Thought.make("trip"), "Book it", { durable }))
        const [book] = yield* Agent.waiting({ runId })
        yield* Agent.approve(runId, book?.callId ?? "", "yes")
        first = Effect.provideContext(Effect.orDie(Agent.cancel(runId)), yield* Effect.context<Memory.Memory>())
        const error = yield* Effect.flip(Pipeline.resume(guide, runId))
        assert.deepStrictEqual(done.all, [])
        assert.ok(error._tag === "PipelineError" && error.cause instanceof Memory.MemoryError)
        assert.deepInclude(error.cause.reason, {
          _tag: "NotFound",
          message: 'The run "run" was given up: begin another one on its thought.'
        })
        assert.deepStrictEqual(yield* statuses, [["failed", "Cancelled"]])
      }).pipe(Effect.provide(Layer.mergeAll(model.layer, done.layer, memory)))
    })
  )

  it.effect("stays as it was if the memory fails", () =>
    Effect.gen(function* () {
      const store = yield* makeStore
      let isDown = false
      const down = new Memory.MemoryError({ reason: { _tag: "Connection", message: "the database is down" } })
      const commit: typeof store.commit = (...of) => (isDown ? Effect.fail(down) : store.commit(...of))
      const memory = Layer.effect(
        Memory.Memory,
        Memory.make({ store: { ...store, commit }, scope: "local", embedder: "none" })
      )
      const model = Testing.scripted([calls(["book", "Porto"]), "Booked."])
      yield* Effect.gen(function* () {
        yield* Effect.flip(Agent.say(guide, yield* Thought.make("trip"), "Book it", { durable }))
        isDown = true
        assert.strictEqual(yield* Effect.flip(Agent.cancel(runId)), down)
        isDown = false
        assert.deepStrictEqual(yield* statuses, [["waiting", undefined]])
        const [book] = yield* Agent.waiting({ runId })
        yield* Agent.approve(runId, book?.callId ?? "", "yes")
        assert.strictEqual((yield* Pipeline.resume(guide, runId)).get("answer"), "Booked.")
      }).pipe(Effect.provide(Layer.mergeAll(model.layer, new Done().layer, memory)))
    })
  )

  it.effect("may be one of a pipeline: without an agent, its conversation stays as it is", () =>
    Effect.gen(function* () {
      const refund = Pipeline.sequence("refund", [
        Step.make("looked", { schema: Schema.Boolean, run: () => true }),
        Primitive.approve("ok", { prompt: "May we refund it?" })
      ])
      yield* Effect.flip(Pipeline.run(refund, yield* Thought.make("refund"), { durable }))
      const thought = yield* Agent.cancel(runId)
      assert.deepStrictEqual(shownIn(thought), [])
      assert.deepStrictEqual(
        Thought.notes(thought).map(({ key }) => key),
        ["looked"]
      )
      assert.deepStrictEqual(yield* Pipeline.waiting(), [])
      assert.deepStrictEqual(yield* statuses, [["failed", "Cancelled"]])
      const around = Pipeline.sequence("around", [refund, guide])
      const start = yield* Thought.make("refund", { message: "Refund it" })
      yield* Effect.flip(Pipeline.run(around, start, { durable: { id: "other" } }))
      const cancelled = yield* Agent.cancel("other")
      assert.deepStrictEqual(
        shownIn(cancelled).map(([role, text = ""]) => [role, /Refund it|\(cancelled\)/.exec(text)?.[0]]),
        [
          ["user", "Refund it"],
          ["assistant", "(cancelled)"]
        ]
      )
    }).pipe(using(Testing.scripted([])))
  )

  it.effect("is there: an unknown one is not found", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Agent.cancel("nothing"))
      assert.ok(error._tag === "MemoryError" && error.reason._tag === "NotFound")
    }).pipe(using(Testing.scripted([])))
  )
})
