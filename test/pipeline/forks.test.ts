import { assert, describe, it } from "@effect/vitest"
import { Data, Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Note, Pipeline, Primitive, Session, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { start, write } from "./branching.ts"

// Pipelines that a step runs on forks of its own thought, inside connectors that may throw away what the step saw.

class Stop extends Data.TaggedError("Stop")<{}> {}

const contents = (thought: Thought.Thought<any>) => Thought.notes(thought).map(({ key }) => key)
const stored = (id: string) => Effect.map(Memory.load(id), contents)
const childrenOf = (id: string) => Effect.map(Memory.children(id), (all) => all.map((child) => child.id))
const tagOf = <A, E extends { readonly reason: { readonly _tag: string } }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason._tag)

/** A step that runs another one on a fork of its thought and writes the fork's id, and what the store had of it then. */
const onFork = <const K extends string>(key: K, step: Step.Step<any, any, any, Memory.Memory> = write("inner")) =>
  Step.make(key, {
    schema: Schema.String,
    run: (thought) =>
      Effect.gen(function* () {
        const done = yield* Pipeline.run(step, yield* Thought.fork(thought)).pipe(Effect.orDie)
        const reason = yield* Effect.match(Memory.load(done.id), {
          onFailure: (error) => error.reason._tag,
          onSuccess: () => "found"
        })
        return `${done.id} ${reason}`
      })
  })
const idOf = (text: string | undefined): string => String(text).split(" ")[0]!

const failing = (times: number) => {
  let calls = 0
  return Step.make("failing", { run: Effect.suspend(() => (++calls <= times ? new Stop() : Effect.void)) })
}

