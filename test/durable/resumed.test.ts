import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Data, Effect, Exit, Fiber, Latch, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Note, Pipeline, Primitive, Provider, Step, Store, Synapse, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { soon } from "../soon.ts"
import { machine, machineOn, resumeOf, runOf, start } from "./machine.ts"
import { at } from "./process.ts"
import { asks } from "./scenarios/parts.ts"

const message = Note.handle("message", Schema.String)
const length = (key: string) =>
  Step.make(key, { schema: Schema.Finite, run: Note.from(message, (text) => text.length) })

const generated = ({ listed }: { readonly listed: boolean }) => {
  const step = length("length")
  const body = function* () {
    yield* Pipeline.ask(step)
  }
  return Pipeline.gen("generated", body, listed ? { steps: [step] } : {})
}

describe("a run that waits", () => {
  const wait = Pipeline.waitFor("wait", { schema: Schema.String, prompt: "What now?" })
  /** A generator that asks the model, which is not in the description of the pipeline. */
  const asking = Pipeline.gen("asking", function* () {
    yield* Pipeline.ask(asks("it"))
  }) as Step.Any
  const around: Readonly<Record<string, (acts: Step.Any) => Step.Any>> = {
    "a generator": (acts) => Pipeline.sequence("both", [asking, acts] as any) as Step.Any,
    "concurrent branches": (acts) => Pipeline.concurrent("both", { asking, acts }),
    "a retry": (acts) => Step.retry(Pipeline.sequence("both", [asking, acts] as any) as Step.Any),
    "an optional step": (acts) => Step.enrich(Pipeline.sequence("both", [asking, acts] as any) as Step.Any),
    "an alternative": (acts) =>
      Pipeline.fallback("either", [Pipeline.sequence("both", [asking, acts] as any) as Step.Any, asking]),
    "a limit of time": (acts) => Step.timeout(Pipeline.sequence("both", [asking, acts] as any) as Step.Any, "1 minute")
  }
  it.effect.each(Object.entries(around))("does nothing again of a generator in %s", ([, of]) =>
    Effect.gen(function* () {
      const { within, world } = yield* machine
      let done = 0
      const acts = Step.make("acts", { run: () => Effect.sync(() => void done++) })
      // each process has a pipeline of its own
      const step = () => Pipeline.sequence("all", [of(acts), wait] as any) as Step.Any
      yield* Effect.flip(within()(runOf(step())))
      yield* Effect.flip(within()(resumeOf(step())))
      yield* within()(Pipeline.answer("run", "wait", "On"))
      for (const _ of [1, 2]) assert.isDefined((yield* within()(resumeOf(step()))).note("it"))
      assert.deepStrictEqual([done, world.requests.length], [1, 1])
    })
  )

  it.effect("decides nothing again before a generator", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      let decided = 0
      const when = () => Effect.sync(() => decided++ === 0)
      const on = () => Effect.sync(() => (decided++ === 0 ? "one" : "none"))
      const ways = [
        Pipeline.filter("if", { when, step: asking }),
        Pipeline.switch("which", { on, branches: { one: asking }, default: "pass" } as never) as Step.Any
      ]
      for (const [i, way] of ways.entries()) {
        decided = 0
        const [step, id] = [Pipeline.sequence("all", [way, wait] as any) as Step.Any, `run ${i}`]
        yield* Effect.flip(within()(runOf(step, { id })))
        yield* within()(Pipeline.answer(id, "wait", "On"))
        for (const _ of [1, 2]) yield* within()(Pipeline.resume(step, id) as Effect.Effect<unknown>)
        assert.strictEqual(decided, 1)
      }
    })
  )

  it.effect("goes on after it had failed, whatever branch had failed then", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      let tries = 0
      const fails = Step.make("fails", {
        run: () => Effect.suspend(() => (tries++ === 0 ? Effect.fail({ _tag: "Down" as const }) : Effect.void))
      })
      const step = Pipeline.concurrent("both", { wait, fails }) as Step.Any
      const error = yield* Effect.flip(within()(runOf(step)))
      assert.deepStrictEqual([error._tag, error.cause], ["PipelineError", { _tag: "Down" }])
      const [row] = yield* within()(Pipeline.runs())
      assert.deepStrictEqual([row?.status, row?.error], ["failed", "Down"])
      for (const _ of [1, 2]) assert.strictEqual((yield* Effect.flip(within()(resumeOf(step))))._tag, "Suspended")
      yield* within()(Pipeline.answer("run", "wait", "On"))
      assert.strictEqual((yield* within()(resumeOf(step))).get("wait"), "On")
    })
  )
})

