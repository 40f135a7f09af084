/** A conversation whose last message is taken back. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Memory, Pipeline, type Provider, Session, Thought } from "cogito"
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

  describe("that was shortened since", () => {
    const town = (name: string) => calls(["weather", name])
    /** The first word that is not in the form of a note, and the calls and results. */
    const sent = ({ messages }: Provider.Request) =>
      messages
        .slice(1)
        .map(({ calls: asked = [], results = [], text }) =>
          [
            ...(/(?:Message|Answer|Summary) \d/.exec(text) ?? []),
            ...asked.map(({ name, params }) => `${name} ${params}`),
            ...results.map((result) => `result ${result.text}`)
          ].join(", ")
        )
    /** What the model is sent with a message that takes the place of the last one of a conversation. */
    const sentAfterUndo = (
      count: number,
      replies: ReadonlyArray<Testing.Reply>,
      options: { readonly turns: number; readonly keep: number }
    ) => {
      const model = Testing.scripted([...replies, "Answer 9"])
      const compacting = Pipeline.compact(guide, options)
      return Effect.gen(function* () {
        let thought: Any = yield* Thought.make("trip")
        for (let i = 1; i <= count; i++) thought = yield* Agent.say(compacting, thought, `Message ${i}`)
        const undone = yield* Agent.undo(yield* Memory.load(thought.id))
        assert.strictEqual(undone?.message, `Message ${count}`)
        yield* Agent.say(guide, undone!.thought, "Message 9")
        return sent(model.requests.at(-1)!)
      }).pipe(Effect.provide(Layer.mergeAll(model.layer, new Done().layer, Testing.memory)))
    }

    it.effect("shows what the summary stood for, and the turns that it left", () =>
      Effect.gen(function* () {
        const towns = calls(["weather", "Ulm"], ["page", "Bonn"])
        const replies = [towns, "Answer 1", "Answer 2", "Answer 3", "Summary 1", "Answer 4"]
        assert.deepStrictEqual(yield* sentAfterUndo(4, replies, { turns: 3, keep: 1 }), [
          "Message 1",
          `weather {"city":"Ulm"}, page {"city":"Bonn"}`,
          `result {"celsius":3}, result nothing`,
          "Answer 1",
          "Message 2",
          "Answer 2",
          "Message 3",
          "Answer 3",
          "Message 9"
        ])
      })
    )

    it.effect("shows the turns that two summaries of one run left", () =>
      Effect.gen(function* () {
        const before = ["Answer 1", "Answer 2", "Answer 3", "Answer 4"]
        const replies = [...before, "Summary 1", town("Ulm"), "Summary 2", "Answer 5"]
        assert.deepStrictEqual(yield* sentAfterUndo(5, replies, { turns: 4, keep: 2 }), [
          "Message 1",
          "Answer 1",
          "Message 2",
          "Answer 2",
          "Message 3",
          "Answer 3",
          "Message 4",
          "Answer 4",
          "Message 9"
        ])
      })
    )

    it.effect("shows an earlier summary, and what came after it", () =>
      Effect.gen(function* () {
        const before = ["Answer 1", "Answer 2", "Answer 3", "Summary 1"]
        const replies = [...before, town("Ulm"), "Answer 4", "Answer 5", "Summary 2", "Answer 6"]
        assert.deepStrictEqual(yield* sentAfterUndo(6, replies, { turns: 3, keep: 0 }), [
          "Summary 1",
          "Message 4",
          `weather {"city":"Ulm"}`,
          `result {"celsius":3}`,
          "Answer 4",
          "Message 5",
          "Answer 5",
          "Message 9"
        ])
      })
    )

    it.effect("shows what came before the message if the summary stood for it too", () =>
      Effect.gen(function* () {
        const replies = ["Answer 1", "Answer 2", "Answer 3", town("Ulm"), "Summary 1", "Answer 4"]
        assert.deepStrictEqual(yield* sentAfterUndo(4, replies, { turns: 4, keep: 0 }), [
          "Message 1",
          "Answer 1",
          "Message 2",
          "Answer 2",
          "Message 3",
          "Answer 3",
          "Message 9"
        ])
      })
    )
  })
})
