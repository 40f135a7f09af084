import { assert, describe, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Schema } from "effect"
import { CircuitBreaker, Memory, Note, Pipeline, Provider, RateLimiter, Step, Store } from "cogito"
import { machine, machineOn, resumeOf, runOf } from "./machine.ts"
import { at, type Boundary } from "./process.ts"
import { asks, does } from "./scenarios/parts.ts"

const all = (...steps: ReadonlyArray<Step.Any>): Step.Any => Pipeline.sequence("all", steps)

/** Ends in the middle of what is done outside, or when it is done, before that is recorded. */
const moments: Readonly<Record<string, (what: string) => (boundaries: ReadonlyArray<Boundary>) => boolean>> = {
  "before it is carried out": (what) => at("before", what),
  "when it is carried out": (what) => at("after", what)
}

describe("an effect whose process ended during it", () => {
  for (const [moment, where] of Object.entries(moments)) {
    const isDone = moment.startsWith("when") ? 1 : 0

    it.effect(`${moment}, is carried out again by default`, () =>
      Effect.gen(function* () {
        const { crashing, process, within, world } = yield* machine
        const own = process(where("make pay"))
        const step = (one: typeof own) => all(asks("a"), does({ process: one, world, name: "it" }, "pay"), asks("b"))
        yield* crashing(own)(runOf(step(own)))
        const done = yield* within()(resumeOf(step(process())))
        assert.strictEqual(world.effects.get("make pay"), isDone + 1)
        assert.strictEqual(done.get("pay"), 1)
        assert.strictEqual(world.requests.length, 2)
      })
    )

    it.effect(`${moment}, ends the run where it is set so, until somebody has looked`, () =>
      Effect.gen(function* () {
        const { crashing, process, store, within, world } = yield* machine
        const own = process(where("make pay"))
        const step = (one: typeof own) => all(asks("a"), does({ process: one, world, name: "it" }, "pay"), asks("b"))
        yield* crashing(own)(runOf(step(own)))
        for (let i = 0; i < 2; i++) {
          const error = yield* Effect.flip(within()(resumeOf(step(process()), { onInterrupted: "fail" })))
          assert.deepInclude(error, { _tag: "OutcomeUnknown", runId: "run", frame: "/all/pay" })
          assert.include(error.message, 'onInterrupted: "rerun"')
          const run = (yield* store.ledger.load("local", "run"))?.run
          assert.deepStrictEqual([run?.status, run?.error], ["interrupted", undefined])
        }
        assert.strictEqual(world.effects.get("make pay") ?? 0, isDone)
        assert.strictEqual(world.requests.length, 1)
        yield* within()(resumeOf(step(process()), { onInterrupted: "rerun" }))
        assert.strictEqual(world.effects.get("make pay"), isDone + 1)
      })
    )

    it.effect(`${moment}, after the commit, is not carried out again unless the run says so`, () =>
      Effect.gen(function* () {
        for (const onInterrupted of [undefined, "fail", "rerun"] as const) {
          const { crashing, process, store, within, world } = yield* machine
          const own = process(where("once mail"))
          const step = (one: typeof own) =>
            all(
              Step.once("mail", () => world.effect(one, "once mail")),
              asks("b")
            )
          yield* crashing(own)(runOf(step(own)))
          const resumed = resumeOf(step(process()), onInterrupted === undefined ? {} : { onInterrupted })
          if (onInterrupted === "fail") {
            const error = yield* Effect.flip(within()(resumed))
            assert.deepInclude(error, { _tag: "OutcomeUnknown", frame: "/all/mail" })
            assert.strictEqual(world.requests.length, 0)
          } else yield* within()(resumed)
          assert.strictEqual(world.effects.get("once mail") ?? 0, isDone + (onInterrupted === "rerun" ? 1 : 0))
          const calls = (yield* store.ledger.load("local", "run"))?.calls ?? []
          assert.deepStrictEqual(
            calls.flatMap(({ endedMillis, frame, kind, startedMillis, state }) =>
              kind === "once" ? [[frame, state, startedMillis, endedMillis]] : []
            ),
            [
              onInterrupted === "fail"
                ? ["/all/mail", "begun", 0, undefined]
                : ["/all/mail", onInterrupted === "rerun" ? "answered" : "interrupted", 0, 0]
            ]
          )
          // nor does anybody who resumes it once more
          if (onInterrupted !== "fail") yield* within()(resumeOf(step(process())))
          assert.strictEqual(world.effects.get("once mail") ?? 0, isDone + (onInterrupted === "rerun" ? 1 : 0))
        }
      })
    )
  }

  it.effect("after the commit, that has broken or was cut off, is not carried out when its run goes on later", () =>
    Effect.gen(function* () {
      for (const breaks of [false, true]) {
        const { crashing, process, store, within, world } = yield* machine
        const step = (one: ReturnType<typeof process>) =>
          all(
            Step.once("mail", () =>
              Effect.tap(world.effect(one, "mail"), () => (breaks ? Effect.die("no") : Effect.void))
            ),
            Pipeline.waitFor("wait", { schema: Schema.String, prompt: "Well?" }),
            asks("b")
          )
        const stateOf = Effect.map(store.ledger.load("local", "run"), (found) =>
          found?.calls.flatMap(({ kind, state }) => (kind === "once" ? [state] : []))
        )
        const own = process(breaks ? Infinity : at("after", "mail"))
        if (breaks) yield* Effect.exit(within(own)(runOf(step(own))))
        else yield* crashing(own)(runOf(step(own)))
        for (let i = 0; i < 2; i++) {
          assert.strictEqual((yield* Effect.flip(within()(resumeOf(step(process())))))._tag, "Suspended")
        }
        assert.deepStrictEqual(yield* stateOf, [breaks ? "failed" : "interrupted"])
        yield* within()(Pipeline.answer("run", "wait", "yes"))
        const done = yield* within()(resumeOf(step(process())))
        assert.deepStrictEqual([done.get("wait"), world.effects.get("mail")], ["yes", 1])
      }
    })
  )

  it.effect("is known to have begun also after a power failure", () =>
    Effect.gen(function* () {
      const store = yield* Store.makeInMemory
      const order: Array<string> = []
      const { within } = machineOn({
        ...store,
        ledger: {
          ...store.ledger,
          record: (scope, rows) => {
            for (const { kind, state } of rows.calls ?? []) {
              order.push(`${kind} ${state}${rows.urgent === true ? ", written at once" : ""}`)
            }
            return store.ledger.record(scope, rows)
          }
        }
      })
      const pay = Step.make("pay", { schema: Schema.Finite, run: Effect.sync(() => order.push("pays")) })
      const mail = Step.once("mail", () => Effect.sync(() => order.push("mails")))
      yield* within()(runOf(all(mail, pay)))
      assert.deepStrictEqual(order, [
        "once due, written at once",
        "once begun, written at once",
        "mails",
        "once answered",
        "effect begun, written at once",
        "pays",
        "effect answered, written at once"
      ])
    })
  )

  it.effect("after the commit, is not carried out when the process ends again during another one", () =>
    Effect.gen(function* () {
      const { crashing, process, within, world } = yield* machine
      const step = (one: ReturnType<typeof process>) =>
        all(
          Pipeline.concurrent("both", {
            a: Step.once("mail", () => world.effect(one, "mail")),
            b: Step.once("call", () => world.effect(one, "call"))
          })
        )
      for (const what of ["mail", "call"]) {
        const own = process(at("after", what))
        yield* crashing(own)(what === "mail" ? runOf(step(own)) : resumeOf(step(own)))
      }
      yield* within()(resumeOf(step(process())))
      assert.deepStrictEqual(
        [...world.effects],
        [
          ["mail", 1],
          ["call", 1]
        ]
      )
    })
  )

  it.effect("that was carried out is not an unknown one, even where it says nothing", () =>
    Effect.gen(function* () {
      const { crashing, process, within, world } = yield* machine
      const own = process()
      const pay = Step.make("pay", { run: Effect.asVoid(world.effect(own, "pay")) })
      yield* crashing(at("after", "record", 3))(runOf(all(pay, asks("b"))))
      yield* within()(resumeOf(all(pay, asks("b")), { onInterrupted: "fail" }))
      assert.strictEqual(world.effects.get("pay"), 1)
    })
  )
})

