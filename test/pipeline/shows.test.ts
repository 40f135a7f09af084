import { assert, describe, it } from "@effect/vitest"
import { Memory, Pipeline, Primitive, Session, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import type { Shows } from "cogito/types"
import { Effect, Layer, Schema } from "effect"
import { readRequest } from "../properties/request.ts"

const yes = { decision: true, confidence: 0.9, reasoning: ["so"] }
const go = Primitive.decide("go", { question: "Go on?" })

/** What a step of one's own sends: every note that no request has shown, and its question. */
const request = (thought: Thought.Thought<any>) =>
  `${Thought.render(thought, Thought.unpublished(thought))}\n\nIn one word?`

const shows: Shows = (thought) => ({ notes: Thought.unpublished(thought), text: request(thought) })

const word = Step.make("word", { schema: Schema.String, run: () => "rain", shows })

const start = Thought.make("test", { a: "It rains.", b: "It pours." })

const run = <Out, E, R>(step: Step.Step<any, Out, E, R>, replies: ReadonlyArray<unknown> = [yes, yes]) =>
  Effect.gen(function* () {
    const model = Testing.scripted(replies as ReadonlyArray<typeof yes>)
    const started: Thought.Thought<any> = yield* start
    return yield* Effect.gen(function* () {
      const done: Thought.Thought<any> = yield* Pipeline.run(step as Step.Step<{}, Out, E, R>, started)
      const memory = yield* Memory.Memory
      const loaded = yield* memory.load(done.id)
      return { done, loaded, requests: model.requests, started }
    }).pipe(Effect.provide(Layer.merge(model.layer, Testing.memory)))
  })

const keysOf = (thought: Thought.Thought<any>) => Thought.unpublished(thought).map(({ key }) => key)
const shownIn = (text: string) => readRequest(text).notes.map(({ key }) => key)

describe("a step that declares what it has shown", () => {
  it.effect("puts it into the conversation, with its own note as the reply", () =>
    Effect.gen(function* () {
      const { done, loaded, requests, started } = yield* run(Pipeline.sequence("two", [word, go]))
      assert.deepStrictEqual(requests[0]!.messages.slice(1, 3), [
        { role: "user", text: request(started) },
        { role: "assistant", text: "rain" }
      ])
      assert.deepStrictEqual(shownIn(requests[0]!.messages[3]!.text), [])
      const [user, reply] = Session.entries(done.session)
      assert.deepStrictEqual(
        user!.carries,
        Thought.notes(started).map(({ id }) => id)
      )
      assert.deepStrictEqual(reply!.carries, [done.note("word")!.id])
      assert.deepStrictEqual(loaded.toJSON(), done.toJSON())
    })
  )

  it.effect("leaves what it has not shown to the next request", () =>
    Effect.gen(function* () {
      const one = Step.make("word", {
        schema: Schema.String,
        run: () => "rain",
        shows: (thought) => ({ notes: Thought.unpublished(thought).slice(0, 1), text: "It rains." })
      })
      const { requests } = yield* run(Pipeline.sequence("two", [one, go]))
      assert.deepStrictEqual(shownIn(requests[0]!.messages.at(-1)!.text), ["b"])
    })
  )

  it.effect("has shown a note once that it names twice", () =>
    Effect.gen(function* () {
      const twice = Step.make("word", {
        schema: Schema.String,
        run: () => "rain",
        shows: (thought) => ({
          notes: [...Thought.unpublished(thought), ...Thought.unpublished(thought)],
          text: "Rain?"
        })
      })
      const published: Array<number> = []
      const { done, started } = yield* Signal.on("NotesPublished", (signal) => published.push(signal.published))(
        run(twice)
      )
      assert.deepStrictEqual(
        Session.entries(done.session)[0]!.carries,
        Thought.notes(started).map(({ id }) => id)
      )
      // two notes, and that of the step
      assert.deepStrictEqual(published, [3])
    })
  )

  it.effect("needs no note of its own", () =>
    Effect.gen(function* () {
      const silent = Step.make("silent", { run: () => undefined, shows })
      const { done, loaded, requests } = yield* run(Pipeline.sequence("two", [silent, go]))
      assert.deepStrictEqual(
        requests[0]!.messages.map(({ role }) => role),
        ["system", "user", "user"]
      )
      assert.deepStrictEqual(keysOf(done), [])
      assert.deepStrictEqual(loaded.toJSON(), done.toJSON())
    })
  )

  it.effect("shows the invisible characters of its own note in the reply", () =>
    Effect.gen(function* () {
      const { done } = yield* run(Step.make("word", { schema: Schema.String, run: () => "ra\u200bin", shows }))
      assert.strictEqual(Session.entries(done.session)[1]!.text, "ra[U+200B]in")
    })
  )

  it.effect("emits signals to listeners", () =>
    Effect.gen(function* () {
      const signals: Array<number> = []
      const listen = Signal.listen((signal) => {
        if (signal._tag === "NotesPublished") signals.push(signal.published)
      })
      yield* run(Pipeline.sequence("two", [Step.make("none", { run: () => 0, shows }), word])).pipe(listen)
      assert.deepStrictEqual(signals, [2, 1])
    })
  )

  it.effect("has shown nothing when it fails, and once however often it was tried", () =>
    Effect.gen(function* () {
      let tries = 0
      const flaky = Step.make("word", {
        schema: Schema.String,
        run: () => (++tries < 3 ? Effect.fail("not yet") : Effect.succeed("rain")),
        shows
      })
      const { done } = yield* run(flaky.pipe(Step.retry({ times: 2 })))
      assert.strictEqual(tries, 3)
      assert.strictEqual(done.session.length, 2)
      tries = -10
      const failed = yield* run(flaky.pipe(Step.recover(Step.make("word", { schema: Schema.String, run: () => "x" }))))
      assert.strictEqual(failed.done.session.length, 0)
      assert.deepStrictEqual(keysOf(failed.done), ["a", "b", "word"])
    })
  )

  for (const [name, shortening] of [
    ["truncate", Primitive.truncate("shorter", { first: 0, last: 0 })],
    ["reset", Primitive.reset("anew")]
  ] as const) {
    it.effect(`has its notes released by ${name}`, () =>
      Effect.gen(function* () {
        const { done, requests } = yield* run(Pipeline.sequence("all", [word, shortening, go]))
        assert.deepStrictEqual(shownIn(requests[0]!.messages.at(-1)!.text), ["a", "b", "word"])
        assert.deepStrictEqual(keysOf(done), [])
      })
    )
  }

  it.effect("has them covered by a summary", () =>
    Effect.gen(function* () {
      const steps = Pipeline.sequence("all", [word, Primitive.compress("so_far"), go])
      const { requests } = yield* run(steps, ["It rained.", yes])
      assert.deepStrictEqual(shownIn(requests[1]!.messages.at(-1)!.text), [])
      assert.lengthOf(requests[1]!.messages, 3)
    })
  )

  it.effect("has shown them in its fork, and not in the thought that was forked", () =>
    Effect.gen(function* () {
      const { done } = yield* run(word)
      const kept: Thought.Thought<any> = yield* Thought.fork(done)
      const fresh: Thought.Thought<any> = yield* Thought.fork(done, { session: "fresh" })
      assert.deepStrictEqual([keysOf(kept), keysOf(fresh)], [[], ["a", "b", "word"]])
    })
  )

  it.effect("has shown them to its branch only", () =>
    Effect.gen(function* () {
      const branches = Pipeline.concurrent("both", { left: word, right: Step.make("other", { run: () => 0, shows }) })
      const { requests } = yield* run(Pipeline.sequence("all", [branches, go]))
      assert.deepStrictEqual(shownIn(requests[0]!.messages.at(-1)!.text), ["a", "b", "word"])
      const race = Pipeline.race("first", { left: word })
      const won = yield* run(Pipeline.sequence("all", [race, go]))
      assert.deepStrictEqual(shownIn(won.requests[0]!.messages.at(-1)!.text), [])
    })
  )

  it.effect("is refused if it cannot have shown a note for the first time", () =>
    Effect.gen(function* () {
      const stranger = yield* Thought.make("other", { c: "Hail." })
      for (const notes of [Thought.notes(stranger), "again"] as const) {
        const wrong = Step.make("word", {
          schema: Schema.String,
          run: () => "rain",
          shows: (thought) => ({ notes: notes === "again" ? Thought.notes(thought) : notes, text: "Hail." })
        })
        const steps = Pipeline.sequence("all", [Step.make("none", { run: () => 0, shows }), wrong])
        const cause = yield* Effect.flip(Effect.sandbox(run(steps)))
        assert.match(String(cause), /"word" declares in `shows` a note that is already published/)
      }
      // as JavaScript may
      const notes = Thought.notes(stranger) as never
      assert.throws(
        () => Step.make("word", { run: () => 0, shows: notes }),
        /"word" needs a function of the thought as `shows`/
      )
    })
  )

  it("has this in its outline", () => {
    assert.deepStrictEqual(Step.make("word", { run: () => 0, shows }).node.settings, { shows: true })
    assert.match(Pipeline.outline(word), /^- word: step \(shows true\)/)
  })
})