describe("a run that has ended", () => {
  it.effect("returns the note of a generator, even if a branch in it had failed before", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      let tries = 0
      const once = Step.make("once", {
        run: () =>
          Effect.suspend(() => (tries++ === 0 ? Effect.fail({ _tag: "Down" as const, message: "down" }) : Effect.void))
      })
      const step = Pipeline.gen("all", function* () {
        yield* Pipeline.ask(Pipeline.concurrent("both", { once, length: length("length") }))
      }) as Step.Any
      yield* Effect.flip(within()(runOf(step)))
      for (const _ of [1, 2, 3]) assert.strictEqual((yield* within()(resumeOf(step))).get("length"), 5)
      assert.strictEqual(tries, 2)
    })
  )

  it.effect.each([
    ["a step", length("length")],
    ["what introspects", Pipeline.introspect(length("length"))],
    ["what is compacted", Pipeline.compact(length("length"))],
    ["a generator with its steps", generated({ listed: true })],
    ["a generator without its steps", generated({ listed: false })],
    [
      "a generator before a checkpoint",
      Pipeline.sequence("both", [generated({ listed: false }), Primitive.checkpoint("here")])
    ]
  ] as const)("gives the value of a note of %s when it is resumed", ([, step]) =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const run = Effect.flatMap(start, (thought) =>
        Pipeline.run(step as Step.Any, thought, { durable: { id: "run" } })
      )
      const done = yield* within()(run as Effect.Effect<Thought.Thought<any>>)
      const again = yield* within()(Pipeline.resume(step as Step.Any, "run") as Effect.Effect<Thought.Thought<any>>)
      assert.strictEqual(done.get("length"), 5)
      assert.strictEqual(again.get("length"), 5)
    })
  )
})

/** A step whose first call fails, and how often it was called. */
const makeFlaky = () => {
  let calls = 0
  const step = Step.make("flaky", {
    schema: Schema.Finite,
    run: Effect.suspend(() => (++calls === 1 ? Effect.fail("no") : Effect.succeed(calls)))
  })
  return { step, calls: () => calls }
}

