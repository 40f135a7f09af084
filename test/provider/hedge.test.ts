import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Cause, Deferred, Effect, Exit, Fiber, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Provider, Signal } from "cogito"
import { ask, failing, type Fake, fake, kinds, request, through } from "./fake.ts"

const begin = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.forkChild(effect, { startImmediately: true })

/** One that takes so long for its answer, or to fail. */
const taking = (name: string, millis: number, end: "fine" | Parameters<typeof failing>[0] = "fine") =>
  fake(
    () => {
      const usage = { outputTokens: 1 }
      const ended =
        end === "fine" ? Effect.succeed({ text: `I am ${name}`, usage }) : Effect.fail(failing(end, { usage }))
      return millis === Infinity ? Effect.never : Effect.delay(ended, millis)
    },
    { name, model: `${name}-1` }
  )

const counts = (...fakes: ReadonlyArray<Fake>) => fakes.map(({ calls }) => calls.length)
const times = (...fakes: ReadonlyArray<Fake>) => fakes.map((one) => one.times())

/** Runs something with an hour of time. */
const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* begin(effect)
    yield* TestClock.adjust("1 hour")
    return yield* Fiber.join(fiber)
  })

describe.each(kinds)("a %s that is hedged", (kind) => {
  it.effect("is made once while the first answers in time", () =>
    Effect.gen(function* () {
      const [a, b] = [taking("a", 2000), taking("b", 0)]
      const hedged = Provider.hedge([a.layer, b.layer], { after: 2001 })
      const outcome = yield* through(hedged)((p) => inTime(ask(kind, p)))
      assert.deepStrictEqual([outcome.text, outcome.provider, outcome.model], ["I am a", "a", "a-1"])
      assert.deepStrictEqual(counts(a, b), [1, 0])
    })
  )

  it.effect("is made elsewhere too after that time: the first answer wins and stops the others", () =>
    Effect.gen(function* () {
      const [a, b, c, d] = [taking("a", Infinity), taking("b", Infinity), taking("c", 500), taking("d", 0)]
      const hedged = Provider.hedge([a.layer, b.layer, c.layer, d.layer], { after: "2 seconds" })
      const fiber = yield* through(hedged)((p) => begin(ask(kind, p)))
      yield* TestClock.adjust(4499)
      assert.isUndefined(fiber.pollUnsafe())
      assert.deepStrictEqual([a.dropped(), b.dropped()], [0, 0])
      yield* TestClock.adjust(1)
      const outcome = yield* Fiber.join(fiber)
      assert.deepStrictEqual([outcome.text, outcome.provider, outcome.model], ["I am c", "c", "c-1"])
      assert.deepStrictEqual(times(a, b, c, d), [[0], [2000], [4000], []])
      assert.deepStrictEqual([a.dropped(), b.dropped(), c.dropped()], [1, 1, 0])
    })
  )

  it.effect("is won by the first provider if it is still sooner", () =>
    Effect.gen(function* () {
      const [a, b] = [taking("a", 3000), taking("b", 3000)]
      const outcome = yield* through(Provider.hedge([a.layer, b.layer], { after: 2000 }))((p) => inTime(ask(kind, p)))
      assert.strictEqual(outcome.provider, "a")
      assert.deepStrictEqual([counts(a, b), a.dropped(), b.dropped()], [[1, 1], 0, 1])
    })
  )

  it.effect("calls a single provider again, as often as allowed", () =>
    Effect.gen(function* () {
      for (const max of [undefined, 2, 4]) {
        const model = fake((call) => (call + 1 === (max ?? 2) ? Effect.succeed({}) : Effect.never))
        const hedged = Provider.hedge(model.layer, { after: 100, ...(max === undefined ? {} : { max }) })
        yield* through(hedged)((p) => inTime(ask(kind, p)))
        assert.deepStrictEqual([model.calls.length, model.dropped()], [max ?? 2, (max ?? 2) - 1])
      }
      const slow = fake(() => Effect.never)
      const fiber = yield* through(Provider.hedge(slow.layer, { after: 100 }))((p) => begin(ask(kind, p)))
      yield* TestClock.adjust("1 hour")
      assert.lengthOf(slow.calls, 2)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(slow.dropped(), 2)
    })
  )

  it.effect("does not fail while another call runs, and adds the cost of the failures", () =>
    Effect.gen(function* () {
      const [a, b, c] = [taking("a", 2500, "Refused"), taking("b", 1500, "Overloaded"), taking("c", 5000)]
      const hedged = Provider.hedge([a.layer, b.layer, c.layer], { after: 1000 })
      const outcome = yield* through(hedged)((p) => inTime(ask(kind, p)))
      assert.deepStrictEqual([outcome.provider, outcome.usage], ["c", { outputTokens: 3 }])
    })
  )

  it.effect("fails at once if no other call runs, as the last one did, with the tokens of all", () =>
    Effect.gen(function* () {
      const [a, b, c] = [taking("a", 1500, "Timeout"), taking("b", 900, "Overloaded"), taking("c", 0)]
      const hedged = Provider.hedge([a.layer, b.layer, c.layer], { after: 1000 })
      const error = yield* through(hedged)((p) => inTime(Effect.flip(ask(kind, p))))
      assert.deepStrictEqual([error.reason._tag, error.usage], ["Overloaded", { outputTokens: 2 }])
      assert.deepStrictEqual(times(a, b, c), [[0], [1000], []])
    })
  )

  it.effect("interrupts all of its calls if it is interrupted, or if one of them dies", () =>
    Effect.gen(function* () {
      const [a, b] = [taking("a", Infinity), taking("b", Infinity)]
      const fiber = yield* through(Provider.hedge([a.layer, b.layer], { after: 1000 }))((p) => begin(ask(kind, p)))
      yield* TestClock.adjust(1000)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual([counts(a, b), a.dropped(), b.dropped()], [[1, 1], 1, 1])
      const broken = fake(() => Effect.die(new Error("planted")))
      const other = taking("other", Infinity)
      const exit = yield* through(Provider.hedge([other.layer, broken.layer], { after: 1000 }))((p) =>
        inTime(Effect.exit(ask(kind, p)))
      )
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.strictEqual(other.dropped(), 1)
    })
  )

  const plans = Arbitrary.schema(
    Schema.Struct({
      after: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 })),
      calls: Schema.NonEmptyArray(
        Schema.Struct({
          millis: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 120 })),
          fails: Schema.Literals([false, false, true])
        })
      ).check(Schema.isMinLength(2), Schema.isMaxLength(5))
    })
  )

  it.effect.prop("behaves like a model of it: who is called when, and who answers", [plans], ([{ after, calls }]) =>
    Effect.gen(function* () {
      const fakes = calls.map(({ fails, millis }, i) => taking(String(i), millis, fails ? "Overloaded" : "fine"))
      const [first, ...others] = fakes
      assert.isDefined(first)
      const hedged = Provider.hedge([first.layer, ...others.map(({ layer }) => layer)], { after })
      const fiber = yield* through(hedged)((p) => begin(Effect.exit(ask(kind, p))))
      yield* TestClock.adjust("1 hour")
      const exit = yield* Fiber.join(fiber)
      // millisecond by millisecond
      const begun: Array<number> = [0]
      const endOf = (i: number) => (begun[i] ?? NaN) + (calls[i]?.millis ?? NaN)
      let winner: number | undefined
      let running = 1
      for (let at = 1; winner === undefined && running > 0; at++) {
        for (const i of begun.keys()) {
          if (endOf(i) !== at) continue
          if (calls[i]?.fails === false) winner ??= i
          else running--
        }
        if (winner === undefined && running > 0 && begun.length < calls.length && begun.length * after === at) {
          begun.push(at)
          running++
        }
      }
      // what ends and begins at the very same time may do so in either order
      const ends = begun.map((_, i) => endOf(i))
      if (new Set(ends).size < ends.length || ends.some((end) => end % after === 0)) return
      const start = first.times()[0] ?? NaN
      assert.deepStrictEqual(
        fakes.flatMap((one) => one.times().map((at) => at - start)),
        begun
      )
      assert.strictEqual(Exit.isSuccess(exit) ? exit.value.provider : undefined, winner?.toString())
      const lost = winner === undefined ? [] : ends.filter((end) => end > endOf(winner ?? 0))
      assert.strictEqual(
        fakes.reduce((sum, one) => sum + one.dropped(), 0),
        lost.length
      )
    })
  )
})

