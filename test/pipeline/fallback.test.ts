import { assert, describe, it } from "@effect/vitest"
import { Cause, Context, Data, Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Note, Pipeline, Primitive, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { asked, failed, hanging, keysOf, plain, succeeded, tagged, watched } from "./attempts.ts"
import { category, mood, providerError, replies, start, ticket, withModel } from "./triage.ts"

const none = Testing.scripted([])
const later = (seconds: number, error: ReturnType<typeof providerError>) => Effect.delay(error, `${seconds} seconds`)

describe("a fallback", () => {
  it.effect("tries no alternative if the first step succeeds [C455]", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([replies.ticket])
      const { exit, signals } = yield* watched(Pipeline.fallback("either", [ticket, category]), model)
      assert.isTrue(Exit.isSuccess(exit))
      assert.strictEqual(model.requests.length, 1)
      assert.deepStrictEqual(
        tagged(signals, "Won").map(({ branch, path }) => [path, branch]),
        [[["either"], "ticket"]]
      )
    })
  )

  it.effect("runs the next one on the thought as it was, and keeps that one only [C353, C456, C458, C786]", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([replies.ticket, providerError(), providerError("Authentication"), replies.mood])
      const step = Pipeline.fallback("either", [Pipeline.sequence("two", [ticket, category]), category, mood])
      const { done, stored } = yield* succeeded(step, model)
      assert.deepStrictEqual(
        model.requests.map(({ task }) => task.context.map(({ key }) => key)),
        [["message"], ["message", "ticket"], ["message"], ["message"]]
      )
      assert.deepStrictEqual(keysOf(done), ["message", "mood"])
      assert.strictEqual(done.session.length, 2)
      assert.deepStrictEqual(plain(stored), plain(done))
      // each may be missing
      const text: string | undefined = done.get("ticket")?.customer
      assert.isUndefined(text)
    })
  )

  it.effect("fails with the last error if all fail, with the others before it [C457, C463]", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([
        later(1, providerError()),
        later(2, providerError("Authentication")),
        later(3, providerError("Connection"))
      ])
      const fiber = yield* Effect.forkChild(failed(Pipeline.fallback("either", [ticket, category, mood]), model))
      yield* TestClock.adjust("6 seconds")
      const { error, signals, stored, thought } = yield* Fiber.join(fiber)
      assert.strictEqual(error.cause._tag === "ProviderError" && error.cause.reason._tag, "Connection")
      assert.deepStrictEqual(error.path, ["either", "mood"])
      assert.deepStrictEqual(
        error.before.map(({ cause, durationMillis, path }) => [path, (cause as Error).name, durationMillis]),
        [
          [["either", "ticket"], "ProviderError", 1_000],
          [["either", "category"], "ProviderError", 2_000]
        ]
      )
      assert.strictEqual(error.durationMillis, 6_000)
      assert.deepStrictEqual(plain(stored), plain(thought))
      assert.deepStrictEqual(
        tagged(signals, "AttemptFailed").map(({ attempt, error, waitMillis }) => [attempt, error, waitMillis]),
        [
          [1, "ProviderError", 0],
          [2, "ProviderError", 0]
        ]
      )
      assert.deepStrictEqual(tagged(signals, "Won"), [])
    })
  )

  it.effect("continues only after the errors that `while` selects", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([providerError(), providerError("Authentication")])
      const step = Pipeline.fallback("either", [ticket, category, mood], {
        while: (error) => error._tag === "ProviderError" && error.isRetryable
      })
      const { error } = yield* failed(step, model)
      assert.strictEqual(model.requests.length, 2)
      assert.deepStrictEqual(error.path, ["either", "category"])
      assert.deepStrictEqual(
        error.before.map(({ path }) => path),
        [["either", "ticket"]]
      )
    })
  )

  it.effect("does not continue after a defect [C462]", () =>
    Effect.gen(function* () {
      const broken = Step.make("broken", { run: Effect.die(new Error("broken")) })
      const { exit } = yield* watched(Pipeline.fallback("either", [broken, ticket]), none)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause) && !Cause.hasFails(exit.cause))
      assert.strictEqual(none.requests.length, 0)
    })
  )

  it.effect("does not continue if it is interrupted", () =>
    Effect.gen(function* () {
      const { called, released, reply } = yield* hanging
      const model = Testing.scripted([reply, replies.category])
      const step = Pipeline.fallback("either", [ticket, category])
      const fiber = yield* Effect.flatMap(start, (thought) => Pipeline.run(step, thought)).pipe(
        withModel(model),
        Effect.forkChild
      )
      yield* Deferred.await(called)
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.isTrue(yield* Deferred.isDone(released))
      assert.strictEqual(model.requests.length, 1)
    })
  )

  it.effect("leaves no thought of an alternative that switches to another one and fails", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([replies.ticket, providerError(), replies.category])
      const forked = Pipeline.sequence("forked", [ticket, Primitive.checkpoint("before"), mood])
      const { children, exit, stored } = yield* watched(Pipeline.fallback("either", [forked, category]), model)
      assert.isTrue(Exit.isSuccess(exit))
      assert.deepStrictEqual(children, [])
      assert.deepStrictEqual(keysOf(stored), ["message", "category"])
    })
  )

  it.effect("takes a failure after the retries and the time of an alternative", () =>
    Effect.gen(function* () {
      const { reply } = yield* hanging
      const model = Testing.scripted([providerError(), reply, replies.category])
      const step = ticket.pipe(
        Step.retry(),
        Step.timeout("5 seconds"),
        Step.recover(category.pipe(Step.timeout("5 seconds")))
      )
      const fiber = yield* Effect.forkChild(succeeded(step, model))
      yield* TestClock.adjust("5 seconds")
      const { done, stored } = yield* Fiber.join(fiber)
      assert.deepStrictEqual(keysOf(done), ["message", "category"])
      assert.deepStrictEqual(plain(stored), plain(done))
    })
  )
})