describe("a resumed run", () => {
  const go = Pipeline.waitFor("go", { schema: Schema.Boolean, prompt: "Go on?" })
  const answered = Pipeline.answer("run", "go", true)

  it.effect("reads as values what connectors have written, and does not make it again", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      let updates = 0
      const count = Note.handle("count", Schema.Finite)
      const step = Pipeline.sequence(
        "all",
        [
          Step.make("broken", { schema: Schema.Finite, run: Effect.fail("no") }).pipe(
            Step.enrich({ report: "missing" })
          ),
          Step.make("count", { schema: Schema.Finite, run: () => 1 }),
          Pipeline.mutate("more", { note: count, update: (before) => before + ++updates }),
          Pipeline.concurrent("beside", { one: length("n") }, { conflicts: "namespace" }),
          go,
          Step.make("seen", {
            schema: Schema.String,
            run: (thought: Thought.Thought<any>) =>
              JSON.stringify(["missing", "count", "one.n"].map((key) => thought.get(key)))
          })
        ],
        { overwrite: true }
      )
      assert.instanceOf(yield* Effect.flip(within()(runOf(step))), Pipeline.Suspended)
      yield* within()(answered)
      const seen = [{ path: ["all", "enrich(broken)", "broken"], error: "Error" }, 2, 5]
      for (const time of ["first", "second"]) {
        const done = yield* within()(resumeOf(step))
        assert.strictEqual(done.get("seen"), JSON.stringify(seen), time)
        assert.deepStrictEqual([done.get("missing"), done.get("count"), done.get("one.n")], seen, time)
        assert.strictEqual(updates, 1)
      }
    })
  )

  it.effect("knows how the steps before it ended", () =>
    Effect.gen(function* () {
      class Down extends Data.TaggedError("Down")<{}> {}
      const { store, within } = yield* machine
      let calls = 0
      const hang = Step.make("hang", { run: Effect.suspend(() => (++calls === 1 ? Effect.never : Effect.void)) })
      const fail = Step.make("fail", { run: Effect.suspend(() => (++calls === 3 ? new Down() : Effect.void)) })
      const step = Pipeline.sequence("all", [length("length"), hang, fail, go])
      const ends = Effect.map(store.ledger.load("local", "run"), (stored) =>
        (stored?.steps ?? [])
          .filter(({ kind }) => kind !== "commit")
          .map(({ endedMillis, error, frame, outcome }) => [frame, outcome, error, endedMillis === undefined])
          .toSorted(([one], [other]) => String(one).localeCompare(String(other)))
      )
      const done = ["/all/length", "completed", undefined, false]
      const fiber = yield* Effect.forkChild(within()(runOf(step)))
      yield* soon("the call")(Effect.repeat(Effect.yieldNow, { until: () => calls === 1 }))
      yield* Fiber.interrupt(fiber)
      const stopped = ["/all", "/all/hang"].map((frame) => [frame, "interrupted", undefined, false])
      assert.deepStrictEqual(yield* ends, [...stopped, done])
      yield* Effect.flip(within()(resumeOf(step)))
      const failed = ["/all", "/all/fail"].map((frame) => [frame, "failed", "Down", false])
      const passed = ["/all/hang", "completed", undefined, false]
      assert.deepStrictEqual(yield* ends, [...failed, passed, done])
      yield* Effect.flip(within()(resumeOf(step)))
      const waiting = ["/all", "/all/go"].map((frame) => [frame, "waiting", undefined, false])
      assert.deepStrictEqual(yield* ends, [
        waiting[0],
        ["/all/fail", "completed", undefined, false],
        waiting[1],
        passed,
        done
      ])
    })
  )

  it.effect("does not wait again before an attempt that was made", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const { calls, step: flaky } = makeFlaky()
      const step = Step.backoff(Pipeline.sequence("all", [flaky, go]), { base: "1 minute", jitter: false })
      const fiber = yield* Effect.forkChild(Effect.flip(within()(runOf(step))))
      yield* soon("the wait")(Effect.repeat(Effect.yieldNow, { until: () => calls() === 1 }))
      yield* TestClock.adjust("1 minute")
      assert.instanceOf(yield* Fiber.join(fiber), Pipeline.Suspended)
      yield* within()(answered)
      const done = yield* soon("the end")(within()(resumeOf(step)))
      assert.deepStrictEqual([done.get("flaky"), done.get("go"), calls()], [2, true, 2])
    })
  )

  it.effect("runs all branches again if one has failed the others", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const { step: flaky } = makeFlaky()
      const lasting = Step.make("lasting", { schema: Schema.Finite, run: Effect.as(Effect.yieldNow, 1) })
      const step = Pipeline.concurrent("two", [flaky, lasting])
      assert.instanceOf(yield* Effect.flip(within()(runOf(step))), Pipeline.PipelineError)
      const done = yield* within()(resumeOf(step))
      assert.deepStrictEqual([done.get("flaky"), done.get("lasting")], [2, 1])
    })
  )

  it.effect("gives equal calls in a step their earlier answers, in order", () =>
    Effect.gen(function* () {
      const answer = (confidence: number) => ({ decision: true, confidence, reasoning: ["so"] })
      const model = Testing.scripted([answer(0.1), answer(0.2), answer(0.3), answer(0.4)])
      const isSo = Effect.map(Synapse.binary({ question: "Is it so?" })("It is."), ({ confidence }) => confidence)
      let times = 0
      const step = Step.make("often", {
        schema: Schema.Array(Schema.Finite),
        run: Effect.gen(function* () {
          const three = [yield* isSo, yield* isSo, yield* isSo]
          if (++times === 1) return yield* Effect.interrupt
          return [...three, yield* isSo]
        })
      })
      const running = Effect.gen(function* () {
        yield* Effect.exit(runOf(step))
        return yield* resumeOf(step)
      })
      const done = yield* Effect.provide(running, Layer.merge(model.layer, Testing.memory))
      assert.deepStrictEqual(done.get("often"), [0.1, 0.2, 0.3, 0.4])
      assert.lengthOf(model.requests, 4)
    })
  )

  it.effect("records the price that the provider reports, or else the price from its list", () =>
    Effect.gen(function* () {
      const text = JSON.stringify({ decision: true, confidence: 1, reasoning: ["so"] })
      const usage = { inputTokens: 1_000_000, outputTokens: 0 }
      for (const [usd, prices, expected] of [
        [0.25, undefined, 0.25],
        [0.25, { input: 2, output: 8, asOf: "2026-01-01" }, 0.25],
        [undefined, { input: 2, output: 8, asOf: "2026-01-01" }, 2],
        [undefined, undefined, undefined]
      ] as const) {
        const provider = Provider.layer({
          name: "house",
          model: "m",
          capabilities: prices === undefined ? {} : { prices },
          complete: () => Effect.succeed({ text, usage, ...(usd === undefined ? {} : { usd }) })
        })
        const running = Effect.andThen(
          runOf(asks("a")),
          Effect.flatMap(Memory.Memory, ({ ledger }) => ledger.load("run"))
        )
        const { calls = [] } = (yield* Effect.provide(running, Layer.merge(provider, Testing.memory))) ?? {}
        assert.deepStrictEqual([calls[0]?.usage, calls[0]?.usd], [usage, expected])
      }
    })
  )

  it.effect("adds what a call uses that it makes again", () =>
    Effect.gen(function* () {
      const usage = { inputTokens: 3, outputTokens: 4 }
      const down = new Provider.ProviderError({
        provider: "scripted",
        model: "scripted",
        reason: { _tag: "Overloaded", message: "busy" },
        usage
      })
      const model = Testing.scripted([down, { decision: true, confidence: 1, reasoning: ["so"] }], { usage })
      const step = asks("a")
      const running = Effect.gen(function* () {
        assert.instanceOf(yield* Effect.flip(runOf(step)), Pipeline.PipelineError)
        yield* resumeOf(step)
        return yield* Effect.flatMap(Memory.Memory, ({ ledger }) => ledger.load("run"))
      })
      const { calls = [] } = (yield* Effect.provide(running, Layer.merge(model.layer, Testing.memory))) ?? {}
      assert.deepInclude(calls[0], { attempt: 2, usage: { inputTokens: 6, outputTokens: 8 } })
    })
  )
})