describe("an idempotency key", () => {
  it.effect("is the same in every attempt of an effect, and another one in every other entry and run", () =>
    Effect.gen(function* () {
      const { crashing, process, within, world } = yield* machine
      const keys: Array<string> = []
      const pay = (one: ReturnType<typeof process>) =>
        Step.make("pay", {
          schema: Schema.String,
          run: Effect.flatMap(Step.idempotencyKey, (key) => Effect.as(world.effect(one, (keys.push(key), "pay")), key))
        })
      const step = (one: ReturnType<typeof process>) =>
        all(Pipeline.concurrent("two", { a: pay(one), b: Step.named(pay(one), "other") }, { conflicts: "namespace" }))
      const own = process(at("after", "pay", 2))
      yield* crashing(own)(runOf(step(own)))
      yield* within()(resumeOf(step(process())))
      // the first of the two was recorded, or not
      assert.include([3, 4], keys.length)
      assert.strictEqual(new Set(keys).size, 2)
      const before = keys.length
      yield* within()(runOf(step(process()), { id: "another run" }))
      assert.strictEqual(new Set(keys).size, 4)
      assert.isTrue(keys.slice(before).every((key) => !keys.slice(0, before).includes(key)))
    })
  )
})

describe("an effect that was interrupted", () => {
  it.effect("is not repeated where the run says so, which it remembers", () =>
    Effect.gen(function* () {
      for (const onInterrupted of ["fail", undefined] as const) {
        const { process, within, world } = yield* machine
        const begun = yield* Deferred.make<void>()
        const step = (hangs: boolean) =>
          all(
            Step.make("pay", {
              schema: Schema.Finite,
              run: Effect.gen(function* () {
                yield* world.effect(process(), "pay")
                yield* Deferred.succeed(begun, undefined)
                return hangs ? yield* Effect.never : 1
              })
            })
          )
        const fiber = yield* Effect.forkChild(
          within()(runOf(step(true), onInterrupted === undefined ? {} : { onInterrupted }))
        )
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(fiber)
        const [resumed] = yield* within()(Pipeline.resumeAll([step(false)]))
        assert.strictEqual(resumed?.runId, "run")
        assert.include(String(resumed?.exit), onInterrupted === "fail" ? "OutcomeUnknown" : "Success")
        assert.strictEqual(world.effects.get("pay"), onInterrupted === "fail" ? 1 : 2)
        yield* within()(resumeOf(step(false), { onInterrupted: "rerun" }))
        assert.strictEqual(world.effects.get("pay"), 2)
      }
    })
  )
})

