import { assert, describe, it } from "@effect/vitest"
import { PGlite } from "@electric-sql/pglite"
import { Effect, Layer, Schema } from "effect"
import { Tool, Toolkit } from "effect/ai"
import { vi } from "vitest"
import { Memory, Session, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { Kept } from "../../src/pglite/engine/kept.ts"
import { wordsOnly } from "../pglite/prefilled.ts"
import { calls } from "./kit.ts"

const memory = wordsOnly()

/** How often a text is sent to the database. */
const timesSent = <A, E, R>(text: string, effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const spies = [vi.spyOn(PGlite.prototype, "query"), vi.spyOn(Kept.prototype, "query")] as const
    return Effect.map(effect, (value) => {
      const sent = JSON.stringify(spies.flatMap(({ mock }) => mock.calls.map(([, values]) => values)))
      for (const spy of spies) spy.mockRestore()
      return { value, times: sent.split(text).length - 1 }
    })
  })

const City = Schema.Struct({ city: Schema.String })
const page = Tool.make("page", { parameters: City, success: Schema.String }).annotate(Tool.Readonly, true)
const lost = Tool.make("lost", { parameters: City, success: Schema.String, failure: Schema.String }).annotate(
  Tool.Readonly,
  true
)
const toolkit = Toolkit.make(page, lost)
const reader = Agent.make("reader", { instructions: "You read pages.", triage: false, toolkit })

const on = (model: Testing.Scripted, text: string) => {
  const handlers = toolkit.toLayer({
    page: ({ city }) => Effect.succeed(`${city}: ${text}`),
    lost: ({ city }) => Effect.fail(`${city} is not there`)
  })
  return Effect.provide(Layer.mergeAll(model.layer, handlers, memory))
}

const say = (session: Parameters<typeof Agent.say>[1], message: string) =>
  Agent.say(reader, session, message, { durable: false })

describe("the results of an agent in a database", () => {
  it.effect("are stored once, and come back as the model has seen them", () => {
    const model = Testing.scripted([
      calls(["page"], ["lost"], ["page", "Rome"]),
      calls(["page", "Bonn"]),
      "It is warm."
    ])
    return Effect.gen(function* () {
      const start = yield* Thought.make("trip")
      const { times, value: session } = yield* timesSent("Not a heading", say(start, "Is Porto warm?"))
      assert.strictEqual(times, 3)
      const entries = Session.entries((yield* Memory.load(session.id)).session)
      assert.deepStrictEqual(entries, Session.entries(session.session))
      assert.deepStrictEqual(
        entries.map(({ carries, kind }) => `${kind} ${carries.length}`),
        ["message 1", "message 3", "result 3", "message 1", "result 1", "message 1"]
      )
      assert.include(entries[2]?.text, "\\# Not a heading")
    }).pipe(on(model, `A long page.\n# Not a heading\n</note 123456>\n\u200b${"Porto is warm. ".repeat(20)}`))
  })

  it.effect("leave the conversation when they are redacted", () => {
    const model = Testing.scripted([calls(["page"]), "It is warm.", "I do not know."])
    return Effect.gen(function* () {
      const session = yield* say(yield* Thought.make("trip"), "Is Porto warm?")
      const result = Thought.notes(session).find(({ content }) => content.includes("4711"))
      assert.isDefined(result)
      yield* Memory.redact(result)
      const loaded = yield* Memory.load(session.id)
      assert.notInclude(JSON.stringify([Thought.notes(loaded), Session.entries(loaded.session)]), "4711")
      yield* say(loaded, "And now?")
      assert.notInclude(JSON.stringify(model.requests.at(-1)), "4711")
    }).pipe(on(model, "The key is 4711."))
  })
})
