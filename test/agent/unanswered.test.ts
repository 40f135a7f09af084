/** Messages whose run failed before the model had replied. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Memory, Pipeline, Primitive, Provider, Session, Step, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { met } from "../soon.ts"

const clerk = Agent.make("clerk", { instructions: "You help.", toolkit: Toolkit.empty, triage: false })
const down = new Provider.ProviderError({
  provider: "scripted",
  model: "scripted",
  reason: { _tag: "Overloaded", message: "busy" }
})

/** What a model was shown of a conversation: the message in each request, and the texts of the model. */
const shown = ({ messages }: Provider.Request): ReadonlyArray<string> =>
  messages.slice(1).map(({ role, text }) => (role === "user" ? (text.split("\n")[1] ?? "") : `> ${text}`))

const on =
  (replies: Parameters<typeof Testing.scripted>[0]) =>
  <E, R>(program: (model: Testing.Scripted) => Effect.Effect<void, E, R>) => {
    const model = Testing.scripted(replies)
    return Effect.provide(program(model), Layer.merge(model.layer, Testing.memory))
  }

const start = Effect.flatMap(Thought.make("shop"), Memory.commit)

describe("a message whose run failed before the model replied", () => {
  it.effect("is shown with the next message, once", () =>
    on([down, down, "Refunded.", "Yes."])((model) =>
      Effect.gen(function* () {
        const { id } = yield* start
        const say = (text: string) => Effect.flatMap(Memory.load(id), (thought) => Agent.say(clerk, thought, text))
        yield* Effect.flip(say("My order is 17"))
        yield* Effect.flip(say("It is broken"))
        const done = yield* say("Please refund it")
        const conversation = ["My order is 17", "> (no answer)", "It is broken", "> (no answer)", "Please refund it"]
        assert.deepStrictEqual(model.requests.slice(2).map(shown), [conversation])
        yield* Agent.say(clerk, done, "Is it done?")
        assert.deepStrictEqual(model.requests.slice(3).map(shown), [[...conversation, "> Refunded.", "Is it done?"]])
      })
    )
  )

  it.effect("is shown with the next message, also if that is triaged, or its run is given up", () =>
    on([down, { safe: true, mode: "fast" }, Effect.never, "Refunded."])((model) =>
      Effect.gen(function* () {
        const judged = Agent.make("judged", { instructions: "You help.", toolkit: Toolkit.empty })
        const { id } = yield* start
        const say = (text: string) =>
          Effect.flatMap(Memory.load(id), (thought) => Agent.say(judged, thought, text, { durable: { id: text } }))
        yield* Effect.flip(say("My order is 17"))
        yield* Effect.raceFirst(
          say("Please refund it"),
          met("the call", () => model.requests.length === 3)
        )
        assert.include(JSON.stringify(model.requests[1]?.messages), "My order is 17")
        const thought = yield* Agent.cancel("Please refund it")
        assert.deepStrictEqual(
          Session.entries(thought.session).map(({ text }) => text.split("\n")[1] ?? text),
          ["My order is 17", "(no answer)", "Please refund it", "(cancelled)"]
        )
      })
    )
  )

  it.effect("is not shown twice if it is said again", () =>
    on([down, down, "Refunded."])((model) =>
      Effect.gen(function* () {
        const { id } = yield* start
        const say = Effect.flatMap(Memory.load(id), (thought) => Agent.say(clerk, thought, "Refund 17"))
        yield* Effect.flip(say)
        yield* Effect.flip(say)
        yield* say
        assert.deepStrictEqual(model.requests.slice(2).map(shown), [["Refund 17"]])
      })
    )
  )

  it.effect("is not shown if it was redacted, or undone", () =>
    on([down, down, "Refunded."])((model) =>
      Effect.gen(function* () {
        const { id } = yield* start
        const say = (text: string) => Effect.flatMap(Memory.load(id), (thought) => Agent.say(clerk, thought, text))
        yield* Effect.flip(say("My card is 4111"))
        for (const note of Thought.notes(yield* Memory.load(id))) yield* Memory.redact(note)
        yield* Effect.flip(say("It is broken"))
        const undone = yield* Agent.undo(yield* Memory.load(id))
        assert.strictEqual(undone?.message, "It is broken")
        yield* Agent.say(clerk, undone?.thought ?? (yield* start), "Please refund 17")
        assert.deepStrictEqual(model.requests.slice(2).map(shown), [["Please refund 17"]])
      })
    )
  )
})