describe("an effect after the commit that was interrupted", () => {
  it.effect("is cut off, and not carried out again, whatever the run says", () =>
    Effect.gen(function* () {
      const { process, within, world } = yield* machine
      const begun = yield* Deferred.make<void>()
      const step = (hangs: boolean) =>
        all(
          Step.once("mail", () =>
            world.effect(process(), "mail").pipe(
              Effect.andThen(Deferred.succeed(begun, undefined)),
              Effect.andThen(hangs ? Effect.never : Effect.void),
              Effect.onInterrupt(() => world.effect(process(), "cut off"))
            )
          ),
          asks("b")
        )
      const fiber = yield* Effect.forkChild(within()(runOf(step(true))))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(fiber)
      yield* within()(resumeOf(step(false), { onInterrupted: "rerun" }))
      assert.deepStrictEqual(
        [...world.effects],
        [
          ["mail", 1],
          ["cut off", 1]
        ]
      )
    })
  )
})

/** An error of a step as a resumed run reads it from the ledger. */
const readAgain = (error: () => unknown) =>
  Effect.gen(function* () {
    const { within } = yield* machine
    const caught: Array<unknown> = []
    const wait = Pipeline.waitFor("wait", { schema: Schema.String, prompt: "And?" })
    let made = 0
    const fails = Step.make("pay", { run: Effect.suspend(() => Effect.fail((made++, error()))) })
    const when = (found: unknown) => caught.push(found) > 0
    const step = all(Step.recover(fails, wait, { when }))
    yield* Effect.flip(within()(runOf(step)))
    yield* within()(Pipeline.answer("run", "wait", "yes"))
    yield* within()(resumeOf(step))
    assert.deepStrictEqual([made, caught.length], [1, 2])
    return caught[1] as { readonly name?: string; readonly message?: string }
  })

describe("an error that cannot become JSON", () => {
  const circular: Record<string, unknown> = {}
  circular["socket"] = { request: circular }
  const wide: Record<string, unknown> = {}
  for (let i = 0; i < 20; i++) wide[`field${i}`] = wide
  const deep = Array.from({ length: 20_000 }).reduce<unknown>((inner) => [inner], 1)
  class Getter extends Error {
    get isRetryable(): boolean {
      throw new Error("not known")
    }
  }
  const errors: Readonly<Record<string, () => unknown>> = {
    "with a cycle": () => Object.assign(new Error("down"), { request: circular, code: "EDOWN" }),
    "with many cycles": () => Object.assign(new Error("down"), { wide, code: "EDOWN" }),
    "that is very deep": () => Object.assign(new Error("down"), { deep, code: "EDOWN" }),
    "that is a value with a cycle": () => circular,
    "whose getter throws": () => new Getter("down")
  }

  it.effect.each(Object.entries(errors))("%s fails its step only, also after a resume", ([, error]) =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const fails = Step.make("pay", { run: Effect.suspend(() => Effect.fail(error())) })
      const caught: Array<unknown> = []
      const step = all(
        Step.recover(fails, Step.make("other", { schema: Schema.String, run: () => "paid" })),
        Pipeline.waitFor("wait", { schema: Schema.String, prompt: "And?" })
      )
      caught.push((yield* Effect.flip(within()(runOf(step))))._tag)
      yield* within()(Pipeline.answer("run", "wait", "yes"))
      const done = yield* within()(resumeOf(step))
      assert.deepStrictEqual([caught, done.get("other"), done.get("wait")], [["Suspended"], "paid", "yes"])
    })
  )

  it.effect("keeps its other fields", () =>
    Effect.gen(function* () {
      const again = yield* readAgain(errors["with a cycle"]!)
      assert.deepStrictEqual([again.message, { ...again }], ["down", { code: "EDOWN" }])
    })
  )
})

