import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Data, Deferred, Effect, Exit, Fiber, Layer, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { keptOf } from "../kept.ts"

class Stop extends Data.TaggedError("Stop")<{}> {}
class Clerk extends Context.Service<Clerk, { readonly name: string }>()("test/Clerk") {}

const message = Note.handle("message", Schema.String)
const size = Step.make("size", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) })
const long = Step.make("long", { schema: Schema.Boolean, run: Note.from(size, (n) => n > 5) })
const more = Step.make("size", { schema: Schema.Finite, run: Note.from(size, (n) => n + 1) })
const stop = Step.make("stop", { run: Effect.fail(new Stop()) })

const start = (text = "Hello, world") => Thought.make("test", { message: text })
const keysOf = (thought: Thought.Thought<any>) => Thought.notes(thought).map(({ key }) => key)

const dies = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(effect), (exit) => {
    assert.isTrue(Exit.isFailure(exit) && exit.cause.reasons.every(({ _tag }) => _tag === "Die"), String(exit))
    return Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
  })

describe("gen", () => {
  it.effect("makes notes from what the generators around them have got, each by itself", () =>
    Effect.gen(function* () {
      const ids: Array<string> = []
      for (const text of ["one", "two"]) {
        const old = yield* Memory.Memory.use(({ commit }) => Effect.flatMap(start(text), commit))
        ids.push(old.note("message")?.id ?? "")
      }
      const [one = "", two = ""] = ids
      const inner = Pipeline.gen("inner", function* () {
        yield* Step.derivedFrom([two])
        yield* Pipeline.ask(size)
      })
      const outer = Pipeline.gen("outer", function* () {
        yield* Step.derivedFrom([one])
        yield* Pipeline.ask(inner)
      })
      const done = yield* Pipeline.run(outer, yield* Thought.make("test", { message: "Hello" }, { trust: "trusted" }))
      const note = done.note("size")
      assert.sameMembers([...(note?.derivedFrom ?? [])], [done.note("message")?.id, one, two])
      assert.strictEqual(note?.trust, "untrusted")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("derives notes from what its own code loads, but not from what its steps load", () =>
    Effect.gen(function* () {
      const old = yield* Effect.flatMap(start("one"), Memory.commit)
      const looks = Step.make("looks", { run: Effect.asVoid(Effect.orDie(Memory.load(old.id))) })
      const asked = (own: boolean) =>
        Pipeline.gen("asked", function* () {
          if (own) yield* Effect.orDie(Memory.load(old.id))
          yield* Pipeline.ask(looks)
          yield* Pipeline.ask(size)
        })
      for (const own of [false, true]) {
        const thought = yield* Thought.make("test", { message: "Hello" }, { trust: "trusted" })
        const done = yield* Pipeline.run(asked(own), thought)
        const note = done.note("size")
        const message = done.note("message")?.id
        assert.sameMembers([...(note?.derivedFrom ?? [])], own ? [message, old.note("message")?.id] : [message])
        assert.strictEqual(note?.trust, own ? "untrusted" : "trusted")
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("runs the steps in the order of the generator, and returns their values", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const asked = Pipeline.gen("asked", function* () {
        seen.push(yield* Pipeline.ask(size))
        seen.push(yield* Pipeline.ask(long))
      })
      const done = yield* Pipeline.run(asked, yield* start())
      assert.deepStrictEqual(seen, [12, true])
      assert.deepStrictEqual([done.get("size"), done.get("long")], [12, true])
      assert.deepStrictEqual([keysOf(done), done.note("long")?.step], [["message", "size", "long"], "asked/long"])
      assert.deepStrictEqual((yield* Memory.load(done.id)).toJSON(), done.toJSON())
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("calls the model as its conditions decide, each time with the conversation so far", () => {
    const model = Testing.scripted([
      { primary: "bug", confidence: 0.9, reasoning: ["It crashed."] },
      { decision: true, confidence: 0.8, reasoning: ["It is."] }
    ])
    const triage = Pipeline.gen("triage", function* () {
      const kind = yield* Pipeline.ask(
        Primitive.categorize("kind", { question: "What is it?", categories: ["bug", "wish"] })
      )
      if (kind.primary === "wish") yield* Pipeline.ask(Primitive.decide("cheap", { question: "Is it cheap?" }))
      else yield* Pipeline.ask(Primitive.decide("urgent", { question: "Is it urgent?" }).pipe(Step.retry({ times: 1 })))
    })
    return Effect.gen(function* () {
      const done = yield* Pipeline.run(triage, yield* start("It crashed!"))
      assert.isTrue(done.get("urgent")?.decision)
      assert.isUndefined(done.get("cheap"))
      assert.deepStrictEqual(done.note("urgent")?.step, "triage/retry(urgent)/urgent")
      assert.strictEqual(model.requests.length, 2)
      const [first, second] = model.requests
      assert.include(first?.messages.at(-1)?.text, "It crashed!")
      assert.include(second?.messages.at(-1)?.text, "Is it urgent?")
      assert.deepStrictEqual(second?.messages.slice(0, first?.messages.length), keptOf(first?.messages))
    }).pipe(Effect.provide(Layer.merge(model.layer, Testing.memory)))
  })

  it.effect("makes notes from what its steps before have written, with a handle or without one", () =>
    Effect.gen(function* () {
      const words = Step.make("words", {
        schema: Schema.Finite,
        run: Note.from(message, (text) => text.split(" ").length)
      })
      for (const before of [size, Pipeline.sequence("row", [size])]) {
        const asked = Pipeline.gen("asked", function* () {
          yield* Pipeline.ask(before)
          yield* Pipeline.ask(words)
        })
        const done = yield* Pipeline.run(asked, yield* start())
        assert.deepStrictEqual(done.note("size")?.derivedFrom, [String(done.note("message")?.id)])
        assert.deepStrictEqual(done.note("words")?.derivedFrom, [String(done.note("size")?.id)])
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("returns the thought so far for a step without a handle", () =>
    Effect.gen(function* () {
      const lengths: Array<number> = []
      const asked = Pipeline.gen("asked", function* () {
        const both = yield* Pipeline.ask(Pipeline.sequence("both", [size, long]))
        lengths.push(both.get("size"), both.length)
        const same = yield* Pipeline.ask(Step.make("aside", { run: Effect.void }))
        lengths.push(same.length)
      })
      yield* Pipeline.run(asked, yield* start())
      assert.deepStrictEqual(lengths, [12, 3, 3])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("runs a step each time it is yielded: the newest value supersedes the others", () =>
    Effect.gen(function* () {
      const counted = Pipeline.gen("counted", function* () {
        let n = yield* Pipeline.ask(size)
        while (n < 15) n = yield* Pipeline.ask(more)
      })
      const done = yield* Pipeline.run(counted, yield* start())
      assert.strictEqual(done.get("size"), 15)
      assert.deepStrictEqual(
        Thought.history(done, "size").map(({ content }) => content),
        ["12", "13", "14", "15"]
      )
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("runs effects between steps, with their values, services and failures", () =>
    Effect.gen(function* () {
      const names: Array<string> = []
      const asked = Pipeline.gen("asked", function* () {
        names.push((yield* Clerk).name, yield* Effect.succeed("now"))
        yield* Pipeline.ask(size)
        yield* new Stop()
        names.push("never")
      })
      const thought = yield* start()
      const error = yield* Effect.flip(Pipeline.run(asked, thought))
      assert.deepStrictEqual(error._tag === "PipelineError" && [error.path, error.cause], [["asked"], new Stop()])
      assert.deepStrictEqual(names, ["Ada", "now"])
      assert.deepStrictEqual(keysOf(yield* Memory.load(thought.id)), ["message", "size"])
    }).pipe(Effect.provideService(Clerk, { name: "Ada" }), Effect.provide(Testing.memory))
  )

  it.effect("keeps no state between runs", () =>
    Effect.gen(function* () {
      const seen: Array<number> = []
      const asked = Pipeline.gen("asked", function* () {
        let rounds = 0
        for (; rounds < 2; rounds++) yield* Pipeline.ask(size)
        seen.push(rounds)
      })
      for (const text of ["one", "three"]) {
        const done = yield* Pipeline.run(asked, yield* start(text))
        assert.strictEqual(done.get("size"), text.length)
      }
      const both = [yield* start(), yield* start()]
      yield* Effect.forEach(both, (thought) => Pipeline.run(asked, thought), { concurrency: "unbounded" })
      assert.deepStrictEqual(seen, [2, 2, 2, 2])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("numbers a step that is asked again anew in each run", () =>
    Effect.gen(function* () {
      const paths: Array<string> = []
      const asked = Pipeline.gen("asked", function* () {
        for (let round = 0; round < 2; round++) yield* Pipeline.ask(size)
      })
      const listening = Signal.on("StepCompleted", ({ path }) => paths.push(path.join("/")))
      const once = ["asked/size", "asked/size#2/size", "asked/size#2", "asked"]
      yield* listening(Pipeline.run(asked, yield* start()))
      assert.deepStrictEqual(paths, once)
      yield* listening(Pipeline.run(asked, yield* start()))
      assert.deepStrictEqual(paths, [...once, ...once])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("passes the thought on if it yields no step", () =>
    Effect.gen(function* () {
      const thought = yield* start()
      const done = yield* Pipeline.run(
        Pipeline.gen("nothing", function* () {}),
        thought
      )
      assert.deepStrictEqual(keysOf(done), ["message"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("is one attempt to a connector around it: a failed one leaves nothing", () =>
    Effect.gen(function* () {
      let attempts = 0
      const flaky = Pipeline.gen("flaky", function* () {
        yield* Pipeline.ask(size)
        if (++attempts < 2) yield* Pipeline.ask(stop)
        yield* Pipeline.ask(long)
      }).pipe(Step.retry({ times: 1 }))
      const done = yield* Pipeline.run(flaky, yield* start())
      assert.strictEqual(attempts, 2)
      assert.deepStrictEqual(keysOf(yield* Memory.load(done.id)), ["message", "size", "long"])
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("gen that fails", () => {
  it.effect("has the path, keeps what was stored, and runs nothing more", () =>
    Effect.gen(function* () {
      const asked = Pipeline.gen("asked", function* () {
        yield* Pipeline.ask(size)
        yield* Pipeline.ask(Pipeline.sequence("inside", [stop]))
        yield* Pipeline.ask(long)
      })
      const thought = yield* start()
      const error = yield* Effect.flip(Pipeline.run(asked, thought))
      assert.deepStrictEqual(error._tag === "PipelineError" && error.path, ["asked", "inside", "stop"])
      assert.deepStrictEqual(keysOf(yield* Memory.load(thought.id)), ["message", "size"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("for a missing note with NoteNotFound, and where it was read", () =>
    Effect.gen(function* () {
      const wrong = Pipeline.gen("wrong", function* () {
        yield* Pipeline.ask(Pipeline.sequence("inside", [long]))
        yield* Pipeline.ask(size)
      })
      const thought = yield* start()
      const error = yield* Effect.flip(Pipeline.run(wrong, thought))
      assert.deepStrictEqual(error._tag === "PipelineError" && error.path, ["wrong", "inside", "long"])
      const { cause } = error
      assert.deepStrictEqual(cause instanceof Note.NoteNotFound && [cause.key, cause.thoughtId], ["size", thought.id])
      assert.deepStrictEqual(keysOf(yield* Memory.load(thought.id)), ["message"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("needs only the notes that are actually read", () =>
    Effect.gen(function* () {
      const asked = Pipeline.gen("asked", function* () {
        yield* Pipeline.ask(Pipeline.filter("never", { when: () => false, step: long }))
        yield* Pipeline.ask(size)
      })
      assert.deepStrictEqual(keysOf(yield* Pipeline.run(asked, yield* start())), ["message", "size"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("leaves every other defect a defect, also a missing note that the step does not read", () =>
    Effect.gen(function* () {
      const defects: ReadonlyArray<readonly [Effect.Effect<never>, string]> = [
        [Effect.die(new Error("a bug")), "a bug"],
        [Effect.die(new Note.NoteNotFound({ key: "canary" })), "canary"]
      ]
      for (const [run, told] of defects) {
        const asked = Pipeline.gen("asked", function* () {
          yield* Pipeline.ask(Step.make("broken", { run }))
        })
        assert.include(yield* dies(Pipeline.run(asked, yield* start())), told)
      }
      const thrown = Pipeline.gen("thrown", function* () {
        yield* Pipeline.ask(size)
        throw new Error("a bug")
      })
      assert.include(yield* dies(Pipeline.run(thrown, yield* start())), "a bug")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("runs the finally blocks of the generator, and no catch block and nothing after", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const note = (word: string) => Effect.sync(() => void seen.push(word))
      const asked = Pipeline.gen("asked", function* () {
        try {
          try {
            yield* Pipeline.ask(stop)
          } catch {
            seen.push("caught")
          } finally {
            yield* note("inner")
            yield* Pipeline.ask(size)
          }
          seen.push("after")
        } finally {
          yield* note("outer")
        }
      })
      const thought = yield* start()
      const error = yield* Effect.flip(Pipeline.run(asked, thought))
      assert.deepStrictEqual(seen, ["inner", "outer"])
      assert.deepStrictEqual([error.cause._tag, error.path], ["Stop", ["asked", "stop"]])
      assert.deepStrictEqual(keysOf(yield* Memory.load(thought.id)), ["message", "size"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("runs the finally blocks also if an effect fails, a step dies or is not one of its steps", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const broken = Step.make("broken", { run: Effect.die("a bug") })
      const fails = Pipeline.gen("fails", function* () {
        try {
          yield* new Stop()
        } finally {
          seen.push("fails")
        }
      })
      const dies = Pipeline.gen("dies", function* () {
        try {
          yield* Pipeline.ask(broken)
        } finally {
          seen.push("dies")
        }
      })
      const undeclared = Pipeline.gen(
        "undeclared",
        function* () {
          try {
            yield* Pipeline.ask(broken)
          } finally {
            seen.push("undeclared")
          }
        },
        { steps: [size] }
      )
      for (const step of [fails, dies, undeclared]) {
        assert.isTrue(Exit.isFailure(yield* Effect.exit(Pipeline.run<Step.Any, {}>(step, yield* start()))))
      }
      assert.deepStrictEqual(seen, ["fails", "dies", "undeclared"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("adds the failure of a finally block to the first one", () =>
    Effect.gen(function* () {
      class Late extends Data.TaggedError("Late")<{}> {}
      const asked = Pipeline.gen("asked", function* () {
        try {
          yield* Pipeline.ask(stop)
        } finally {
          yield* new Late()
        }
      })
      const error = yield* Effect.flip(Pipeline.run(asked, yield* start()))
      assert.strictEqual(error.cause._tag, "Stop")
      assert.deepStrictEqual(
        error.beside.map(({ cause }) => (cause as Late)._tag),
        ["Late"]
      )
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("by interruption runs the finally blocks to their end", () =>
    Effect.gen(function* () {
      const called = yield* Deferred.make<void>()
      const seen: Array<string> = []
      const asked = Pipeline.gen("asked", function* () {
        try {
          yield* Deferred.succeed(called, undefined)
          yield* Effect.never
        } finally {
          yield* Effect.yieldNow
          seen.push("closed")
        }
      })
      const fiber = yield* Effect.forkChild(Pipeline.run(asked, yield* start()))
      yield* Deferred.await(called)
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.deepStrictEqual(seen, ["closed"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("by interruption passes it on to the step that runs, and runs no other", () =>
    Effect.gen(function* () {
      const called = yield* Deferred.make<void>()
      const released = yield* Deferred.make<void>()
      const wait = Deferred.succeed(called, undefined).pipe(
        Effect.andThen(Effect.never),
        Effect.onInterrupt(() => Deferred.succeed(released, undefined))
      )
      const asked = Pipeline.gen("asked", function* () {
        yield* Pipeline.ask(size)
        yield* Pipeline.ask(Step.make("wait", { run: wait }))
        yield* Pipeline.ask(long)
      })
      const thought = yield* start()
      const fiber = yield* Effect.forkChild(Pipeline.run(asked, thought))
      yield* Deferred.await(called)
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.isTrue(yield* Deferred.isDone(released))
      assert.deepStrictEqual(keysOf(yield* Memory.load(thought.id)), ["message", "size"])
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("the steps that gen declares", () => {
  const body = function* () {
    if ((yield* Pipeline.ask(size)) > 5) yield* Pipeline.ask(long)
  }

  it("are its outline, which is empty without them", () => {
    const declared = Pipeline.gen("declared", body, { steps: [long, size] })
    assert.deepStrictEqual(declared.node, {
      name: "declared",
      kind: "gen",
      reads: ["message"],
      writes: ["long", "size"],
      surely: [],
      children: [long.node, size.node],
      layout: "calls"
    })
    assert.deepStrictEqual(Pipeline.gen("open", body).node, {
      name: "open",
      kind: "gen",
      reads: [],
      writes: [],
      surely: [],
      children: [],
      layout: "calls"
    })
    const grow = function* () {
      yield* Pipeline.ask(more)
    }
    const alone = Pipeline.gen("alone", grow, { steps: [more, more] })
    assert.deepStrictEqual([alone.node.reads, alone.node.children.length], [["size"], 1])
  })

  it.effect("are the only steps that it may ask", () =>
    Effect.gen(function* () {
      const declared = Pipeline.gen("declared", body, { steps: [size, long] })
      assert.isTrue((yield* Pipeline.run(declared, yield* start())).get("long"))
      const lacking = Pipeline.gen("lacking", body, { steps: [size] })
      const told = yield* dies(Pipeline.run(lacking, yield* start()))
      assert.include(told, 'The step "lacking" asks the step "long", which is not among its `steps`')
      assert.deepStrictEqual(keysOf(yield* Pipeline.run(lacking, yield* start("Hi"))), ["message", "size"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("are steps, and everything that is yielded can run", () =>
    Effect.gen(function* () {
      const wrong = Pipeline.gen("wrong", function* () {
        yield 1 as never
      })
      assert.include(yield* dies(Pipeline.run(wrong, yield* start())), 'step "wrong" yielded something that cannot run')
      assert.throws(() => Pipeline.gen("wrong", 1 as never), /"wrong" needs a generator function/)
      assert.throws(() => Pipeline.gen("wrong", body, { steps: [1 as never] }), /"wrong" needs an array of steps/)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("emit their signals to listeners", () =>
    Effect.gen(function* () {
      const started: Array<string> = []
      const listen = Signal.listen((signal) => {
        if (signal._tag === "StepStarted") started.push(`${signal.kind} ${signal.path.join("/")}`)
      })
      yield* listen(Pipeline.run(Pipeline.gen("asked", body), yield* start()))
      assert.deepStrictEqual(started, ["gen asked", "step asked/size", "step asked/long"])
    }).pipe(Effect.provide(Testing.memory))
  )
})
