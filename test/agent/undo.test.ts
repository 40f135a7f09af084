/** A conversation whose last message is taken back. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Memory, Session, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"
import { calls, Done, guide } from "./kit.ts"

type Any = Thought.Thought<any>

/** Adds a text as a note that the conversation shows. */
const shown = (key: "message" | "answer", role: Session.Entry["role"]) =>
  Effect.fnUntraced(function* (before: Any, text: string) {
    const thought: Any = yield* Thought.append(before, key, text)
    const note = Thought.note(thought, key)!
    return Thought.withSession(thought, Session.append(thought.session, { role, text, carries: [note.id] })) as Any
  })

const said = shown("message", "user")
const answered = shown("answer", "assistant")

const shownIn = ({ session }: Any) => Session.entries(session).map(({ role, text }) => `${role}: ${text}`)
const notesIn = (thought: Any) => Thought.notes(thought).map(({ content, key }) => `${key}: ${content}`)

describe("a conversation", () => {
  it.effect("goes back to before its last message, one message at a time", () =>
    Effect.gen(function* () {
      const begun: Any = yield* Thought.make("chat", { customer: "jane" })
      const one = yield* answered(yield* said(begun, "one"), "first")
      const two = yield* answered(yield* said(one, "two"), "second")
      const before = yield* Agent.undo(two)
      assert.strictEqual(before?.message, "two")
      assert.deepStrictEqual(shownIn(before!.thought), ["user: one", "assistant: first"])
      assert.deepStrictEqual(notesIn(before!.thought), ["customer: jane", "message: one", "answer: first"])
      assert.notStrictEqual(before!.thought.id, two.id)
      const first = yield* Agent.undo(before!.thought)
      assert.strictEqual(first?.message, "one")
      assert.deepStrictEqual(shownIn(first!.thought), [])
      assert.deepStrictEqual(notesIn(first!.thought), ["customer: jane"])
      assert.isUndefined(yield* Agent.undo(first!.thought))
    })
  )

  it.effect("numbers new entries after those that were taken back", () =>
    Effect.gen(function* () {
      const begun: Any = yield* Thought.make("chat")
      const one = yield* answered(yield* said(begun, "one"), "first")
      const two = yield* answered(yield* said(one, "two"), "second")
      const indexes = ({ session }: Any) => Session.entries(session).map(({ index }) => index)
      assert.deepStrictEqual(indexes(two), [0, 1, 2, 3])
      const before = yield* Agent.undo(two)
      const again = yield* said(before!.thought, "three")
      assert.deepStrictEqual(indexes(again), [0, 1, 4])
      assert.deepStrictEqual(shownIn(again), ["user: one", "assistant: first", "user: three"])
    })
  )

  it.effect("goes back to before a message that was not shown yet", () =>
    Effect.gen(function* () {
      const begun: Any = yield* Thought.make("chat")
      const one = yield* answered(yield* said(begun, "one"), "first")
      const unseen: Any = yield* Thought.append(one, "message", "two")
      const before = yield* Agent.undo(unseen)
      assert.strictEqual(before?.message, "two")
      assert.deepStrictEqual(shownIn(before!.thought), shownIn(one))
      assert.deepStrictEqual(notesIn(before!.thought), notesIn(one))
    })
  )

  it.effect("of an agent, loaded from the memory, no longer has what followed the message", () => {
    const model = Testing.scripted([
      "Hello Ada.",
      calls(["weather", "Porto"]),
      "It is warm.",
      calls(["book", "Rom"]),
      "You are Ada."
    ])
    return Effect.gen(function* () {
      const one = yield* Agent.say(guide, yield* Thought.make("trip"), "I am Ada.")
      const two = yield* Agent.say(guide, one, "Is Porto warm?")
      yield* Effect.flip(Agent.say(guide, two, "Book Rom", { durable: { id: "run" } }))
      yield* Agent.cancel("run")

      const loaded = yield* Memory.load(one.id)
      const before = yield* Agent.undo(loaded)
      assert.strictEqual(before?.message, "Book Rom")
      const first = yield* Agent.undo(yield* Memory.load((yield* Memory.commit(before!.thought)).id))
      assert.strictEqual(first?.message, "Is Porto warm?")
      yield* Agent.say(guide, first!.thought, "Who am I?")
      const [, user, answer, last, ...more] = model.requests.at(-1)?.messages ?? []
      assert.match(user?.text ?? "", /I am Ada\./)
      assert.strictEqual(answer?.text, "Hello Ada.")
      assert.match(last?.text ?? "", /Who am I\?/)
      assert.deepStrictEqual(more, [])
      // the thought that was undone is as it was
      assert.lengthOf(Thought.history(yield* Memory.load(one.id), "message"), 3)
    }).pipe(Effect.provide(Layer.mergeAll(model.layer, new Done().layer, Testing.memory)))
  })
})