describe("an error of the program", () => {
  const kept = { code: "E1", left: 0.5, none: null, flags: [true, { deep: [""] }] }
  const lost = { nan: NaN, most: Infinity, nothing: undefined, at: new Date(0), by: new Map(), call: () => 1 }
  /** What such an error tells of itself besides its own fields. */
  class Late extends RangeError {
    get _tag(): string {
      return "Late"
    }
    get isRetryable(): boolean {
      return true
    }
    get secret(): string {
      return "no field"
    }
  }
  const fields = { ...kept, ...lost, list: [1, NaN], inner: { least: -Infinity } }

  it.effect("is read with its name and message, and the fields that are the same in JSON", () =>
    Effect.gen(function* () {
      const named = { name: "Own", cause: { in: "its words" } }
      const again = yield* readAgain(() => Object.assign(new Late("too much"), fields, named))
      assert.deepStrictEqual([again.name, again.message], ["Own", "too much"])
      assert.deepStrictEqual({ ...again }, { ...kept, _tag: "Late", isRetryable: true } as never)
    })
  )

  it.effect("that is a plain value is read as it was, or with those of its fields", () =>
    Effect.gen(function* () {
      for (const value of ["down", 0.5, false, [kept], kept]) {
        assert.deepStrictEqual(yield* readAgain(() => value), value as never)
      }
      assert.deepStrictEqual(yield* readAgain(() => fields), kept as never)
    })
  )
})

describe("an error of this library", () => {
  const retryAfter = Duration.seconds(7)
  const errors: ReadonlyArray<{ readonly _tag: string }> = [
    new RateLimiter.RateLimited({ step: "slow", retryAfter }),
    new RateLimiter.RateLimited({ step: "never", retryAfter: Duration.infinity }),
    new CircuitBreaker.CircuitOpen({ step: "down", retryAfter }),
    new CircuitBreaker.CircuitOpen({ step: "down" }),
    new Note.NoteNotFound({ key: "lost", thoughtId: "t" }),
    new Memory.MemoryError({ reason: { _tag: "NotFound", message: "gone" } }),
    new Provider.ProviderError({
      provider: "p",
      model: "m",
      reason: { _tag: "RateLimited", message: "later", retryAfter }
    })
  ]
  it.effect.each(errors.map((error, i) => [`${error._tag} ${i}`, error] as const))(
    "(%s) is the same after a resume",
    ([, error]) =>
      Effect.gen(function* () {
        const again = yield* readAgain(() => error)
        assert.strictEqual(Object.getPrototypeOf(again), Object.getPrototypeOf(error))
        assert.deepStrictEqual({ ...(again as object) }, { ...error })
      })
  )
})

describe("an answer that is not whole", () => {
  const reasons: ReadonlyArray<Provider.Reason> = [
    { _tag: "Truncated", message: "the length limit cut the answer off: raise maxTokens or ask for less" },
    { _tag: "InvalidResponse", message: "the server did not say that the answer is finished" }
  ]
  it.effect.each(reasons.map((reason) => [reason._tag, reason] as const))(
    "(%s) is recorded as a failure, which a run that has failed asks again",
    ([, reason]) =>
      Effect.gen(function* () {
        const { store, within, world } = yield* machine
        let isCut = true
        const { complete } = world.model.provider
        const cut = new Provider.ProviderError({ provider: "scripted", model: "script", reason })
        Object.assign(world.model, {
          provider: {
            ...world.model.provider,
            complete: (request: Provider.Request) => (isCut ? cut : complete(request))
          }
        })
        const step = all(asks("a"))
        const error = yield* Effect.flip(within()(runOf(step, { keep: "answers" })))
        assert.strictEqual(error.cause.reason._tag, reason._tag)
        const calls = () => Effect.map(store.ledger.load("local", "run"), (run) => run?.calls.map(({ state }) => state))
        assert.isTrue((yield* calls())?.every((state) => state === "failed"))
        isCut = false
        const done = yield* within()(resumeOf(step))
        assert.isTrue(done.get("a").decision)
        assert.strictEqual(world.requests.length, 1)
        assert.deepStrictEqual((yield* calls())?.at(-1), "answered")
      })
  )
})