describe("a run that another process has", () => {
  it.effect("stays its run however long it takes, also if its lease could not be renewed once", () =>
    Effect.gen(function* () {
      const store = yield* Store.makeInMemory
      let renewals = 0
      const down = new Memory.MemoryError({ reason: { _tag: "Connection", message: "the database is down" } })
      // it is tried twice at once
      const renew: typeof store.ledger.renew = (...words) =>
        Effect.suspend(() => (++renewals === 2 || renewals === 3 ? Effect.fail(down) : store.ledger.renew(...words)))
      // a store that several processes can have
      const shared = { ...store, ledger: { ...store.ledger, exclusive: false, renew } }
      // a run of another test with the same ids may have ended without a store that could have its end: it can be taken over
      const { process, within } = machineOn(shared, 900)
      let calls = 0
      const begun = Latch.makeUnsafe()
      const long = Step.make("long", {
        schema: Schema.Finite,
        run: Effect.suspend(() => Effect.andThen(begun.open, Effect.as(Effect.sleep("5 minutes"), ++calls)))
      })
      const fiber = yield* Effect.forkChild(within(process())(runOf(long, { lease: "30 seconds" })))
      yield* begun.await
      const other = process()
      for (let seconds = 0; seconds < 295; seconds += 5) {
        yield* TestClock.adjust("5 seconds")
        // the other process renews its lease meanwhile
        yield* TestClock.withLive(Effect.sleep("2 millis"))
        const error = yield* Effect.flip(within(other)(resumeOf(long, { lease: "30 seconds" })))
        assert.deepInclude(error, { _tag: "RunBusy", runId: "run" }, `after ${seconds + 5} seconds`)
        const left = error.leaseUntilMillis - (seconds + 5) * 1_000
        assert.isTrue(left > 0 && left <= 30_000, `${left} ms left after ${seconds + 5} seconds`)
        assert.deepStrictEqual(yield* within(other)(Pipeline.resumeAll([long as Step.Any])), [])
      }
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual((yield* Fiber.join(fiber)).get("long"), 1)
      assert.strictEqual(calls, 1)
    })
  )
})