describe("a run on a fork inside a connector", () => {
  it.effect("is stored with the outermost commit, and its parent continues", () =>
    Effect.gen(function* () {
      const tries = {
        retry: Step.retry(Pipeline.sequence("s", [write("a"), onFork("f"), write("b")]), { name: "r" }),
        enrich: Step.enrich(Pipeline.sequence("s", [write("a"), onFork("f"), write("b")]), { name: "e" }),
        timeout: Pipeline.sequence("s", [write("a"), onFork("f"), write("b")]).pipe(Step.timeout("1 minute")),
        fallback: Pipeline.fallback("x", [Pipeline.sequence("s", [write("a"), onFork("f"), write("b")])]),
        race: Pipeline.race("x", [Pipeline.sequence("s", [write("a"), onFork("f"), write("b")])]),
        concurrent: Pipeline.concurrent("c", [Pipeline.sequence("s", [write("a"), onFork("f"), write("b")])]),
        nested: Pipeline.sequence("s", [write("a"), onFork("f").pipe(Step.retry()), write("b")]).pipe(Step.enrich())
      }
      for (const [name, step] of Object.entries(tries)) {
        const done = yield* Pipeline.run(Pipeline.sequence("all", [step, write("after")]), yield* start)
        assert.deepStrictEqual(yield* stored(done.id), ["text", "a", "f", "b", "after"], name)
        assert.deepStrictEqual((yield* Memory.load(done.id)).toJSON(), done.toJSON())
        const [id, before] = String(done.note("f")?.content).split(" ")
        assert.strictEqual(before, "NotFound", name)
        assert.deepStrictEqual(yield* stored(id!), ["text", "a", "inner"], name)
        assert.deepStrictEqual(yield* childrenOf(done.id), [id], name)
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("keeps what a deeper connector adds to a fork that an outer one holds", () =>
    Effect.gen(function* () {
      let fork: Thought.Thought<any> | undefined
      const first = Step.make("first", {
        run: (thought) =>
          Effect.gen(function* () {
            fork = yield* Pipeline.run(write("one"), yield* Thought.fork(thought)).pipe(Effect.orDie)
          })
      })
      const second = Step.make("second", {
        run: Effect.suspend(() => Pipeline.run(write("two"), fork!).pipe(Effect.orDie, Effect.asVoid))
      })
      const steps = [
        first,
        Step.enrich(second),
        Primitive.restore("there", { from: Note.from({}, () => fork!.id) })
      ] as const
      const done = yield* Pipeline.run(Step.retry(Pipeline.sequence("s", steps)), yield* start)
      assert.deepStrictEqual(contents(done), ["text", "one", "two"])
      assert.deepStrictEqual(yield* stored(fork!.id), ["text", "one", "two"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("is never stored if the attempt does not survive", () =>
    Effect.gen(function* () {
      const ids: Array<string> = []
      const noted = Step.make("noted", {
        run: (thought: Thought.Thought<{ readonly f: string }>) => {
          ids.push(idOf(thought.get("f")))
          return Effect.void
        }
      })
      const attempt = Pipeline.sequence("s", [write("a"), onFork("f"), noted, failing(2)])
      const done = yield* Pipeline.run(Step.retry(attempt, { name: "r" }), yield* start)
      assert.strictEqual(ids.length, 3)
      for (const id of ids.slice(0, 2)) assert.strictEqual(yield* tagOf(Memory.load(id)), "NotFound")
      assert.deepStrictEqual(yield* childrenOf(done.id), [ids[2]])
      const thought = yield* start
      const lost = Step.enrich(Pipeline.sequence("s", [write("a"), onFork("f"), noted, failing(1)]), { name: "e" })
      yield* Pipeline.run(lost, thought)
      assert.deepStrictEqual(yield* childrenOf(thought.id), [])
      assert.deepStrictEqual(yield* stored(thought.id), ["text"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("of a branch has what it saw, whatever and under whichever keys the other branches wrote", () =>
    Effect.gen(function* () {
      for (const conflicts of ["error", "namespace"] as const) {
        const branch = (n: number) => Pipeline.sequence(`branch${n}`, [write(`a${n}`), onFork(`f${n}`), write(`b${n}`)])
        const branches: Record<string, Step.Step<{}, {}, never, Memory.Memory>> = {
          one: branch(1),
          two: branch(2),
          three: branch(3)
        }
        const step = Pipeline.concurrent("c", branches, { conflicts })
        const done = yield* Pipeline.run(step, yield* start)
        assert.deepStrictEqual((yield* Memory.load(done.id)).toJSON(), done.toJSON())
        const children = yield* childrenOf(done.id)
        assert.strictEqual(children.length, 3)
        for (const n of [1, 2, 3]) {
          const key = conflicts === "error" ? `f${n}` : `${["one", "two", "three"][n - 1]}.f${n}`
          const child = yield* Memory.load(idOf(done.note(key)?.content))
          assert.include(children, child.id)
          assert.deepStrictEqual(contents(child), ["text", `a${n}`, "inner"])
          assert.deepStrictEqual(
            Thought.notes(child).map(({ seq }) => seq),
            [1, 2, 3]
          )
          assert.strictEqual(child.note(`a${n}`)?.content, `by a${n}`)
        }
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("of a branch has copies of what it saw, which a redaction of the notes reaches", () =>
    Effect.gen(function* () {
      const ids: Array<string> = []
      const deep = Step.make("deep", {
        run: (thought) =>
          Effect.gen(function* () {
            const forked = yield* Thought.fork(thought)
            const used = Session.withUsage(forked.session, { inputTokens: 7 })
            const fork = yield* Pipeline.run(write("x"), Thought.withSession(forked, used))
            const below = yield* Pipeline.run(write("y"), yield* Thought.fork(fork))
            ids.push(fork.id, below.id)
          }).pipe(Effect.orDie)
      })
      const branch = (n: number, step: Step.Step<{}, {}, never, Memory.Memory>) =>
        Pipeline.sequence(`branch${n}`, [write(`a${n}`), step])
      const step = Pipeline.concurrent("c", [branch(1, write("b")), branch(2, deep)])
      const done = yield* Pipeline.run(step, yield* start)
      const [fork, below] = yield* Effect.forEach(ids, (id) => Memory.load(id))
      const [origin, copy] = [done.note("a2"), fork?.note("a2")]
      assert.isDefined(origin)
      assert.notStrictEqual(copy?.id, origin.id)
      assert.deepStrictEqual(copy?.derivedFrom, [origin.id])
      assert.strictEqual(below?.note("a2")?.id, copy?.id)
      for (const one of [fork, below]) assert.deepStrictEqual(one?.session.usage, { inputTokens: 7 })
      // what the fork wrote was made from the copy that it has
      assert.deepStrictEqual(fork?.note("x")?.derivedFrom, [String(copy?.id)])
      assert.sameMembers([...(yield* Memory.redact(origin.id, { reach: "copies" }))], [origin.id, String(copy?.id)])
      const gone = yield* Memory.redact(origin.id)
      assert.sameMembers(
        [...gone],
        [origin, copy, fork?.note("x"), below?.note("y")].map((note) => String(note?.id))
      )
      for (const id of ids) assert.deepStrictEqual(yield* stored(id), ["text"])
      assert.deepStrictEqual(yield* stored(done.id), ["text", "a1", "b"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("of a branch has checkpoints at what it saw, and so have forks of it", () =>
    Effect.gen(function* () {
      const ids: Array<string> = []
      const run = (step: Step.Step<any, any, any, Memory.Memory>, thought: Thought.Thought<any>, checkpoint?: string) =>
        Effect.gen(function* () {
          const options = checkpoint === undefined ? {} : { checkpoint }
          const done = yield* Pipeline.run(step, yield* Thought.fork(thought, options))
          ids.push(done.id)
          return done
        }).pipe(Effect.orDie)
      const below = Step.make("below", {
        run: (thought) =>
          Effect.gen(function* () {
            const fork = yield* run(write("y"), thought, "d")
            yield* run(write("z"), fork)
          })
      })
      const inner = Pipeline.concurrent("i", [write("x1"), Pipeline.sequence("two", [write("x2"), below])])
      const deep = Step.make("deep", { run: (thought) => Effect.asVoid(run(inner, thought, "c")) })
      const branches = [write("a1"), Pipeline.sequence("two", [write("a2"), deep])] as const
      yield* Pipeline.run(Pipeline.concurrent("c", branches), yield* start)
      assert.strictEqual(ids.length, 3)
      for (const id of ids) {
        const fork = yield* Memory.load(id)
        const back = (checkpoint: string) =>
          Effect.map(Pipeline.run(Primitive.restore("back", { from: { checkpoint } }), fork), contents)
        assert.deepStrictEqual(yield* back("c"), ["text", "a2"])
        if (fork.checkpoints.has("d")) assert.deepStrictEqual(yield* back("d"), ["text", "a2", "x2"])
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("is stored also if a step of another such run has run it", () =>
    Effect.gen(function* () {
      const step = Step.retry(Pipeline.sequence("s", [write("a"), onFork("f", onFork("g"))]), { name: "r" })
      const done = yield* Pipeline.run(step, yield* start)
      const fork = yield* Memory.load(idOf(done.note("f")?.content))
      assert.deepStrictEqual(contents(fork), ["text", "a", "g"])
      const [id, before] = String(fork.note("g")?.content).split(" ")
      assert.strictEqual(before, "NotFound")
      assert.deepStrictEqual(yield* stored(id!), ["text", "a", "inner"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("returns a thought that can be continued, whatever came before what it saw", () => {
    const model = Testing.scripted(() => ({ decision: true, confidence: 0.9, reasoning: ["It says so."] }))
    const ask = (key: string) => Primitive.decide(key, { question: `${key}?` })
    return Effect.gen(function* () {
      const kept: Array<Thought.Thought<any>> = []
      const deep = Step.make("deep", {
        run: (thought) =>
          Effect.gen(function* () {
            const fork = yield* Pipeline.run(ask("x"), yield* Thought.fork(thought))
            const below = yield* Pipeline.run(ask("y"), yield* Thought.fork(fork, { checkpoint: "c" }))
            kept.push(fork, below)
          }).pipe(Effect.orDie)
      })
      const mail = Step.make("mail", {
        run: (thought) => Effect.asVoid(Effect.orDie(Memory.append(thought.id, [{ key: "outside", content: "late" }])))
      })
      const seen = Pipeline.sequence("seen", [write("a"), deep])
      const tries = {
        retry: Step.retry(seen, { name: "r" }),
        concurrent: Pipeline.concurrent("c", [write("b"), seen]),
        namespace: Pipeline.concurrent("c", { one: write("b"), two: seen }, { conflicts: "namespace" }),
        appended: Step.retry(Pipeline.sequence("s", [mail, seen]), { name: "r" })
      }
      for (const [name, step] of Object.entries(tries)) {
        kept.length = 0
        yield* Pipeline.run(step as Step.Step<{}, {}, any, any>, yield* start)
        for (const [i, value] of kept.entries()) {
          const before = yield* Memory.load(value.id)
          const begun = model.requests.length
          const done = yield* Pipeline.run(Pipeline.sequence("on", [ask("z"), ask("zz")]), value)
          assert.deepStrictEqual(contents(done), ["text", "a", "x", ...(i === 0 ? [] : ["y"]), "z", "zz"], name)
          const there = yield* Memory.load(done.id)
          assert.deepStrictEqual(there.toJSON(), done.toJSON(), name)
          assert.deepStrictEqual([...there.checkpoints], [...done.checkpoints])
          assert.deepStrictEqual(
            Thought.notes(done)
              .slice(0, before.length)
              .map(({ id }) => id),
            Thought.notes(before).map(({ id }) => id)
          )
          // what was shown before is not shown again
          for (const { messages } of model.requests.slice(begun)) {
            assert.strictEqual(
              messages
                .map(({ text }) => text)
                .join("")
                .split("by a").length,
              2,
              name
            )
          }
          // and the same value is one that the store has gone past
          const error = yield* Effect.flip(Pipeline.run(ask("z"), value))
          assert.strictEqual((error.cause as Memory.MemoryError).reason._tag, "ConcurrencyConflict")
        }
      }
    }).pipe(Effect.provide([model.layer, Testing.memory]))
  })

  it.effect("of a branch that loses is never stored", () =>
    Effect.gen(function* () {
      const slow = Pipeline.sequence("slow", [onFork("f"), Step.make("wait", { run: Effect.never })])
      const quick = Step.make("quick", { schema: Schema.String, run: Effect.as(Effect.sleep(10), "quick") })
      const thought = yield* start
      const fiber = yield* Effect.forkChild(Pipeline.run(Pipeline.race("r", [slow, quick]), thought))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(yield* childrenOf(thought.id), [])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("may fork again, continue with a fork, fail and be caught, and switch to other thoughts", () =>
    Effect.gen(function* () {
      const ids: Record<string, string> = {}
      const deep = Step.make("deep", {
        run: (thought) =>
          Effect.gen(function* () {
            const fork = yield* Thought.fork(thought)
            const unrun = yield* Thought.append(fork, "by hand", "1")
            const first = yield* Pipeline.run(write("x"), fork)
            const again = yield* Pipeline.run(write("y"), first)
            const grandchild = yield* Pipeline.run(write("z"), yield* Thought.fork(first))
            const ofUnrun = yield* Pipeline.run(write("u"), yield* Thought.fork(yield* Thought.fork(thought)))
            const moved = yield* Pipeline.run(
              Pipeline.sequence("move", [
                Primitive.checkpoint("here"),
                write("m"),
                Primitive.restore("back", { from: { checkpoint: "here" } }),
                write("n")
              ]),
              yield* Thought.fork(thought)
            )
            const failed = yield* Effect.flip(
              Pipeline.run(Pipeline.sequence("s", [write("part"), failing(1)]), yield* Thought.fork(thought))
            )
            Object.assign(ids, { again: again.id, grandchild: grandchild.id, ofUnrun: ofUnrun.id, moved: moved.id })
            ids["failed"] = failed.thought!.id
            assert.strictEqual(unrun.length, fork.length + 1)
          }).pipe(Effect.orDie)
      })
      const step = Step.retry(Pipeline.sequence("s", [write("a"), deep, write("b"), failing(1)]), { name: "r" })
      const done = yield* Pipeline.run(step, yield* start)
      assert.deepStrictEqual(yield* stored(done.id), ["text", "a", "b"])
      assert.deepStrictEqual(yield* stored(ids["again"]!), ["text", "a", "x", "y"])
      assert.deepStrictEqual(yield* stored(ids["grandchild"]!), ["text", "a", "x", "z"])
      assert.deepStrictEqual(yield* stored(ids["ofUnrun"]!), ["text", "a", "u"])
      assert.deepStrictEqual(yield* stored(ids["moved"]!), ["text", "a", "n"])
      assert.deepStrictEqual(yield* stored(ids["failed"]!), ["text", "a", "part"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("runs effects that wait for its commit once, after the outermost commit", () =>
    Effect.gen(function* () {
      const told: Array<string> = []
      const tell = Step.once("tell", (thought: Thought.Thought<any>) =>
        Effect.gen(function* () {
          told.push(contents(yield* Effect.orDie(Memory.load(thought.id))).join())
          const own = yield* Pipeline.run(write("later"), yield* Thought.fork(thought)).pipe(Effect.orDie)
          told.push((yield* Effect.orDie(stored(own.id))).join())
        })
      )
      const inner = Pipeline.sequence("inner", [write("x"), tell])
      const seen = Step.make("seen", { schema: Schema.Finite, run: () => told.length })
      const step = Step.retry(Pipeline.sequence("s", [onFork("f", inner), seen, failing(1)]), { name: "r" })
      const done = yield* Pipeline.run(step, yield* start)
      assert.strictEqual(done.get("seen"), 0)
      assert.deepStrictEqual(told, ["text,x", "text,x,later"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("on a thought of its own is stored at once", () =>
    Effect.gen(function* () {
      const apart = Step.make("apart", {
        schema: Schema.String,
        run: Effect.gen(function* () {
          const own = yield* Pipeline.run(write("x"), yield* Thought.make("apart"))
          return (yield* stored(own.id)).join()
        }).pipe(Effect.orDie)
      })
      const done = yield* Pipeline.run(Step.retry(apart, { name: "r" }), yield* start)
      assert.strictEqual(done.get("apart"), "x")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("also waits when there is another run between it and the connector", () =>
    Effect.gen(function* () {
      const ids: Array<string> = []
      const between = Step.make("between", {
        run: (thought: Thought.Thought<any>) => {
          const inmost = Step.make("inmost", {
            run: Effect.gen(function* () {
              const done = yield* Pipeline.run(write("x"), yield* Thought.fork(thought))
              ids.push(done.id)
              assert.strictEqual(yield* tagOf(Memory.load(done.id)), "NotFound")
            }).pipe(Effect.orDie)
          })
          return Effect.flatMap(Thought.make("other"), (other) => Pipeline.run(inmost, other)).pipe(Effect.orDie)
        }
      })
      const step = Step.retry(Pipeline.sequence("s", [write("a"), between, failing(1)]), { name: "r" })
      const done = yield* Pipeline.run(step, yield* start)
      assert.strictEqual(yield* tagOf(Memory.load(ids[0]!)), "NotFound")
      assert.deepStrictEqual(yield* stored(ids[1]!), ["text", "a", "x"])
      assert.deepStrictEqual(yield* childrenOf(done.id), [ids[1]])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("emits signals for its notes when they are stored", () =>
    Effect.gen(function* () {
      const told: Array<string> = []
      const step = Step.retry(Pipeline.sequence("s", [write("a"), onFork("f"), failing(1)]), { name: "r" })
      yield* Pipeline.run(step, yield* start).pipe(
        Signal.listen((signal) => {
          if (signal._tag === "NoteStored") told.push(`${signal.seq} ${signal.key}`)
          if (signal._tag === "ThoughtCreated") told.push("created")
        })
      )
      assert.deepStrictEqual(told, ["created", "1 text", "2 a", "3 f", "created", "3 inner"])
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("a thought that is restored by its own id", () => {
  it.effect("continues with what it has, inside and outside of connectors", () =>
    Effect.gen(function* () {
      const own: Note.Reader<{}, string> = {
        ...Note.from({}, () => ""),
        // what reads notes is given the whole thought
        read: (thought) => Effect.succeed((thought as unknown as Thought.Thought).id)
      }
      const steps = Pipeline.sequence("s", [write("a"), Primitive.restore("own", { from: own }), write("b")])
      for (const step of [steps, Step.retry(steps, { name: "r" })]) {
        const thought = yield* start
        const done = yield* Pipeline.run(step, thought)
        assert.deepStrictEqual(contents(done), ["text", "a", "b"])
        assert.deepStrictEqual(yield* stored(done.id), ["text", "a", "b"])
        assert.deepStrictEqual(done.parent, { id: thought.id, seq: 2 })
        assert.deepStrictEqual(yield* stored(thought.id), ["text", "a"])
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("is found inside a connector also when it was left, or is a fork that a step has run", () =>
    Effect.gen(function* () {
      const by = (key: string) => Note.from(Note.handle(key, Schema.String), idOf)
      const steps = Pipeline.sequence("s", [
        write("a"),
        onFork("f"),
        Primitive.restore("fork", { from: by("f") }),
        write("b")
      ])
      for (const step of [steps, Step.retry(steps, { name: "r" })]) {
        const done = yield* Pipeline.run(step, yield* start)
        assert.deepStrictEqual(yield* stored(done.id), ["text", "a", "inner", "b"])
        assert.deepStrictEqual((yield* Memory.load(done.id)).toJSON(), done.toJSON())
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("is found inside connectors also from an inner one, and behind others that were left later", () =>
    Effect.gen(function* () {
      const fork = Note.from(Note.handle("f", Schema.String), idOf)
      const restored = Step.retry(Primitive.restore("fork", { from: fork }), { name: "inner" })
      const nested = Pipeline.sequence("s", [write("a"), onFork("f"), restored, write("b")])
      const forked = yield* Pipeline.run(Step.retry(nested, { name: "r" }), yield* start)
      assert.deepStrictEqual(yield* stored(forked.id), ["text", "a", "inner", "b"])

      let left = ""
      const steps = Pipeline.sequence("s", [
        write("a"),
        Primitive.checkpoint("c"),
        write("b"),
        Step.make("here", { run: ({ id }) => Effect.sync(() => void (left = id)) }),
        Primitive.restore("back", { from: { checkpoint: "c" } }),
        write("x"),
        Primitive.restore("left", { from: Note.from({}, () => left) }),
        write("y")
      ])
      const done = yield* Pipeline.run(Step.retry(steps, { name: "r" }), yield* start)
      assert.deepStrictEqual(yield* stored(done.id), ["text", "a", "b", "y"])
      assert.deepStrictEqual(yield* stored(left), ["text", "a", "b"])
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("a value at an earlier note", () => {
  it.effect("can be forked, whether the store has the thought or not", () =>
    Effect.gen(function* () {
      const done = yield* Pipeline.run(Pipeline.sequence("s", [write("a"), write("b")]), yield* start)
      const fork = yield* Pipeline.run(write("x"), yield* Thought.fork(Thought.at(done, 2)))
      assert.deepStrictEqual(yield* stored(fork.id), ["text", "a", "x"])
      assert.deepStrictEqual(fork.parent, { id: done.id, seq: 2 })
      assert.deepStrictEqual(yield* stored(done.id), ["text", "a", "b"])

      // neither the parent nor its fork is stored
      const parent = yield* start
      const longer = yield* Thought.append(yield* Thought.fork(parent), "by hand", "1")
      const past = yield* Pipeline.run(write("x"), Thought.at(longer, 1))
      assert.deepStrictEqual(yield* stored(past.id), ["text", "x"])
      assert.deepStrictEqual(yield* stored(parent.id), ["text"])
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("leaving a thought", () => {
  it.effect("and the commit that survives are one transaction", () =>
    Effect.gen(function* () {
      const thought = yield* start
      const step = Pipeline.sequence("s", [
        write("a"),
        Primitive.checkpoint("here"),
        write("b"),
        Primitive.restore("back", { from: { checkpoint: "here" } }),
        write("c")
      ])
      for (const failing of [1, 2]) {
        const commits = { count: 0 }
        const error = yield* Pipeline.run(Step.retry(step, { name: "r" }), thought).pipe(
          Effect.updateService(Memory.Memory, (memory) => ({
            ...memory,
            commit: (value) =>
              ++commits.count > failing
                ? Effect.fail(new Memory.MemoryError({ reason: { _tag: "Connection", message: "out of reach" } }))
                : memory.commit(value)
          })),
          Effect.result
        )
        // the first commit begins the run, the second one is all that it adds
        assert.strictEqual(commits.count, 2)
        if (failing === 2) continue
        if (error._tag !== "Failure") throw new Error("the run was stored")
        assert.deepStrictEqual(contents(error.failure.thought!), ["text"])
        assert.deepStrictEqual(yield* stored(thought.id), ["text"])
        assert.deepStrictEqual(yield* childrenOf(thought.id), [])
      }
      assert.deepStrictEqual(yield* stored(thought.id), ["text", "a"])
      // the fork that was left, and the one that goes on
      assert.strictEqual((yield* childrenOf(thought.id)).length, 2)
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("a thought whose fork was stored", () => {
  it.effect("continues, with what was added to it before and after the fork", () =>
    Effect.gen(function* () {
      for (const begun of [yield* start, yield* Pipeline.run(Pipeline.sequence("s", []), yield* start)]) {
        const two = yield* Thought.append(begun, "two", "2")
        const first = yield* Pipeline.run(write("x"), yield* Thought.fork(two))
        const three = yield* Thought.append(two, "three", "3")
        const second = yield* Pipeline.run(write("y"), yield* Thought.fork(three))
        const done = yield* Pipeline.run(write("a"), yield* Thought.append(three, "four", "4"))
        assert.deepStrictEqual(yield* stored(done.id), ["text", "two", "three", "four", "a"])
        assert.deepStrictEqual(yield* stored(first.id), ["text", "two", "x"])
        assert.deepStrictEqual(yield* stored(second.id), ["text", "two", "three", "y"])
      }
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("notes appended from outside during a run", () => {
  const outside = (id: string, key: string) => Memory.append(id, [{ key, content: "from outside" }]).pipe(Effect.orDie)
  const appending = (name: string, key = "outside") =>
    Step.make(name, { run: (thought) => Effect.asVoid(outside(thought.id, key)) })
  const dense = (thought: Thought.Thought<any>) =>
    assert.deepStrictEqual(
      Thought.notes(thought).map(({ seq }) => seq),
      Thought.notes(thought).map((_, i) => i + 1)
    )

  it.effect("are included, before the notes that are stored after them", () =>
    Effect.gen(function* () {
      const step = Pipeline.sequence("all", [write("a"), appending("mail"), write("b"), write("c")])
      const done = yield* Pipeline.run(step, yield* start)
      assert.deepStrictEqual(contents(done), ["text", "a", "outside", "b", "c"])
      dense(done)
      assert.deepStrictEqual((yield* Memory.load(done.id)).toJSON(), done.toJSON())
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("are shown to the model by the next request after the commit, once", () => {
    const yes = { decision: true, confidence: 0.9, reasoning: ["It says so."] }
    const model = Testing.scripted(() => yes)
    const ask = (key: string) => Primitive.decide(key, { question: `${key}?` })
    return Effect.gen(function* () {
      const step = Pipeline.sequence("all", [ask("one"), appending("mail"), write("a"), ask("two"), ask("three")])
      const done = yield* Pipeline.run(step, yield* start)
      const shown = model.requests.map(({ messages }) =>
        messages.map(({ text }) => text.split("from outside").length - 1)
      )
      assert.deepStrictEqual(
        shown.map((each) => each.reduce((sum, n) => sum + n, 0)),
        [0, 1, 1]
      )
      assert.deepStrictEqual(
        Thought.unpublished(done).map(({ key }) => key),
        []
      )
      assert.deepStrictEqual((yield* Memory.load(done.id)).toJSON(), done.toJSON())
    }).pipe(Effect.provide([model.layer, Testing.memory]))
  })

  it.effect("come before what a connector has tried, whose forks are as they were", () =>
    Effect.gen(function* () {
      const tried = Pipeline.sequence("s", [
        write("a"),
        appending("mail"),
        Primitive.checkpoint("here"),
        write("b"),
        onFork("f"),
        Primitive.restore("back", { from: { checkpoint: "here" } }),
        write("c")
      ])
      const thought = yield* start
      const done = yield* Pipeline.run(Step.retry(tried, { name: "r" }), thought)
      assert.deepStrictEqual(yield* stored(thought.id), ["text", "outside", "a"])
      assert.deepStrictEqual(yield* stored(done.id), ["text", "outside", "a", "c"])
      dense(yield* Memory.load(done.id))
      assert.deepStrictEqual((yield* Memory.load(done.id)).toJSON(), done.toJSON())
      const again = yield* Pipeline.run(Primitive.restore("again", { from: { checkpoint: "here" } }), done)
      assert.deepStrictEqual(yield* stored(again.id), ["text", "outside", "a"])
      const fork = (yield* Memory.thoughts()).find(({ parent }) => parent?.id !== thought.id && parent !== undefined)
      assert.deepStrictEqual(yield* stored(fork!.id), ["text", "a", "b", "inner"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("are carried over if the thought is left right after, and are shown to the model once", () => {
    const model = Testing.scripted(() => ({ decision: true, confidence: 0.9, reasoning: ["It says so."] }))
    const ask = (key: string) => Primitive.decide(key, { question: `${key}?` })
    return Effect.gen(function* () {
      const other = yield* Pipeline.run(Pipeline.sequence("store", []), yield* Thought.make("other", { tone: "kind" }))
      const ways = {
        checkpoint: [Primitive.checkpoint("away"), ["text", "one", "outside"]],
        forget: [Primitive.forget("away"), ["text", "one", "outside"]],
        "restore of itself": [
          Primitive.restore("away", {
            from: {
              ...Note.from({}, () => ""),
              read: (given: unknown) => Effect.succeed((given as Thought.Thought).id)
            }
          }),
          ["text", "one", "outside"]
        ],
        "restore of another": [Primitive.restore("away", { from: other.id }), ["tone", "outside"]]
      } as const
      for (const [name, [away, there]] of Object.entries(ways)) {
        for (const speculative of [false, true]) {
          const inner = Pipeline.sequence("all", [ask("one"), appending("mail"), away as Step.Step<{}, {}>, ask("two")])
          const step = speculative ? Step.retry(inner, { name: "r" }) : inner
          const first = yield* start
          const begun = model.requests.length
          const left = yield* Pipeline.run(step, first)
          const done = yield* Pipeline.run(ask("three"), left)
          const expected = speculative && !name.endsWith("another") ? ["text", "outside", "one"] : there
          assert.deepStrictEqual(yield* stored(done.id), [...expected, "two", "three"], name)
          assert.deepStrictEqual((yield* Memory.load(done.id)).toJSON(), done.toJSON())
          dense(done)
          const shown = model.requests
            .slice(begun)
            .map(({ messages }) => messages.map(({ text }) => text.split("from outside").length - 1))
            .map((each) => each.reduce((sum, n) => sum + n, 0))
          assert.deepStrictEqual(shown, speculative ? [0, 0, 1] : [0, 1, 1], name)
          // nothing of it is lost, or there twice
          assert.strictEqual((yield* stored(first.id)).filter((key) => key === "outside").length, 1)
        }
      }
    }).pipe(Effect.provide([model.layer, Testing.memory]))
  })

  it.effect("are forgotten by a forget that comes right after, if it names their key", () =>
    Effect.gen(function* () {
      const seen = { drop: { drop: ["outside"] }, keep: { keep: ["text"] }, other: { drop: ["a"] } } as const
      for (const [name, options] of Object.entries(seen)) {
        for (const away of [[], [Primitive.checkpoint("c"), Primitive.restore("r", { from: { checkpoint: "c" } })]]) {
          for (const speculative of [false, true]) {
            const inner = Pipeline.sequence("s", [
              write("a"),
              appending("mail"),
              Primitive.forget("f", options),
              ...(away as ReadonlyArray<Step.Step<{}, {}, any, Memory.Memory>>),
              write("b")
            ])
            const step = speculative ? Step.retry(inner, { name: "r" }) : inner
            const done = yield* Pipeline.run(step, yield* start)
            const expected = { drop: ["text", "a"], keep: ["text"], other: ["text", "outside"] }[name] ?? []
            assert.deepStrictEqual(contents(done), [...expected, "b"], `${name} ${away.length} ${speculative}`)
            assert.deepStrictEqual(yield* stored(done.id), contents(done))
            assert.isTrue(contents(yield* Memory.load(done.parent!.id)).length > 0)
          }
        }
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("stay with the thought that was left, if they come after that", () =>
    Effect.gen(function* () {
      const thought = yield* start
      const late = Step.make("late", { run: outside(thought.id, "outside") })
      const step = Pipeline.sequence("all", [Primitive.checkpoint("c"), late, write("a"), Primitive.checkpoint("d")])
      const done = yield* Pipeline.run(step, thought)
      assert.deepStrictEqual(yield* stored(done.id), ["text", "a"])
      assert.deepStrictEqual(yield* stored(thought.id), ["text", "outside"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("are copied to a thought that continues instead, and redacted with the original", () =>
    Effect.gen(function* () {
      const thought = yield* start
      const other = yield* Pipeline.run(write("x"), yield* Thought.make("other"))
      const step = Pipeline.sequence("all", [
        appending("mail"),
        Primitive.restore("away", { from: other.id }),
        write("b")
      ])
      const done = yield* Pipeline.run(step, thought)
      const [origin, copy] = [(yield* Memory.load(thought.id)).note("outside"), done.note("outside")]
      assert.deepStrictEqual(copy?.derivedFrom, [String(origin?.id)])
      assert.deepStrictEqual([copy?.thoughtId, copy?.trust, copy?.source], [done.id, "untrusted", "user"])
      yield* Memory.redact(origin!.id, { reach: "copies" })
      assert.deepStrictEqual(yield* stored(done.id), ["x", "b"])
      assert.deepStrictEqual(yield* stored(other.id), ["x"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("to a value that others have continued do not prevent a run from leaving it", () =>
    Effect.gen(function* () {
      const thought = yield* Pipeline.run(Pipeline.sequence("store", []), yield* start)
      yield* Pipeline.run(write("a"), thought)
      yield* outside(thought.id, "outside")
      const done = yield* Pipeline.run(Pipeline.sequence("all", [Primitive.forget("f"), write("b")]), thought)
      assert.deepStrictEqual(yield* stored(done.id), ["text", "b"])
      assert.deepStrictEqual(yield* stored(thought.id), ["text", "a", "outside"])
      const again = yield* Pipeline.run(Primitive.forget("g"), thought)
      assert.strictEqual(again.parent?.id, thought.id)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("are in forks of forks, and in their checkpoints", () =>
    Effect.gen(function* () {
      const tried = Pipeline.sequence(
        "s",
        [appending("mail"), write("a"), Primitive.checkpoint("c"), Primitive.checkpoint("d"), write("b")],
        { overwrite: true }
      )
      const done = yield* Pipeline.run(Step.retry(tried, { name: "r" }), yield* start)
      const there = yield* Memory.load(done.id)
      assert.deepStrictEqual(there.toJSON(), done.toJSON())
      assert.deepStrictEqual([...there.checkpoints], [...done.checkpoints])
      for (const checkpoint of ["c", "d"]) {
        const back = yield* Pipeline.run(Primitive.restore("back", { from: { checkpoint } }), done)
        assert.deepStrictEqual(yield* stored(back.id), ["text", "outside", "a"])
      }
      // those of an earlier run stay where they are
      const more = Pipeline.sequence("t", [appending("more"), Primitive.checkpoint("e"), write("z")])
      const again = yield* Pipeline.run(Step.retry(more, { name: "r" }), done)
      assert.deepStrictEqual(yield* stored(again.id), ["text", "outside", "a", "b", "outside", "z"])
      const first = yield* Pipeline.run(Primitive.restore("back", { from: { checkpoint: "c" } }), again)
      assert.deepStrictEqual(yield* stored(first.id), ["text", "outside", "a"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("do not prevent a step from changing only the conversation", () => {
    const model = Testing.scripted(() => ({ decision: true, confidence: 0.9, reasoning: ["It says so."] }))
    return Effect.gen(function* () {
      const step = Pipeline.sequence("s", [
        Primitive.decide("go", { question: "Go on?" }),
        appending("mail"),
        Primitive.truncate("short", { first: 0, last: 0 })
      ])
      const done = yield* Pipeline.run(step, yield* start)
      assert.strictEqual(done.session.length, 0)
      assert.deepStrictEqual(contents(done), ["text", "go", "outside"])
      assert.deepStrictEqual((yield* Memory.load(done.id)).toJSON(), done.toJSON())
    }).pipe(Effect.provide([model.layer, Testing.memory]))
  })

  it.effect("may come at every moment of a run", () =>
    Effect.gen(function* () {
      const thought = yield* start
      const gate = yield* Deferred.make<void>()
      const step = Pipeline.sequence("all", [
        Step.make("open", { run: Deferred.succeed(gate, undefined) }),
        ...Array.from({ length: 20 }, (_, i) => write(`n${i}`))
      ])
      const fiber = yield* Effect.forkChild(Pipeline.run(step, thought))
      yield* Deferred.await(gate)
      for (let i = 0; i < 20; i++) {
        yield* outside(thought.id, `o${i}`)
        yield* Effect.yieldNow
      }
      const done = yield* Fiber.join(fiber)
      const there = yield* Memory.load(done.id)
      dense(there)
      assert.strictEqual(there.length, 41)
      for (const { id, seq } of Thought.notes(done)) assert.strictEqual(Thought.notes(there)[seq - 1]?.id, id)
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("a value that the store has gone beyond", () => {
  it.effect("is refused with what to do instead", () =>
    Effect.gen(function* () {
      const begun = yield* Pipeline.run(Pipeline.sequence("s", []), yield* start)
      for (const thought of [yield* start, begun]) {
        const first = yield* Pipeline.run(write("a"), thought)
        const { cause } = yield* Effect.flip(Pipeline.run(write("b"), thought))
        assert.strictEqual(cause.reason._tag, "ConcurrencyConflict")
        assert.match(cause.message, /error\.thought/)
        assert.match(cause.message, /Thought\.fork/)
        const on = yield* Pipeline.run(write("b"), first)
        const fork = yield* Pipeline.run(write("b"), yield* Thought.fork(thought))
        assert.deepStrictEqual(
          [contents(on), contents(fork)],
          [
            ["text", "a", "b"],
            ["text", "b"]
          ]
        )
        assert.deepStrictEqual(yield* stored(on.id), ["text", "a", "b"])
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("fails like the first run, if that is tried again", () =>
    Effect.gen(function* () {
      const begun = yield* Pipeline.run(Pipeline.sequence("s", []), yield* start)
      for (const thought of [yield* start, begun]) {
        const step = Pipeline.sequence("s", [write("a"), Step.make("stop", { run: new Stop() })])
        const error = yield* Effect.flip(Effect.retry(Pipeline.run(step, thought), { times: 3 }))
        assert.strictEqual(error.cause._tag, "Stop")
        assert.deepStrictEqual(error.path, ["s", "stop"])
        assert.deepStrictEqual(
          error.beside.map(({ cause }) => (cause instanceof Memory.MemoryError ? cause.reason._tag : cause)),
          ["ConcurrencyConflict"]
        )
        assert.include(error.message, "error.thought")
        assert.deepStrictEqual(yield* stored(error.thought!.id), ["text", "a"])
        // and the thought of the error goes on
        assert.deepStrictEqual(contents(yield* Pipeline.run(write("b"), error.thought!)), ["text", "a", "b"])
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("does not occur if the failed run stored nothing of it", () =>
    Effect.gen(function* () {
      const done = yield* Effect.retry(Pipeline.run(failing(2), yield* start), { times: 3 })
      assert.deepStrictEqual(yield* stored(done.id), ["text"])
      assert.isTrue(Exit.isSuccess(Exit.succeed(done)))
    }).pipe(Effect.provide(Testing.memory))
  )
})
