import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"
import { Memory, Note, Pipeline, Primitive, Step, Store, Thought } from "cogito"
import { soon } from "../soon.ts"
import { type Going, machine, machineOn, resumeOf, runOf, start } from "./machine.ts"
import { asks } from "./scenarios/parts.ts"
import { stored } from "./seen.ts"

const Refund = Schema.Struct({ amount: Schema.Finite, why: Schema.optionalKey(Schema.String) })
const message = Note.handle("message", Schema.String)
const waitsFor = (key: string) => Pipeline.waitFor(key, { schema: Refund, prompt: `How much for ${key}?` })

/** The questions that a run ends with. */
const suspendedOn = <A, E, R>(running: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(running), (error): ReadonlyArray<string> => {
    if (!(error instanceof Pipeline.Suspended)) throw new Error(`it did not wait: ${String(error)}`)
    return error.waits.map(({ key }) => key)
  })

const fails = <A, E, R>(running: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(running), (error): any => (error instanceof Pipeline.PipelineError ? error.cause : error))

/** Lets a program run on its own until something holds, while the test's clock stands. */
const until = <E, R>(what: string, holds: Effect.Effect<boolean, E, R>) =>
  soon(what)(
    Effect.gen(function* () {
      while (!(yield* holds)) yield* Effect.promise(() => setImmediate())
    })
  )

