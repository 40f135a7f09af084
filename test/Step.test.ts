import { assert, describe, it } from "@effect/vitest"
import { Context, Data, Effect, Exit, Schema } from "effect"
import { Memory, Note, Pipeline, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"

const message = Note.handle("message", Schema.String)
const policy = Note.handle("policy", Schema.String)

const start = Thought.make("test", { message: "Hello", policy: { content: "Be kind.", trust: "trusted" } })

const run = <In, Out, E, R>(step: Step.Step<In, Out, E, R>) =>
  Effect.gen(function* () {
    const thought = yield* start
    const done = yield* Pipeline.run(step as unknown as Step.Step<{}, Out, E, R>, thought)
    return { done, stored: yield* Memory.load(done.id) }
  }).pipe(Effect.provide(Testing.memory))

const failing = <In, Out, E, R>(step: Step.Step<In, Out, E, R>) =>
  Effect.gen(function* () {
    return yield* Effect.flip(Pipeline.run(step as unknown as Step.Step<{}, Out, E, R>, yield* start))
  }).pipe(Effect.provide(Testing.memory))

const dies = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(effect), (exit) => {
    assert.isTrue(Exit.isFailure(exit) && exit.cause.reasons.every(({ _tag }) => _tag === "Die"), String(exit))
    return Exit.isFailure(exit) ? String(exit.cause) : ""
  })

class Rates extends Context.Service<Rates, { readonly euro: number }>()("test/Rates") {}

describe("make", () => {
  const runs: ReadonlyArray<readonly [string, Step.Step<any, { readonly size: number }, never, Rates>]> = [
    ["a reader", Step.make("size", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) })],
    [
      "a reader that computes an effect",
      Step.make("size", { schema: Schema.Finite, run: Note.from(message, (text) => Effect.succeed(text.length)) })
    ],
    [
      "a function of the thought",
      Step.make("size", {
        schema: Schema.Finite,
        run: (thought: Thought.Thought<{ readonly message: string }>) => thought.get("message").length
      })
    ],
    [
      "a function that gives an effect",
      Step.make("size", { schema: Schema.Finite, run: () => Effect.map(Rates, ({ euro }) => euro) })
    ],
    ["an effect", Step.make("size", { schema: Schema.Finite, run: Effect.map(Rates, ({ euro }) => euro) })]
  ]
  it.effect.each(runs)("writes what %s gives", ([, step]) =>
    Effect.gen(function* () {
      const { done, stored } = yield* run(step).pipe(Effect.provideService(Rates, { euro: 5 }))
      assert.strictEqual(done.get("size"), 5)
      const note = stored.note("size")
      assert.strictEqual(note?.content, "5")
      assert.strictEqual(note?.source, "step")
      assert.strictEqual(note?.step, "size")
    })
  )

  it.effect("without a schema writes nothing, but runs", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const aside = Step.make("aside", { run: Note.from(message, (text) => Effect.sync(() => seen.push(text))) })
      const { done } = yield* run(aside)
      assert.deepStrictEqual(seen, ["Hello"])
      assert.strictEqual(done.length, 2)
      assert.deepStrictEqual(aside.node, {
        name: "aside",
        kind: "step",
        reads: ["message"],
        writes: [],
        surely: [],
        children: []
      })
    })
  )

  it.effect("keeps values that are not JSON by their schema", () =>
    Effect.gen(function* () {
      const at = Step.make("at", {
        schema: Schema.DateTimeUtc,
        run: () => Schema.decodeSync(Schema.DateTimeUtcFromString)("2026-01-02T03:04:05.000Z")
      })
      const { done, stored } = yield* run(at)
      assert.strictEqual(done.get("at").toString(), (yield* Thought.read(stored, at)).toString())
      assert.include(stored.note("at")?.content, "2026-01-02T03:04:05.000Z")
    })
  )

  it.effect("a value that does not fit its schema is a defect and writes nothing", () =>
    Effect.gen(function* () {
      const Unit = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
      const thought = yield* start
      const wrong = Step.make("wrong", { schema: Unit, run: () => 2 })
      yield* dies(Pipeline.run(wrong, thought))
      assert.isUndefined((yield* Memory.load(thought.id)).note("wrong"))
    }).pipe(Effect.provide(Testing.memory))
  )

  it("refuses a name that cannot be a note's key", () => {
    assert.throws(() => Step.make("", { schema: Schema.Finite, run: () => 1 }), /1 to 200 characters/)
  })

  it.effect("is inert: nothing runs when it is made", () =>
    Effect.gen(function* () {
      let count = 0
      const counted = Step.make("counted", { schema: Schema.Finite, run: () => ++count })
      Pipeline.sequence("all", [counted]).pipe(Step.andThen(Step.make("more", { run: () => ++count })))
      assert.strictEqual(count, 0)
      yield* run(counted)
      yield* run(counted)
      assert.strictEqual(count, 2)
    })
  )

  it.effect("is the handle of its note", () =>
    Effect.gen(function* () {
      const size = Step.make("size", { schema: Schema.Finite, run: () => 3 })
      const { stored } = yield* run(size)
      assert.isTrue(Note.isHandle(size))
      assert.strictEqual(yield* Thought.read(stored, size), 3)
    })
  )
})

