/** Runs on one fork in several steps: what deeper and later connectors keep of each, and what waits for the thought to be stored. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Memory, Note, Pipeline, Primitive, Step, Thought } from "cogito"
import { Testing } from "cogito/testing"

type Any = Step.Step<{}, any, any, Memory.Memory>

/** Steps that share forks by name, and what happened. */
const make = () => {
  const forks = new Map<string, Thought.Thought<any>>()
  const ran: Array<string> = []
  const note = (key: string): Any => Step.make(key, { schema: Schema.String, run: () => key })
  const once = (key: string): Any => Step.once(key, () => Effect.sync(() => void ran.push(key)))
  let steps = 0
  /** Runs a step on the fork with this name, which is made first, and later goes on. */
  const on = (name: string, step: Any): Any =>
    Step.make(`on ${name} ${++steps}`, {
      run: (thought) =>
        Effect.gen(function* () {
          const fork = forks.get(name) ?? (yield* Thought.fork(thought))
          forks.set(name, yield* Pipeline.run(step, fork).pipe(Effect.orDie))
        })
    })
  const seq = (...all: ReadonlyArray<Any>): Any => Pipeline.sequence(`seq ${++steps}`, all)
  const both = (...all: ReadonlyArray<Any>): Any => Pipeline.concurrent(`both ${++steps}`, all)
  const enrich = (step: Any): Any => Step.enrich(step, { name: `enrich ${++steps}` })
  const back = (name: string): Any =>
    Primitive.restore(`back ${++steps}`, { from: Note.from({}, () => forks.get(name)?.id ?? "") })
  return { forks, ran, note, once, on, seq, both, enrich, back }
}

/** Runs a step within a retry, and returns the keys of the notes of each stored fork, and what ran. */
const outcome = (build: (parts: ReturnType<typeof make>) => Any, isWithin = true) =>
  Effect.gen(function* () {
    const parts = make()
    const step = build(parts)
    yield* Pipeline.run(isWithin ? Step.retry(step) : step, yield* Thought.make("work"))
    const found: Array<string> = []
    for (const [name, { id }] of parts.forks) {
      const stored = yield* Effect.orElseSucceed(Memory.load(id), () => undefined)
      const keys = stored === undefined ? ["nothing"] : Thought.notes(stored).map(({ key }) => key)
      found.push(`${name}: ${keys.join(" ")}`)
    }
    return [...found, ...parts.ran]
  }).pipe(Effect.provide(Testing.memory))

type Build = Parameters<typeof outcome>[0]

const within: Readonly<Record<string, readonly [Build, ReadonlyArray<string>]>> = {
  "in one branch after another": [
    ({ both, note, on, seq }) =>
      seq(on("A", note("a")), both(on("B", note("b")), on("C", note("c"))), both(on("K", note("k")))),
    ["A: a", "B: b", "C: c", "K: k"]
  ],
  "within a run on another fork, and then deeper": [
    ({ enrich, note, on, seq }) => on("F", seq(on("G", note("g1")), enrich(on("G", note("g2"))))),
    ["G: g1 g2", "F: "]
  ],
  "deeper, and then within a run on another fork that goes on": [
    ({ enrich, note, on, seq }) =>
      seq(on("F", seq(enrich(on("G", note("g1"))), on("G", note("g2")))), enrich(on("F", note("f2")))),
    ["G: g1 g2", "F: f2"]
  ],
  "with effects that wait, deeper within a run on another fork": [
    ({ enrich, on, once, seq }) => on("F", seq(on("G", once("g1")), enrich(on("G", once("g2"))))),
    ["G: ", "F: ", "g1", "g2"]
  ],
  "that is restored within a run on another fork": [
    ({ back, enrich, note, on, once, seq }) =>
      on("F", seq(enrich(on("G", note("g1"))), on("G", seq(note("g2"), once("g3"))), back("G"), note("after"))),
    ["G: g1 g2", "F: g1 g2 after", "g3"]
  ],
  "that is restored on another one, after branches": [
    ({ back, both, note, on, seq }) => seq(both(on("F", note("f"))), on("K", seq(back("F"), note("k")))),
    ["F: f", "K: f k"]
  ]
}

describe("runs on one fork within a connector", () => {
  for (const [what, [build, expected]] of Object.entries(within)) {
    it.effect(`are all stored: ${what}`, () =>
      Effect.map(outcome(build), (found) => {
        assert.deepStrictEqual(found, expected)
      })
    )
  }

  it.effect("are stored as far as they came if a step catches the failure of one", () =>
    Effect.gen(function* () {
      const { forks, note, on, once, ran, seq } = make()
      const broken = Step.make("broken", { run: Effect.fail("no") })
      const caught = Step.make("caught", {
        run: (thought) =>
          Effect.flatMap(Thought.fork(thought), (fork) =>
            Effect.ignore(Pipeline.run(seq(on("G", seq(note("g"), once("mail"))), broken), fork))
          )
      })
      yield* Pipeline.run(Step.retry(caught), yield* Thought.make("work"))
      const stored = yield* Memory.load(forks.get("G")?.id ?? "")
      assert.deepStrictEqual([Thought.notes(stored).map(({ key }) => key), ran], [["g"], ["mail"]])
    }).pipe(Effect.provide(Testing.memory))
  )
})

describe("what waits for a fork to be stored", () => {
  const continued: Readonly<Record<string, Build>> = {
    "in another connector": ({ enrich, note, on, once, seq }) =>
      seq(enrich(on("F", once("mail"))), enrich(on("F", note("n")))),
    "in branches": ({ both, note, on, once, seq }) => seq(both(on("F", once("mail"))), both(on("F", note("n")))),
    "outside of connectors": ({ enrich, note, on, once, seq }) => seq(enrich(on("F", once("mail"))), on("F", note("n")))
  }
  for (const [where, build] of Object.entries(continued)) {
    for (const isWithin of [true, false]) {
      it.effect(`is done once if a run goes on with it ${where}, ${isWithin ? "within" : "without"} a retry`, () =>
        Effect.map(outcome(build, isWithin), (found) => {
          assert.deepStrictEqual(found, ["F: n", "mail"])
        })
      )
    }
  }
})
