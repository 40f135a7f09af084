import { assert, describe, it } from "@effect/vitest"
import { Cause, Data, Deferred, Effect, Exit, Fiber, Layer, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"

class Stop extends Data.TaggedError("Stop")<{}> {}

const message = Note.handle("message", Schema.String)
const label = Note.from(message, (text) => text as "billing" | "technical")
const team = (name: string) => Step.make("team", { schema: Schema.String, run: () => name })
const branches = { billing: team("accounting"), technical: team("engineering") }
const untyped = (text: Step.Runnable<string>) => text as Step.Runnable<"billing" | "technical">

const start = (text: string) => Thought.make("test", { message: text })
const keysOf = (thought: Thought.Thought<any>) => Thought.notes(thought).map(({ key }) => key)

const dies = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(effect), (exit) => {
    assert.isTrue(Exit.isFailure(exit) && exit.cause.reasons.every(({ _tag }) => _tag === "Die"), String(exit))
    return Exit.isFailure(exit) ? Cause.pretty(exit.cause) : ""
  })

describe("switch", () => {
  it.effect("runs the branch with the given label [C446]", () =>
    Effect.gen(function* () {
      const routed = Pipeline.switch("routed", { on: label, branches })
      const billing = yield* Pipeline.run(routed, yield* start("billing"))
      assert.deepStrictEqual(keysOf(billing), ["message", "team"])
      assert.strictEqual(billing.get("team"), "accounting")
      assert.strictEqual(billing.note("team")?.step, "routed/billing/team")
      const technical = yield* Pipeline.run(routed, yield* start("technical"))
      assert.strictEqual(technical.get("team"), "engineering")
      assert.deepStrictEqual((yield* Memory.load(technical.id)).toJSON(), technical.toJSON())
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("sends the requests of the branch taken, and no other", () => {
    const model = Testing.scripted([{ decision: true, confidence: 0.9, reasoning: ["It is."] }])
    const routed = Pipeline.switch("routed", {
      on: label,
      branches: {
        billing: Primitive.decide("refund", { question: "Is a refund due?" }),
        technical: Primitive.decide("outage", { question: "Is this an outage?" })
      }
    })
    return Effect.gen(function* () {
      const done = yield* Pipeline.run(routed, yield* start("technical"))
      assert.isTrue(done.get("outage")?.decision)
      assert.isUndefined(done.get("refund"))
      assert.strictEqual(model.requests.length, 1)
      assert.include(model.requests[0]?.messages.at(-1)?.text, "Is this an outage?")
    }).pipe(Effect.provide(Layer.merge(model.layer, Testing.memory)))
  })

  it.effect('uses the default if no branch has the label, and passes with "pass" [C447]', () =>
    Effect.gen(function* () {
      const on = Note.from(message, (text) => text)
      const other = Pipeline.switch("routed", { on, branches, default: team("first line") })
      const done = yield* Pipeline.run(other, yield* start("sales"))
      assert.deepStrictEqual([done.get("team"), done.note("team")?.step], ["first line", "routed/default/team"])
      assert.strictEqual((yield* Pipeline.run(other, yield* start("billing"))).get("team"), "accounting")
      const passing = Pipeline.switch("routed", { on, branches, default: "pass" })
      assert.deepStrictEqual(keysOf(yield* Pipeline.run(passing, yield* start("sales"))), ["message"])
      assert.strictEqual((yield* Pipeline.run(passing, yield* start("billing"))).get("team"), "accounting")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("a label without a branch or default is a defect that names the step but not the label", () =>
    Effect.gen(function* () {
      for (const text of ["canary", "toString", "__proto__", "constructor", ""]) {
        const routed = Pipeline.switch("routed", { on: untyped(Effect.succeed(text)), branches })
        const told = yield* dies(Pipeline.run(routed, yield* start("Hello")))
        assert.include(told, '"routed" has no branch')
        if (text !== "") assert.notInclude(told, text)
      }
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("matches labels as declared, also those with a special meaning in objects", () =>
    Effect.gen(function* () {
      const routed = Pipeline.switch("routed", {
        on: Note.from(message, (text) => text as "10" | "2" | "__proto__"),
        branches: { "10": team("ten"), "2": team("two"), ["__proto__"]: team("proto") }
      })
      for (const [text, expected] of [
        ["10", "ten"],
        ["2", "two"],
        ["__proto__", "proto"]
      ] as const) {
        const done = yield* Pipeline.run(routed, yield* start(text))
        assert.deepStrictEqual([done.get("team"), done.note("team")?.step], [expected, `routed/${text}/team`])
      }
      const parsed = JSON.parse('{"1": 1, "__proto__": 2}') as Record<string, number>
      const read = Object.fromEntries(Object.entries(parsed).map(([text, n]) => [text, team(String(n))]))
      const dynamic = Pipeline.switch("dynamic", { on: (): string => "__proto__", branches: read, default: "pass" })
      assert.strictEqual((yield* Pipeline.run(dynamic, yield* start("Hello"))).note("team")?.content, "2")
    }).pipe(Effect.provide(Testing.memory))
  )

  const conditions: ReadonlyArray<readonly [string, Step.Runnable<"billing" | "technical">]> = [
    ["a reader", Note.from(message, () => "billing" as const)],
    ["a reader that computes an effect", Note.from(message, () => Effect.succeed("billing" as const))],
    ["a function of the thought", (thought) => (thought.length === 1 ? "billing" : "technical")],
    ["a function that gives an effect", () => Effect.succeed("billing" as const)],
    ["an effect", Effect.succeed("billing" as const)]
  ]
  it.effect.each(conditions)("takes the label from %s", ([, on]) =>
    Effect.gen(function* () {
      const done = yield* Pipeline.run(Pipeline.switch("routed", { on, branches }), yield* start("Hello"))
      assert.strictEqual(done.get("team"), "accounting")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("evaluates its label anew in each run [C449]", () =>
    Effect.gen(function* () {
      let to: "billing" | "technical" = "billing"
      const routed = Pipeline.switch("routed", { on: (): "billing" | "technical" => to, branches })
      assert.strictEqual((yield* Pipeline.run(routed, yield* start("Hello"))).get("team"), "accounting")
      to = "technical"
      assert.strictEqual((yield* Pipeline.run(routed, yield* start("Hello"))).get("team"), "engineering")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect(
    "fails with the path through the label, or with its own name alone if computing the label fails [C450]",
    () =>
      Effect.gen(function* () {
        const stop = Step.make("stop", { run: Effect.fail(new Stop()) })
        const inside = Pipeline.switch("routed", { on: () => "a", branches: { a: stop } })
        const error = yield* Effect.flip(Pipeline.run(inside, yield* start("Hello")))
        assert.deepStrictEqual(error._tag === "PipelineError" && error.path, ["routed", "a", "stop"])
        const asking = Pipeline.switch("asking", { on: Effect.fail(new Stop()), branches, default: "pass" } as never)
        const unknown: unknown = yield* Effect.flip(
          Pipeline.run(asking as unknown as Step.Step<{}, {}, Stop>, yield* start("Hello"))
        )
        assert.deepStrictEqual(unknown instanceof Pipeline.PipelineError && unknown.path, ["asking"])
      }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("a condition that throws is a defect [C451]", () =>
    Effect.gen(function* () {
      const on = (): "billing" | "technical" => {
        throw new Error("a bug")
      }
      const told = yield* dies(Pipeline.run(Pipeline.switch("routed", { on, branches }), yield* start("Hello")))
      assert.include(told, "a bug")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("passes interruption on to its branch", () =>
    Effect.gen(function* () {
      const called = yield* Deferred.make<void>()
      const released = yield* Deferred.make<void>()
      const wait = Deferred.succeed(called, undefined).pipe(
        Effect.andThen(Effect.never),
        Effect.onInterrupt(() => Deferred.succeed(released, undefined))
      )
      const waiting = Pipeline.switch("waiting", { on: () => "a", branches: { a: Step.make("wait", { run: wait }) } })
      const fiber = yield* Effect.forkChild(Pipeline.run(waiting, yield* start("Hello")))
      yield* Deferred.await(called)
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      assert.isTrue(yield* Deferred.isDone(released))
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("signals which way it went, but never an undeclared label [C453]", () =>
    Effect.gen(function* () {
      const signals: Array<Signal.Signal> = []
      const listen = Signal.listen((signal) => void signals.push(signal))
      const on = Note.from(message, (text) => text)
      for (const other of ["pass", team("first line")] as const) {
        const routed = Pipeline.switch("routed", { on, branches, default: other })
        for (const text of ["billing", "canary"]) yield* listen(Pipeline.run(routed, yield* start(text)))
      }
      assert.deepStrictEqual(
        signals.flatMap((signal) => (signal._tag === "Routed" ? [[signal.path, signal.route]] : [])),
        [
          [["routed"], "billing"],
          [["routed"], undefined],
          [["routed"], "billing"],
          [["routed"], "default"]
        ]
      )
      assert.notInclude(JSON.stringify(signals), "canary")
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("routes people by age, counted by their branches [C627]", () =>
    Effect.gen(function* () {
      const counts = { adult: 0, minor: 0 }
      const count = (who: "adult" | "minor") => Step.make("counted", { run: Effect.sync(() => void counts[who]++) })
      const routed = Pipeline.switch("routed", {
        on: Note.from(message, (text) => (Number(text) < 18 ? "minor" : "adult")),
        branches: { adult: count("adult"), minor: count("minor") }
      })
      for (const age of ["17", "18", "40", "3", "99"]) yield* Pipeline.run(routed, yield* start(age))
      assert.deepStrictEqual(counts, { adult: 3, minor: 2 })
    }).pipe(Effect.provide(Testing.memory))
  )

  it("shows all ways in its outline, and what all of them write [C448] [C454]", () => {
    const more = Pipeline.sequence("more", [team("more"), Step.make("size", { schema: Schema.Finite, run: () => 1 })])
    const routed = Pipeline.switch("routed", { on: label, branches: { billing: team("one"), technical: more } })
    const { children, ...rest } = routed.node
    assert.deepStrictEqual(rest, {
      name: "routed",
      kind: "switch",
      reads: ["message"],
      writes: ["team", "size"],
      surely: ["team"],
      layout: { _tag: "Choice", past: undefined }
    })
    assert.deepStrictEqual(
      children.map(({ kind, name }) => [name, kind]),
      [
        ["billing", "route"],
        ["technical", "route"]
      ]
    )
    assert.deepStrictEqual(children[1]?.children, [more.node])
    const passing = Pipeline.switch("routed", { on: (): string => "x", branches, default: "pass" })
    assert.deepStrictEqual([passing.node.surely, passing.node.settings], [[], { default: "pass" }])
    const other = Pipeline.switch("routed", { on: (): string => "x", branches, default: more })
    assert.deepStrictEqual(
      [other.node.surely, other.node.children.map(({ name }) => name)],
      [["team"], ["billing", "technical", "default"]]
    )
  })

  it("refuses what cannot be taken, by name", () => {
    const on = (): string => "x"
    const refused: ReadonlyArray<readonly [() => unknown, RegExp]> = [
      [() => Pipeline.switch("routed", { on, branches: {}, default: "pass" }), /"routed" needs at least one branch/],
      [
        () => Pipeline.switch("routed", { on, branches: { a: team("y"), " ": team("x") }, default: "pass" }),
        /"routed" has a branch without a label/
      ],
      [
        () => Pipeline.switch("routed", { on, branches: { default: team("x") }, default: team("y") }),
        /"routed" has a branch labelled "default"/
      ],
      [() => Pipeline.switch("routed", { on: "x" as never, branches: {} }), /"routed".*`on`/]
    ]
    for (const [build, why] of refused) assert.throws(build, why)
    Pipeline.switch("routed", { on, branches: { default: team("x") }, default: "pass" })
  })
})
