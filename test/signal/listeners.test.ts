import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Schema } from "effect"
import { Pipeline, Signal, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"

const step = Pipeline.sequence("all", [Step.make("one", { schema: Schema.Finite, run: () => 1 })])
const run = Effect.flatMap(Thought.make("count"), (thought) => Pipeline.run(step, thought))
const tags: ReadonlyArray<Signal.Tag> = [
  "ThoughtCreated",
  "StepStarted",
  "StepStarted",
  "NoteAdded",
  "NoteStored",
  "StepCompleted",
  "StepCompleted"
]

/** A program with what it logs. */
const logged = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const logs: Array<string> = []
    const logger = Logger.make(({ cause, logLevel, message }) => {
      const reason = cause.reasons[0]
      logs.push(`${logLevel} ${String(message)} ${reason?._tag === "Die" ? String(reason.defect) : ""}`)
    })
    const value = yield* Effect.provide(program, Logger.layer([logger]))
    // what a rejected promise leads to
    yield* Effect.promise(() => new Promise(setImmediate))
    return { value, logs }
  })

describe("listeners of one tag", () => {
  it.effect("hear the signals with their tag, with its fields", () =>
    Effect.gen(function* () {
      const ends: Array<readonly [string, number]> = []
      const started: Array<string> = []
      yield* run.pipe(
        Signal.on("StepCompleted", ({ notes, path }) => ends.push([path.join("/"), notes])),
        Signal.on("StepStarted", ({ kind }) => started.push(kind))
      )
      assert.deepStrictEqual(ends, [
        ["all/one", 1],
        ["all", 1]
      ])
      assert.deepStrictEqual(started, ["sequence", "step"])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("do not take their signals from those who listen to all around them", () =>
    Effect.gen(function* () {
      const one: Array<string> = []
      const all: Array<Signal.Tag> = []
      yield* run.pipe(
        Signal.on("StepStarted", ({ _tag }) => one.push(_tag)),
        Signal.listen(({ _tag }) => all.push(_tag))
      )
      assert.deepStrictEqual(one, ["StepStarted", "StepStarted"])
      assert.deepStrictEqual(all, tags)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("are called in the order in which they stand, with those of all signals", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      yield* run.pipe(
        Signal.on("NoteAdded", () => order.push("innermost")),
        Signal.listen(({ _tag }) => order.push(`inner ${_tag}`)),
        Signal.on("NoteAdded", () => order.push("between")),
        Signal.on("StepFailed", () => order.push("never")),
        Signal.listen(({ _tag }) => order.push(`outer ${_tag}`)),
        Signal.on("NoteAdded", () => order.push("outermost"))
      )
      assert.deepStrictEqual(
        order,
        tags.flatMap((tag) =>
          tag === "NoteAdded"
            ? ["outermost", "outer NoteAdded", "between", "inner NoteAdded", "innermost"]
            : [`outer ${tag}`, `inner ${tag}`]
        )
      )
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("of a layer come by tag too", () =>
    Effect.gen(function* () {
      const order: Array<string> = []
      const layer = Signal.layer({ NoteAdded: ({ key }) => order.push(key) }, ({ _tag }) => order.push(_tag))
      yield* Effect.provide(run, layer)
      assert.deepStrictEqual(
        order,
        tags.flatMap((tag) => (tag === "NoteAdded" ? ["one", tag] : [tag]))
      )
    }).pipe(Effect.provide(Testing.memory))
  )

  it("refuse what is no tag and no function", () => {
    // as a program without types may call it
    const on = Signal.on as (tag: unknown, listener: unknown) => unknown
    assert.throws(() => on("StepEnded", () => {}), 'Signal.on needs the tag of a signal, but got "StepEnded".')
    assert.throws(() => on("StepFailed", "log"), "Signal.on needs a function as its second argument, but got a string.")
    const layer = Signal.layer({ StepEnded: () => {} } as object)
    assert.throws(
      () => Effect.runSync(Effect.scoped(Layer.build(layer))),
      'Signal.layer needs the tag of a signal, but got "StepEnded".'
    )
    const unfit = Signal.layer({ StepFailed: "log" as unknown as () => void })
    assert.throws(
      () => Effect.runSync(Effect.scoped(Layer.build(unfit))),
      "Signal.layer, for StepFailed, needs a function, but got a string."
    )
    for (const none of [null, "log"]) {
      assert.throws(() => Signal.layer(none as unknown as () => void), /^Signal\.layer needs a function, or an object/)
    }
  })
})

describe("a listener that fails", () => {
  it.effect("breaks neither the run nor other listeners, and is logged once", () =>
    Effect.gen(function* () {
      const before: Array<Signal.Tag> = []
      const after: Array<Signal.Tag> = []
      let calls = 0
      const { logs, value } = yield* logged(
        run.pipe(
          Signal.listen(({ _tag }) => after.push(_tag)),
          Signal.listen(() => {
            calls++
            throw new TypeError("broken")
          }),
          Signal.listen(({ _tag }) => before.push(_tag))
        )
      )
      assert.strictEqual(value.get("one"), 1)
      assert.deepStrictEqual([before, after, calls], [tags, tags, tags.length])
      assert.deepStrictEqual(logs, [
        "Error A listener of signals has failed. Its next failures are not reported. TypeError: broken"
      ])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("is logged in each program that it listens to, also by tag", () =>
    Effect.gen(function* () {
      const broken = Signal.on("StepStarted", () => {
        throw new Error("broken")
      })
      const both = Effect.andThen(broken(run), broken(broken(run)))
      assert.strictEqual((yield* logged(both)).logs.length, 3)
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("with a rejected promise is logged too, and nobody waits for it", () =>
    Effect.gen(function* () {
      const rejects = () => Promise.reject(new Error("later"))
      // an async function is taken by mistake, as where no lint looks
      const { logs } = yield* logged(Signal.listen(rejects as () => void)(run))
      assert.deepStrictEqual(logs, [
        "Error A listener of signals has failed. Its next failures are not reported. Error: later"
      ])
    }).pipe(Effect.provide(Testing.memory))
  )
})
