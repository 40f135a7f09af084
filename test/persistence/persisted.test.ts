import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { KeyValueStore, Persistence } from "effect/persistence"
import { TestClock } from "effect/testing"
import { Provider } from "cogito"
import { Persisted } from "cogito/persistence"
import { ask, fake, kinds, request, through } from "../provider/fake.ts"

/** A place that several processes share, and what is in it. */
const place = () => {
  const kept = new Map<string, string>()
  const store = KeyValueStore.makeStringOnly({
    get: (key) => Effect.sync(() => kept.get(key)),
    set: (key, value) => Effect.asVoid(Effect.sync(() => kept.set(key, value))),
    remove: (key) => Effect.asVoid(Effect.sync(() => kept.delete(key))),
    clear: Effect.sync(() => kept.clear()),
    size: Effect.sync(() => kept.size),
    keys: Effect.sync(() => [...kept.keys()])
  })
  const layer = Persistence.layerBackingKvs.pipe(Layer.provide(Layer.succeed(KeyValueStore.KeyValueStore, store)))
  return { kept, layer }
}

/** A call of another process: nothing of it is in memory. */
const anew = (model: ReturnType<typeof fake>, where: ReturnType<typeof place>, options?: Persisted.Options) =>
  through(model.layer.pipe(Persisted.cache(options), Layer.provide(where.layer)))

describe.each(kinds)("a %s whose answers outlive the process", (kind) => {
  it.effect("is sent once, and answered equally in the next process", () =>
    Effect.gen(function* () {
      const where = place()
      const model = fake(() => Effect.succeed({ usage: { outputTokens: 3 }, id: "x", model: "m", provider: "p" }))
      const first = yield* anew(model, where)((p) => ask(kind, p))
      const second = yield* anew(model, where)((p) => ask(kind, p))
      assert.deepStrictEqual([first.usage, first.cached], [{ outputTokens: 3 }, undefined])
      assert.deepStrictEqual({ ...second, pieces: [] }, { ...first, usage: {}, cached: true, pieces: [] })
      assert.lengthOf(model.calls, 1)
      // of the prompt only a hash is kept
      assert.notInclude(JSON.stringify([...where.kept]), "urgent")
    })
  )

  it.effect("is sent again after its time, and for another name of the store", () =>
    Effect.gen(function* () {
      const where = place()
      const model = fake(() => Effect.succeed({}))
      const options = { timeToLive: "1 day" } as const
      yield* anew(model, where, options)((p) => ask(kind, p))
      yield* anew(model, where, { ...options, storeId: "others" })((p) => ask(kind, p))
      assert.lengthOf(model.calls, 2)
      yield* TestClock.adjust(86_399_999)
      yield* anew(model, where, options)((p) => ask(kind, p))
      assert.lengthOf(model.calls, 2)
      yield* TestClock.adjust(1)
      yield* anew(model, where, options)((p) => ask(kind, p))
      assert.lengthOf(model.calls, 3)
    })
  )

  it.effect("is sent again if the stored value is no answer, and then stored again", () =>
    Effect.gen(function* () {
      const where = place()
      const model = fake(() => Effect.succeed({}))
      yield* anew(model, where)((p) => ask(kind, p))
      const junk = [
        "",
        "no JSON",
        "[1, null]",
        '[{"text":7},null]',
        '[{"answers":[{"_tag":"Guess"}]},null]',
        '["{}",null]'
      ]
      for (const [i, value] of junk.entries()) {
        for (const key of where.kept.keys()) where.kept.set(key, value)
        yield* anew(model, where)((p) => ask(kind, p))
        assert.lengthOf(model.calls, i + 2)
        yield* anew(model, where)((p) => ask(kind, p))
        assert.lengthOf(model.calls, i + 2)
      }
    })
  )

  it.effect("is answered by the provider if the store is broken", () =>
    Effect.gen(function* () {
      const broken = new Persistence.PersistenceError({ message: "planted" })
      const fail = Effect.fail(broken)
      const layer = Layer.succeed(Persistence.BackingPersistence, {
        make: () =>
          Effect.succeed({
            get: () => fail,
            getMany: () => fail,
            set: () => fail,
            setMany: () => fail,
            remove: () => fail,
            clear: fail
          })
      })
      const model = fake(() => Effect.succeed({}))
      const cached = model.layer.pipe(Persisted.cache(), Layer.provide(layer))
      yield* through(cached)((p) =>
        Effect.gen(function* () {
          assert.strictEqual((yield* ask(kind, p)).text, "Hello there")
          assert.isTrue((yield* ask(kind, p)).cached)
        })
      )
      assert.lengthOf(model.calls, 1)
    })
  )
})