describe("code of a step that has loaded a thought", () => {
  it.effect("has its note derive from the same notes, whether it ran or was recorded", () =>
    Effect.gen(function* () {
      const { crashing, process, within } = yield* machine
      const earlier = yield* within()(Pipeline.run(length("length"), yield* start))
      const makes = Step.make("it", { schema: Schema.String, run: Effect.as(Memory.load(earlier.id), "done") })
      const step = Pipeline.sequence("all", [makes])
      const whole = yield* within()(runOf(step, { id: "whole" }))
      // it ends when the value is recorded, before the note is stored
      yield* crashing(process(at("before", "commit", 2)))(runOf(step))
      const resumed = yield* within()(resumeOf(step))
      const idOf = (thought: Thought.Thought<any>, key: string) => String(thought.note(key)?.id)
      assert.notInclude(whole.note("it")?.derivedFrom ?? [], idOf(earlier, "message"))
      for (const done of [whole, resumed]) {
        assert.deepStrictEqual(done.note("it")?.derivedFrom, [idOf(done, "message"), idOf(earlier, "length")])
        assert.strictEqual(done.note("it")?.trust, "untrusted")
      }
    })
  )

  it.effect("has its note trusted no more than all that it has loaded, whether it ran or was recorded", () =>
    Effect.gen(function* () {
      const { crashing, process, within } = yield* machine
      // the last note is trusted, and the one that it is made from is not
      const run = Note.from(message, (text) => text.length)
      const vouched = Step.make("length", { schema: Schema.Finite, run, trust: "trusted" })
      const earlier = yield* within()(Pipeline.run(vouched, yield* start))
      const makes = Step.make("it", { schema: Schema.String, run: Effect.as(Memory.load(earlier.id), "done") })
      const step = Pipeline.sequence("all", [makes])
      const empty = Thought.make("work")
      const whole = yield* within()(runOf(step, { id: "whole" }, empty))
      yield* crashing(process(at("before", "commit", 2)))(runOf(step, {}, empty))
      for (const done of [whole, yield* within()(resumeOf(step))]) {
        assert.deepStrictEqual(done.note("it")?.derivedFrom, [String(earlier.note("length")?.id)])
        assert.strictEqual(done.note("it")?.trust, "untrusted")
      }
    })
  )
})

describe("a run that fails again when it is resumed", () => {
  it.effect("has come to the thought of the last step that succeeded", () =>
    Effect.gen(function* () {
      const { store, within } = yield* machine
      const step = Pipeline.sequence("all", [asks("first"), asks("second"), asks("third", "(fails)")])
      const run = Effect.flatMap(start, (thought) => Pipeline.run(step, thought, { durable: { id: "run" } }))
      const ends = [yield* Effect.exit(within()(run)), yield* Effect.exit(within()(Pipeline.resume(step, "run")))]
      const reached = ends.map((exit) => {
        const error = Exit.isFailure(exit)
          ? exit.cause.reasons.map((reason) => (reason._tag === "Fail" ? reason.error : undefined))[0]
          : undefined
        return error instanceof Pipeline.PipelineError ? error.thought?.length : undefined
      })
      assert.deepStrictEqual(reached, [3, 3])
      assert.strictEqual((yield* store.ledger.load("local", "run"))?.run.end?.seq, 3)
    })
  )
})

