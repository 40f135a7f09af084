import { assert, describe, it } from "@effect/vitest"
import { Cause, Data, Deferred, Effect, Exit, Fiber, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Note, Pipeline, Primitive, type Provider, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { providerError, withModel } from "../pipeline/triage.ts"

// Several views of the same thought beside each other, and what they come to.

class Unread extends Data.TaggedError("Unread")<{ readonly canary: string }> {}

const yes = { decision: true, confidence: 0.9, reasoning: ["It says so."] }
const start = Thought.make("review", { text: "We will meet at noon." })

/** A branch that writes its own name under its own name. */
const write = <const K extends string>(key: K) => Step.make(key, { schema: Schema.String, run: () => `by ${key}` })
/** One that does so after a while. */
const late = <const K extends string>(key: K, millis: number) =>
  Step.make(key, { schema: Schema.String, run: Effect.as(Effect.sleep(millis), `by ${key}`) })
const fail = <const K extends string>(key: K) =>
  Step.make(key, { schema: Schema.String, run: Effect.fail(new Unread({ canary: "secret text" })) })

const run = <Out, E>(
  step: Step.Step<{ readonly text: string }, Out, E, Provider.Provider | Memory.Memory>,
  model = Testing.scripted(["All in all."])
) =>
  Effect.gen(function* () {
    const done = yield* Pipeline.run(step, yield* start)
    return { done, stored: yield* Memory.load(done.id), model }
  }).pipe(withModel(model))

const keys = (thought: Thought.Thought<any>) => Thought.notes(thought).map(({ key }) => key)
const prompt = "What should change first?"

describe("converging", () => {
  it.effect("keeps the notes of all branches and a synthesis of them [C46] [C47] [C56]", () =>
    Effect.gen(function* () {
      const step = Primitive.converge("review", { branches: { pro: write("good"), con: write("bad") }, prompt })
      const { done, stored } = yield* run(step)
      assert.deepStrictEqual(done.get("review"), {
        synthesis: "All in all.",
        branches: [
          { name: "pro", outcome: "success", keys: ["good"] },
          { name: "con", outcome: "success", keys: ["bad"] }
        ]
      })
      assert.strictEqual(done.get("good"), "by good")
      assert.deepStrictEqual(keys(stored), ["text", "good", "bad", "review"])
      assert.deepStrictEqual(
        Thought.notes(stored).map(({ seq, step }) => [seq, step]),
        [
          [1, ""],
          [2, "review/pro/good"],
          [3, "review/con/bad"],
          [4, "review"]
        ]
      )
      assert.deepStrictEqual(stored.toJSON(), done.toJSON())
      assert.strictEqual((yield* Thought.read(stored, step)).synthesis, "All in all.")
      const note = stored.note("review")
      assert.strictEqual(note?.source, "converge")
      assert.strictEqual(note?.trust, "untrusted")
      assert.deepStrictEqual(note?.metadata, { provider: "scripted", model: "script", via: "text", temperature: "0" })
    })
  )

  it.effect("shows the synthesis the branches' new notes, and what each branch did", () =>
    Effect.gen(function* () {
      const step = Primitive.converge("review", {
        branches: { pro: write("good"), con: fail("bad"), silent: Step.make("aside", { run: Effect.void }) },
        prompt: Note.from(Note.handle("text", Schema.String), (text) => `What of ${text.length} characters?`)
      })
      const { model } = yield* run(step)
      const [request, ...more] = model.requests
      assert.deepStrictEqual(more, [])
      assert.strictEqual(request?.task.kind, "converge")
      assert.strictEqual(request?.task.instruction, "«What of 21 characters?»")
      assert.deepStrictEqual(
        request?.task.context.map(({ key }) => key),
        ["good"]
      )
      assert.strictEqual(request?.messages.length, 2)
      const sent = request?.messages[1]?.text
      assert.include(sent, 'key="good" source="step">\nby good\n')
      const branches = "## Branches\n\n1. pro: good\n2. con: failed\n3. silent: no notes"
      assert.isTrue(sent?.endsWith(`\n\n«What of 21 characters?»\n\n${branches}`))
    })
  )

  it.effect("trusts the synthesis only if it trusts the thought and everything that the branches wrote", () =>
    Effect.gen(function* () {
      const branch = <const K extends string>(key: K, trust: Note.Trust) =>
        Step.make(key, { trust, schema: Schema.String, run: () => "text" })
      const trustOf = (trust: Note.Trust, of: Note.Trust, first: Note.Trust = "trusted") =>
        Effect.gen(function* () {
          const step = Primitive.converge("review", { branches: [branch("a", first), branch("b", of)], prompt })
          const done = yield* Pipeline.run(step, yield* Thought.make("review", { text: "At noon." }, { trust }))
          return done.note("review")?.trust
        }).pipe(withModel(Testing.scripted(["All in all."])))
      assert.strictEqual(yield* trustOf("trusted", "trusted"), "trusted")
      assert.strictEqual(yield* trustOf("untrusted", "trusted"), "untrusted")
      assert.strictEqual(yield* trustOf("trusted", "untrusted"), "untrusted")
      assert.strictEqual(yield* trustOf("trusted", "trusted", "untrusted"), "untrusted")
    })
  )

  it.effect("derives the synthesis from what every branch wrote, and from nothing that failed", () =>
    Effect.gen(function* () {
      const { done } = yield* run(
        Primitive.converge("review", {
          branches: {
            a: write("a"),
            b: Pipeline.sequence("two", [write("b"), write("c")]),
            bad: fail("bad"),
            d: write("d")
          },
          prompt
        })
      )
      const ids = ["a", "c", "d"].map((key) => done.note(key)!.id)
      // c comes of b, as a function may read all that is there
      assert.deepStrictEqual(done.note("review")!.derivedFrom, ids)
    })
  )

  it.effect("runs its branches concurrently [C48]", () =>
    Effect.gen(function* () {
      const step = Primitive.converge("review", { branches: [late("a", 10), late("b", 20), late("c", 30)], prompt })
      const fiber = yield* Effect.forkChild(run(step))
      yield* TestClock.adjust(29)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      const { done } = yield* Fiber.join(fiber)
      assert.deepStrictEqual(keys(done), ["text", "a", "b", "c", "review"])
    })
  )

  it.effect("runs no more of them at a time than `concurrency` allows", () =>
    Effect.gen(function* () {
      const step = Primitive.converge("review", { branches: [late("a", 10), late("b", 10)], prompt, concurrency: 1 })
      const fiber = yield* Effect.forkChild(run(step))
      yield* TestClock.adjust(19)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(1)
      yield* Fiber.join(fiber)
    })
  )

  it.effect("adds their notes in the order they are declared, whichever is first [C790]", () =>
    Effect.gen(function* () {
      const orders = [
        [30, 20, 10],
        [10, 30, 20],
        [20, 10, 30]
      ] as const
      for (const [a, b, c] of orders) {
        const step = Primitive.converge("review", {
          branches: { c: late("c", c), a: late("a", a), b: late("b", b) },
          prompt
        })
        const fiber = yield* Effect.forkChild(run(step))
        yield* TestClock.adjust(30)
        const { done, stored } = yield* Fiber.join(fiber)
        assert.deepStrictEqual(keys(stored), ["text", "c", "a", "b", "review"])
        assert.deepStrictEqual(stored.toJSON(), done.toJSON())
      }
    })
  )

  it.effect("keeps branches apart: each sees the thought as it was, and the conversation too", () =>
    Effect.gen(function* () {
      const ask = (key: string) => Primitive.decide(key, { question: `${key}?` })
      const model = Testing.scripted(({ task }) => (task.kind === "converge" ? "All in all." : yes))
      const step = Pipeline.sequence("all", [
        ask("before"),
        Primitive.converge("review", { branches: [ask("a"), Pipeline.sequence("b", [ask("b1"), ask("b2")])], prompt }),
        ask("after")
      ])
      const { done, stored } = yield* run(step as Step.Step<{}, {}, unknown, Provider.Provider>, model)
      const fresh = model.requests.map(
        ({ task }) => [task.instruction, task.context.filter((note) => note.fresh).map(({ key }) => key)] as const
      )
      assert.deepStrictEqual(fresh[0], ["before?", ["text"]])
      const inner = new Map(fresh.slice(1, 4))
      assert.deepStrictEqual(inner.get("a?"), [])
      assert.deepStrictEqual(inner.get("b1?"), [])
      assert.deepStrictEqual(inner.get("b2?"), [])
      assert.deepStrictEqual(fresh[4], [prompt, ["a", "b1", "b2"]])
      assert.deepStrictEqual(fresh[5], ["after?", ["a", "b1", "b2", "review"]])
      // two calls of the conversation: the one before and the one after
      assert.strictEqual(done.session.length, 4)
      assert.deepStrictEqual(stored.toJSON(), done.toJSON())
    })
  )

  it.effect("reads the prompt from the notes that the branches leave", () =>
    Effect.gen(function* () {
      const step = Primitive.converge("review", {
        branches: [write("text")],
        prompt: Note.from(Note.handle("text", Schema.String), (text) => `What of "${text}"?`)
      })
      const { model } = yield* run(step)
      assert.strictEqual(model.requests[0]?.task.instruction, '«What of "by text"?»')
    })
  )

  it.effect("works inside others, and is stored once by the outermost", () =>
    Effect.gen(function* () {
      const inner = Primitive.converge("inner", { branches: [write("a"), write("b")], prompt })
      const step = Primitive.converge("outer", { branches: { in: inner, c: write("c") }, prompt })
      const { done, stored } = yield* run(step, Testing.scripted(["one", "two"]))
      assert.deepStrictEqual(keys(stored), ["text", "a", "b", "inner", "c", "outer"])
      assert.deepStrictEqual(done.get("outer").branches[0]?.keys, ["a", "b", "inner"])
    })
  )

  it.effect("takes a provider and sampling for the synthesis [C52]", () =>
    Effect.gen(function* () {
      const own = Testing.scripted(["All in all."])
      const options = { provider: own.provider, sampling: { temperature: 0.6 }, minSuccesses: 1 }
      yield* run(Primitive.converge("review", { branches: [write("a")], prompt, ...options }), Testing.scripted([]))
      assert.strictEqual(own.requests[0]?.sampling.temperature, 0.6)
    })
  )
})

describe("branches that fail", () => {
  it.effect("are named in the result without their words, and leave nothing [C49] [C783]", () =>
    Effect.gen(function* () {
      const model = Testing.scripted([yes, "All in all."])
      const bad = Pipeline.sequence("bad", [Primitive.decide("half", { question: "?" }), fail("never")])
      const step = Primitive.converge("review", { branches: { pro: write("good"), con: bad }, prompt })
      const { done, stored } = yield* run(step, model)
      assert.deepStrictEqual(done.get("review").branches, [
        { name: "pro", outcome: "success", keys: ["good"] },
        { name: "con", outcome: "failure", keys: [], error: "Unread" }
      ])
      assert.deepStrictEqual(keys(stored), ["text", "good", "review"])
      assert.notInclude(JSON.stringify(stored), "secret")
      assert.strictEqual(stored.session.length, 0)
    })
  )

  const few: ReadonlyArray<readonly [string, ReadonlyArray<Step.Step<{}, {}, Unread>>, number, RegExp]> = [
    [
      "all of them [C50]",
      [fail("a"), fail("b")],
      1,
      /All branches of "review" failed: "a" with Unread, "b" with Unread/
    ],
    ["too many of them", [write("a"), fail("b")], 2, /"review" 2 must succeed, and 1 did: "b" with Unread/]
  ]
  it.effect.each(few)(
    "%s fail the step, which keeps the causes and stores nothing",
    ([, branches, minSuccesses, text]) =>
      Effect.gen(function* () {
        const thought = yield* start
        const step = Primitive.converge("review", {
          branches: Object.fromEntries(branches.map((branch) => [branch.name, branch])),
          prompt,
          minSuccesses
        })
        const error = yield* Effect.flip(Pipeline.run(Pipeline.sequence("all", [step]), thought))
        const { cause } = error
        assert.deepStrictEqual(error.path, ["all", "review"])
        if (cause._tag !== "BranchesFailed") throw cause
        assert.instanceOf(cause, Error)
        assert.match(cause.message, text)
        assert.notInclude(error.message, "secret")
        const failed = cause.failures.at(-1)
        assert.strictEqual(failed?.branch, "b")
        assert.deepStrictEqual(failed?.path, ["all", "review", "b"])
        assert.strictEqual(failed?.cause.canary, "secret text")
        assert.strictEqual(cause.succeeded + cause.failures.length, 2)
        assert.strictEqual(cause.needed, minSuccesses)
        assert.deepStrictEqual(keys(yield* Memory.load(thought.id)), ["text"])
        assert.strictEqual(error.thought?.length, 1)
        assert.deepStrictEqual(
          error.beside.map(({ cause, path }) => [path, cause]),
          cause.failures.map(({ cause, path }) => [path, cause])
        )
      }).pipe(withModel(Testing.scripted([])))
  )

  it.effect("are signalled by name, if they do not fail the step", () =>
    Effect.gen(function* () {
      const thought = yield* start
      const signals: Array<unknown> = []
      const listened = Signal.listen((signal) => {
        if (signal._tag === "FailureIgnored") signals.push([signal.path.join("/"), signal.step, signal.error])
        if (signal._tag === "BranchesCompleted") signals.push([signal.path.join("/"), signal.succeeded, signal.failed])
      })
      const branches = { good: write("a"), bad: fail("b"), worse: fail("c") }
      yield* listened(Pipeline.run(Primitive.converge("review", { branches, prompt }), thought))
      assert.deepStrictEqual(signals, [
        ["review", 1, 2],
        ["review", "bad", "Unread"],
        ["review", "worse", "Unread"]
      ])
      signals.length = 0
      const all = Primitive.converge("second", { branches, prompt, minSuccesses: 2 })
      yield* Effect.flip(listened(Pipeline.run(all, yield* start)))
      assert.deepStrictEqual(signals, [["second", 1, 2]])
    }).pipe(withModel(Testing.scripted(["So."])))
  )

  it.effect("wait for each other: a failure stops no other branch", () =>
    Effect.gen(function* () {
      const step = Primitive.converge("review", { branches: [fail("a"), late("b", 50)], prompt })
      const fiber = yield* Effect.forkChild(run(step))
      yield* TestClock.adjust(50)
      assert.deepStrictEqual(keys((yield* Fiber.join(fiber)).stored), ["text", "b", "review"])
    })
  )

  it.effect("of any kind of error are named by their tag or name", () =>
    Effect.gen(function* () {
      const raise = (name: string, error: unknown) => Step.make(name, { run: Effect.fail(error) })
      const branches = [
        write("a"),
        raise("plain", "text"),
        raise("type", new TypeError("canary")),
        raise("no", null)
      ] as const
      const { done } = yield* run(Primitive.converge("review", { branches, prompt }))
      assert.deepStrictEqual(
        done.get("review").branches.map(({ error }) => error),
        [undefined, "Error", "TypeError", "Error"]
      )
    })
  )

  it.effect("in the synthesis fail the step, and no branch is stored", () =>
    Effect.gen(function* () {
      const thought = yield* start
      const step = Primitive.converge("review", { branches: [write("a")], prompt })
      const error = yield* Effect.flip(Pipeline.run(step, thought))
      assert.strictEqual(error.cause._tag, "ProviderError")
      assert.deepStrictEqual(error.path, ["review"])
      assert.deepStrictEqual(keys(yield* Memory.load(thought.id)), ["text"])
    }).pipe(withModel(Testing.scripted([providerError()])))
  )

  it.effect("with a defect are a defect of the step", () =>
    Effect.gen(function* () {
      const broken = Step.make("broken", {
        run: () => {
          throw new Error("broken by hand")
        }
      })
      const exit = yield* Effect.exit(run(Primitive.converge("review", { branches: [write("a"), broken], prompt })))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.include(String(exit), "broken by hand")
    })
  )

  it.effect("with an error and a defect are a defect of the step", () =>
    Effect.gen(function* () {
      const both = Step.make("both", {
        run: Effect.failCause(Cause.combine(Cause.fail("no"), Cause.die(new Error("broken by hand"))))
      })
      const exit = yield* Effect.exit(run(Primitive.converge("review", { branches: [write("a"), both], prompt })))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause) && !Cause.hasFails(exit.cause))
    })
  )

  const forking: ReadonlyArray<readonly [string, Step.Any]> = [
    ["checkpoint", Primitive.checkpoint("fork")],
    ["forget", Primitive.forget("fork", { drop: ["text"] })]
  ]
  it.effect.each(forking)("by a %s are a defect that says what to do [C791]", ([, fork]) =>
    Effect.gen(function* () {
      const thought = yield* start
      const step = Primitive.converge("review", {
        // as a step of one's own would be, of which the outline says nothing
        branches: {
          good: write("a"),
          away: { ...fork, node: { ...fork.node, leaves: undefined } } as unknown as Step.Step<{}, {}>
        },
        prompt
      })
      const exit = yield* Effect.exit(Pipeline.run(step, thought))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.match(
        String(exit),
        /branch "away" returned another thought.*checkpoint, restore and forget before or after/
      )
      assert.deepStrictEqual(keys(yield* Memory.load(thought.id)), ["text"])
    }).pipe(withModel(Testing.scripted([])))
  )

  it.effect("by interruption are interrupted, all of them, and nothing is stored", () =>
    Effect.gen(function* () {
      const ended: Array<string> = []
      const hang = (name: string, called: Deferred.Deferred<void>) =>
        Step.make(name, {
          run: Deferred.succeed(called, undefined).pipe(
            Effect.andThen(Effect.never),
            Effect.onInterrupt(() => Effect.sync(() => ended.push(name)))
          )
        })
      const first = yield* Deferred.make<void>()
      const second = yield* Deferred.make<void>()
      const step = Primitive.converge("review", {
        branches: { done: write("a"), one: hang("one", first), two: hang("two", second) },
        prompt
      })
      const failed: Array<string> = []
      yield* Effect.gen(function* () {
        const thought = yield* start
        const fiber = yield* Pipeline.run(step, thought).pipe(
          Signal.listen((signal) => {
            if (signal._tag === "StepFailed") failed.push(`${signal.path.join("/")}: ${signal.error}`)
          }),
          Effect.forkChild
        )
        yield* Deferred.await(first)
        yield* Deferred.await(second)
        yield* Fiber.interrupt(fiber)
        const exit = yield* Fiber.await(fiber)
        assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
        assert.deepStrictEqual(keys(yield* Memory.load(thought.id)), ["text"])
      }).pipe(withModel(Testing.scripted([])))
      assert.deepStrictEqual(ended.toSorted(), ["one", "two"])
      assert.deepStrictEqual(failed.toSorted(), [
        "review/one: Interrupted",
        "review/two: Interrupted",
        "review: Interrupted"
      ])
    })
  )
})