describe("a question", () => {
  it.effect.each([
    ["retry", (both: Step.Any) => Step.retry(both, { times: 1 }), ["/all/retry(both)/both@2/ok"]],
    [
      "backoff",
      (both: Step.Any) => Step.backoff(both, { times: 1, base: "1 milli" }),
      ["/all/backoff(both)/both@2/ok"]
    ],
    ["fallback", (both: Step.Any) => Pipeline.fallback("or", [both, asks("b")]), []],
    ["recover", (both: Step.Any) => Step.recover(both, asks("b")), []],
    ["enrich", (both: Step.Any) => Step.enrich(both), []],
    ["concurrent", (both: Step.Any) => Pipeline.concurrent("c", [both, asks("b")], { minSuccesses: 1 }), []]
  ] as const)("of a branch that %s discards is closed", ([, around, again]) =>
    Effect.gen(function* () {
      const { within } = yield* machine
      let attempts = 0
      const flaky = Step.make("flaky", {
        schema: Schema.String,
        run: Effect.suspend(() =>
          attempts++ === 0 ? Effect.delay(Effect.fail("down"), "1 milli") : Effect.succeed("up")
        )
      })
      const both = Pipeline.concurrent("both", { ok: Primitive.approve("ok", { prompt: "May we?" }), flaky })
      const step = Pipeline.sequence("all", [around(both) as Step.Any, waitsFor("later")])
      const running = yield* Effect.forkChild(Effect.flip(within()(runOf(step))))
      yield* until(
        "asked",
        Effect.map(within()(Pipeline.waiting()), ({ length }) => length > 0)
      )
      yield* TestClock.adjust("1 second")
      for (let i = 0; i < 3; i++) {
        const open = again.length === 0 ? ["/all/later"] : again
        const error = i === 0 ? yield* Fiber.join(running) : yield* Effect.flip(within()(resumeOf(step)))
        assert.deepStrictEqual(
          error.waits?.map(({ frame }: { frame: string }) => frame),
          open,
          String(error)
        )
        assert.deepStrictEqual(
          (yield* within()(Pipeline.waiting())).map(({ frame }) => frame),
          open
        )
      }
      if (again.length > 0) {
        yield* within()(Pipeline.answer("run", "ok", { approved: true }))
        assert.deepStrictEqual(yield* suspendedOn(within()(resumeOf(step))), ["later"])
      }
      yield* within()(Pipeline.answer("run", "later", { amount: 1 }))
      const done = yield* within()(resumeOf(step))
      assert.strictEqual(done.get("ok")?.approved, again.length > 0 ? true : undefined)
    })
  )

  it.effect("of a step that failed with its run is open, and its answer counts when the run is resumed", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      let attempts = 0
      const flaky = Step.make("flaky", {
        schema: Schema.String,
        run: Effect.suspend(() => (attempts++ === 0 ? Effect.fail("down") : Effect.succeed("up")))
      })
      const both = Pipeline.concurrent("both", { ok: Primitive.approve("ok", { prompt: "May we?" }), flaky })
      yield* Effect.flip(within()(runOf(both)))
      assert.deepStrictEqual(
        (yield* within()(Pipeline.waiting())).map(({ frame }) => frame),
        ["/both/ok"]
      )
      yield* within()(Pipeline.answer("run", "ok", { approved: true }))
      assert.strictEqual((yield* within()(resumeOf(both))).get("flaky"), "up")
    })
  )

  it.effect("of all attempts of a failed run is open once, where the run comes to it when it is resumed", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      let fails = true
      const flaky = Step.make("flaky", {
        schema: Schema.String,
        run: Effect.suspend(() => (fails ? Effect.fail("down") : Effect.succeed("up")))
      })
      const both = Pipeline.concurrent("both", { q: waitsFor("amount"), flaky })
      const step = Step.retry(both, { times: 2 })
      yield* Effect.flip(within()(runOf(step)))
      assert.deepStrictEqual(
        (yield* within()(Pipeline.waiting())).map(({ frame }) => frame),
        ["/retry(both)/both/q/amount"]
      )
      yield* within()(Pipeline.answer("run", "amount", { amount: 3 }))
      fails = false
      assert.deepStrictEqual((yield* within()(resumeOf(step))).get("amount"), { amount: 3 })
    })
  )

  it.effect("that a redaction has emptied is no longer open if the run cannot ask it again", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const step = Pipeline.waitFor("q", { schema: Refund, prompt: Note.prompt`What about ${message}?` })
      assert.deepStrictEqual(yield* suspendedOn(within()(runOf(step))), ["q"])
      const [open] = yield* within()(Pipeline.waiting())
      const thought = yield* within()(Memory.load(open?.thoughtId ?? ""))
      yield* within()(Memory.redact(Thought.history(thought, "message")[0]!))
      assert.deepStrictEqual(
        (yield* within()(Pipeline.waiting())).map(({ prompt }) => prompt),
        [""]
      )
      assert.match(String(yield* Effect.exit(within()(resumeOf(step)))), /There is no note "message" in the thought/)
      assert.deepStrictEqual(yield* within()(Pipeline.waiting()), [])
    })
  )

  it.effect("ends the run with its prompt, and its answer becomes a note", () =>
    Effect.gen(function* () {
      const { within, world } = yield* machine
      const refund = Pipeline.waitFor("refund", {
        schema: Refund,
        prompt: Note.from(message, (text) => `How much for ${text}?`),
        timeout: "1 hour"
      })
      const step = Pipeline.sequence("all", [asks("first"), refund, asks("last")])
      const suspended = yield* Effect.flip(within()(runOf(step)))
      if (!(suspended instanceof Pipeline.Suspended)) throw new Error(String(suspended))
      assert.deepStrictEqual(suspended.waits, [
        { frame: "/all/refund", key: "refund", prompt: "How much for Hello?", dueMillis: 3_600_000 }
      ])
      const [open] = yield* within()(Pipeline.waiting())
      assert.strictEqual(open?.thoughtId, suspended.thoughtId)
      assert.strictEqual(open?.runId, "run")
      assert.deepStrictEqual(yield* suspendedOn(within()(resumeOf(step))), ["refund"])
      yield* within()(Pipeline.answer("run", "refund", { amount: 12, why: "late" }, { by: "jane" }))
      assert.deepStrictEqual(yield* within()(Pipeline.waiting()), [])
      const done = yield* within()(resumeOf(step))
      assert.deepStrictEqual(done.get("refund"), { amount: 12, why: "late" })
      const note = done.note("refund")
      assert.deepInclude(note, { trust: "untrusted", metadata: { answered_by: "jane" } })
      assert.strictEqual(world.requests.length, 2)
    })
  )

  it.effect("refuses an answer that does not fit, and stays open", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const step = waitsFor("refund")
      yield* suspendedOn(within()(runOf(step)))
      for (const bad of [
        "12",
        { amount: "12" },
        {},
        { amount: 12, more: true },
        null,
        { amount: Infinity },
        undefined
      ]) {
        const error = yield* fails(within()(Pipeline.answer("run", "refund", bad)))
        assert.strictEqual(error._tag, "SchemaError", JSON.stringify(bad))
      }
      assert.strictEqual((yield* within()(Pipeline.waiting())).length, 1)
      yield* within()(Pipeline.answer("run", "refund", { amount: 12 }))
      const done = yield* within()(resumeOf(step))
      assert.deepStrictEqual(done.get("refund"), { amount: 12 })
    })
  )

  it.effect("is answered by the first of many at once", () =>
    Effect.gen(function* () {
      const store = yield* Store.makeInMemory
      // all of them find the question open before the first one answers
      const all = yield* Deferred.make<void>()
      let arrived = 0
      const arriving = Effect.suspend(() => (++arrived < 64 ? Deferred.await(all) : Deferred.succeed(all, undefined)))
      const { waits } = store.ledger
      const found: typeof waits = (...words) => Effect.tap(waits(...words), () => arriving)
      const { process, within } = machineOn({ ...store, ledger: { ...store.ledger, waits: found } })
      const step = waitsFor("refund")
      yield* suspendedOn(within()(runOf(step)))
      const exits = yield* Effect.forEach(
        Array.from({ length: 64 }, (_, n) => n),
        (n) => Effect.exit(within(process())(Pipeline.answer("run", "refund", { amount: n }, { by: `person ${n}` }))),
        { concurrency: "unbounded" }
      )
      const [winner = -1, ...others] = exits.flatMap((exit, n) => (Exit.isSuccess(exit) ? [n] : []))
      assert.deepStrictEqual(others, [])
      const errors = exits.flatMap((exit) => (Exit.isFailure(exit) ? exit.cause.reasons : []))
      assert.strictEqual(errors.length, 63)
      for (const reason of errors) {
        const error = reason._tag === "Fail" ? reason.error : reason
        if (!(error instanceof Pipeline.AlreadyAnswered)) throw new Error(String(error))
        assert.strictEqual(error.by, `person ${winner}`)
        assert.include(error.message, `person ${winner}`)
      }
      const done = yield* within()(resumeOf(step))
      assert.deepStrictEqual(done.get("refund"), { amount: winner })
      const late = yield* fails(within()(Pipeline.answer("run", "refund", { amount: 1 })))
      assert.strictEqual(late._tag, "AlreadyAnswered")
    })
  )

  it.effect("is named by its frame where another one has its key", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const step = Pipeline.concurrent(
        "both",
        { a: waitsFor("refund"), b: waitsFor("refund") },
        { conflicts: "namespace" }
      )
      assert.deepStrictEqual(yield* suspendedOn(within()(runOf(step))), ["refund", "refund"])
      const error = yield* fails(within()(Pipeline.answer("run", "refund", { amount: 1 })))
      assert.strictEqual(error._tag, "MemoryError")
      const frames = (yield* within()(Pipeline.waiting({ runId: "run" }))).map(({ frame }) => frame)
      assert.strictEqual(new Set(frames).size, 2)
      for (const frame of frames) assert.include(error.message, frame)
      yield* within()(Pipeline.answer("run", frames[0]!, { amount: 1 }))
      // the other one is the only one left with the key
      assert.deepStrictEqual(yield* suspendedOn(within()(resumeOf(step))), ["refund"])
      yield* within()(Pipeline.answer("run", "refund", { amount: 2 }))
      const done = yield* within()(resumeOf(step))
      const amounts = Thought.notes(done).flatMap(({ content, step: path }) => (path === "" ? [] : [content]))
      assert.deepStrictEqual(amounts.toSorted(), ['{"amount":1}', '{"amount":2}'])
    })
  )

  it.effect("is stored with all that are asked at the same time, however slow the store is", () =>
    Effect.gen(function* () {
      const store = yield* Store.makeInMemory
      const { record } = store.ledger
      const slow: typeof record = (...rows) =>
        Effect.andThen(
          Effect.promise(() => setImmediate()),
          record(...rows)
        )
      const { within } = machineOn({ ...store, ledger: { ...store.ledger, record: slow } })
      const keys = ["a", "b", "c", "d"]
      const branches = Object.fromEntries(keys.map((key) => [key, waitsFor(key)]))
      const step = Pipeline.concurrent("all", branches)
      assert.deepStrictEqual((yield* suspendedOn(within()(runOf(step)))).toSorted(), keys)
      const open = yield* within()(Pipeline.waiting())
      assert.deepStrictEqual(open.map(({ key }) => key).toSorted(), keys)
      for (const [amount, key] of keys.entries()) yield* within()(Pipeline.answer("run", key, { amount }))
      const done = yield* within()(resumeOf(step))
      assert.deepStrictEqual(
        keys.map((key) => done.get(key)),
        keys.map((_, amount) => ({ amount }))
      )
    })
  )

  it.effect("that nobody has asked is not found", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const none = yield* fails(within()(Pipeline.answer("run", "refund", { amount: 1 })))
      assert.deepStrictEqual([none._tag, none.reason._tag], ["MemoryError", "NotFound"])
      yield* suspendedOn(within()(runOf(waitsFor("refund"))))
      const other = yield* fails(within()(Pipeline.answer("run", "other", { amount: 1 })))
      assert.deepStrictEqual([other._tag, other.reason._tag], ["MemoryError", "NotFound"])
      assert.strictEqual(other.message, 'The run "run" does not ask "other": it asks "refund".')
      yield* within()(Pipeline.answer("run", "refund", { amount: 1 }))
      const after = yield* fails(within()(Pipeline.answer("run", "other", { amount: 1 })))
      assert.strictEqual(after.message, 'The run "run" does not ask "other": it has no open question.')
    })
  )

  it.effect("whose text has changed since fails, answered or not, and writes nothing", () =>
    Effect.gen(function* () {
      const { store, within, world } = yield* machine
      const worded = (words: string) =>
        Pipeline.sequence("all", [
          asks("first"),
          Pipeline.waitFor("refund", {
            schema: Refund,
            prompt: Note.from(message, (text) => words.replace("them", text))
          }),
          asks("last")
        ])
      yield* suspendedOn(within()(runOf(worded("How much for them?"))))
      const before = yield* stored(store)
      for (const answered of [false, true]) {
        if (answered) yield* within()(Pipeline.answer("run", "refund", { amount: 12 }))
        for (const words of ["How many days for them?", "How much for them", "How much for them? Soon"]) {
          const error = yield* fails(within()(resumeOf(worded(words))))
          assert.deepInclude(error, { _tag: "ReplayMismatch", frame: "/all/refund", differs: ["question"] })
        }
      }
      assert.strictEqual(world.requests.length, 1)
      assert.deepStrictEqual((yield* stored(store)).thoughts, before.thoughts)
      const done = yield* within()(resumeOf(worded("How much for them?")))
      assert.deepStrictEqual(done.get("refund"), { amount: 12 })
    })
  )
})