class Bar extends Context.Service<Bar, { readonly least: number }>()("test/Bar") {}
class NoBar extends Data.TaggedError("NoBar") {}

const unsure = { decision: true, confidence: 0.3, reasoning: ["canary"] }
const sure = { decision: false, confidence: 0.9, reasoning: ["She is a customer."] }

/** The same question to a cheap and to a strong model. */
const models = (first: Testing.Reply, second: Testing.Reply) => {
  const cheap = Testing.scripted([first], { name: "cheap" })
  const strong = Testing.scripted([second], { name: "strong" })
  const question = "Is this spam?"
  const quick = Primitive.decide("spam", { question, provider: cheap.provider })
  const careful = Primitive.decide("spam", { question, provider: strong.provider })
  return { cheap, strong, quick, careful }
}

describe("a cascade", () => {
  it.effect(
    "asks the strong model what it asked the cheap one, and keeps nothing of an answer it does not accept",
    () =>
      Effect.gen(function* () {
        const { careful, cheap, quick, strong } = models(unsure, sure)
        const step = Pipeline.fallback("cascade", [quick, careful], {
          accept: Note.from(quick, ({ confidence }) => confidence >= 0.8)
        })
        const { exit, signals, stored } = yield* watched(step, none)
        assert.isTrue(Exit.isSuccess(exit))
        assert.deepStrictEqual(asked(strong), asked(cheap))
        assert.strictEqual(strong.requests.length, 1)
        assert.deepStrictEqual(keysOf(stored), ["message", "spam"])
        assert.strictEqual(stored.note("spam")?.metadata["provider"], "strong")
        assert.strictEqual(stored.session.length, 2)
        assert.notInclude(JSON.stringify(stored), "canary")
        assert.deepStrictEqual(plain(Exit.isSuccess(exit) ? exit.value : undefined), plain(stored))
        assert.deepStrictEqual(
          tagged(signals, "AttemptFailed").map(({ attempt, error, path, waitMillis }) => [
            path,
            attempt,
            error,
            waitMillis
          ]),
          [[["cascade"], 1, "NotAccepted", 0]]
        )
      })
  )

  it.effect("does not ask the strong model when it accepts", () =>
    Effect.gen(function* () {
      const { careful, quick, strong } = models(sure, sure)
      const step = Pipeline.fallback("cascade", [quick, careful], {
        accept: (thought) => thought.get("spam").confidence >= 0.8
      })
      const { done } = yield* succeeded(step, none)
      assert.strictEqual(done.note("spam")?.metadata["provider"], "cheap")
      assert.strictEqual(strong.requests.length, 0)
    })
  )

  it.effect("does not ask whether the last answer is accepted", () =>
    Effect.gen(function* () {
      let times = 0
      const { careful, quick } = models(unsure, unsure)
      const accept = Effect.sync(() => (times++, false))
      const { done } = yield* succeeded(Pipeline.fallback("cascade", [quick, careful], { accept }), none)
      assert.strictEqual(done.note("spam")?.metadata["provider"], "strong")
      assert.strictEqual(times, 1)
    })
  )

  it.effect("does not judge an alternative that failed", () =>
    Effect.gen(function* () {
      const { careful, quick } = models(providerError(), sure)
      const accept = Effect.die(new Error("asked"))
      const { done } = yield* succeeded(Pipeline.fallback("cascade", [quick, careful], { accept }), none)
      assert.isFalse(done.get("spam").decision)
    })
  )

  it.effect("accepts by an effect that needs services and may fail", () =>
    Effect.gen(function* () {
      const { careful, quick } = models(unsure, sure)
      const step = Pipeline.fallback("cascade", [quick, careful], {
        accept: (thought) => Effect.map(Bar, ({ least }) => thought.get("spam").confidence >= least)
      })
      const run = (least: number) =>
        Effect.gen(function* () {
          return yield* Pipeline.run(step, yield* Thought.make("sort", { message: "Hello" }))
        }).pipe(Effect.provideService(Bar, { least }), withModel(none))
      assert.isTrue((yield* run(0.2)).get("spam").decision)
    })
  )

  it.effect("fails with the error of `accept`, with the earlier failures before it, and keeps nothing", () =>
    Effect.gen(function* () {
      const { careful, quick } = models(unsure, sure)
      const broken = Step.make("spam", { run: providerError("Authentication") })
      const step = Pipeline.fallback("cascade", [broken, quick, careful], {
        accept: () => Effect.delay(Effect.fail(new NoBar()), "1 second")
      })
      const fiber = yield* Effect.forkChild(failed(step, none))
      yield* TestClock.adjust("1 second")
      const { error, stored } = yield* Fiber.join(fiber)
      assert.instanceOf(error.cause, NoBar)
      assert.deepStrictEqual(error.path, ["cascade"])
      assert.deepStrictEqual(
        error.before.map(({ path }) => path),
        [["cascade", "spam"]]
      )
      assert.deepStrictEqual(keysOf(stored), ["message"])
      assert.strictEqual(stored.session.length, 0)
    })
  )

  it.effect("fails like the last one, though there was an answer that it did not accept", () =>
    Effect.gen(function* () {
      const { careful, quick } = models(unsure, providerError())
      const { error, stored } = yield* failed(
        Pipeline.fallback("cascade", [quick, careful], { accept: () => false }),
        none
      )
      assert.strictEqual(error.cause._tag, "ProviderError")
      assert.deepStrictEqual(error.before, [])
      assert.deepStrictEqual(keysOf(stored), ["message"])
    })
  )
})