describe("a run that has failed", () => {
  it.effect("asks again what made it fail, and not what a step inside has dealt with", () =>
    Effect.gen(function* () {
      const { within, world } = yield* machine
      const inside = Pipeline.sequence("inside", [asks("lost", "(fails)")])
      const step = Pipeline.concurrent("both", {
        a: Step.recover(inside, asks("instead")),
        b: asks("b", "(fails)")
      }) as Step.Any
      yield* Effect.flip(within()(runOf(step)))
      const before = world.requests.length
      yield* Effect.flip(within()(resumeOf(step)))
      const again = world.requests.slice(before).map((request) => /Is it (\w+)\? [^?]*$/.exec(request)?.[1])
      assert.deepStrictEqual([before, again], [3, ["b"]])
    })
  )
})

describe("a step that was late in a durable run", () => {
  it.effect("is late again when the run is resumed, and is not executed again", () =>
    Effect.gen(function* () {
      const { crashing, within } = yield* machine
      let executions = 0
      const slow = Step.make("slow", {
        schema: Schema.Finite,
        // only the first execution is late
        run: Effect.suspend(() => (++executions === 1 ? Effect.never : Effect.succeed(1)))
      })
      const limited = Step.timeout(slow, "1 minute", { name: "limited" })
      const step = Pipeline.sequence("all", [Step.recover(limited, asks("instead")), length("length")])
      // it ends when it asks what stands in for the late step
      const fiber = yield* Effect.forkChild(crashing(at("before", "call"))(runOf(step)))
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(fiber)
      const resumed = yield* within()(resumeOf(step))
      assert.strictEqual(executions, 1)
      assert.deepStrictEqual(
        Thought.notes(resumed).map(({ key }) => key),
        ["message", "instead", "length"]
      )
    })
  )
})

describe("a step in the background", () => {
  const children = Effect.gen(function* () {
    const runs = yield* Pipeline.runs()
    const child = runs.find(({ parent }) => parent !== undefined)
    const thought = child?.end === undefined ? undefined : yield* Memory.load(child.end.thoughtId)
    return { status: child?.status, keys: thought === undefined ? [] : Thought.notes(thought).map(({ key }) => key) }
  })

  it.effect("begins when its run stores nothing else", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const step = Pipeline.scaffold("later", { step: length("length") })
      yield* within()(Effect.flatMap(start, (thought) => Pipeline.run(step, thought, { durable: { id: "run" } })))
      assert.deepStrictEqual(yield* within()(children), { status: "completed", keys: ["message", "length"] })
    })
  )

  it.effect("keeps its answers, and repeats its effects, as its run does", () =>
    Effect.gen(function* () {
      for (const options of [{}, { keep: "answers", onInterrupted: "fail" }] as const) {
        const { within } = yield* machine
        yield* within()(runOf(Pipeline.scaffold("later", { step: asks("it") }), options))
        const [child, ...others] = (yield* within()(Pipeline.runs())).filter(({ parent }) => parent !== undefined)
        assert.deepInclude(child, {
          pipeline: "it",
          status: "completed",
          parent: { runId: "run", frame: "/later" },
          keep: "nothing",
          onInterrupted: undefined,
          ...options
        })
        assert.lengthOf(others, 0)
      }
    })
  )

  it.effect("has the services that the steps around it provide, the innermost first, also in another process", () =>
    Effect.gen(function* () {
      class Clerk extends Context.Service<Clerk, { readonly name: string }>()("test/Clerk") {}
      class Desk extends Context.Service<Desk, { readonly name: string }>()("test/Desk") {}
      const clerk = (name: string) => Context.make(Clerk, { name })
      const desk = (name: string) => Context.make(Desk, { name })
      const who = Step.make("who", {
        schema: Schema.String,
        run: Effect.zipWith(Clerk, Desk, (one, other) => `${one.name} at ${other.name}`)
      })
      const later = Pipeline.scaffold("later", { step: Pipeline.sequence("inside", [who]) })
      const inner = Step.provide(Step.provide(later, clerk("Ada")), clerk("Bob"))
      const step = Step.provide(Pipeline.sequence("all", [inner]), desk("the outer desk")) as Step.Any
      const answer = Effect.gen(function* () {
        const child = (yield* Pipeline.runs()).find(({ parent }) => parent !== undefined)
        return (yield* Memory.load(child?.end?.thoughtId ?? "")).note("who")?.content
      })
      const { within } = yield* machine
      yield* within()(runOf(step))
      assert.strictEqual(yield* within()(answer), "Ada at the outer desk")
      const other = yield* machine
      // the process ends once the run in the background is stored
      yield* other.crashing(at("after", "record"))(runOf(step))
      yield* TestClock.adjust("1 hour")
      yield* other.within()(Pipeline.resumeAll([step]))
      assert.strictEqual(yield* other.within()(answer), "Ada at the outer desk")
    })
  )

  it.effect("looks back as the pipeline around it says, in another process too", () =>
    Effect.gen(function* () {
      const { crashing, within } = yield* machine
      const step = Pipeline.introspect(Pipeline.scaffold("later", { step: asks("it") }))
      // the process ends once the run in the background is stored
      yield* crashing(at("after", "record"))(
        Effect.flatMap(start, (thought) => Pipeline.run(step, thought, { durable: { id: "run" } }))
      )
      const resumed = yield* within()(Pipeline.resumeAll([step]))
      assert.deepStrictEqual(
        resumed.map(({ exit }) => exit._tag),
        ["Success", "Success"]
      )
      assert.deepStrictEqual(yield* within()(children), {
        status: "completed",
        keys: ["message", "it", "it_summary"]
      })
    })
  )

  it.effect("is not tried again by those who resume everything, once it has failed", () =>
    Effect.gen(function* () {
      const { within, world } = yield* machine
      const step = Pipeline.scaffold("later", { step: asks("it", "(fails)") })
      const run = Effect.flatMap(start, (thought) => Pipeline.run(step, thought, { durable: { id: "run" } }))
      yield* within()(Effect.andThen(run, Pipeline.resumeAll([step])))
      yield* within()(Pipeline.resumeAll([step]))
      assert.strictEqual(world.requests.length, 1)
      assert.strictEqual((yield* within()(children)).status, "failed")
    })
  )
})

