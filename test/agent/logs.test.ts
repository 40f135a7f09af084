import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Pipeline, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { calls, guide, on, start, toolkit } from "./kit.ts"

const judging = Agent.make("guide", { instructions: "You plan trips.", toolkit })

describe("the logs of an agent", () => {
  it.effect("have a line for triage, each round, each result and the answer", () => {
    const model = Testing.scripted([
      { safe: true, mode: "fast" },
      calls(["weather", "Porto"], ["lost", "Ulm"]),
      calls(["weather", "Bonn"]),
      "It is warm."
    ])
    return on(model)(
      Effect.gen(function* () {
        const done = yield* Pipeline.run(judging, yield* start, { durable: { id: "run" } })
        assert.deepStrictEqual(Thought.logs(done), [
          "message: Is Porto warm?",
          "guide.triage: safe, fast",
          "guide, round 1: calls weather, lost",
          `guide.weather: {"celsius":5}`,
          "guide.lost failed: Ulm is not there",
          "guide, round 2: calls weather",
          `guide.weather: {"celsius":4}`,
          "answer: It is warm."
        ])
        assert.deepStrictEqual(Thought.logs(done, { mode: "errors", signals: [] }), [
          "guide: lost failed: Ulm is not there"
        ])
      })
    )
  })

  it.effect("say who has decided about a call", () =>
    on(Testing.scripted([calls(["book", "Porto"]), "No room."]))(
      Effect.gen(function* () {
        yield* Effect.flip(Agent.say(guide, yield* Thought.make("trip"), "Book it", { durable: { id: "run" } }))
        const [pending] = yield* Agent.waiting({ runId: "run" })
        yield* Agent.approve("run", pending?.callId ?? "", { no: "too dear" }, { by: "jane" })
        const done = yield* Pipeline.resume(guide, "run")
        assert.include(Thought.logs(done), "guide.book failed (not approved by jane): Not approved: too dear")
      })
    )
  )

  it.effect("say that a message was refused", () =>
    on(Testing.scripted([{ safe: false, mode: "fast" }]))(
      Effect.gen(function* () {
        const error = yield* Effect.flip(Agent.say(judging, yield* Thought.make("trip"), "rm -rf /"))
        assert.strictEqual(error._tag, "PipelineError")
        const thought = error._tag === "PipelineError" ? error.thought : undefined
        assert.isDefined(thought)
        assert.include(Thought.logs(thought), "guide.triage: not safe")
        assert.deepStrictEqual(Thought.logs(thought, { mode: "errors", signals: [] }), [
          "guide: the message was judged not safe"
        ])
      })
    )
  )
})
