/** Runs on forks in steps of durable runs, while a connector may still discard what they are based on. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Data, Effect, Exit, Layer, Schema } from "effect"
import { Toolkit } from "effect/ai"
import { Memory, Pipeline, Step, Thought } from "cogito"
import { Agent } from "cogito/agent"
import { Testing } from "cogito/testing"

class Down extends Data.TaggedError("Down")<{}> {}

const note = <const K extends string>(key: K) => Step.make(key, { schema: Schema.String, run: () => key })

/** A step that runs two others on a fork, and writes the id of the fork. */
const onFork = (ran: Array<string>) =>
  Step.make("first", {
    schema: Schema.String,
    run: (thought) =>
      Effect.gen(function* () {
        const inner = Pipeline.sequence("inner", [
          note("noted"),
          Step.once("mail", () => Effect.sync(() => ran.push("mail")))
        ])
        return (yield* Pipeline.run(inner, yield* Thought.fork(thought)).pipe(Effect.orDie)).id
      })
  })

describe("a run on a fork in a step of a durable run", () => {
  const ends = {
    "waits for an answer": () => Pipeline.waitFor("end", { schema: Schema.Finite, prompt: "How many?" }),
    "is interrupted": (isUp: () => boolean) =>
      Step.make("end", {
        schema: Schema.Finite,
        run: Effect.suspend(() => (isUp() ? Effect.succeed(1) : Effect.interrupt))
      }),
    fails: (isUp: () => boolean) =>
      Step.make("end", {
        schema: Schema.Finite,
        run: Effect.suspend(() => (isUp() ? Effect.succeed(1) : Effect.fail(new Down())))
      })
  }
  for (const [what, end] of Object.entries(ends)) {
    it.effect(`is there once the run has gone on, if it ${what} before the end of the connector`, () =>
      Effect.gen(function* () {
        const ran: Array<string> = []
        let isUp = false
        const step = Step.retry(Pipeline.sequence("s", [onFork(ran), end(() => isUp)]), { times: 0 })
        const start = yield* Thought.make("work")
        yield* Effect.exit(Pipeline.run(step, start, { durable: { id: "run" } }))
        isUp = true
        yield* Effect.ignore(Pipeline.answer("run", "end", 1))
        const done = yield* Pipeline.resume(step, "run")
        assert.deepStrictEqual(
          Thought.notes(done).map(({ key }) => key),
          ["first", "end"]
        )
        const fork = yield* Memory.load(done.get("first"))
        assert.deepStrictEqual([Thought.notes(fork).map(({ key }) => key), ran], [["noted"], ["mail"]])
      }).pipe(Effect.provide(Testing.memory))
    )
  }
})

describe("an effect that ran a pipeline on a fork inside a connector", () => {
  for (const onInterrupted of ["rerun", "fail"] as const) {
    it.effect(`is taken by a rerun of a completed run, with onInterrupted ${onInterrupted}`, () =>
      Effect.gen(function* () {
        const ran: Array<string> = []
        const step = Step.retry(Pipeline.sequence("s", [onFork(ran), note("after")]))
        const start = yield* Thought.make("work")
        const done = yield* Pipeline.run(step, start, { durable: { id: "run", keep: "answers", onInterrupted } })
        const { notes, thought } = yield* Pipeline.rerun(step, "run")
        assert.strictEqual(thought.get("first"), done.get("first"))
        assert.isTrue(notes.every(({ isSame }) => isSame))
        assert.deepStrictEqual(ran, ["mail"])
      }).pipe(Effect.provide(Testing.memory))
    )
  }

  it.effect("is unknown to a run that is resumed before the end of the connector, with onInterrupted fail", () =>
    Effect.gen(function* () {
      const ran: Array<string> = []
      const wait = Pipeline.waitFor("end", { schema: Schema.Finite, prompt: "How many?" })
      const step = Step.retry(Pipeline.sequence("s", [onFork(ran), wait]))
      yield* Effect.flip(
        Pipeline.run(step, yield* Thought.make("work"), { durable: { id: "run", onInterrupted: "fail" } })
      )
      yield* Pipeline.answer("run", "end", 1)
      const { _tag } = yield* Effect.flip(Pipeline.resume(step, "run"))
      assert.deepStrictEqual([_tag, ran], ["OutcomeUnknown", []])
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("a durable run on a fork of notes that a connector may still discard", () => {
  const model = Testing.scripted(() => "It rains.")
  const services = Layer.merge(Testing.memory, model.layer)
  const agent = Agent.make("poet", { instructions: "You write.", toolkit: Toolkit.empty, triage: false })
  const saying = (options: { readonly durable?: boolean }) =>
    Step.make("ask", {
      schema: Schema.String,
      run: (thought) =>
        Effect.gen(function* () {
          return (yield* Agent.say(agent, yield* Thought.fork(thought), "Rain?", options)).get("answer")
        }).pipe(Effect.orDie)
    })

  it.effect("dies before it begins, and nothing is stored", () =>
    Effect.gen(function* () {
      const start = yield* Thought.make("work")
      const step = Step.retry(Pipeline.sequence("s", [note("draft"), saying({})]))
      const exit = yield* Effect.exit(Pipeline.run(step, start))
      const message =
        'The durable run of "poet" is on a fork with notes that a connector may still discard, such as retry, recover, ' +
        "fallback, enrich or concurrent: begin it outside of the connector, or with { durable: false }."
      assert.include(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "", message)
      assert.strictEqual(model.requests.length, 0)
      assert.deepStrictEqual(Thought.notes(yield* Memory.load(start.id)), [])
    }).pipe(Effect.provide(services))
  )

  it.effect("runs if it is not durable, or if all that the fork has is stored", () =>
    Effect.gen(function* () {
      const plain = Step.retry(Pipeline.sequence("s", [note("draft"), saying({ durable: false })]))
      assert.strictEqual((yield* Pipeline.run(plain, yield* Thought.make("work"))).get("ask"), "It rains.")
      const stored = Pipeline.sequence("s", [note("draft"), Step.retry(saying({}))])
      assert.strictEqual((yield* Pipeline.run(stored, yield* Thought.make("work"))).get("ask"), "It rains.")
    }).pipe(Effect.provide(services))
  )
})
