import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Memory, Pipeline, Primitive, Session, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { conversing, keys, roles, run, texts } from "./conversation.ts"

const truncated = (count: number, options: Parameters<typeof Primitive.truncate>[1]) =>
  Effect.flatMap(conversing(count), (thought) => run(Primitive.truncate("shorten", options), thought))

const numbered = (...numbers: ReadonlyArray<number>) => numbers.map((n) => `m${n}`)

describe("truncate", () => {
  it.effect("keeps the first and the last messages, beginning with the system message [C221] [C365]", () =>
    Effect.gen(function* () {
      const done = yield* truncated(9, { first: 1, last: 3 })
      // the turn of the third to last message is kept whole
      assert.deepStrictEqual(texts(done), numbered(1, 6, 7, 8, 9))
      assert.strictEqual(roles(done)[0], "system")
      assert.deepStrictEqual(texts(yield* truncated(10, { first: 1, last: 3 })), numbered(1, 8, 9, 10))
    })
  )

  it.effect("leaves a conversation below the threshold as it is, and shortens one that reaches it [C222]", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* truncated(9, { last: 2, threshold: 10 })).session.length, 9)
      assert.strictEqual((yield* truncated(9, { last: 2, threshold: 9 })).session.length, 3)
    })
  )

  it.effect("changes nothing when there is nothing between, or no conversation [C223]", () =>
    Effect.gen(function* () {
      for (const count of [0, 1, 5, 7]) {
        const thought = yield* conversing(count)
        const done = yield* run(Primitive.truncate("shorten", { first: 3, last: 4 }), thought)
        assert.deepStrictEqual(Session.entries(done.session), Session.entries(thought.session))
      }
    })
  )

  it.effect("can keep the first only, the last only, or nothing [C224] [C225]", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(texts(yield* truncated(9, { first: 3, last: 0 })), numbered(1, 2, 3))
      assert.deepStrictEqual(texts(yield* truncated(9, { first: 0, last: 2 })), numbered(8, 9))
      assert.deepStrictEqual(texts(yield* truncated(9, { first: 0, last: 0 })), [])
    })
  )

  it.effect("keeps one and ten by default [C227]", () =>
    Effect.gen(function* () {
      const done = yield* truncated(21, {})
      assert.deepStrictEqual(texts(done), numbered(1, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21))
    })
  )

  it.effect("releases the notes of dropped messages: the next request shows them again [C782]", () =>
    Effect.gen(function* () {
      const answer = { decision: true, confidence: 0.5, reasoning: ["So it is."] }
      const model = Testing.scripted([answer])
      const step = Pipeline.sequence("go on", [
        Primitive.truncate("shorten", { first: 1, last: 2 }),
        Primitive.decide("go", { question: "Go on?" })
      ])
      yield* Effect.flatMap(conversing(9), (thought) => Pipeline.run(step, thought)).pipe(
        Effect.provide(Layer.merge(model.layer, Testing.memory))
      )
      const messages = model.requests[0]!.messages
      assert.deepStrictEqual(
        messages.slice(1, -1).map(({ text }) => text),
        numbered(1, 8, 9)
      )
      const request = messages.at(-1)!.text
      for (const n of [2, 3, 4, 5, 6, 7]) assert.include(request, `\nnote ${n}\n`)
      for (const n of [8, 9]) assert.notInclude(request, `\nnote ${n}\n`)
    })
  )

  it.effect("covers the notes of removed messages if they are not released", () =>
    Effect.gen(function* () {
      const done = yield* truncated(9, { first: 1, last: 2, release: false })
      assert.deepStrictEqual(roles(done), ["system", "user", "user", "assistant"])
      assert.deepStrictEqual(Thought.unpublished(done), [])
      const mark = Session.entries(done.session)[1]!
      assert.strictEqual(mark.kind, "omission")
      assert.strictEqual(mark.covers.length, 6)
    })
  )

  it.effect("leaves what a mark covers out of the sources of what follows, unlike what a summary covers", () =>
    Effect.gen(function* () {
      const sources = Effect.fnUntraced(function* (thought: Thought.Thought) {
        const model = Testing.scripted([{ decision: true, confidence: 0.5, reasoning: ["So it is."] }])
        const done = yield* Pipeline.run(Primitive.decide("go", { question: "Go on?" }), thought).pipe(
          Effect.provide(Layer.merge(model.layer, Testing.memory))
        )
        return keys(Thought.notes(done).filter(({ id }) => done.note("go")?.derivedFrom.includes(id)))
      })
      const thought = yield* conversing(6)
      const session = yield* Session.truncate(thought.session, { first: 0, last: 2, release: false })
      const shortened = Thought.withSession(thought, session)
      assert.deepStrictEqual(yield* sources(shortened), ["n4", "n5", "n6"])
      const other = yield* conversing(6)
      const [, two, three, ...rest] = Session.entries(other.session)
      const covers = [two, three].flatMap((entry) => entry?.carries ?? [])
      const summary = { role: "user", kind: "summary", text: "Before.", covers } as const
      const told = Thought.withSession(other, Session.append(Session.empty, summary, ...rest))
      assert.deepStrictEqual(yield* sources(told), ["n2", "n3", "n4", "n5", "n6"])
    })
  )

  it.effect("is stored: the thought from the memory is as short", () =>
    Effect.gen(function* () {
      const thought = yield* conversing(9)
      const done = yield* Pipeline.run(Primitive.truncate("shorten", { last: 2 }), thought)
      const loaded = yield* Memory.load(done.id)
      assert.deepStrictEqual(Session.entries(loaded.session), Session.entries(done.session))
      assert.deepStrictEqual(keys(Thought.unpublished(loaded)), ["n2", "n3", "n4", "n5", "n6", "n7"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it("has its name, and no key [C226]", () => {
    const { name, node } = Primitive.truncate("shorten")
    assert.deepStrictEqual([name, node.kind, node.reads, node.writes], ["shorten", "truncate", [], []])
  })

  it("is not built with invalid counts, and names the step", () => {
    for (const wrong of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      for (const option of ["first", "last", "threshold"]) {
        assert.throws(
          () => Primitive.truncate("shorten", { [option]: wrong }),
          `The step "shorten" needs a whole number from 0 as ${option}, not ${wrong}.`
        )
      }
    }
  })
})