describe("answers that outlive the process", () => {
  it.effect("have their distributions, and the sampling that was sent", () =>
    Effect.gen(function* () {
      const where = place()
      const answers: ReadonlyArray<Provider.Answer> = [
        { _tag: "Predicate", name: "a", probability: 0.25, reasons: ["because"] },
        { _tag: "Choice", name: "b", label: "x", distribution: { x: 0.75, y: 0.25 } },
        { _tag: "Score", name: "c", value: 2, distribution: { low: 0.5, high: 0.5 } }
      ]
      let calls = 0
      const layer = Provider.layer({
        name: "p",
        model: "m",
        complete: () =>
          Effect.sync(() => ({ text: String(++calls), usage: {}, sampling: { effort: "low", stop: ["."] } })),
        decide: () => Effect.sync(() => (calls++, { answers, usage: {}, probabilitiesFrom: "logprobs" as const }))
      })
      const run = through(layer.pipe(Persisted.cache({ always: true }), Layer.provide(where.layer)))((p) =>
        Effect.all([p.complete(request), p.decide?.(request) ?? Effect.die("none")])
      )
      yield* run
      const [text, decision] = yield* run
      assert.deepStrictEqual(text, { text: "1", usage: {}, sampling: { effort: "low", stop: ["."] }, cached: true })
      assert.deepStrictEqual(decision, { answers, usage: {}, probabilitiesFrom: "logprobs", cached: true })
      assert.strictEqual(calls, 2)
    })
  )

  it.effect("have their calls of tools, and what they carry", () =>
    Effect.gen(function* () {
      const where = place()
      const answer = {
        text: "Let me see.",
        calls: [{ id: "call_1", name: "lookup", params: `{"id":7}` }],
        carry: { provider: "p", model: "m", data: [{ item: { secret: "opaque" } }, { call: "call_1" }] },
        provider: "p",
        model: "m",
        id: "x"
      }
      let calls = 0
      const layer = Provider.layer({
        name: "p",
        model: "m",
        capabilities: { tools: true },
        complete: () => Effect.sync(() => (calls++, { ...answer, usage: { outputTokens: 3 } }))
      })
      const tools = [{ name: "lookup", description: "Looks it up", parameters: { type: "object" } }]
      const run = through(layer.pipe(Persisted.cache({ always: true }), Layer.provide(where.layer)))((p) =>
        p.complete({ ...request, tools })
      )
      assert.deepStrictEqual(yield* run, { ...answer, usage: { outputTokens: 3 } })
      assert.deepStrictEqual(yield* run, { ...answer, usage: {}, cached: true })
      assert.strictEqual(calls, 1)
    })
  )

  it.effect("are stored with their time to live, or without one if they never expire", () =>
    Effect.gen(function* () {
      const times: Array<Duration.Duration | undefined> = []
      const layer = Layer.succeed(Persistence.BackingPersistence, {
        make: () =>
          Effect.succeed({
            get: () => Effect.undefined,
            getMany: () => Effect.die("nobody asks for many"),
            set: (_key, _value, timeToLive) => Effect.sync(() => void times.push(timeToLive)),
            setMany: () => Effect.die("nobody stores many"),
            remove: () => Effect.void,
            clear: Effect.void
          })
      })
      const options: ReadonlyArray<Persisted.Options> = [{}, { timeToLive: Duration.infinity }, { timeToLive: "1 day" }]
      for (const given of options) {
        const cached = fake(() => Effect.succeed({})).layer.pipe(Persisted.cache(given), Layer.provide(layer))
        yield* through(cached)((p) => ask("complete", p))
      }
      assert.deepStrictEqual(
        times.map((time) => time && Duration.toMillis(time)),
        [3_600_000, undefined, 86_400_000]
      )
    })
  )

  it("refuse options that are out of range", () => {
    assert.throws(() => Persisted.cache({ capacity: 0 })(fake(() => Effect.never).layer), /as capacity/)
  })
})