describe("an answer that only the code of the step refuses", () => {
  const day = Pipeline.waitFor("day", { schema: Schema.Date, prompt: "Which day?", timeout: "1 hour" })
  const step = Pipeline.sequence("all", [asks("first"), day, asks("last")])

  it.effect("makes the run ask again, with the reason, until one fits", () =>
    Effect.gen(function* () {
      const { within, world } = yield* machine
      yield* suspendedOn(within()(runOf(step)))
      for (const [bad, frame] of [
        ["tomorrow", "/all/day^"],
        ["in May", "/all/day^^"]
      ] as const) {
        yield* within()(Pipeline.answer("run", "day", bad))
        const suspended = yield* Effect.flip(within()(resumeOf(step)))
        if (!(suspended instanceof Pipeline.Suspended)) throw new Error(String(suspended))
        const [{ dueMillis, prompt, ...open } = { prompt: "" }, ...others] = suspended.waits
        assert.deepStrictEqual([open, dueMillis, others], [{ frame, key: "day" }, 3_600_000, []])
        assert.match(prompt, /^Which day\?\n\nThe answer before does not fit: \S/)
        assert.deepStrictEqual(
          (yield* within()(Pipeline.waiting())).map((wait) => [wait.frame, wait.prompt]),
          [[frame, prompt]]
        )
        // a run that asks again does not go on from the answer before
        assert.deepStrictEqual(yield* within()(Pipeline.resumeAll([step as Step.Any])), [])
      }
      yield* within()(Pipeline.answer("run", "day", "2026-01-02T00:00:00.000Z"))
      const done = yield* within()(resumeOf(step))
      assert.deepStrictEqual(done.get("day"), new Date("2026-01-02T00:00:00.000Z"))
      assert.strictEqual(world.requests.length, 2)
      assert.deepStrictEqual(yield* within()(Pipeline.waiting()), [])
    })
  )

  it.effect("is refused with at most 1,000 characters of the reason", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const said = (length: number) =>
        Schema.makeFilter<string>((text) => (text === "" ? "!".repeat(length) : undefined))
      for (const [id, length, kept] of [
        ["all of it", 900, 900],
        ["its beginning", 5000, 1000]
      ] as const) {
        const schema = Schema.String.check(said(length))
        const asking: Step.Any = Pipeline.waitFor("name", { schema, prompt: "Who?" })
        yield* suspendedOn(within()(runOf(asking, { id })))
        yield* within()(Pipeline.answer(id, "name", ""))
        const suspended = yield* Effect.flip(within()(Pipeline.resume(asking, id)) as Going)
        if (!(suspended instanceof Pipeline.Suspended)) throw new Error(String(suspended))
        const [, reason] = suspended.waits[0]?.prompt.split("does not fit: ") ?? []
        assert.lengthOf(reason ?? "", kept)
      }
    })
  )

  it.effect("leaves the first time limit in force", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      yield* suspendedOn(within()(runOf(step)))
      yield* TestClock.adjust("59 minutes")
      yield* within()(Pipeline.answer("run", "day", "tomorrow"))
      yield* suspendedOn(within()(resumeOf(step)))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* fails(within()(resumeOf(step))))._tag, "TimeoutError")
      // what counts is the question that was asked last
      const again = yield* fails(within()(Pipeline.answer("run", "day", "2026-01-02T00:00:00.000Z")))
      assert.deepInclude(again, { _tag: "AnswerTooLate", key: "day", dueMillis: 3_600_000 })
    })
  )

  it.effect("is no answer to a run that goes on after its time limit", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      yield* suspendedOn(within()(runOf(step)))
      yield* within()(Pipeline.answer("run", "day", "tomorrow"))
      yield* TestClock.adjust("2 hours")
      assert.strictEqual((yield* fails(within()(resumeOf(step))))._tag, "TimeoutError")
    })
  )
})

