import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { setImmediate } from "node:timers/promises"
import { Pipeline, Step, Thought } from "cogito"
import { machine, resumeOf, runOf } from "./machine.ts"
import { at } from "./process.ts"
import { asks } from "./scenarios/parts.ts"

/** Something outside, which is another way when a run is resumed. */
const world = { isOther: false }
const decided = <A>(first: A, then: A) => Effect.sync(() => (world.isOther ? then : first))

const ways: Readonly<Record<string, any>> = {
  "won a race": Pipeline.race("it", [asks("a", "(takes 20)"), asks("b", "(takes 5)")]),
  "won a contest": Pipeline.contest("it", [asks("a", "(takes 20)"), asks("b", "(takes 5)")], { accept: () => true }),
  "a condition chose": Pipeline.filter("it", { when: decided(false, true), step: asks("a"), otherwise: asks("b") }),
  "a label chose": Pipeline.switch("it", {
    on: decided("right", "left"),
    branches: { left: asks("a"), right: asks("b") },
    default: "pass"
  } as never),
  "a gate let pass": Pipeline.gate("it", {
    check: decided("pass" as const, "fail" as never),
    step: asks("b")
  } as never),
  "came in the place of what was too late": Step.recover(Step.timeout(asks("a", "(takes 20)"), 10), asks("b"))
}

describe("a resumed run goes on with what", () => {
  it.effect.each(Object.entries(ways))("%s, though it would be another one now", ([, way]) =>
    Effect.gen(function* () {
      const { crashing, within, world: outside } = yield* machine
      // nothing of it is stored until the whole has come to its end
      const step = Step.retry(Pipeline.sequence("all", [way, asks("last")]) as Step.Any) as Step.Any
      world.isOther = false
      outside.pace = () => 1
      const isLast = () => outside.requests.at(-1)?.includes("last") === true
      const clock = Effect.forever(
        Effect.andThen(
          Effect.promise(() => setImmediate()),
          TestClock.adjust(1)
        )
      )
      const first = crashing((boundaries) => boundaries.at(-1)?.what === "call" && isLast())(runOf(step))
      yield* Effect.raceFirst(first, clock)
      const asked = outside.requests.length
      world.isOther = true
      outside.pace = (instruction) => (instruction.includes(" a?") ? 0.01 : 10)
      const done = yield* Effect.raceFirst(within()(resumeOf(step)), clock)
      const keys = Thought.notes(done).map(({ key }) => key)
      assert.deepStrictEqual(keys, ["message", "b", "last"])
      assert.strictEqual(outside.requests.length, asked + 1)
    })
  )
})

describe("a place of a run", () => {
  it.effect("belongs to one step, whatever the names", () =>
    Effect.gen(function* () {
      const { crashing, store, within, world: outside } = yield* machine
      const twice = Pipeline.gen("twice", function* () {
        for (const step of [asks("x"), asks("x"), asks("x@2"), asks("x^0"), asks("~x")]) yield* Pipeline.ask(step)
      })
      const long = (length: number, key: string) => Pipeline.sequence("long".repeat(76).slice(0, length), [asks(key)])
      const step: Step.Any = Pipeline.sequence("all", [
        Pipeline.sequence("a", [asks("b"), Pipeline.sequence("c", [asks("d/e")])]),
        asks("a/b"),
        asks("a/c/d"),
        asks("a~1b"),
        twice,
        long(300, "short enough"),
        long(301, "cut"),
        long(302, "cut too"),
        asks("last")
      ])
      const isLast = () => outside.requests.length === 14
      yield* crashing((boundaries) => boundaries.at(-1)?.what === "call" && isLast())(runOf(step))
      const done = yield* within()(resumeOf(step))
      assert.strictEqual(Thought.notes(done).length, 1 + 14)
      assert.strictEqual(outside.requests.length, 14 + 1)
      const { steps = [] } = (yield* store.ledger.load("local", "run")) ?? {}
      const frames = steps.map(({ frame }) => frame).filter((frame) => !frame.includes("^"))
      const [cut = "", cutToo = ""] = frames.filter((frame) => frame.endsWith("/cut") || frame.endsWith("/cut too"))
      const start = `/all/${"long".repeat(75)}`
      assert.deepStrictEqual(frames.filter((frame) => !frame.startsWith(`${start}~`)).toSorted(), [
        "/all",
        "/all/a",
        "/all/a/b",
        "/all/a/c",
        "/all/a/c/d~1e",
        "/all/a~01b",
        "/all/a~1b",
        "/all/a~1c~1d",
        "/all/last",
        start,
        `${start}/short enough`,
        "/all/twice",
        "/all/twice/x",
        "/all/twice/x#2",
        "/all/twice/x#2/x",
        "/all/twice/x~22",
        "/all/twice/x~30",
        "/all/twice/~0x"
      ])
      assert.match(cut, new RegExp(`^${start}~[0-9a-f]{32}/cut$`))
      assert.match(cutToo, new RegExp(`^${start}~[0-9a-f]{32}/cut too$`))
      assert.notStrictEqual(cut.split("/")[2], cutToo.split("/")[2])
    })
  )
})

describe("a failure", () => {
  it.effect("that is recorded is not asked for again", () =>
    Effect.gen(function* () {
      const { crashing, within, world: outside } = yield* machine
      const step = Step.retry(asks("a", "(fails first)")) as Step.Any
      yield* crashing(at("before", "call", 2))(runOf(step))
      assert.strictEqual(outside.requests.length, 1)
      yield* within()(resumeOf(step))
      assert.strictEqual(outside.requests.length, 2)
    })
  )
})
