/** What a call came to, as the model and the listeners of an agent see it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema, Stream } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { calls, on, toolkit } from "./kit.ts"

const reading = <const N extends string, A>(name: N, success: Schema.Codec<A, any>) =>
  Tool.make(name, { success }).annotate(Tool.Readonly, true)

describe("the result of a call", () => {
  it.effect("is heard as the value of its schema, also if its text could be other JSON", () => {
    const tools = Toolkit.make(
      reading("count", Schema.FiniteFromString),
      reading("digits", Schema.String),
      reading("day", Schema.DateFromString),
      reading("place", Schema.Struct({ city: Schema.String }))
    )
    const day = new Date("2026-01-02T00:00:00.000Z")
    const handlers = tools.toLayer({
      count: () => Effect.succeed(12),
      digits: () => Effect.succeed("12"),
      day: () => Effect.succeed(day),
      place: () => Effect.succeed({ city: "Ulm" })
    })
    const clerk = Agent.make("clerk", { instructions: "You look.", toolkit: tools, triage: false })
    const names = ["count", "digits", "day", "place"]
    const model = Testing.scripted([Testing.calls(names.map((name) => ({ name, params: {} }))), "Done."])
    return Effect.gen(function* () {
      const events = yield* Stream.runCollect(Agent.stream(clerk, yield* Thought.make("look"), "Look"))
      const heard = events.flatMap((event) => (event._tag === "Returned" ? [[event.name, event.result]] : []))
      assert.deepStrictEqual(
        new Map(heard as ReadonlyArray<[string, unknown]>),
        new Map<string, unknown>([
          ["count", 12],
          ["digits", "12"],
          ["day", day],
          ["place", { city: "Ulm" }]
        ])
      )
      const results = model.requests[1]?.messages.at(-1)?.results ?? []
      assert.deepStrictEqual(
        results.map(({ text }) => text),
        ["12", "12", "2026-01-02T00:00:00.000Z", `{"city":"Ulm"}`]
      )
    }).pipe(Effect.provide(Layer.mergeAll(model.layer, handlers, Testing.memory)))
  })

  it.effect("that does not fit its schema is a failure that says that the call was carried out", () => {
    const Long = Schema.String.check(Schema.isMinLength(3))
    const tools = Toolkit.make(reading("word", Long), reading("nothing", Schema.Void))
    const handlers = tools.toLayer({ word: () => Effect.succeed("x"), nothing: () => Effect.void })
    const clerk = Agent.make("clerk", { instructions: "You look.", toolkit: tools, triage: false })
    const model = Testing.scripted([Testing.calls(["word", "nothing"].map((name) => ({ name, params: {} }))), "Done."])
    return Effect.gen(function* () {
      yield* Agent.say(clerk, yield* Thought.make("look"), "Look")
      const [word, nothing] = model.requests[1]?.messages.at(-1)?.results ?? []
      assert.isTrue(word?.isFailure)
      assert.match(word?.text ?? "", /^It was carried out, but its result does not fit: /)
      assert.deepInclude(nothing, { isFailure: false, text: "null" })
    }).pipe(Effect.provide(Layer.mergeAll(model.layer, handlers, Testing.memory)))
  })
})

describe("rounds with failed calls", () => {
  const agent = Agent.make("guide", {
    instructions: "You plan trips.",
    triage: false,
    toolkit,
    limits: { failures: 2 }
  })
  const say = Effect.flatMap(Thought.make("trip"), (thought) => Agent.say(agent, thought, "Go"))

  it.effect("go on as long as one call of each has succeeded", () => {
    const mixed = ["Ulm", "Rom", "Bonn"].map((city) => calls(["lost", city], ["weather", city]))
    return on(Testing.scripted([...mixed, "Done."]))(
      Effect.map(say, (done) => assert.strictEqual(done.get("answer"), "Done."))
    )
  })

  it.effect("are counted anew after one in which a call has succeeded", () => {
    const [lost, warm] = [(city: string) => calls(["lost", city]), calls(["weather"])]
    const model = Testing.scripted([lost("Ulm"), warm, lost("Rom"), lost("Bonn"), "Done."])
    return on(model)(
      Effect.gen(function* () {
        const error = yield* Effect.flip(say)
        assert.ok(error._tag === "PipelineError")
        assert.deepInclude(error.cause, { _tag: "AgentStopped", reason: "failures", rounds: 4 })
        assert.strictEqual((error.cause as Agent.AgentStopped).detail, "Bonn is not there")
      })
    )
  })
})