describe("resuming everything", () => {
  it.effect("finds a run that a process has left once, whether its lease is over or not", () =>
    Effect.gen(function* () {
      for (const later of ["0 seconds", "1 minute"] as const) {
        const { crashing, within } = yield* machine
        const step = length("length")
        yield* crashing(at("before", "commit", 2))(runOf(step, { lease: "30 seconds" }))
        yield* TestClock.adjust(later)
        const resumed = yield* within()(Pipeline.resumeAll([step as Step.Any]))
        assert.deepStrictEqual(
          resumed.map(({ exit, runId }) => [runId, Exit.isSuccess(exit) ? exit.value.note("length")?.content : exit]),
          [["run", "5"]]
        )
        assert.deepStrictEqual(yield* within()(Pipeline.resumeAll([step as Step.Any])), [])
      }
    })
  )

  it.effect("leaves a run that another process has taken and failed in the meantime", () =>
    Effect.gen(function* () {
      const store = yield* Store.makeInMemory
      let meantime: Effect.Effect<unknown> = Effect.void
      const claim: typeof store.ledger.claim = (...words) =>
        Effect.suspend(() => {
          const first = meantime
          meantime = Effect.void
          return Effect.andThen(first, store.ledger.claim(...words))
        })
      const { within, world } = machineOn({ ...store, ledger: { ...store.ledger, claim } })
      const wait = Pipeline.waitFor("wait", { schema: Schema.String, prompt: "Well?" })
      const step: Step.Any = Pipeline.sequence("all", [wait, asks("it", "(fails)")])
      yield* within()(Effect.flip(runOf(step)))
      yield* within()(Pipeline.answer("run", "wait", "yes"))
      meantime = Effect.exit(within()(resumeOf(step)))
      const resumed = yield* within()(Pipeline.resumeAll([step]))
      assert.deepStrictEqual(
        resumed.map(({ exit, runId }) => [runId, Exit.isFailure(exit) && (Cause.squash(exit.cause) as any)._tag]),
        [["run", "RunBusy"]]
      )
      assert.strictEqual(world.requests.length, 1)
      assert.strictEqual((yield* store.ledger.load("local", "run"))?.run.status, "failed")
      // who names the run tries it again
      yield* Effect.exit(within()(resumeOf(step)))
      assert.strictEqual(world.requests.length, 2)
    })
  )

  it.effect("takes for each run the version of its step that it began with", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const version = (prompt: string) => Pipeline.waitFor("it", { schema: Schema.Finite, prompt })
      const steps = [version("How many?"), version("How much?"), version("How far?")]
      const resumed = yield* within()(
        Effect.gen(function* () {
          for (const [i, step] of steps.entries()) {
            const id = `run ${i}`
            yield* Effect.flip(runOf(step, { id }))
            yield* Pipeline.answer(id, "it", i)
          }
          return yield* Pipeline.resumeAll(steps)
        })
      )
      const values = new Map(
        resumed.map(({ exit, runId }) => [runId, Exit.isSuccess(exit) ? exit.value.note("it")?.content : String(exit)])
      )
      assert.deepStrictEqual(
        values,
        new Map([
          ["run 0", "0"],
          ["run 1", "1"],
          ["run 2", "2"]
        ])
      )
    })
  )

  it.effect("reaches runs behind any number of others that cannot go on", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const waits = (name: string) => Pipeline.waitFor(name, { schema: Schema.Finite, prompt: "How much?" })
      const answered = (name: string, id: string) =>
        Effect.andThen(Effect.flip(runOf(waits(name), { id })), Pipeline.answer(id, name, 1))
      const all = Effect.gen(function* () {
        yield* answered("mine", "mine")
        for (let i = 0; i < 500; i++) yield* answered("other", `other ${i}`)
        return yield* Pipeline.resumeAll([waits("mine")])
      })
      const resumed = yield* within()(all)
      assert.strictEqual(resumed.length, 501)
      assert.deepStrictEqual(
        resumed.filter(({ exit }) => Exit.isSuccess(exit)).map(({ runId }) => runId),
        ["mine"]
      )
    })
  )
})