describe("a fallback as a step", () => {
  const quick = Primitive.decide("spam", { question: "Is this spam?" })
  const careful = Primitive.decide("spam", { question: "Is this really spam?" })

  it("is the handle of the note that all of its alternatives write", () => {
    const step = Pipeline.fallback("either", [quick, careful])
    assert.strictEqual(step.key, "spam")
    assert.strictEqual(step.name, "either")
    assert.isFalse(Note.isHandle(Pipeline.fallback("either", [quick, ticket])))
    assert.isFalse(Note.isHandle(Pipeline.fallback("either", [Step.make("quiet", { run: () => {} }), ticket])))
  })

  it.effect("is read like its first alternative", () =>
    Effect.gen(function* () {
      const size = Pipeline.fallback("either", [
        Step.make("size", { schema: Schema.Finite, run: Effect.fail("no" as const) }),
        Step.make("size", { schema: Schema.Finite, run: () => 3 })
      ])
      const done = yield* Pipeline.run(size, yield* Thought.make("test"))
      assert.strictEqual(yield* Thought.read(yield* Memory.load(done.id), size), 3)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("gives each alternative its own name in the outline, paths and signals", () =>
    Effect.gen(function* () {
      const failing = Step.make("size", { schema: Schema.Finite, run: Effect.fail("no" as const) })
      const good = Step.make("size", { schema: Schema.Finite, run: () => 3 })
      const step = Pipeline.fallback("either", [failing, failing, failing, good])
      assert.deepStrictEqual(
        step.node.children.map(({ name }) => name),
        ["size", "size#2", "size#3", "size#4"]
      )
      const { signals } = yield* watched(step, none)
      assert.deepStrictEqual(
        tagged(signals, "Won").map(({ branch }) => branch),
        ["size#4"]
      )
      const { error } = yield* failed(Pipeline.fallback("either", [failing, failing, failing]), none)
      assert.deepStrictEqual(
        [...error.before, error].map(({ path }) => path.join("/")),
        ["either/size", "either/size#2/size", "either/size#3/size"]
      )
    })
  )

  it("shows its alternatives, and what it reads and writes in any case [C465]", () => {
    const message = Note.handle("message", Schema.String)
    const tone = Note.handle("tone", Schema.String)
    const size = Step.make("size", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) })
    const words = Step.make("size", {
      schema: Schema.Finite,
      run: Note.from(Note.handle("words", Schema.Finite), (n) => n)
    }).pipe(Step.andThen(Step.make("counted", { schema: Schema.Boolean, run: () => true })))
    const step = Pipeline.fallback("either", [size, words], {
      accept: Note.from({ size, tone }, ({ size, tone }) => size > tone.length)
    })
    assert.deepStrictEqual(step.node, {
      name: "either",
      kind: "fallback",
      reads: ["message", "tone", "words"],
      writes: ["size", "counted"],
      surely: ["size"],
      children: [size.node, words.node],
      layout: { _tag: "Choice", shape: "hexagon", labels: ["first", "else"] }
    })
  })

  it("reads for its condition what each alternative but the last has not written", () => {
    const writes = (name: string, reads = "message") =>
      Step.make(name, {
        schema: Schema.Finite,
        run: Note.from(Note.handle(reads, Schema.String), (text) => text.length)
      })
    const [a, b, c] = [writes("a"), writes("b"), writes("c", "other")]
    const tone = Note.handle("tone", Schema.String)
    const accept = Note.from({ a, tone }, ({ a, tone }) => a > tone.length)
    const readsOf = (alternatives: ReadonlyArray<Step.Any>) =>
      Pipeline.fallback("either", alternatives, { accept: accept as never }).node.reads
    assert.deepStrictEqual(readsOf([a]), ["message"])
    assert.deepStrictEqual(readsOf([a, c]), ["message", "tone", "other"])
    assert.deepStrictEqual(readsOf([a, b, c]), ["message", "tone", "a", "other"])
  })

  it("refuses an empty list, and an invalid condition [C460]", () => {
    assert.throws(
      () => Pipeline.fallback("either", [] as unknown as ReadonlyArray<Step.Any>),
      /^The step "either" needs at least one alternative\.$/
    )
    assert.throws(
      () => Pipeline.fallback("either", [quick, careful], { accept: true as unknown as () => boolean }),
      /^The step "either" needs a function, an effect or a reader as `accept`\.$/
    )
  })
})