describe("hedge", () => {
  it.effect("sends each provider the sampling that it accepts", () =>
    Effect.gen(function* () {
      const first = fake(() => Effect.never)
      const second = fake(() => Effect.succeed({}), {
        name: "second",
        capabilities: { temperature: "never", efforts: ["low", "high"] }
      })
      const outcome = yield* through(Provider.hedge([first.layer, second.layer], { after: 10 }))((p) =>
        inTime(ask("complete", p, { ...request, wish: { effort: "high" } }))
      )
      assert.deepStrictEqual(
        second.calls.map((call) => "sampling" in call.request && call.request.sampling),
        [{ effort: "high" }]
      )
      assert.deepStrictEqual([outcome.sampling, outcome.provider], [{ effort: "high" }, "second"])
    })
  )

  it.effect("takes the stream whose first piece arrives first, and releases the others at once", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const open: Array<string> = []
      const streaming = (name: string, millis: number) =>
        Provider.layer({
          name,
          model: name,
          complete: () => Effect.never,
          stream: () =>
            Stream.unwrap(
              Effect.gen(function* () {
                yield* Effect.acquireRelease(
                  Effect.sync(() => open.push(`open ${name}`)),
                  () => Effect.sync(() => open.push(`closed ${name}`))
                )
                yield* Effect.sleep(millis)
                return Stream.concat(
                  Stream.make({ _tag: "Text", delta: name } as const),
                  Stream.fromEffect(
                    Effect.as(Deferred.await(gate), { _tag: "Done", response: { text: name, usage: {} } } as const)
                  )
                )
              })
            )
        })
      const pieces: Array<string> = []
      const hedged = Provider.hedge([streaming("slow", 1000), streaming("quick", 10)], { after: 500 })
      const fiber = yield* through(hedged)((p) =>
        begin(
          Stream.runForEach(p.stream(request), (part) =>
            Effect.sync(() => void pieces.push(part._tag === "Text" ? part.delta : "Done"))
          )
        )
      )
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual([pieces, open], [["quick"], ["open slow", "open quick", "closed slow"]])
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(fiber)
      assert.deepStrictEqual([pieces.at(-1), open.at(-1)], ["Done", "closed quick"])
    })
  )

  it.effect("asks natively only providers that can decide", () =>
    Effect.gen(function* () {
      const first = fake(() => Effect.never)
      const mute = fake(() => Effect.succeed({}), { name: "mute", decides: false })
      const third = fake(() => Effect.succeed({}), { name: "third" })
      const hedged = Provider.hedge([first.layer, mute.layer, third.layer], { after: 10 })
      const outcome = yield* through(hedged)((p) => inTime(ask("decide", p)))
      assert.deepStrictEqual([outcome.provider, ...counts(first, mute, third)], ["third", 1, 0, 1])
    })
  )

  it.effect("makes as many calls as there are providers that can answer such a request", () =>
    Effect.gen(function* () {
      const [a, b] = [fake(() => Effect.never), fake(() => Effect.never)]
      const mute = fake(() => Effect.never, { decides: false })
      const hedged = Provider.hedge([a.layer, mute.layer, b.layer], { after: 10 })
      const fiber = yield* through(hedged)((p) => begin(ask("decide", p)))
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(counts(a, mute, b), [1, 0, 1])
      yield* Fiber.interrupt(fiber)
    })
  )

  it.effect("adds the cost of failed calls to that of a call that answered at the same time", () =>
    Effect.gen(function* () {
      const door = Deferred.makeUnsafe<void>()
      const waiting = () => fake(() => Effect.as(Deferred.await(door), { usage: { outputTokens: 1 } }))
      const [broke, second, third] = [taking("broke", 2500, "Overloaded"), waiting(), waiting()]
      const hedged = Provider.hedge([broke.layer, second.layer, third.layer], { after: 1000 })
      // both answer before either of their answers is looked at
      const opening = Signal.listen(({ _tag }) => {
        if (_tag === "AttemptFailed") Deferred.doneUnsafe(door, Effect.void)
      })
      const { usage } = yield* through(hedged)((p) => opening(inTime(ask("complete", p))))
      assert.deepStrictEqual(counts(broke, second, third), [1, 1, 1])
      assert.deepStrictEqual(usage, { outputTokens: 3 })
    })
  )

  it("refuses options that are out of range", () => {
    const { layer } = fake(() => Effect.never)
    assert.throws(() => Provider.hedge(layer, { after: 0 }), /Provider\.hedge needs a finite time above 0.* as after/)
    assert.throws(() => Provider.hedge(layer, { after: Infinity }), /as after/)
    assert.throws(() => Provider.hedge([layer], { after: 1, max: 1 }), /a whole number from 2 as max, not 1/)
    // as JavaScript may
    const none = [] as unknown as [typeof layer]
    assert.throws(() => Provider.hedge(none, { after: 1 }), /Provider\.hedge needs at least one layer of a provider/)
    assert.throws(() => Provider.fallback(none), /Provider\.fallback needs at least one layer of a provider/)
  })
})
