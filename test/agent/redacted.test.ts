import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Memory, Pipeline, Step, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { calls, Done, guide, on } from "./kit.ts"

/** A model that reads a page, books each city that it does not see as booked, and says so. */
const booking = (...cities: ReadonlyArray<string>) =>
  Testing.scripted(({ messages }) => {
    const called = messages.flatMap((message) => message.calls ?? [])
    const results = messages.flatMap((message) => message.results ?? [])
    if (!results.some(({ name }) => name === "page")) return calls(["page"])
    const settled = new Set(results.filter(({ name }) => name === "book").map(({ id }) => id))
    const booked = called.filter(({ id }) => settled.has(id)).map(({ params }) => params)
    const next = cities.find((city) => !booked.some((params) => params.includes(city)))
    return next === undefined ? "Booked." : calls(["book", next])
  })

const other = Step.make("other", { schema: Schema.String, run: () => "something else" })

const durable = { durable: { id: "run" } }

/** Approves what waits, and goes on with the run. */
const approved = Effect.gen(function* () {
  const [pending] = yield* Agent.waiting({ runId: "run" })
  yield* Agent.approve("run", pending!.callId, "yes")
  return yield* Effect.exit(Pipeline.resume(guide, "run"))
})

const redactPage = Effect.gen(function* () {
  const [pending] = yield* Agent.waiting({ runId: "run" })
  const thought = yield* Memory.load(pending!.thoughtId)
  return yield* Memory.redact(thought.note("guide.page")!)
})

describe("an agent whose result of a tool is redacted while it waits", () => {
  it.effect("asks again, carries out what is approved once, and sees the result", () => {
    const done = new Done()
    const model = booking("Ulm")
    return on(
      model,
      done
    )(
      Effect.gen(function* () {
        done.page = "secret"
        yield* Effect.flip(Agent.say(guide, yield* Thought.make("trip"), "Book it", durable))
        yield* redactPage
        done.page = "public"
        yield* Effect.flip(Pipeline.resume(guide, "run"))
        const after = yield* approved
        assert.strictEqual(after._tag, "Success")
        if (after._tag === "Failure") return
        assert.strictEqual(after.value.get("answer"), "Booked.")
        assert.deepStrictEqual(done.all, ["page Ulm", "page Ulm", "book Ulm"])
        // twice the page and the booking before it was approved, and the answer
        assert.strictEqual(model.requests.length, 5)
        const last = model.requests.at(-1)!.messages
        assert.notInclude(JSON.stringify(last), "secret")
        assert.include(JSON.stringify(last), "public")
        // it can be read as a whole, and nothing is asked again
        const stored = yield* Memory.load(after.value.id)
        assert.deepStrictEqual(Thought.notes(stored), Thought.notes(after.value))
        yield* Pipeline.resume(guide, "run")
        assert.strictEqual(model.requests.length, 5)
      })
    )
  })

  it.effect("does not repeat a call whose result was removed, and tells the model", () => {
    const done = new Done()
    const model = booking("Ulm", "Rom")
    return on(
      model,
      done
    )(
      Effect.gen(function* () {
        yield* Effect.flip(Agent.say(guide, yield* Thought.make("trip"), "Book them", durable))
        // the first booking is carried out, the second one waits
        assert.strictEqual((yield* approved)._tag, "Failure")
        yield* redactPage
        yield* Effect.flip(Pipeline.resume(guide, "run"))
        assert.strictEqual((yield* approved)._tag, "Failure")
        const results = model.requests.at(-1)!.messages.flatMap((message) => message.results ?? [])
        assert.include(results.findLast(({ name }) => name === "book")?.text, "has carried out a call of this tool")
        const after = yield* approved
        assert.strictEqual(after._tag, "Success")
        assert.deepStrictEqual(done.all, ["page Ulm", "book Ulm", "page Ulm", "book Rom"])
      })
    )
  })

  it.effect("loses the result with a call that is redacted, as it may repeat its parameters", () => {
    const done = new Done()
    return on(
      booking("Ulm"),
      done
    )(
      Effect.gen(function* () {
        yield* Effect.flip(Agent.say(guide, yield* Thought.make("trip"), "Book it", durable))
        const [pending] = yield* Agent.waiting({ runId: "run" })
        const thought = yield* Memory.load(pending!.thoughtId)
        const [call, result] = Thought.history(thought, "guide.page")
        assert.include(yield* Memory.redact(call!), result?.id)
      })
    )
  })

  it.effect("shows people the call that they are asked about, in the place of another one's question", () => {
    // one call more in each round, whatever was called before
    const model = Testing.scripted(({ messages }) => {
      const rounds = messages.filter((message) => (message.calls ?? []).length > 0).length
      return [
        calls(["page", "A"]),
        calls(["book", "Rome"], ["page", "B"]),
        calls(["book", "Porto"]),
        calls(["book", "Ulm"])
      ][rounds]!
    })
    return on(
      model,
      new Done()
    )(
      Effect.gen(function* () {
        const pending = Effect.map(Agent.waiting({ runId: "run" }), (all) => all.filter(({ prompt }) => prompt !== ""))
        yield* Effect.flip(Agent.say(guide, yield* Thought.make("trip"), "Book them", durable))
        yield* approved
        const [second] = yield* pending
        assert.deepInclude(second?.params, { city: "Porto" })
        const page = Thought.history(yield* Memory.load(second!.thoughtId), "guide.page").at(-1)
        yield* Memory.redact(page!)
        yield* Effect.exit(Pipeline.resume(guide, "run"))
        const asked = yield* pending
        assert.isNotEmpty(asked)
        for (const { params, prompt } of asked) {
          const { city } = params as { readonly city: string }
          assert.include(prompt, `"city":"${city}"`)
        }
      })
    )
  })

  it.effect("is not asked again in a generator if it has answered and nothing of it was redacted", () => {
    const done = new Done()
    const model = booking("Ulm")
    const step = Pipeline.gen("trip", function* () {
      yield* Pipeline.ask(guide)
      yield* Pipeline.ask(other)
      yield* Pipeline.ask(Pipeline.waitFor("wait", { schema: Schema.String, prompt: "Go on?" }))
    }) as Step.Any
    return on(
      model,
      done
    )(
      Effect.gen(function* () {
        const start = yield* Thought.make("trip", { message: "Book it" })
        yield* Effect.exit(Pipeline.run(step, start, durable) as Effect.Effect<unknown, unknown>)
        const [pending] = yield* Agent.waiting({ runId: "run" })
        yield* Agent.approve("run", pending!.callId, "yes")
        const going = Effect.exit(Pipeline.resume(step, "run") as Effect.Effect<unknown, unknown>)
        yield* going
        const { length } = model.requests
        yield* Memory.redact((yield* Memory.load(start.id)).note("other")!)
        yield* going
        assert.strictEqual(model.requests.length, length)
        assert.deepStrictEqual(done.all, ["page Ulm", "book Ulm"])
      })
    )
  })
})
