import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Note, Session, Thought } from "cogito"

const score = Note.handle("score", Schema.Finite)

describe("a function that changes or reads a thought", () => {
  it.effect("is piped onto it, with its types", () =>
    Effect.gen(function* () {
      const made = yield* Thought.make("rate", { message: "Hello" }).pipe(
        Effect.flatMap(Thought.append("channel", "e-mail")),
        Effect.flatMap(Thought.write(score, 0.5, { source: "model" })),
        Effect.map(Thought.withSession(Session.empty.pipe(Session.append({ role: "user", text: "Hello" }))))
      )
      expectTypeOf(made.get("score")).toEqualTypeOf<number>()
      assert.strictEqual(made.get("score"), 0.5)
      assert.strictEqual(made.get("channel"), "e-mail")
      assert.strictEqual(made.session.length, 1)
      assert.strictEqual(made.pipe(Thought.note("score"))?.source, "model")
      assert.strictEqual(yield* made.pipe(Thought.read(score)), 0.5)
      assert.strictEqual(yield* made.pipe(Thought.number("score")), 0.5)
      assert.deepStrictEqual(
        made.pipe(Thought.history("channel")).map(({ content }) => content),
        ["e-mail"]
      )
      assert.strictEqual(made.pipe(Thought.at(1)).length, 1)
      const typed = yield* (made as Thought.Thought).pipe(Thought.require([score]))
      expectTypeOf(typed.get("score")).toEqualTypeOf<number>()
      const fork = yield* made.pipe(Thought.fork({ hide: ["channel"] }))
      expectTypeOf(fork.get).parameter(0).toEqualTypeOf<"message" | "score">()
      assert.deepStrictEqual(made.pipe(Thought.diff(fork)).keys, ["channel"])
      assert.strictEqual((yield* made.pipe(Thought.fork({ session: "fresh" }))).session.length, 0)
    })
  )

  it("refuses immediately what is not a thought", () => {
    const nobody = undefined as unknown as Thought.Thought
    assert.throws(() => Thought.note(nobody, "score"), "Thought.note needs a thought as its first argument")
    assert.throws(() => Thought.fork(nobody), "Thought.fork needs a thought as its first argument")
    assert.throws(() => Thought.append(nobody, "a", "b"), "Thought.append needs a thought as its first argument")
    const id = "some id" as unknown as Thought.Thought
    assert.throws(
      () => Thought.note(id, "score"),
      "Thought.note needs a thought as its first argument, but got a string"
    )
    assert.throws(() => Thought.at(id, 1), "Thought.at needs a thought as its first argument, but got a string")
  })
})

describe("a function that changes or reads a session", () => {
  const talk = Session.empty.pipe(
    Session.append({ role: "user", text: "q1", carries: ["n1"] }, { role: "assistant", text: "a1" }),
    Session.append({ role: "user", text: "q2" }),
    Session.withUsage({ inputTokens: 1, outputTokens: 2 })
  )
  const texts = (session: Session.Session) => Session.entries(session).map(({ text }) => text)

  it.effect("is piped onto it", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(texts(talk), ["q1", "a1", "q2"])
      assert.strictEqual(talk.usage?.outputTokens, 2)
      assert.isTrue(talk.pipe(Session.shows("n1")))
      assert.deepStrictEqual(
        talk.pipe(Session.view({ recent: 1 })).map(({ text }) => text),
        ["q2"]
      )
      assert.strictEqual((yield* talk.pipe(Session.at(1))).text, "a1")
      assert.deepStrictEqual(texts(yield* talk.pipe(Session.prune(1))), ["q1", "a1"])
      assert.deepStrictEqual(texts(yield* talk.pipe(Session.remove(0))), ["a1", "q2"])
      assert.deepStrictEqual(texts(yield* talk.pipe(Session.truncate({ first: 0, last: 1 }))), ["q2"])
      assert.deepStrictEqual(texts(yield* talk.pipe(Session.insert(0, { role: "user", text: "q0" }))), [
        "q0",
        "q1",
        "a1",
        "q2"
      ])
      assert.deepStrictEqual(texts(yield* talk.pipe(Session.replace(2, { role: "user", text: "q3" }))), [
        "q1",
        "a1",
        "q3"
      ])
      assert.deepStrictEqual(texts(talk.pipe(Session.set([{ role: "user", text: "new" }]))), ["new"])
    })
  )

  it("refuses immediately what is not a session", () => {
    const nobody = undefined as unknown as Session.Session
    assert.throws(() => Session.at(nobody, 0), "Session.at needs a session as its first argument")
    assert.throws(() => Session.append(nobody), "Session.append needs a session as its first argument")
  })
})
