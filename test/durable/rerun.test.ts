import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Option, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Memory, Note, Pipeline, Primitive, Step, Synapse, Thought } from "cogito"
import { Testing } from "cogito/testing"
import { calls, guide, on } from "../agent/kit.ts"
import { type Going, machine, resumeOf, runOf } from "./machine.ts"
import { at } from "./process.ts"
import { again, asks, does } from "./scenarios/parts.ts"
import { stored } from "./seen.ts"

const message = Note.handle("message", Schema.String)
/** A question that shows only the message, as no conversation. */
const asksOf = (key: string, words = "What of") =>
  Step.make(key, {
    schema: Schema.Boolean,
    run: Note.from(message, (text) =>
      Effect.map(Synapse.binary({ question: `${words} ${key}?` })(text), (answer) => answer.decision)
    )
  })
/** Only the beginning of the message, so that a change of its end goes no further. */
const first = Step.make("word", { schema: Schema.String, run: Note.from(message, (text) => text.slice(0, 5)) })
const word = Note.handle("word", Schema.String)
const ofWord = Step.make("better", {
  schema: Schema.Boolean,
  run: Note.from(word, (text) =>
    Effect.map(Synapse.binary({ question: "Is it a word?" })(text), (answer) => answer.decision)
  )
})

const all = (...steps: ReadonlyArray<Step.Any>): Step.Any => Pipeline.sequence("all", steps)
const kept = { keep: "answers" } as const
const rerun = (step: Step.Any, options: NonNullable<Parameters<typeof Pipeline.rerun>[2]> = {}) =>
  Pipeline.rerun(step, "run", options) as Effect.Effect<Pipeline.Rerun<any>, any, Memory.Memory>

const same = (notes: Pipeline.Rerun<unknown>["notes"]) => notes.map(({ isSame, key }) => [key, isSame])

