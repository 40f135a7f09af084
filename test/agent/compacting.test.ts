import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Pipeline, type Provider, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { Done, guide, on } from "./kit.ts"

/** What a request shows: the first word of each text, and the calls and results. */
const shownIn = ({ messages }: Provider.Request) =>
  messages
    .slice(1)
    .flatMap(({ calls = [], results = [], role, text }) => [
      ...(text === "" ? [] : [role === "user" ? (/key="(\w+)"/.exec(text)?.[1] ?? role) : text]),
      ...calls.map(({ id }) => `call ${id}`),
      ...results.map(({ id }) => `result ${id}`)
    ])

const asks = (name: string, city: string) => Testing.calls([{ name, params: { city } }])

describe("an agent whose conversation is shortened between two rounds", () => {
  it.effect("shows the summary and the turn that goes on, each call with its result", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([
        asks("page", "Porto"),
        "It is warm.",
        asks("weather", "Ulm"),
        asks("weather", "Bonn"),
        // the summary
        "Porto is warm.",
        asks("weather", "Rome"),
        "Rome is the coldest."
      ])
      const done = new Done()
      done.page = "word ".repeat(100)
      const compacting = Pipeline.compact(guide, { tokens: 280, keep: 1 })
      yield* on(
        model,
        done
      )(
        Effect.gen(function* () {
          const first = yield* Agent.say(compacting, yield* Thought.make("trip"), "Is Porto warm?")
          return yield* Agent.say(compacting, first, "And the other towns?")
        })
      )
      const turn = ["message", "call call_1", "result call_1", "It is warm."]
      const next = ["message", "call call_2", "result call_2"]
      const rest = ["conversation_summary", ...next, "call call_3", "result call_3"]
      assert.deepStrictEqual(model.requests.map(shownIn), [
        ["message"],
        turn.slice(0, 3),
        [...turn, "message"],
        [...turn, ...next],
        // what is to be summarised
        ["message"],
        rest,
        [...rest, "call call_4", "result call_4"]
      ])
    })
  )
})
