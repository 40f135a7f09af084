import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, Session, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { start, write } from "./branching.ts"

// What is stored for forks, and for parents that are not stored yet.

const contents = (thought: Thought.Thought<any>) => Thought.notes(thought).map(({ key }) => key)
const stored = (id: string) => Effect.map(Memory.load(id), contents)

/** Code of a step inside a connector, which stores nothing before it ends. */
const inside = (code: (thought: Thought.Thought<any>) => Effect.Effect<unknown, any, Memory.Memory>) =>
  Step.retry(Step.make("code", { run: (thought) => Effect.orDie(code(thought)) }), { name: "r" })

describe("forks of a thought that is not stored", () => {
  it.effect("are stored with as many of its notes as the longest fork has seen, in any order", () =>
    Effect.gen(function* () {
      for (const order of [
        ["short", "long"],
        ["long", "short"]
      ] as const) {
        const ids: Record<string, string> = {}
        const code = inside((thought) =>
          Effect.gen(function* () {
            const short = yield* Thought.append(yield* Thought.fork(thought), "one", "1")
            const long = yield* Thought.append(short, "two", "2")
            for (const name of order) {
              const fork = yield* Thought.fork({ short, long }[name])
              ids[name] = (yield* Pipeline.run(write("x"), fork)).id
            }
            ids["parent"] = short.id
          })
        )
        yield* Pipeline.run(code, yield* start)
        assert.deepStrictEqual(yield* stored(ids["short"]!), ["text", "one", "x"])
        assert.deepStrictEqual(yield* stored(ids["long"]!), ["text", "one", "two", "x"])
        assert.deepStrictEqual(yield* stored(ids["parent"]!), ["text", "one", "two"])
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("are stored with its conversation, even if nothing else has changed", () =>
    Effect.gen(function* () {
      const first = yield* Memory.commit(yield* start)
      const talked = Thought.withSession(first, Session.append(first.session, { role: "user", text: "Go on." }))
      const fork = yield* Memory.commit(yield* Thought.fork(talked, { session: "fresh" }))
      const parent = yield* Memory.load(first.id)
      assert.deepStrictEqual(
        Session.entries(parent.session).map(({ text }) => text),
        ["Go on."]
      )
      assert.strictEqual((yield* Memory.load(fork.id)).session.length, 0)
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("a fork that several runs have continued", () => {
  it.effect("is restored as the last run left it, also inside a connector", () =>
    Effect.gen(function* () {
      const ids: Array<string> = []
      const code = Step.make("code", {
        schema: Schema.String,
        run: (thought) =>
          Effect.gen(function* () {
            const first = yield* Pipeline.run(write("x"), yield* Thought.fork(thought))
            const again = yield* Pipeline.run(write("y"), first)
            ids.push((yield* Pipeline.run(write("z"), again)).id)
            return again.id
          }).pipe(Effect.orDie)
      })
      const restored = Primitive.restore("back", { from: Note.from(code, (id) => id) })
      const step = Pipeline.sequence("s", [write("a"), code, restored, write("b")])
      for (const one of [step, Step.retry(step, { name: "r" })]) {
        const done = yield* Pipeline.run(one, yield* start)
        assert.strictEqual(done.parent?.id, ids.at(-1))
        assert.deepStrictEqual(contents(done), ["text", "a", "x", "y", "z", "b"])
        assert.deepStrictEqual(yield* stored(done.id), contents(done))
      }
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("a fork in a branch whose notes get new ids", () => {
  it.effect("keeps its pending effects and a summary of what it saw", () =>
    Effect.gen(function* () {
      const told: Array<string> = []
      const ids: Array<string> = []
      const tell = Step.once("tell", (thought: Thought.Thought<any>) =>
        Effect.map(Effect.orDie(stored(thought.id)), (there) => void told.push(there.join()))
      )
      const deep = Step.make("deep", {
        run: (thought) =>
          Effect.gen(function* () {
            const seen = thought.note("a2")?.id ?? ""
            const session = Session.append(
              Session.empty,
              { role: "user", text: "They were two.", kind: "summary", carries: [], covers: [seen] },
              { role: "assistant", text: "So they were.", carries: [] }
            )
            const fork = Thought.withSession(yield* Thought.fork(thought), session)
            ids.push((yield* Pipeline.run(Pipeline.sequence("all", [write("x"), tell]), fork)).id)
          }).pipe(Effect.orDie)
      })
      const branches = [write("a1"), Pipeline.sequence("two", [write("a2"), deep])] as const
      const done = yield* Pipeline.run(Pipeline.concurrent("c", branches), yield* start)
      const fork = yield* Memory.load(ids[0]!)
      assert.deepStrictEqual(contents(fork), ["text", "a2", "x"])
      assert.notStrictEqual(fork.note("a2")?.id, done.note("a2")?.id)
      assert.deepStrictEqual(told, ["text,a2,x"])
      assert.deepStrictEqual(
        Session.entries(fork.session).map(({ covers }) => covers),
        [[fork.note("a2")!.id], []]
      )
      // what is covered is published
      assert.notInclude(
        contents(fork).filter((key) => Thought.unpublished(fork).some((note) => note.key === key)),
        "a2"
      )
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("an earlier state of a stored thought", () => {
  it.effect("cannot continue in its place: added notes conflict with the stored ones", () =>
    Effect.gen(function* () {
      const whole = yield* Memory.commit(yield* Thought.make("look", { a: "1", b: "2", c: "3" }))
      for (const past of [Thought.at(whole, 2), Thought.at(whole, 1)]) {
        const other = yield* Thought.append(yield* Thought.append(past, "d", "4"), "e", "5")
        const error = yield* Effect.flip(Memory.commit(other))
        assert.strictEqual(error.reason._tag, "ConcurrencyConflict")
        const fork = yield* Memory.commit(yield* Thought.append(yield* Thought.fork(past), "d", "4"))
        assert.deepStrictEqual(yield* stored(fork.id), [...contents(past), "d"])
      }
      assert.deepStrictEqual(yield* stored(whole.id), ["a", "b", "c"])
    }).pipe(Effect.provide(Testing.memory))
  )
})