describe("a question with a limit", () => {
  const late = Pipeline.waitFor("late", { schema: Schema.Finite, prompt: "And?", timeout: "1 hour" })
  const instead = Pipeline.waitFor("late", { schema: Schema.Finite, prompt: "And?", timeout: "1 hour", otherwise: 0 })
  const approval = Primitive.approve("late", { prompt: "And?", timeout: "1 hour" })

  it.effect("waits until then, and fails with a TimeoutError", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      yield* suspendedOn(within()(runOf(late)))
      yield* TestClock.adjust("59 minutes")
      yield* suspendedOn(within()(resumeOf(late)))
      yield* TestClock.adjust("1 minute")
      const error = yield* fails(within()(resumeOf(late)))
      assert.deepInclude(error, { _tag: "TimeoutError", step: "late", limitMillis: 3_600_000 })
      const answered = yield* fails(within()(Pipeline.answer("run", "late", 1)))
      assert.deepInclude(answered, { _tag: "AnswerTooLate", runId: "run", key: "late", dueMillis: 3_600_000 })
    })
  )

  it.effect.each([
    ["has its `otherwise`", instead, 0],
    ["is not approved", approval, { approved: false, late: true }]
  ] as const)("that fell due while nothing ran %s when everything is resumed", ([, step, value]) =>
    Effect.gen(function* () {
      const { within } = yield* machine
      yield* suspendedOn(within()(runOf(step)))
      assert.deepStrictEqual(yield* within()(Pipeline.resumeAll([step as Step.Any])), [])
      yield* TestClock.adjust("1 hour")
      const [resumed] = yield* within()(Pipeline.resumeAll([step as Step.Any]))
      if (resumed === undefined || Exit.isFailure(resumed.exit)) throw new Error(String(resumed?.exit))
      const done = resumed.exit.value as Thought.Thought<any>
      assert.deepStrictEqual(done.get("late"), value)
      assert.deepInclude(done.note("late"), { metadata: { late: "true" }, trust: "trusted" })
      assert.deepStrictEqual(yield* within()(Pipeline.waiting()), [])
    })
  )

  it.effect("that fell due while nothing ran has ended when a supervisor starts", () =>
    Effect.gen(function* () {
      const { process, store, world } = yield* machine
      const services = () => process().layer(store, world.model.provider)
      yield* suspendedOn(Effect.provide(runOf(instead), services()))
      const supervised = Layer.provideMerge(Pipeline.supervisor({ resume: { steps: [instead] } }), services())
      const status = Effect.map(Pipeline.runs(), ([one]) => one?.status)
      yield* TestClock.adjust("1 hour")
      yield* Effect.provide(
        until(
          "the run has ended",
          Effect.map(status, (now) => now === "completed")
        ),
        supervised
      )
    })
  )

  it.effect("of another version is reported by a supervisor once", () =>
    Effect.gen(function* () {
      const { process, store, world } = yield* machine
      const services = () => process().layer(store, world.model.provider)
      yield* suspendedOn(Effect.provide(runOf(instead), services()))
      const errors: Array<string> = []
      const changed = Pipeline.waitFor("late", { schema: Schema.Finite, prompt: "Well?", timeout: "1 hour" })
      const supervised = Layer.provideMerge(
        Pipeline.supervisor({
          resume: { steps: [changed], every: "1 minute" },
          onFailure: ({ message: text }) => Effect.sync(() => errors.push(text))
        }),
        services()
      )
      const looking = Effect.gen(function* () {
        yield* TestClock.adjust("1 hour")
        yield* until(
          "it was reported",
          Effect.andThen(
            TestClock.adjust("1 minute"),
            Effect.sync(() => errors.length > 0)
          )
        )
        for (let i = 0; i < 20; i++) {
          yield* TestClock.adjust("1 minute")
          yield* Effect.promise(() => setImmediate())
        }
      })
      yield* Effect.provide(looking, supervised)
      assert.strictEqual(errors.length, 1)
      assert.match(errors[0]!, /PipelineChanged/)
    })
  )

  it.effect("whose run has failed is reported again when a supervisor resumes the run later, and it fails again", () =>
    Effect.gen(function* () {
      const { process, store, world } = yield* machine
      const services = () => process().layer(store, world.model.provider)
      let isDown = true
      const print = Step.make("print", {
        schema: Schema.String,
        run: Effect.suspend(() => (isDown ? Effect.fail("no paper") : Effect.never))
      })
      const step = Pipeline.sequence("all", [instead, print])
      yield* suspendedOn(Effect.provide(runOf(step), services()))
      const errors: Array<string> = []
      const supervised = Layer.provideMerge(
        Pipeline.supervisor({
          resume: { steps: [step], every: "1 minute" },
          onFailure: ({ message: text }) => Effect.sync(() => errors.push(text))
        }),
        services()
      )
      const reported = (count: number) =>
        until(
          `reported ${count} times`,
          Effect.andThen(
            TestClock.adjust("1 minute"),
            Effect.sync(() => errors.length === count)
          )
        )
      const status = Effect.map(Pipeline.runs(), ([one]) => one?.status)
      const looking = Effect.gen(function* () {
        yield* TestClock.adjust("1 hour")
        yield* reported(1)
        yield* TestClock.adjust("1 minute")
        yield* Effect.promise(() => setImmediate())
        // somebody resumes it by hand, and stops
        isDown = false
        const resumed = yield* Effect.forkChild(resumeOf(step))
        yield* until(
          "it runs",
          Effect.map(status, (now) => now === "running")
        )
        isDown = true
        yield* Fiber.interrupt(resumed)
        yield* reported(2)
      })
      yield* Effect.provide(looking, supervised)
      assert.deepStrictEqual(errors[0], errors[1])
    })
  )

  it.effect("is looked at by a supervisor again and again", () =>
    Effect.gen(function* () {
      const { process, store, world } = yield* machine
      const services = () => process().layer(store, world.model.provider)
      yield* suspendedOn(Effect.provide(runOf(instead), services()))
      const supervised = Layer.provideMerge(
        Pipeline.supervisor({ resume: { steps: [instead], every: "1 minute" } }),
        services()
      )
      const looking = Effect.gen(function* () {
        assert.strictEqual((yield* Pipeline.runs())[0]?.status, "waiting")
        yield* TestClock.adjust("1 hour")
        yield* until(
          "the run has ended",
          Effect.map(TestClock.adjust("1 minute").pipe(Effect.andThen(Pipeline.runs())), ([one]) => {
            return one?.status === "completed"
          })
        )
      })
      yield* Effect.provide(looking, supervised)
    })
  )

  it.effect("is looked at again by a supervisor when the store could not be reached", () =>
    Effect.gen(function* () {
      const store = yield* Store.makeInMemory
      let failures = 0
      const down = new Memory.MemoryError({ reason: { _tag: "Connection", message: "the database is down" } })
      const claim: typeof store.ledger.claim = (...words) =>
        // each is tried twice at once
        Effect.suspend(() => (++failures <= 4 ? Effect.fail(down) : store.ledger.claim(...words)))
      const { process, world } = machineOn(store)
      const services = (of: Store.Store) => process().layer(of, world.model.provider)
      yield* suspendedOn(Effect.provide(runOf(instead), services(store)))
      const errors: Array<string> = []
      const supervised = Layer.provideMerge(
        Pipeline.supervisor({
          resume: { steps: [instead], every: "1 minute" },
          onFailure: ({ message: text }) => Effect.sync(() => errors.push(text))
        }),
        services({ ...store, ledger: { ...store.ledger, claim } })
      )
      yield* TestClock.adjust("1 hour")
      yield* Effect.provide(
        until(
          "the run has ended",
          Effect.map(TestClock.adjust("1 minute").pipe(Effect.andThen(Pipeline.runs())), ([one]) => {
            return one?.status === "completed"
          })
        ),
        supervised
      )
      // the same failure is told once
      assert.strictEqual(errors.length, 1)
      assert.include(errors[0], "the database is down")
    })
  )

  it.effect("cannot be answered after it, whether the run has gone on without an answer or not", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      yield* suspendedOn(within()(runOf(instead)))
      yield* TestClock.adjust("1 hour")
      const error = yield* fails(within()(Pipeline.answer("run", "late", 7)))
      assert.deepInclude(error, { _tag: "AnswerTooLate", runId: "run", key: "late", dueMillis: 3_600_000 })
      assert.include(error.message, "1970-01-01T01:00:00.000Z")
      assert.strictEqual((yield* within()(resumeOf(instead as Step.Any))).get("late"), 0)
      for (const key of ["late", "/late"]) {
        assert.deepInclude(yield* fails(within()(Pipeline.answer("run", key, 7))), {
          _tag: "AnswerTooLate",
          runId: "run",
          key: "late",
          dueMillis: 3_600_000
        })
      }
    })
  )

  it.effect("cannot be answered by somebody who comes to the store after the run has gone on", () =>
    Effect.gen(function* () {
      const store = yield* Store.makeInMemory
      const { within } = machineOn(store)
      yield* suspendedOn(within()(runOf(instead)))
      // the question is open when it is looked up, and the run goes on before the answer is stored
      const { waits } = store.ledger
      const goingOn = Effect.andThen(TestClock.adjust("1 hour"), within()(resumeOf(instead as Step.Any)))
      const found: typeof waits = (...words) =>
        Effect.flatMap(Effect.all([waits(...words), Clock.currentTimeMillis]), ([open, now]) =>
          Effect.as(
            Effect.orDie(goingOn),
            open.map((wait) => ({ ...wait, dueMillis: now + 7_200_000 }))
          )
        )
      const slow = machineOn({ ...store, ledger: { ...store.ledger, waits: found } })
      const error = yield* fails(slow.within()(Pipeline.answer("run", "late", 7)))
      assert.deepInclude(error, { _tag: "AnswerTooLate", key: "late", dueMillis: 3_600_000 })
    })
  )

  it.effect("that was answered in time says so, also after it", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      yield* suspendedOn(within()(runOf(instead)))
      yield* within()(Pipeline.answer("run", "late", 7, { by: "jane" }))
      yield* TestClock.adjust("1 hour")
      for (const going of [Effect.void, within()(resumeOf(instead as Step.Any))]) {
        yield* going
        const error = yield* fails(within()(Pipeline.answer("run", "late", 8)))
        assert.deepInclude(error, { _tag: "AlreadyAnswered", by: "jane", atMillis: 0 })
      }
    })
  )

  it.effect("ignores an answer that reached the store after it", () =>
    Effect.gen(function* () {
      const { store, within } = yield* machine
      yield* suspendedOn(within()(runOf(approval)))
      yield* TestClock.adjust("2 hours")
      const given = { json: JSON.stringify({ value: { approved: true } }), by: "jane", millis: 3_600_000 }
      yield* store.ledger.answer("local", { runId: "run", frame: "/late" }, given)
      for (const going of [Effect.void, within()(resumeOf(approval as Step.Any))]) {
        const done = yield* going
        if (done !== undefined) assert.deepStrictEqual(done.get("late"), { approved: false, late: true })
        const error = yield* fails(within()(Pipeline.answer("run", "late", { approved: true })))
        assert.deepInclude(error, { _tag: "AnswerTooLate", key: "late", dueMillis: 3_600_000 })
      }
    })
  )

  it("needs a timeout for its `otherwise`", () => {
    const bad = () => Pipeline.waitFor("late", { schema: Schema.Finite, prompt: "And?", otherwise: 0 } as never)
    assert.throws(bad, /`otherwise`, which needs a `timeout`/)
    const without: any = { timeout: undefined, otherwise: 0 }
    const unused = () => Pipeline.waitFor("late", { schema: Schema.Finite, prompt: "And?", ...without })
    assert.throws(unused, /`otherwise`, which needs a `timeout`/)
  })

  it.effect("goes on with its `otherwise`, even if that is undefined", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const schema = Schema.UndefinedOr(Schema.Finite)
      const open = Pipeline.waitFor("late", { schema, prompt: "And?", timeout: "1 hour", otherwise: undefined })
      yield* suspendedOn(within()(runOf(open)))
      yield* TestClock.adjust("1 hour")
      const done = yield* within()(resumeOf(open))
      assert.deepInclude(done.note("late"), { trust: "trusted", metadata: { late: "true" } })
      assert.isUndefined(yield* Thought.read(done, open))
    })
  )

  it("lists the notes that its prompt reads in its outline", () => {
    const amount = Note.handle("amount", Schema.Finite)
    const asked = {
      schema: Schema.Finite,
      prompt: Note.prompt`Refund ${amount}, or ${Note.from(message, (text) => text.length)}?`
    }
    assert.strictEqual(
      Pipeline.outline(Pipeline.waitFor("refund", { ...asked, timeout: "1 hour" })),
      "- refund: waitFor (timeout 1h); reads amount, message; writes refund"
    )
    assert.strictEqual(
      Pipeline.outline(Primitive.approve("ok", { prompt: asked.prompt })),
      "- ok: approve; reads amount, message; writes ok"
    )
    assert.strictEqual(Pipeline.outline(waitsFor("a")), "- a: waitFor; writes a")
  })
})