describe("the trust of what a step computes", () => {
  const cases: ReadonlyArray<readonly [string, Step.Step<any, {}>, Note.Trust]> = [
    [
      "a reader of a trusted note gives a trusted one",
      Step.make("it", { schema: Schema.Finite, run: Note.from(policy, (text) => text.length) }),
      "trusted"
    ],
    [
      "a reader of an untrusted note an untrusted one",
      Step.make("it", { schema: Schema.Finite, run: Note.from(message, (text) => text.length) }),
      "untrusted"
    ],
    [
      "a reader of both an untrusted one",
      Step.make("it", { schema: Schema.Finite, run: Note.from({ message, policy }, () => 1) }),
      "untrusted"
    ],
    [
      "a function may have read any note, so its is untrusted when one of them is",
      Step.make("it", { schema: Schema.Finite, run: () => 1 }),
      "untrusted"
    ]
  ]
  it.effect.each(cases)("%s", ([, step, trust]) =>
    Effect.gen(function* () {
      const { stored } = yield* run(step)
      assert.strictEqual(stored.note("it")?.trust, trust)
    })
  )

  it.effect("a function may have read a superseded note too", () =>
    Effect.gen(function* () {
      const thought = yield* Thought.make("test", { message: "from outside" })
      const own = yield* Thought.append(thought, "message", { content: "our own", trust: "trusted" })
      const reader = Step.make("reader", { schema: Schema.Finite, run: Note.from(message, () => 1) })
      const any = Step.make("any", { schema: Schema.Finite, run: () => 1 })
      const done = yield* Pipeline.run(Pipeline.sequence("both", [reader, any]), own)
      assert.strictEqual(done.note("reader")?.trust, "trusted")
      assert.strictEqual(done.note("any")?.trust, "untrusted")
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("andThen", () => {
  const one = Step.make("one", { schema: Schema.Finite, run: () => 1 })
  const two = Step.make("two", { schema: Schema.Finite, run: Note.from(one, (n) => n + 1) })
  const three = Step.make("three", { schema: Schema.Finite, run: Note.from(two, (n) => n + 1) })

  it.effect("runs one step and then another, with no place of its own in their paths", () =>
    Effect.gen(function* () {
      const { done } = yield* run(one.pipe(Step.andThen(two), Step.andThen(three)))
      assert.strictEqual(done.get("three"), 3)
      assert.deepStrictEqual(
        ["one", "two", "three"].map((key) => done.note(key)?.step),
        ["one", "two", "three"]
      )
    })
  )

  it.effect("does the same data first, and however it is grouped", () =>
    Effect.gen(function* () {
      const left = Step.andThen(Step.andThen(one, two), three)
      const right = Step.andThen(one, Step.andThen(two, three))
      assert.strictEqual((yield* run(right)).done.get("three"), 3)
      assert.deepStrictEqual(left.node, right.node)
      assert.strictEqual(left.name, "one, two, three")
      assert.deepStrictEqual(
        left.node.children.map(({ name }) => name),
        ["one", "two", "three"]
      )
      assert.deepStrictEqual([left.node.reads, left.node.writes], [[], ["one", "two", "three"]])
    })
  )

  it.effect("stops where the first fails", () =>
    Effect.gen(function* () {
      let ran = false
      const stop = Step.make("stop", { run: Effect.fail("stop" as const) })
      const error = yield* failing(stop.pipe(Step.andThen(Step.make("never", { run: () => (ran = true) }))))
      assert.deepStrictEqual(error._tag === "PipelineError" && error.path, ["stop"])
      assert.isFalse(ran)
    })
  )
})

describe("when", () => {
  const score = (value: number) => Step.make("score", { schema: Schema.Finite, run: () => value })
  const alarm = Step.make("alarm", { schema: Schema.String, run: Note.from(message, (text) => `look: ${text}`) })
  const guarded = (value: number) =>
    score(value).pipe(Step.when("high", (thought) => thought.get("score") > 0.5, alarm))

  it.effect("runs the step where the predicate holds for the thought so far", () =>
    Effect.gen(function* () {
      const { done } = yield* run(guarded(0.9))
      assert.strictEqual(done.get("alarm"), "look: Hello")
      assert.strictEqual(done.note("alarm")?.step, "high/alarm")
    })
  )

  it.effect("passes the thought on where it does not", () =>
    Effect.gen(function* () {
      const { done, stored } = yield* run(guarded(0.1))
      assert.isUndefined(stored.note("alarm"))
      assert.strictEqual(done.get("score"), 0.1)
      assert.strictEqual(done.length, 3)
    })
  )

  it.effect("asks once, after the step before", () =>
    Effect.gen(function* () {
      const asked: Array<number> = []
      const step = score(1).pipe(
        Step.when("high", (thought) => asked.push(thought.get("score")) > 0, alarm),
        Step.andThen(Step.make("end", { run: () => {} }))
      )
      yield* run(step)
      assert.deepStrictEqual(asked, [1])
    })
  )

  it.effect("a predicate that throws is a defect", () =>
    Effect.gen(function* () {
      const broken = score(1).pipe(
        Step.when(
          "high",
          () => {
            throw new Error("a bug")
          },
          alarm
        )
      )
      assert.include(yield* dies(run(broken)), "a bug")
    })
  )

  it.effect("says where the step it guards failed", () =>
    Effect.gen(function* () {
      const stop = Step.make("stop", { run: Effect.fail("stop" as const) })
      const error = yield* failing(score(1).pipe(Step.when("high", () => true, stop)))
      assert.deepStrictEqual(error._tag === "PipelineError" && error.path, ["high", "stop"])
    })
  )

  it("is in the outline with what it may write", () => {
    assert.deepStrictEqual(guarded(1).node.children[1], {
      name: "high",
      kind: "when",
      reads: ["message"],
      writes: ["alarm"],
      surely: [],
      children: [alarm.node],
      layout: { _tag: "Choice", labels: ["yes"], past: "no" }
    })
  })
})

describe("a step that says what its note can be trusted as", () => {
  it.effect("is believed, whatever the thought has", () =>
    Effect.gen(function* () {
      const trusts: ReadonlyArray<Note.Trust> = ["trusted", "untrusted"]
      for (const trust of trusts) {
        const clock = Step.make("clock", { schema: Schema.Finite, run: Effect.succeed(12), trust })
        const reader = Step.make("size", { schema: Schema.Finite, run: Note.from(policy, () => 1), trust })
        const shows = () => ({ notes: [], text: "What time is it?" })
        const shown = Step.make("shown", { schema: Schema.Finite, run: Note.from(policy, () => 2), trust, shows })
        const { stored } = yield* run(Pipeline.sequence("all", [clock, reader, shown]))
        assert.deepStrictEqual(
          [stored.note("clock")?.trust, stored.note("size")?.trust, stored.note("shown")?.trust],
          [trust, trust, trust]
        )
      }
    })
  )
})

describe("a value that a step says is made from a note, by its id", () => {
  const cases = [
    ["one of the thought that is trusted", "policy", "trusted"],
    ["one of the thought that is untrusted", "message", "untrusted"],
    ["one that the thought does not have", "elsewhere", "untrusted"]
  ] as const
  it.effect.each(cases)("is trusted as the note is: %s", ([, key, trust]) =>
    Effect.gen(function* () {
      const thought = yield* start
      const id = thought.note(key)?.id ?? "00000000-0000-7000-8000-00000000aaaa"
      const quote = Step.make("quote", {
        schema: Schema.String,
        run: Note.from(policy, () => Effect.as(Step.derivedFrom([id]), "quoted"))
      })
      const done = yield* Pipeline.run(quote, thought)
      assert.include(done.note("quote")?.derivedFrom ?? [], id)
      assert.strictEqual(done.note("quote")?.trust, trust)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("is trusted as a note of another thought is, if it is given that note", () =>
    Effect.gen(function* () {
      for (const trust of ["trusted", "untrusted"] as const) {
        const [note] = Thought.notes(yield* Thought.make("other", { text: { content: "Hello", trust } }))
        const quote = Step.make("quote", {
          schema: Schema.String,
          run: Note.from({}, () => Effect.as(Step.derivedFrom([note!]), "quoted"))
        })
        const done = yield* Pipeline.run(quote, yield* Thought.make("test"))
        assert.deepInclude(done.note("quote"), { derivedFrom: [note!.id], trust })
      }
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("a step that checks", () => {
  class Invalid extends Data.TaggedError("Invalid")<{ readonly why: string }> {
    override get message() {
      return this.why
    }
  }
  const checked = (calls: Array<string>) =>
    Step.make("length", {
      schema: Schema.Finite,
      run: Note.from(message, (text) => {
        calls.push(text)
        return text === "" ? Effect.fail(new Invalid({ why: "the message is empty" })) : Effect.succeed(text.length)
      })
    })

  it.effect("gives its value under its name when all is well, and runs once [C371] [C373] [C374] [C387]", () =>
    Effect.gen(function* () {
      const calls: Array<string> = []
      const step = checked(calls)
      const { done } = yield* run(step)
      assert.deepStrictEqual([step.name, done.get("length"), calls], ["length", 5, ["Hello"]])
    })
  )

  it.effect("fails with its own error, its name and the thought that it was given [C372] [C374]", () =>
    Effect.gen(function* () {
      const calls: Array<string> = []
      const thought = yield* Thought.make("test", { message: "" })
      const error = yield* Effect.flip(Pipeline.run(checked(calls), thought))
      assert.deepStrictEqual([error.cause._tag, error.path], ["Invalid", ["length"]])
      assert.include(error.message, "length failed after 0 ms: Invalid: the message is empty")
      assert.strictEqual(error.thought?.id, thought.id)
      assert.deepStrictEqual(error.thought?.toJSON(), thought.toJSON())
      assert.deepStrictEqual(calls, [""])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("and throws is a defect, whose message is as it was thrown [C375]", () =>
    Effect.gen(function* () {
      const bug = Step.make("bug", {
        run: () => {
          throw new Error("/home/ada: 0x1234")
        }
      })
      assert.include(yield* dies(run(bug)), "/home/ada: 0x1234")
    })
  )

  it.effect("sees the services around it, and cannot fail when its type says so [C388] [C389]", () =>
    Effect.gen(function* () {
      const euro: Step.Keyed<"euro", number, {}, never, Rates> = Step.make("euro", {
        schema: Schema.Finite,
        run: () => Effect.map(Rates, (rates) => rates.euro)
      })
      const values: Array<number> = []
      for (const rate of [1, 2]) {
        const { done } = yield* run(euro).pipe(Effect.provideService(Rates, { euro: rate }))
        values.push(done.get("euro"))
      }
      assert.deepStrictEqual(values, [1, 2])
    })
  )
})

describe("custom steps in a row", () => {
  class Stopped extends Data.TaggedError("Stopped")<{ readonly at: string }> {}
  const stages = (failing: string | undefined) => {
    const stage = <const K extends string>(key: K, f: (text: string) => string) =>
      Step.make(key, {
        schema: Schema.String,
        run: Note.from(message, (text) =>
          key === failing ? Effect.fail(new Stopped({ at: key })) : Effect.succeed(f(text))
        )
      })
    return Pipeline.sequence("user", [
      stage("validate", (text) => text),
      stage("normalise", (text) => text.toLowerCase()),
      stage("upgrade", (text) => `${text} v2`)
    ])
  }

  it.effect("validate, normalise and upgrade [C626]", () =>
    Effect.gen(function* () {
      const { done } = yield* run(stages(undefined))
      assert.deepStrictEqual(
        [done.get("validate"), done.get("normalise"), done.get("upgrade")],
        ["Hello", "hello", "Hello v2"]
      )
    })
  )

  it.effect.each(["validate", "normalise", "upgrade"])("name the stage that failed: %s [C629]", (key) =>
    Effect.gen(function* () {
      const error = yield* failing(stages(key))
      assert.deepStrictEqual(error._tag === "PipelineError" && [error.path, error.cause], [
        ["user", key],
        new Stopped({ at: key })
      ])
    })
  )
})