describe("a rerun", () => {
  it.effect("without a change takes every answer, and leaves the first run as it is", () =>
    Effect.gen(function* () {
      const { store, within, world } = yield* machine
      const step = all(
        asks("a"),
        Pipeline.concurrent("two", { b: asks("b"), c: asks("c", "(fails)") }, { minSuccesses: 1 }),
        asks("d")
      )
      yield* within()(runOf(step, kept))
      const before = yield* stored(store)
      const asked = world.requests.length
      const made = yield* within()(rerun(step, { id: "again" }))
      assert.strictEqual(world.requests.length, asked)
      assert.deepInclude(made, { runId: "again", reused: asked, made: 0, usage: {}, usd: 0 })
      assert.deepStrictEqual(same(made.notes), [
        ["a", true],
        ["b", true],
        ["d", true]
      ])
      const after = yield* stored(store)
      const ofRun = (all: typeof after) => ({
        thoughts: all.thoughts.filter(({ id }) => before.thoughts.some((one) => one.id === id)),
        runs: all.runs.filter(({ id }) => id === "run"),
        ledger: all.ledger.filter((line) => line.startsWith("run "))
      })
      assert.deepStrictEqual(ofRun(after), ofRun(before))
      assert.deepStrictEqual(after.runs.find(({ id }) => id === "again")?.parent, { runId: "run", frame: "" })
      assert.strictEqual(made.thought.parent?.id, before.thoughts[0]?.id)
      // and can be repeated itself
      const third = yield* within()(Pipeline.rerun(step, "again"))
      assert.deepInclude(third, { reused: asked, made: 0 })
    })
  )

  it.effect("with another note asks what the note reaches, and no more", () =>
    Effect.gen(function* () {
      const { within, world } = yield* machine
      const step = all(asksOf("all of it"), first, ofWord)
      yield* within()(runOf(step, kept, Thought.make("work", { message: "Hello, world" }) as Going))
      assert.strictEqual(world.requests.length, 2)
      const made = yield* within()(rerun(step, { notes: { message: "Hello, moon" } }))
      assert.deepInclude(made, { made: 1, reused: 0 })
      assert.deepStrictEqual(made.usage, { inputTokens: 10, outputTokens: 5 })
      assert.strictEqual(made.thought.get("message"), "Hello, moon")
      assert.deepStrictEqual(same(made.notes).slice(1), [
        ["word", true],
        ["better", true]
      ])
      assert.strictEqual(world.requests.length, 3)
      assert.include(world.requests.at(-1), "moon")
    })
  )

  it.effect("compares each of the notes that a step writes under one key", () =>
    Effect.gen(function* () {
      const model = Testing.scripted(({ messages }) => {
        const round = messages.filter(({ role }) => role === "tool").length
        const city = messages.some(({ text }) => text.includes("Rome")) ? "Rome" : "Porto"
        return [calls(["weather", city]), calls(["weather", "Ulm"])][round] ?? "Ulm is the coldest."
      })
      const compared = Effect.gen(function* () {
        const thought = yield* Thought.make("trip", { message: "Is Porto colder than Ulm?" })
        yield* Pipeline.run(guide, thought, { durable: { id: "run", ...kept } })
        return (yield* Pipeline.rerun(guide, "run", { notes: { message: "Is Rome colder than Ulm?" } })).notes
      })
      assert.deepStrictEqual(
        (yield* on(model)(compared)).map(({ after, before, isSame, key }) => [key, before, after, isSame]),
        [
          ["guide.weather", '{"city":"Porto"}', '{"city":"Rome"}', false],
          ["guide.weather", '{"celsius":5}', '{"celsius":4}', false],
          ["guide.weather", '{"city":"Ulm"}', '{"city":"Ulm"}', true],
          ["guide.weather", '{"celsius":3}', '{"celsius":3}', true],
          ["answer", "Ulm is the coldest.", "Ulm is the coldest.", true]
        ]
      )
    })
  )

  it.effect("compares what only one of the two runs has written, and nothing from before them", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const writes = (key: string) => Step.make(key, { schema: Schema.String, run: () => `by ${key}` })
      const way = Pipeline.switch("way", {
        on: Note.from(message, (text) => (text === "Hello" ? "old" : "new")),
        branches: { old: writes("x"), new: writes("y") }
      })
      yield* within()(
        runOf(
          all(way, writes("z")),
          kept,
          Effect.flatMap(Thought.make("work", { message: "Hello" }), (thought) => Pipeline.run(first, thought)) as Going
        )
      )
      const made = yield* within()(rerun(all(way, writes("z")), { notes: { message: "Bye" } }))
      assert.deepStrictEqual(made.notes, [
        { step: "all/way/new/y", key: "y", before: undefined, after: "by y", isSame: false },
        { step: "all/z", key: "z", before: "by z", after: "by z", isSame: true },
        { step: "all/way/old/x", key: "x", before: "by x", after: undefined, isSame: false }
      ])
    })
  )

  it.effect("can begin to ask at a step that a generator has started", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const started = function* () {
        yield* Pipeline.ask(asks("b"))
      }
      const step = all(asks("a"), Pipeline.gen("generated", started))
      yield* within()(runOf(step, kept))
      const made = yield* within()(rerun(step, { from: "b" }))
      assert.deepInclude(made, { reused: 1, made: 1 })
    })
  )

  it.effect("can be resumed with the answers that it took", () =>
    Effect.gen(function* () {
      const { within, world } = yield* machine
      let fails = false
      const last = Step.make("last", {
        schema: Schema.Finite,
        run: Effect.suspend(() => (fails ? Effect.fail("no") : Effect.succeed(1)))
      })
      const step = all(asks("a"), last)
      yield* within()(runOf(step, kept))
      fails = true
      yield* within()(Effect.flip(rerun(step, { id: "again", from: "last" })))
      fails = false
      const done = yield* within()(Pipeline.resume(step, "again") as Going)
      assert.strictEqual(done.get("last"), 1)
      assert.strictEqual(world.requests.length, 1)
    })
  )

  it.effect("trusts other texts as those before them, and new notes not at all", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const step = all(asksOf("all of it"))
      const message = { content: "Hello", trust: "trusted" } as const
      const mail = { content: "Hi", source: "mail", trust: "untrusted" } as const
      yield* within()(runOf(step, kept, Thought.make("work", { message, mail }) as Going))
      const made = yield* within()(rerun(step, { notes: { message: "Hello, moon", mail: "Bye", other: "New" } }))
      assert.deepStrictEqual(
        ["message", "mail", "other"].map((key) => {
          const { content, source, trust } = made.thought.note(key) ?? assert.fail(key)
          return [content, source, trust]
        }),
        [
          ["Hello, moon", "user", "trusted"],
          ["Bye", "mail", "untrusted"],
          ["New", "", "untrusted"]
        ]
      )
    })
  )

  it.effect("with another question, step or place asks only that", () =>
    Effect.gen(function* () {
      const { within, world } = yield* machine
      const step = all(asks("a"), asks("b"), asks("c"))
      yield* within()(runOf(step, kept))
      // what comes after a change shows it, as it is in the conversation
      const changes: ReadonlyArray<readonly [Step.Any, number, ReadonlyArray<string>]> = [
        [all(asks("a"), asks("b", "(no)"), asks("c")), 2, ["a", "c"]],
        [all(asks("a"), asks("b"), asks("new"), asks("c")), 2, ["a", "b", "c"]],
        [all(asks("a"), asks("b"), asks("c"), asks("new")), 1, ["a", "b", "c"]],
        [all(Step.retry(Pipeline.sequence("in", [asks("a"), asks("b")])), asks("c")), 0, ["c"]]
      ]
      for (const [changed, asked, notes] of changes) {
        const before = world.requests.length
        const made = yield* within()(rerun(changed))
        assert.strictEqual(made.made, asked)
        assert.strictEqual(world.requests.length, before + asked)
        const alike = made.notes.flatMap(({ isSame, key }) => (isSame ? [key] : []))
        assert.deepStrictEqual(alike, notes)
      }
    })
  )

  it.effect.each([["b"], ["all/b"], ["/all/b"]])("from %s asks that and everything after it again", ([from]) =>
    Effect.gen(function* () {
      const { within, world } = yield* machine
      const step = all(asks("a"), asks("b"), asks("c"))
      yield* within()(runOf(step, kept))
      const made = yield* within()(rerun(step, { from: from! }))
      assert.deepInclude(made, { reused: 1, made: 2 })
      assert.deepStrictEqual(made.usage, { inputTokens: 20, outputTokens: 10 })
      assert.strictEqual(world.requests.length, 5)
    })
  )

  it.effect.each(["v1@home/b", "a~b/c^d", `${"long".repeat(80)}/b`, "b/in b"])(
    "from the path of a step runs that step again, whatever characters the names contain: %#",
    (path) =>
      Effect.gen(function* () {
        const { within, world } = yield* machine
        const inner = path.slice(path.indexOf("/") + 1)
        const step = Pipeline.sequence(path.slice(0, path.indexOf("/")), [
          asks("a"),
          asks("b").pipe(Step.named(inner)),
          asks("c")
        ])
        yield* within()(runOf(step, kept))
        for (const from of [path, inner]) {
          assert.deepInclude(yield* within()(rerun(step, { from })), { reused: 1, made: 2 })
        }
        assert.strictEqual(world.requests.length, 7)
      })
  )

  it.effect("takes answers of people to questions before a step, and asks those after it again", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const question = (key: string) => Pipeline.waitFor(key, { schema: Schema.Finite, prompt: "How many?" })
      const step = all(question("before"), asks("b"), question("after"))
      yield* within()(
        Effect.gen(function* () {
          for (const key of ["before", "after"]) {
            yield* Effect.exit(key === "before" ? runOf(step, kept) : resumeOf(step))
            yield* Pipeline.answer("run", key, 3)
          }
          yield* resumeOf(step)
          const error = yield* Effect.flip(rerun(step, { from: "b", id: "again" }))
          assert.instanceOf(error, Pipeline.Suspended)
          assert.deepStrictEqual(
            (yield* Pipeline.waiting()).map(({ key, runId }) => [runId, key]),
            [["again", "after"]]
          )
        })
      )
    })
  )

  it.effect.each([[""], ["c"], ["all/c"], ["all//b"], ["b@2"]] as const)(
    "from %j, which is no step, is refused",
    ([from]) =>
      Effect.sync(() => {
        const step = all(asks("a"), asks("b"))
        assert.throws(() => rerun(step, { from }), `has no step ${JSON.stringify(from)}`)
      })
  )

  const inner = asks("inner")
  const loop = (options?: { readonly steps: ReadonlyArray<Step.Any> }) =>
    all(
      asks("a"),
      Pipeline.gen(
        "loop",
        function* () {
          for (let round = 1; round <= 3; round++) yield* Pipeline.ask(inner)
        },
        options
      )
    )

  it.effect.each([[""], ["aa"], ["Inner"], ["loop/inner"], ["inner@2"], ["inner#9"], ["all/loop/inner@2"]])(
    "from %j, which is neither a step nor a frame of a run with a generator, is refused",
    ([from]) =>
      Effect.gen(function* () {
        for (const step of [loop(), loop({ steps: [inner] })]) {
          const { store, within } = yield* machine
          yield* within()(runOf(step, kept))
          const exit = yield* within()(Effect.exit(rerun(step, { from: from! })))
          assert.match(
            String(Exit.isFailure(exit) && Cause.squash(exit.cause)),
            new RegExp(
              `has no step ${JSON.stringify(from)} for \`from\`: it has "all", "a", "loop", "inner", "inner#2", "inner#3"`
            )
          )
          assert.deepStrictEqual(
            (yield* stored(store)).runs.map(({ id }) => id),
            ["run"]
          )
        }
      })
  )

  it.effect.each([
    ["inner", 3],
    ["all/loop/inner", 3],
    ["inner#2", 2],
    ["/all/loop/inner#2", 2],
    ["all/loop/inner#3/inner", 1]
  ] as const)("from %s, which a generator has come to, asks that and everything after it again", ([from, made]) =>
    Effect.gen(function* () {
      const { within } = yield* machine
      yield* within()(runOf(loop(), kept))
      assert.deepInclude(yield* within()(rerun(loop(), { from })), { reused: 4 - made, made })
    })
  )

  it("of another note needs a key and a text, as a new thought does", () => {
    const again = (notes: object) => () => rerun(all(asks("a")), { notes: notes as {} })
    assert.throws(again({ message: 5 }), 'The note "message" needs a string as its content')
    assert.throws(again({ "": "Hello" }), "A note's key must have 1 to 200 characters")
  })

  it.effect("from a step that the changed pipeline has no more is refused", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      yield* within()(runOf(Pipeline.sequence("all", [asks("old"), loop()]), kept))
      const exit = yield* within()(Effect.exit(rerun(Pipeline.sequence("all", [asks("new"), loop()]), { from: "old" })))
      assert.match(String(Exit.isFailure(exit) && Cause.squash(exit.cause)), /has no step "old" for `from`/)
    })
  )

  it.effect.each([["/"], ["//"], ["/b"], ["/b@2"], ["b/"]])(
    "from %j, a name with slashes, runs that step again",
    ([name]) =>
      Effect.gen(function* () {
        const { store, within } = yield* machine
        const step = all(asks("a"), asks("b").pipe(Step.named(name!)), asks("c"))
        yield* within()(runOf(step, kept))
        const known = yield* store.ledger.load("local", "run")
        const { frame } = known!.steps.find(({ frame }) => frame.endsWith("/b"))!
        for (const from of [name!, `all/${name}`, frame, frame.slice(0, frame.lastIndexOf("/"))]) {
          assert.deepInclude(yield* within()(rerun(step, { from })), { reused: 1, made: 2 }, from)
        }
      })
  )

  it.effect("from the frame of the second attempt of a step asks what comes before it from the run", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const step = all(asks("a"), Step.retry(asks("b", "(fails first)")), asks("c"))
      yield* within()(runOf(step, kept))
      const before = yield* within()(Pipeline.logs("run", { mode: "performance" }))
      assert.isTrue(before.some((line) => line.startsWith("/all/retry(b)/b@2: ")))
      for (const from of ["/all/retry(b)/b@2", "all/retry(b)/b@2"]) {
        assert.strictEqual((yield* within()(rerun(step, { from }))).reused, 2, from)
      }
      const exit = yield* within()(Effect.exit(rerun(step, { from: "/all/retry(b)/b@3" })))
      assert.match(String(Exit.isFailure(exit) && Cause.squash(exit.cause)), /has no step "\/all\/retry\(b\)\/b@3"/)
    })
  )

  it.effect("repeats an effect only where its notes have changed, and none after a commit", () =>
    Effect.gen(function* () {
      const { process, within, world } = yield* machine
      const own = process()
      const inside = { process: own, world, name: "it" }
      const other = Note.handle("other", Schema.String)
      const step = all(
        Step.make("sees", {
          schema: Schema.Finite,
          run: (thought: Thought.Thought<any>) => Effect.as(world.effect(own, "sees"), thought.length)
        }),
        Step.make("reads it", { run: Note.from(message, () => world.effect(own, "reads it")) }),
        Step.make("reads another", { run: Note.from(other, () => world.effect(own, "reads another")) }),
        does(inside, "stays"),
        Step.once("mail", () => world.effect(own, "mail")),
        Pipeline.scaffold("later", { step: does(inside, "behind") }),
        Pipeline.tap("look", again(inside)),
        Pipeline.waitFor("amount", { schema: Schema.Finite, prompt: "How much?" })
      )
      const from = Thought.make("work", { message: "Hello", other: "same" }) as Going
      yield* Effect.flip(within()(runOf(step, kept, from)))
      yield* within()(Pipeline.answer("run", "amount", 12))
      yield* within()(resumeOf(step))
      const looks = world.effects.get("again it") ?? 0
      assert.deepStrictEqual(
        ["make stays", "mail", "make behind", "sees"].map((key) => world.effects.get(key)),
        [1, 1, 1, 1]
      )
      const made = yield* within()(rerun(step, { notes: { message: "Goodbye" } }))
      assert.strictEqual(made.thought.get("amount"), 12)
      assert.deepStrictEqual(
        ["mail", "make behind", "sees", "again it", "reads it", "reads another"].map((key) => world.effects.get(key)),
        [1, 1, 2, looks + 1, 2, 1]
      )
      yield* within()(rerun(step))
      assert.deepStrictEqual(
        ["make stays", "mail", "make behind", "sees", "reads it", "reads another"].map((key) => world.effects.get(key)),
        [2, 1, 1, 2, 2, 1]
      )
      assert.strictEqual((yield* within()(Pipeline.runs())).length, 4)
    })
  )

  it.effect("that its process has not finished is finished as a rerun", () =>
    Effect.gen(function* () {
      const { crashing, process, within, world } = yield* machine
      const own = process()
      const step = all(
        asks("a"),
        asks("b"),
        Step.once("mail", () => world.effect(own, "mail")),
        Pipeline.scaffold("later", { step: asks("behind") }),
        asks("c")
      )
      yield* within()(runOf(step, kept))
      const asked = world.requests.length
      assert.strictEqual(asked, 4)
      yield* crashing(at("after", "commit", 2))(rerun(step, { id: "again", notes: { more: "More" } }))
      const resumed = yield* within()(Pipeline.resumeAll([step]))
      assert.deepStrictEqual(
        resumed.map(({ exit, runId }) => [runId, Exit.isSuccess(exit)]),
        [["again", true]]
      )
      assert.strictEqual(world.effects.get("mail"), 1)
      // each question was asked once more, as there is a note more
      assert.strictEqual(world.requests.length, asked + 3)
      assert.isTrue(world.requests.slice(asked).every((request) => request.includes("More")))
      assert.strictEqual((yield* within()(Pipeline.runs())).length, 3)
    })
  )

  it.effect("takes the answers to equal questions in turn, also when it goes on, and the last one from then on", () =>
    Effect.gen(function* () {
      const yes = { decision: true, confidence: 0.9, reasoning: ["so"] }
      const model = Testing.scripted([yes, { ...yes, decision: false }])
      const alike = (key: string) => Primitive.decide(key, { question: "Is it so?", via: "text" })
      const wait = Pipeline.waitFor("wait", { schema: Schema.Finite, prompt: "How many?" })
      const inTurn = (...steps: ReadonlyArray<Step.Any>): Step.Any =>
        Pipeline.concurrent("turns", steps as never, { concurrency: 1 })
      const values = (thought: Thought.Thought<any>) => ["x", "y", "z"].map((key) => thought.get(key)?.decision)
      const found = yield* on(model)(
        Effect.gen(function* () {
          const thought = yield* Thought.make("work", { message: "Hello" })
          const first = yield* Pipeline.run(inTurn(alike("x"), alike("y")) as Step.Step<{}, {}>, thought, {
            durable: { id: "run", ...kept }
          })
          const longer = inTurn(alike("x"), wait, alike("y"), alike("z"))
          const suspended = yield* Effect.flip(rerun(longer, { id: "again" }))
          assert.instanceOf(suspended, Pipeline.Suspended)
          yield* Pipeline.answer("again", "wait", 1)
          const resumed = yield* Pipeline.resume(longer, "again") as Going
          const { made, reused, thought: whole } = yield* rerun(inTurn(alike("x"), alike("y"), alike("z")))
          return [values(first), values(resumed), values(whole), made, reused]
        })
      )
      assert.deepStrictEqual(found, [[true, false, undefined], [true, false, false], [true, false, false], 0, 3])
      assert.strictEqual(model.requests.length, 2)
    })
  )

  it.effect("that goes on takes the answers that it has not taken before", () =>
    Effect.gen(function* () {
      const yes = { decision: true, confidence: 0.9, reasoning: ["so"] }
      const model = Testing.scripted([yes, { ...yes, decision: false }])
      const alike = (key: string) =>
        Step.make(key, {
          schema: Schema.Boolean,
          run: Note.from(message, (text) =>
            Effect.map(Synapse.binary({ question: "Is it so?" })(text), (answer) => answer.decision)
          )
        })
      const wait = Pipeline.waitFor("wait", { schema: Schema.Finite, prompt: "How many?" })
      const done = yield* on(model)(
        Effect.gen(function* () {
          yield* runOf(all(alike("first"), alike("second")), kept)
          const longer = all(alike("x"), wait, alike("y"))
          yield* Effect.flip(rerun(longer, { id: "again" }))
          yield* Pipeline.answer("again", "wait", 1)
          return yield* Pipeline.resume(longer, "again") as Going
        })
      )
      assert.deepStrictEqual([done.get("x"), done.get("y")], [true, false])
      assert.strictEqual(model.requests.length, 2)
    })
  )

  it.effect("that its process did not finish has the log lines of its fork", () =>
    Effect.gen(function* () {
      const { crashing, within } = yield* machine
      yield* within()(runOf(all(asks("a"), asks("b")), kept))
      yield* crashing(at("before", "call", 2))(rerun(all(asks("a"), asks("new"), asks("c")), { id: "again" }))
      const lines = yield* within()(Pipeline.logs("again"))
      assert.deepStrictEqual(
        lines.map((line) => line.slice(0, line.indexOf(":"))),
        ["message", "a", "new"]
      )
    })
  )

  it.effect("that its process has not finished asks again what comes after a step that it has done", () =>
    Effect.gen(function* () {
      const { crashing, within, world } = yield* machine
      const step = all(asks("a"), Pipeline.sequence("in", [asks("b"), asks("c")]), asks("d"), asks("e"))
      yield* within()(runOf(step, kept))
      assert.strictEqual(world.requests.length, 5)
      yield* crashing(at("before", "call", 3))(rerun(step, { id: "again", from: "all/in/b" }))
      yield* within()(Pipeline.resume(step, "again") as Going)
      assert.deepStrictEqual(
        world.requests.slice(5).map((request) => /Is it (\w)\? [^?]*$/.exec(request)?.[1]),
        ["b", "c", "d", "e"]
      )
    })
  )

  it.effect("finds what the first run has found, and searches where it looks for something else", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const step = all(Primitive.seek("found", { query: Note.from(message, (text) => text) }))
      const storing = (fact: string) => Effect.flatMap(Thought.make("earlier", { fact }), Memory.commit)
      const contents = ({ thought }: { readonly thought: Thought.Thought<any> }) =>
        (thought.get("found") as Primitive.Findings).matches.map(({ content }) => content)
      yield* within()(
        Effect.gen(function* () {
          yield* storing("Hello Porto")
          const thought = yield* runOf(step, kept)
          assert.deepStrictEqual(contents({ thought }), ["Hello Porto"])
          yield* storing("Hello Ulm")
          assert.deepStrictEqual(contents(yield* rerun(step)), ["Hello Porto"])
          assert.deepStrictEqual(contents(yield* rerun(step, { notes: { message: "Ulm" } })), ["Hello Ulm"])
        })
      )
    })
  )

  it.effect("loads the thought that it is given now, as the first run has loaded it", () =>
    Effect.gen(function* () {
      const { within, world } = yield* machine
      const step = all(
        Primitive.recall("told", { thought: Note.from(message, (text) => text), prompt: "What was it?" })
      )
      const storing = (fact: string) => Effect.flatMap(Thought.make("earlier", { fact }), Memory.commit)
      const factIn = (request: string) => /It was (\w+)/.exec(request)?.[1]
      yield* within()(
        Effect.gen(function* () {
          const [porto, ulm] = [yield* storing("It was Porto"), yield* storing("It was Ulm")]
          yield* runOf(step, kept, Thought.make("work", { message: porto.id }))
          assert.deepInclude(yield* rerun(step), { reused: 1, made: 0 })
          yield* rerun(step, { notes: { message: ulm.id } })
        })
      )
      assert.deepStrictEqual(world.requests.map(factIn), ["Porto", "Ulm"])
    })
  )

  it.effect("asks a person anew whose question is another one now", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const step = all(
        Pipeline.waitFor("amount", {
          schema: Schema.Finite,
          prompt: Note.from(message, (text) => `How much for ${text}?`)
        })
      )
      yield* within()(
        Effect.gen(function* () {
          yield* Effect.flip(runOf(step, kept))
          yield* Pipeline.answer("run", "amount", 12)
          yield* resumeOf(step)
          assert.strictEqual((yield* rerun(step)).thought.get("amount"), 12)
          const error = yield* Effect.flip(rerun(step, { id: "again", notes: { message: "Bob" } }))
          assert.instanceOf(error, Pipeline.Suspended)
          assert.deepStrictEqual(
            (yield* Pipeline.waiting()).map(({ prompt, runId }) => [runId, prompt]),
            [["again", "How much for Bob?"]]
          )
        })
      )
    })
  )

  it.effect("that its process has not finished takes the answers of the first run", () =>
    Effect.gen(function* () {
      const { crashing, within, world } = yield* machine
      const step = all(asks("a"), asks("b"), asks("c"), asks("d"))
      yield* within()(runOf(step, kept))
      yield* crashing(at("after", "commit", 2))(rerun(step, { id: "again", from: "d" }))
      yield* within()(Pipeline.resume(step, "again") as Going)
      assert.strictEqual(world.requests.length, 5)
    })
  )

  it.effect("refuses another text of a note that a step writes, also in a generator", () =>
    Effect.gen(function* () {
      const asking = Pipeline.gen("gen", function* () {
        yield* Pipeline.ask(asks("a"))
      })
      for (const step of [all(asks("a")), all(asking)]) {
        const { within } = yield* machine
        yield* within()(runOf(step, kept))
        const exit = yield* within()(Effect.exit(rerun(step, { notes: { a: "no" } })))
        assert.include(
          String(exit),
          'The run "run" did not begin with a note "a": a step writes it. Change a note that this step reads, or the step.'
        )
      }
    })
  )

  it.effect("refuses the key of a note that is probably a typo", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      yield* within()(runOf(all(asks("a")), kept))
      const exit = yield* within()(Effect.exit(rerun(all(asks("a")), { notes: { messge: "Hi" } })))
      assert.match(String(exit), /The run "run" did not begin with a note "messge"\. Did you mean "message"\?/)
    })
  )

  it.effect("of a rerun takes the answers of people to the first run", () =>
    Effect.gen(function* () {
      const { within } = yield* machine
      const amount = Pipeline.waitFor("amount", { schema: Schema.Finite, prompt: "How many?" })
      const late = Pipeline.waitFor("late", { schema: Schema.Finite, prompt: "And?", timeout: "1 hour", otherwise: 7 })
      const step = all(asks("a"), amount, late)
      yield* within()(
        Effect.gen(function* () {
          yield* Effect.flip(runOf(step, kept))
          yield* Pipeline.answer("run", "amount", 3, { by: "jane" })
          yield* Effect.flip(resumeOf(step))
          yield* TestClock.adjust("2 hours")
          yield* resumeOf(step)
          for (const [of, id] of [
            ["run", "one"],
            ["one", "two"],
            ["two", "three"]
          ] as const) {
            const { made, thought } = yield* Pipeline.rerun(step, of, { id })
            assert.deepStrictEqual([made, thought.get("amount"), thought.get("late")], [0, 3, 7])
            assert.strictEqual(thought.note("amount")?.metadata["answered_by"], "jane")
          }
          assert.deepStrictEqual(yield* Pipeline.waiting(), [])
        })
      )
    })
  )

  it.effect("needs answers that were kept", () =>
    Effect.gen(function* () {
      const { store, within, world } = yield* machine
      const step = all(asks("a"))
      yield* within()(runOf(step))
      const error = yield* Effect.flip(within()(rerun(step)))
      assert.deepInclude(error, { _tag: "AnswersNotKept", runId: "run" })
      assert.include(error.message, 'keep: "answers"')
      const none = yield* Effect.flip(within()(Pipeline.rerun(step, "no such run") as Effect.Effect<unknown, any, any>))
      assert.deepStrictEqual([none._tag, none.cause.reason._tag], ["PipelineError", "NotFound"])
      assert.strictEqual(world.requests.length, 1)
      assert.strictEqual((yield* stored(store)).runs.length, 1)
    })
  )

  it.effect("of a run that has failed, or that nobody has finished, goes on to the end", () =>
    Effect.gen(function* () {
      const { crashing, within, world } = yield* machine
      const step = all(asks("a"), asks("b"), asks("c"))
      yield* crashing(at("before", "commit", 3))(runOf(step, kept))
      const made = yield* within()(rerun(step))
      assert.deepInclude(made, { reused: 1, made: 2 })
      assert.deepStrictEqual(
        made.notes.map(({ before, key }) => [key, before === undefined]),
        [
          ["a", false],
          ["b", true],
          ["c", true]
        ]
      )
      // the second answer was not recorded when the process ended
      assert.strictEqual(world.requests.length, 4)
    })
  )

  it.effect.each([
    ["had a defect", (paid: Effect.Effect<number>) => Effect.andThen(paid, Effect.die(new Error("a bug")))],
    ["was too late", (paid: Effect.Effect<number>) => Effect.andThen(paid, Effect.never)],
    ["gave a value outside its schema", (paid: Effect.Effect<number>) => Effect.map(paid, (times) => -times)]
  ] as const)("carries out an effect again that %s, unless the run forbids it", ([, ending]) =>
    Effect.gen(function* () {
      for (const onInterrupted of ["rerun", "fail"] as const) {
        const { store, within, world } = yield* machine
        let paid = 0
        const pay = Step.make("pay", {
          schema: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)),
          run: ending(Effect.sync(() => ++paid))
        })
        const step = all(asks("a"), Step.timeout(pay, "1 second"), asks("b"))
        const passing = <A, B, R>(effect: Effect.Effect<A, B, R>) =>
          Effect.gen(function* () {
            const fiber = yield* Effect.forkChild(effect)
            yield* TestClock.adjust("2 seconds")
            return yield* Fiber.await(fiber)
          })
        yield* within()(passing(runOf(step, { ...kept, onInterrupted })))
        assert.strictEqual(paid, 1)
        const unchanged = yield* within()(passing(rerun(step, { id: "again" })))
        assert.strictEqual((yield* store.ledger.load("local", "again"))?.run.onInterrupted, onInterrupted)
        assert.strictEqual(paid, onInterrupted === "fail" ? 1 : 2)
        if (onInterrupted === "rerun") continue
        const error = Exit.findErrorOption(unchanged)
        assert.deepInclude(Option.getOrThrow(error), {
          _tag: "OutcomeUnknown",
          runId: "again",
          frame: "/all/timeout(pay)/pay"
        })
        // nor does a rerun of the rerun carry it out
        const third = yield* within()(passing(Pipeline.rerun(step, "again") as Effect.Effect<unknown, any, any>))
        assert.strictEqual(Option.getOrThrow(Exit.findErrorOption(third))._tag, "OutcomeUnknown")
        yield* within()(passing(rerun(step, { from: "pay" })))
        assert.strictEqual(paid, 2)
        yield* within()(passing(Pipeline.resume(step, "again", { onInterrupted: "rerun" }) as Going))
        assert.strictEqual(paid, 3)
        assert.strictEqual(world.requests.length, 1)
      }
    })
  )

  it.effect("under the id of another run fails, and touches neither", () =>
    Effect.gen(function* () {
      const { store, within } = yield* machine
      const step = all(asks("a"))
      yield* within()(runOf(step, kept))
      const before = yield* stored(store)
      const error = yield* Effect.flip(within()(rerun(step, { id: "run" })))
      assert.strictEqual(error._tag, "PipelineError", String(error))
      assert.deepStrictEqual(yield* stored(store), before)
    })
  )
})