describe("lists of runs and questions", () => {
  it.effect("have a hundred by default, of a thought or after a run if that is wanted", () =>
    Effect.gen(function* () {
      const queries: Array<unknown> = []
      const listing = Effect.gen(function* () {
        const after = { id: "run", createdMillis: 5 }
        yield* Pipeline.runs()
        yield* Pipeline.runs({ after, thoughtId: "t", status: "failed", limit: 7 })
        yield* Pipeline.waiting()
        yield* Pipeline.waiting({ runId: "run", limit: 8 })
      })
      const heard = (query: unknown) => Effect.sync((): [] => (queries.push(query), []))
      yield* listing.pipe(
        Effect.updateService(Memory.Memory, (memory) => ({
          ...memory,
          ledger: { ...memory.ledger, runs: heard, waits: heard }
        })),
        Effect.provide(Testing.memory)
      )
      assert.deepStrictEqual(queries, [
        { limit: 100 },
        { limit: 7, after: { id: "run", createdMillis: 5 }, status: ["failed"], thoughtId: "t" },
        { limit: 100 },
        { limit: 8, runId: "run" }
      ])
    })
  )

  it.effect("have as many as they are asked for, from 1 to 10,000", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      for (const limit of [0, 1.5, Number.NaN, 10_001, "7" as never]) {
        assert.throws(() => Pipeline.runs({ limit }), /^Pipeline.runs (needs a whole number|lists at most 10000)/)
        assert.throws(() => Pipeline.waiting({ limit }), /^Pipeline.waiting (needs a whole number|lists at most 10000)/)
      }
      assert.deepStrictEqual(yield* within()(Pipeline.runs({ limit: 10_000 })), [])
      assert.deepStrictEqual(yield* within()(Pipeline.waiting({ limit: 10_000 })), [])
    })
  )
})