describe("an approval", () => {
  const step = Primitive.approve("ok", { prompt: "Refund?" })

  it.effect("takes who has decided, and when, from the ledger and not from what was answered", () =>
    Effect.gen(function* () {
      const { store, within } = yield* machine
      yield* suspendedOn(within()(runOf(step)))
      const value = { approved: true, by: "the boss", late: true }
      const given = { json: JSON.stringify({ value }), by: "jane", millis: 0 }
      yield* store.ledger.answer("local", { runId: "run", frame: "/ok" }, given)
      const done = yield* within()(resumeOf(step))
      assert.deepStrictEqual(done.get("ok"), { approved: true, by: "jane" })
    })
  )

  it.effect.each([
    [{ approved: true }, { approved: true, by: "jane" }],
    [
      { approved: false, reason: "too much" },
      { approved: false, reason: "too much", by: "jane" }
    ]
  ])("%o says who has decided", ([answer, value]) =>
    Effect.gen(function* () {
      const { within } = yield* machine
      assert.deepStrictEqual(yield* suspendedOn(within()(runOf(step))), ["ok"])
      // who decides is not a part of what is answered
      const forged = yield* fails(within()(Pipeline.answer("run", "ok", { ...answer, by: "the boss" })))
      assert.strictEqual(forged._tag, "SchemaError")
      yield* within()(Pipeline.answer("run", "ok", answer, { by: "jane" }))
      const done = yield* within()(resumeOf(step))
      assert.deepStrictEqual(done.get("ok"), value)
      // a reason may contain anything
      assert.deepInclude(done.note("ok"), { trust: "untrusted", source: "approve", metadata: { answered_by: "jane" } })
    })
  )
})