describe("the outline of a converge", () => {
  it("has its branches by name, what they read, and no certain notes of theirs [C54]", () => {
    const size = Step.make("size", {
      schema: Schema.Finite,
      run: Note.from(Note.handle("text", Schema.String), (text) => text.length)
    })
    const step = Primitive.converge("review", {
      branches: { size, other: write("good") },
      prompt: Note.from(Note.handle("task", Schema.String), (text) => text)
    })
    assert.strictEqual(step.name, "review")
    assert.deepStrictEqual(step.node, {
      name: "review",
      kind: "converge",
      reads: ["text", "task"],
      writes: ["size", "good", "review"],
      surely: ["review"],
      settings: { minSuccesses: 1, concurrency: "unbounded" },
      children: [
        size.node,
        { ...write("good").node, name: "other", kind: "branch", children: [write("good").node], layout: "inline" }
      ],
      layout: { _tag: "Beside", meet: "synthesis", inStep: true }
    })
  })
})

describe("a converge is refused", () => {
  const branches = { a: write("a"), b: write("b") }
  const shared = Primitive.decide("a", { question: "?", introspect: { summaryKey: "b" } })
  const refusals: ReadonlyArray<readonly [string, () => Step.Any, RegExp]> = [
    [
      "without branches [C51]",
      () => Primitive.converge("x", { branches: {}, prompt }),
      /"x" needs at least one branch/
    ],
    [
      "with two branches of a name",
      () => Primitive.converge("x", { branches: [write("a"), Step.make("a", { run: Effect.void })], prompt }),
      /"x" has two branches named "a"/
    ],
    [
      "with two branches that write one key",
      // @ts-expect-error two branches write the same note
      () => Primitive.converge("x", { branches: { one: write("a"), two: write("a") }, prompt }),
      /the step "x" write "a": "one" and "two"/
    ],
    [
      "with a branch that writes another's key as its summary",
      () => Primitive.converge("x", { branches: { one: shared, two: write("b") }, prompt }),
      /the step "x" write "b": "one" and "two"/
    ],
    [
      "with a branch that writes its own key",
      // @ts-expect-error two branches write the same note
      () => Primitive.converge("x", { branches: { one: write("x") }, prompt }),
      /the step "x" write "x"/
    ],
    ...[0, 3, 1.5, Number.NaN].map(
      (minSuccesses) =>
        [
          `with a minimum of ${minSuccesses}`,
          () => Primitive.converge("x", { branches, prompt, minSuccesses }),
          /"x" needs a minSuccesses from 1 to 2/
        ] as const
    ),
    ...[0, -1, 1.5].map(
      (concurrency) =>
        [
          `with ${concurrency} at a time`,
          () => Primitive.converge("x", { branches, prompt, concurrency }),
          /"x" needs a concurrency/
        ] as const
    )
  ]
  it.each(refusals)("%s", (_, make, expected) => {
    assert.throws(make, expected)
  })
})