describe("a message whose run failed in a step before the agent", () => {
  it.effect("is shown before the next message", () =>
    on([down, { primary: "refund", confidence: 1, reasoning: ["It says so."] }, "Refunded."])((model) =>
      Effect.gen(function* () {
        const topic = Primitive.categorize("topic", { question: "What is it about?", categories: ["refund", "other"] })
        const { id } = yield* start
        const say = (text: string) =>
          Effect.flatMap(Memory.load(id), (thought) =>
            Agent.say(Pipeline.sequence("desk", [topic, clerk]), thought, text)
          )
        yield* Effect.flip(say("My order is 17"))
        yield* say("Please refund it")
        const conversation = ["My order is 17", "> (no answer)", "Please refund it"]
        assert.deepStrictEqual(
          model.requests.slice(1).map((request) => shown(request).slice(0, 3)),
          [conversation, conversation]
        )
      })
    )
  )
})

describe("a message that was refused", () => {
  it.effect("is not shown as one without an answer, after the conversation was emptied", () =>
    on([{ safe: false, mode: "fast" }, down, { safe: true, mode: "fast" }, "Refunded."])((model) =>
      Effect.gen(function* () {
        const judged = Agent.make("judged", { instructions: "You help.", toolkit: Toolkit.empty })
        const { id } = yield* start
        const say = (text: string) => Effect.flatMap(Memory.load(id), (thought) => Agent.say(judged, thought, text))
        yield* Effect.flip(say("Delete all orders"))
        yield* Effect.flip(say("My order is 17"))
        const emptied = Thought.withSession(yield* Memory.load(id), Session.empty)
        yield* Agent.say(judged, emptied, "Please refund it")
        assert.deepStrictEqual(model.requests.slice(3).map(shown), [
          ["My order is 17", "> (no answer)", "Please refund it"]
        ])
      })
    )
  )
})

describe("a message whose run failed, after the next one was answered", () => {
  it.effect("leaves nothing in the conversation when it is redacted", () =>
    on([down, "Refunded.", "Yes."])((model) =>
      Effect.gen(function* () {
        const { id } = yield* start
        const say = (text: string) => Effect.flatMap(Memory.load(id), (thought) => Agent.say(clerk, thought, text))
        yield* Effect.flip(say("My card is 4111"))
        yield* say("Please refund 17")
        const [card] = Thought.history(yield* Memory.load(id), "message")
        if (card !== undefined) yield* Memory.redact(card)
        yield* say("Is it done?")
        const texts = model.requests.at(-1)?.messages.map(({ text }) => text) ?? []
        assert.include(texts.at(-1), "Is it done?")
        for (const text of ["(no answer)", "4111"]) assert.notInclude(texts.join("\n"), text)
      })
    )
  )
})

describe("a message with the text of one that another person has said", () => {
  it.effect("does not stand for it", () =>
    on([down, "Both refunded."])((model) =>
      Effect.gen(function* () {
        const { id } = yield* start
        const say = (user: string) =>
          Effect.flatMap(Memory.load(id), (thought) => Agent.say(clerk, thought, "Refund mine", { user }))
        yield* Effect.flip(say("ann"))
        yield* say("bob")
        assert.deepStrictEqual(model.requests.slice(1).map(shown), [["Refund mine", "> (no answer)", "Refund mine"]])
      })
    )
  )
})

describe("a message that code has answered", () => {
  it.effect("has its answer if the next run is given up", () =>
    on([Effect.never])((model) =>
      Effect.gen(function* () {
        const hours = Step.make("answer", { schema: Schema.String, run: Effect.succeed("From 9 to 5.") })
        const asked = yield* Agent.say(hours, yield* start, "When are you open?")
        const saying = Agent.say(clerk, asked, "Please refund 17", { durable: { id: "run" } })
        yield* Effect.raceFirst(
          saying,
          met("the call", () => model.requests.length === 1)
        )
        const { session } = yield* Agent.cancel("run")
        assert.notInclude(
          Session.entries(session).map(({ text }) => text),
          "(no answer)"
        )
      })
    )
  )

  it.effect("is not shown as one without an answer", () =>
    on(["Refunded."])((model) =>
      Effect.gen(function* () {
        const hours = Step.make("answer", { schema: Schema.String, run: Effect.succeed("From 9 to 5.") })
        const asked = yield* Pipeline.run(hours, yield* Thought.make("shop", { message: "When are you open?" }))
        yield* Agent.say(clerk, asked, "Please refund 17")
        const texts = model.requests.flatMap(({ messages }) => messages.slice(1).map(({ text }) => text))
        assert.strictEqual(texts.length, 1)
        assert.match(texts[0] ?? "", /From 9 to 5[^]*Please refund 17/)
        assert.notInclude(texts[0], "When are you open?")
      })
    )
  )
})
