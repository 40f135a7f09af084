import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, Session, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { start, write } from "./branching.ts"

// What is stored with a thought, and what becomes of it: cases that random programs meet by chance only.

const keys = (thought: Thought.Thought<any>) => Thought.notes(thought).map(({ key }) => key)
const stored = (id: string) => Effect.map(Memory.load(id), keys)
const model = () =>
  Testing.scripted(({ task }) =>
    task.kind === "compress" ? "A summary." : { decision: true, confidence: 0.9, reasoning: ["It says so."] }
  )
const ask = (key: string) => Primitive.decide(key, { question: `${key}?` })

/** Runs steps on a fork of the thought, and remembers what they gave. */
const onFork = (name: string, step: Step.Step<{}, {}, any, any>, kept: Array<Thought.Thought<any>>) =>
  Step.make(name, {
    run: (thought) =>
      Effect.gen(function* () {
        kept.push(yield* Pipeline.run(step, yield* Thought.fork(thought)))
      }).pipe(Effect.orDie)
  }) as Step.Step<{}, {}, never, Memory.Memory>

describe("a run on a fork inside a connector", () => {
  it.effect("is not stored if it saw a note that its parent never had", () =>
    Effect.gen(function* () {
      const kept: Array<Thought.Thought<any>> = []
      const own = Step.make("own", {
        run: (thought) =>
          Effect.gen(function* () {
            const longer = yield* Thought.append(thought, "private", "nobody keeps it")
            kept.push(yield* Pipeline.run(write("x"), yield* Thought.fork(longer)))
          }).pipe(Effect.orDie)
      })
      const done = yield* Pipeline.run(Step.retry(own, { name: "r" }), yield* start)
      const { reason } = yield* Effect.flip(Memory.load(kept[0]!.id))
      assert.strictEqual(reason._tag, "NotFound")
      assert.deepStrictEqual(yield* Memory.children(done.id), [])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("has nothing unpublished that a summary covers, where it has copies of it", () => {
    const { layer, requests } = model()
    return Effect.gen(function* () {
      const kept: Array<Thought.Thought<any>> = []
      const seen = Pipeline.sequence("seen", [
        write("a"),
        ask("x"),
        ask("y"),
        Primitive.compress("short", { keep: 0 }),
        onFork("f", write("z"), kept)
      ])
      const both = Pipeline.concurrent("both", [write("b"), seen])
      yield* Pipeline.run(both as Step.Step<{}, {}, any, any>, yield* start)
      const fork = yield* Memory.load(kept[0]!.id)
      assert.deepStrictEqual(
        Session.entries(fork.session)
          .map(({ kind }) => kind)
          .slice(-1),
        ["summary"]
      )
      assert.deepStrictEqual(
        Thought.unpublished(fork).map(({ key }) => key),
        ["z"]
      )
      assert.isAbove(requests.length, 0)
    }).pipe(Effect.provide([layer, Testing.memory]))
  })

  it.effect("comes back to what it saw by the checkpoints of all forks above it", () =>
    Effect.gen(function* () {
      const kept: Array<Thought.Thought<any>> = []
      const names = ["c1", "c2", "c3"]
      const deep = Step.make("deep", {
        run: (thought) =>
          Effect.gen(function* () {
            let fork: Thought.Thought<any> = thought
            for (const [i, checkpoint] of names.entries()) {
              fork = yield* Pipeline.run(write(`x${i}`), yield* Thought.fork(fork, { checkpoint }))
              kept.push(fork)
            }
          }).pipe(Effect.orDie)
      })
      const seen = Pipeline.sequence("seen", [write("a"), deep])
      yield* Pipeline.run(Pipeline.concurrent("both", [write("b"), seen]), yield* start)
      for (const [i, { id }] of kept.entries()) {
        const fork = yield* Memory.load(id)
        for (const [j, checkpoint] of names.slice(0, i + 1).entries()) {
          const back = yield* Pipeline.run(Primitive.restore("back", { from: { checkpoint } }), fork)
          const expected = ["text", "a", ...Array.from({ length: j }, (_, n) => `x${n}`)]
          assert.deepStrictEqual(yield* stored(back.id), expected, `${checkpoint} of fork ${i}`)
        }
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("can be restored by its id from inside connectors and runs further in", () =>
    Effect.gen(function* () {
      const kept: Array<Thought.Thought<any>> = []
      const from: Note.Reader<{}, string> = { ...Note.from({}, () => ""), read: () => Effect.succeed(kept[0]!.id) }
      const restore = Primitive.restore("back", { from })
      const ways = {
        "a connector": Step.retry(restore, { name: "in" }),
        "two connectors": Step.retry(restore, { name: "in" }).pipe(Step.timeout("1 minute")),
        "a run": onFork("in", restore, []),
        "a connector in a run": onFork("in", Step.retry(restore, { name: "inner" }), []),
        "a run in a connector": Step.retry(onFork("in", restore, []), { name: "inner" })
      }
      for (const [name, way] of Object.entries(ways)) {
        kept.length = 0
        const steps = Pipeline.sequence("s", [
          write("a"),
          onFork("f", write("x"), kept),
          way as Step.Step<{}, {}, any, any>
        ])
        const done = yield* Pipeline.run(Step.retry(steps, { name: "r" }), yield* start)
        const [id] = [kept[0]!.id]
        assert.deepStrictEqual(yield* stored(id), ["text", "a", "x"], name)
        const all = [done.parent?.id, ...(yield* Memory.children(id)).map(({ parent }) => parent?.id)]
        assert.include(all, id, name)
      }
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("a value with redacted notes", () => {
  const quiet = (key: string) => Step.make(key, { schema: Schema.String, run: Note.from({}, () => key) })
  const conflictOf = <A, E extends { readonly cause: unknown }, R>(run: Effect.Effect<A, E, R>) =>
    Effect.map(Effect.flip(run), ({ cause }) =>
      cause instanceof Memory.MemoryError ? cause.reason._tag : String(cause)
    )

  it.effect("cannot be continued, even by a step that uses nothing of it", () =>
    Effect.gen(function* () {
      const done = yield* Pipeline.run(quiet("a"), yield* start)
      yield* Memory.redact(done.note("text")!)
      assert.strictEqual(yield* conflictOf(Pipeline.run(quiet("b"), done)), "ConcurrencyConflict")
      const within = yield* start
      const redacting = Step.make("redact", {
        run: (thought) => Effect.asVoid(Effect.orDie(Memory.redact(thought.note("text")!)))
      })
      const steps = Pipeline.sequence("s", [redacting, quiet("b")])
      assert.strictEqual(yield* conflictOf(Pipeline.run(steps, within)), "ConcurrencyConflict")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("cannot be continued if its conversation showed it, though its notes stay", () => {
    const { layer } = model()
    return Effect.gen(function* () {
      const other = yield* Pipeline.run(quiet("a"), yield* Thought.make("other", { secret: "1234" }))
      const secret = other.note("secret")!
      const made = yield* Thought.append(yield* Thought.make("test"), "made", {
        content: "of the secret",
        derivedFrom: [secret.id]
      })
      const done = yield* Pipeline.run(ask("one"), made)
      assert.deepStrictEqual(yield* Memory.redact(secret, { reach: "copies" }), [secret.id])
      assert.strictEqual(yield* conflictOf(Pipeline.run(ask("two"), done)), "ConcurrencyConflict")
      const again = yield* Pipeline.run(ask("two"), yield* Memory.load(done.id))
      assert.deepStrictEqual(keys(again), ["made", "one", "two"])
    }).pipe(Effect.provide([layer, Testing.memory]))
  })
})

describe("the error of a failed run", () => {
  it.effect("has the last stored thought, whose effects have run", () =>
    Effect.gen(function* () {
      const lengths: Array<number> = []
      const once = Step.once("once", (thought) => Effect.sync(() => void lengths.push(thought.length)))
      const tried = Step.retry(Pipeline.sequence("tried", [write("a"), once]), { name: "r" })
      const steps = Pipeline.sequence("s", [tried, Step.make("stop", { run: Effect.fail("stop") })])
      const error = yield* Effect.flip(Pipeline.run(steps, yield* start))
      assert.deepStrictEqual([lengths, error.thought?.length], [[2], 2])
      assert.deepStrictEqual(keys(yield* Pipeline.run(write("b"), error.thought!)), ["text", "a", "b"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("of several failures at once has all of them", () =>
    Effect.gen(function* () {
      const both = Cause.fromReasons([Cause.makeFailReason("one"), Cause.makeFailReason("two")])
      const step = Step.make("both", { run: Effect.failCause(both) })
      const error = yield* Effect.flip(Pipeline.run(step, yield* start))
      assert.deepStrictEqual([error.cause, ...error.beside.map(({ cause }) => cause)], ["one", "two"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("for a value that the store has gone beyond is the same however often it is run", () =>
    Effect.gen(function* () {
      const value = yield* start
      yield* Pipeline.run(write("a"), value)
      const tried = Step.retry(Pipeline.sequence("s", [write("b"), Primitive.forget("f")]), { name: "r" })
      for (const step of [write("b"), tried]) {
        for (let run = 0; run < 3; run++) {
          const error = yield* Effect.flip(Pipeline.run(step as Step.Step<{}, {}, any, any>, value))
          assert.match(error.message, /Continue with the thought that the earlier run returned/)
          assert.deepStrictEqual([error.before, error.beside], [[], []])
        }
      }
      assert.deepStrictEqual(yield* stored(value.id), ["text", "a"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("leaves no effects of a discarded attempt to run later", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const kept: Array<Thought.Thought<any>> = []
      const once = Step.once("once", () => Effect.sync(() => void seen.push("once")))
      const keep = Step.make("keep", { run: (thought) => Effect.sync(() => void kept.push(thought)) })
      const tried = Pipeline.sequence("tried", [
        write("a"),
        once,
        keep,
        Step.make("stop", { run: Effect.fail("stop") })
      ])
      yield* Effect.flip(Pipeline.run(Step.retry(tried, { times: 0, name: "r" }), yield* start))
      const done = yield* Pipeline.run(write("b"), kept[0]!)
      assert.deepStrictEqual([keys(done), seen], [["text", "a", "b"], []])
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("a forget after a note was appended from outside", () => {
  it.effect("hides every note of the key, also one that is stored after the appended one", () =>
    Effect.gen(function* () {
      const mail = Step.make("mail", {
        run: (thought) => Effect.asVoid(Effect.orDie(Memory.append(thought.id, [{ key: "a", content: "outside" }])))
      })
      const steps = Pipeline.sequence("s", [write("a"), mail, Primitive.forget("f", { drop: ["a"] }), write("b")])
      for (const step of [steps, Step.retry(steps, { name: "r" })]) {
        const done = yield* Pipeline.run(step, yield* start)
        assert.deepStrictEqual(keys(done), ["text", "b"])
        assert.deepStrictEqual(yield* stored(done.id), ["text", "b"])
      }
    }).pipe(Effect.provide(Testing.memory))
  )
})