describe("where a step waits", () => {
  it.effect.each([
    ["concurrent", Pipeline.concurrent("at once", { waits: waitsFor("refund"), works: asks("slow", "(takes 1000)") })],
    [
      "converge",
      Primitive.converge("views", {
        branches: { waits: waitsFor("refund"), works: asks("slow", "(takes 1000)") },
        prompt: "Sum up"
      })
    ]
  ] as const)("the branches beside it in %s finish first, and do not run again", ([, step]) =>
    Effect.gen(function* () {
      const { within, world } = yield* machine
      const running = yield* Effect.forkChild(suspendedOn(within()(runOf(step as Step.Any))))
      yield* until(
        "the question to the model",
        Effect.sync(() => world.requests.length === 1)
      )
      for (let i = 0; i < 20; i++) yield* Effect.promise(() => setImmediate())
      assert.isUndefined(running.pollUnsafe(), "it has not waited for the other branch")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(running), ["refund"])
      const asked = world.requests.length
      yield* within()(Pipeline.answer("run", "refund", { amount: 1 }))
      const done = yield* within()(resumeOf(step as Step.Any))
      assert.isDefined(done.note("refund") ?? done.note("views"))
      // only what sums up the views
      assert.strictEqual(world.requests.length - asked, step.node.kind === "converge" ? 1 : 0)
    })
  )

  it.effect("all questions that branches come to are asked at once", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const step = Pipeline.concurrent("at once", {
        a: Pipeline.sequence("a", [asks("first"), waitsFor("one")]),
        b: waitsFor("two")
      })
      assert.deepStrictEqual([...(yield* suspendedOn(within()(runOf(step))))].toSorted(), ["one", "two"])
      yield* within()(Pipeline.answer("run", "two", { amount: 2 }))
      assert.deepStrictEqual(yield* suspendedOn(within()(resumeOf(step))), ["one"])
      yield* within()(Pipeline.answer("run", "one", { amount: 1 }))
      const done = yield* within()(resumeOf(step))
      assert.deepStrictEqual([done.get("one"), done.get("two")], [{ amount: 1 }, { amount: 2 }])
    })
  )

  it.effect.each([
    ["retry", Step.retry(waitsFor("refund"), { times: 3 })],
    ["backoff", Step.backoff(waitsFor("refund"), { times: 3, base: "1 hour" })],
    ["recover", Step.recover(waitsFor("refund"), asks("instead"))],
    ["fallback", Pipeline.fallback("one of", [waitsFor("refund"), asks("instead")])],
    ["enrich", Step.enrich(waitsFor("refund"), { report: "why" })],
    ["circuitBreaker", Step.circuitBreaker(waitsFor("refund"), { failures: 1, reset: "1 hour" })]
  ] as ReadonlyArray<readonly [string, Step.Any]>)("%s takes it for no failure", ([, step]) =>
    Effect.gen(function* () {
      const { within, world } = yield* machine
      const own = runOf(step)
      assert.deepStrictEqual(yield* suspendedOn(within()(own)), ["refund"])
      assert.deepStrictEqual(yield* suspendedOn(within()(resumeOf(step))), ["refund"])
      yield* within()(Pipeline.answer("run", "refund", { amount: 1 }))
      const done = yield* within()(resumeOf(step))
      assert.deepStrictEqual(done.get("refund"), { amount: 1 })
      assert.strictEqual(world.requests.length, 0)
    })
  )

  it("timeout, race and contest refuse it, however deep it is", () => {
    const deep = Pipeline.sequence("deep", [Step.retry(Pipeline.sequence("deeper", [asks("a"), waitsFor("refund")]))])
    for (const waits of [waitsFor("refund"), Primitive.approve("ok", { prompt: "?" }), deep] as ReadonlyArray<any>) {
      const made: ReadonlyArray<() => unknown> = [
        () => Step.timeout(waits, "1 hour"),
        () => Pipeline.race("first of", [asks("a"), waits]),
        () => Pipeline.contest("best of", [asks("a"), waits], { accept: () => true })
      ]
      for (const make of made) assert.throws(make, /waits for an answer, which .* does not allow inside it/)
    }
    const several = Pipeline.sequence("several", [
      Pipeline.sequence("inner", [asks("a"), waitsFor("first"), waitsFor("second")]),
      waitsFor("third")
    ])
    assert.throws(
      () => Step.timeout(several, "1 hour", { name: "soon" }),
      /^The step "first" waits for an answer, which timeout "soon" does not allow inside it: ask before or after it\.$/
    )
  })

  it.effect.each([
    ["timeout", (waits: Step.Any) => Step.timeout(waits, "1 hour")],
    ["race", (waits: Step.Any) => Pipeline.race("first of", [waits, asks("a")])],
    ["contest", (waits: Step.Any) => Pipeline.contest("best of", [waits, asks("a")], { accept: () => true })]
  ] as const)("%s refuses it when a generator inside comes to it", ([kind, around]) =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const inside = Pipeline.gen("inside", function* () {
        yield* Pipeline.ask(waitsFor("refund"))
      })
      const exit = yield* Effect.exit(within()(runOf(around(inside) as Step.Any)))
      assert.match(String(exit), new RegExp(`waits for an answer, which ${kind} .* does not allow inside it`))
      assert.deepStrictEqual(yield* within()(Pipeline.waiting()), [])
    })
  )

  it.effect("an empty question is refused before anybody waits", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const step = Pipeline.waitFor("refund", { schema: Refund, prompt: Note.from(message, () => " ") })
      assert.match(String(yield* Effect.exit(within()(runOf(step)))), /The prompt of the step "refund" is empty/)
      assert.deepStrictEqual(yield* within()(Pipeline.waiting()), [])
    })
  )

  it.effect("a run that is not durable is refused before anything is asked", () =>
    Effect.gen(function* () {
      const { store, within, world } = yield* machine
      const step = Pipeline.sequence("all", [asks("first"), waitsFor("refund")])
      const exit = yield* Effect.exit(within()(Effect.flatMap(start, (thought) => Pipeline.run(step, thought))))
      assert.match(String(exit), /its run must be durable/)
      assert.strictEqual(world.requests.length, 0)
      assert.deepStrictEqual((yield* stored(store)).thoughts, [])
    })
  )

  it.effect("a run that is not durable is refused if a step in the background waits, however deep", () =>
    Effect.gen(function* () {
      const { within, world } = yield* machine
      const later = Pipeline.scaffold("later", { step: Pipeline.sequence("deep", [waitsFor("refund")]) })
      const step = Pipeline.sequence("all", [asks("first"), Step.retry(later)])
      const exit = yield* Effect.exit(within()(Effect.flatMap(start, (thought) => Pipeline.run(step, thought))))
      assert.match(String(exit), /The step "refund" waits for an answer, so its run must be durable: Pipeline\.run/)
      assert.strictEqual(world.requests.length, 0)
    })
  )

  it.effect.each([
    ["retry", (pays: Step.Any) => Step.retry(pays, { times: 2 })],
    ["backoff", (pays: Step.Any) => Step.backoff(pays, { times: 2, base: "1 milli" })]
  ] as const)("in a run of its own within an effect, it is tried again only after the answer: %s", ([, around]) =>
    Effect.gen(function* () {
      let begun = 0
      const ok = Pipeline.waitFor("ok", { schema: Refund, prompt: "How much?" })
      const inner = Effect.gen(function* () {
        begun++
        const done = yield* Pipeline.run(ok, yield* Thought.make("inner"), { durable: { id: "inner" } })
        return done.get("ok").amount
      })
      const step = around(Step.make("pays", { schema: Schema.Finite, run: inner }) as Step.Any) as Step.Any
      const { within } = yield* machine
      const error = yield* fails(within()(runOf(step)))
      assert.deepStrictEqual([error._tag, begun], ["Suspended", 1])
      yield* within()(Pipeline.answer("inner", "ok", { amount: 7 }))
      const done = yield* within()(resumeOf(step))
      assert.deepStrictEqual([done.get("pays"), begun], [7, 2])
    })
  )

  it.effect("an interruption from outside is not mistaken for it", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const gate = yield* Deferred.make<void>()
      const begun = yield* Deferred.make<void>()
      const works = Step.make("works", {
        run: Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(gate))
      })
      const step = Pipeline.concurrent("at once", { waits: waitsFor("refund"), works })
      const own = yield* Effect.forkChild(within()(runOf(step)))
      yield* Deferred.await(begun)
      yield* until(
        "the question",
        Effect.map(within()(Pipeline.waiting()), ({ length }) => length === 1)
      )
      yield* Fiber.interrupt(own)
      assert.deepStrictEqual(
        (yield* within()(Pipeline.runs())).map(({ status }) => status),
        ["interrupted"]
      )
      yield* Deferred.succeed(gate, undefined)
      const [resumed] = yield* within()(Pipeline.resumeAll([step]))
      assert.include(String(resumed?.exit), "Suspended")
      assert.deepStrictEqual(
        (yield* within()(Pipeline.runs())).map(({ status }) => status),
        ["waiting"]
      )
    })
  )
})
