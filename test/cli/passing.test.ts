/** Progress on a terminal: lines that are replaced by the next one or by the result. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { pass, passed, print, say } from "../../src/cli/console/output.ts"
import { counting, during } from "../../src/cli/console/progress.ts"
import { writtenBy } from "./agent/written.ts"

/** Clears a line of progress. */
const gone = "\r\u001b[2K"

/** The output written while standard error is a terminal with this many columns, or no terminal. */
const shownBy = (work: Effect.Effect<unknown>, columns: number | "none" = 80) =>
  Effect.suspend(() => {
    const names = ["isTTY", "columns"] as const
    const real = names.map((name) => Object.getOwnPropertyDescriptor(process.stderr, name))
    const given = { isTTY: columns !== "none", columns }
    for (const name of names) {
      Object.defineProperty(process.stderr, name, { configurable: true, value: given[name] })
    }
    return Effect.ensuring(
      writtenBy(work),
      Effect.sync(() =>
        names.forEach((name, i) => {
          const before = real[i]
          if (before === undefined) Reflect.deleteProperty(process.stderr, name)
          else Object.defineProperty(process.stderr, name, before)
        })
      )
    )
  })

const count = (json: boolean, to: number) =>
  Effect.suspend(() => {
    const progress = counting(json, (done) => `${done} so far`)
    return Effect.forEach(Array.from({ length: to }), (_, i) => progress(i + 1))
  })

/** Work that takes this many seconds and a half, on the test clock. */
const working = <A, E>(json: boolean, seconds: number, then: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const work = Effect.andThen(Effect.sleep(seconds * 1000 + 500), then)
    // the program keeps running after the work
    const all = Effect.tap(Effect.exit(during(json, "Working")(work)), () => Effect.sleep("1 minute"))
    const fiber = yield* Effect.forkChild(all, { startImmediately: true })
    yield* TestClock.adjust(seconds * 1000 + 500)
    yield* TestClock.adjust("1 minute")
    return yield* Fiber.join(fiber)
  })

describe("a line of progress", () => {
  it.effect("is replaced by the next one, by a result and by a notice", () =>
    Effect.gen(function* () {
      const { stderr, stdout } = yield* shownBy(
        Effect.all([pass("one"), pass("two"), print("result"), pass("three"), say("said"), print("more"), passed])
      )
      assert.strictEqual(stderr, `one${gone}two${gone}three${gone}said\n`)
      assert.strictEqual(stdout, "result\nmore\n")
    })
  )

  it.effect("is cleared once when the work is over", () =>
    Effect.gen(function* () {
      const { stderr } = yield* shownBy(Effect.all([pass("one"), passed, passed, pass("two"), passed]))
      assert.strictEqual(stderr, `one${gone}two${gone}`)
    })
  )

  it.effect("is cut to one column less than the terminal, so that it does not wrap", () =>
    Effect.gen(function* () {
      const line = "0123456789".repeat(10)
      for (const [columns, width] of [
        [11, 10],
        [80, 79],
        [200, 100],
        [0, 79],
        [1, 1]
      ] as const) {
        const { stderr } = yield* shownBy(Effect.andThen(pass(line), passed), columns)
        assert.strictEqual(stderr, `${line.slice(0, width)}${gone}`)
      }
    })
  )

  it.effect("shows every fiftieth count, on a terminal only and not with JSON output", () =>
    Effect.gen(function* () {
      const { stderr } = yield* shownBy(Effect.andThen(count(false, 149), passed))
      assert.strictEqual(stderr, `50 so far${gone}100 so far${gone}`)
      assert.strictEqual((yield* shownBy(count(true, 149))).stderr, "")
      const file = yield* shownBy(Effect.andThen(count(false, 149), count(true, 149)), "none")
      assert.strictEqual(file.stderr, "")
    })
  )
})

describe("long work", () => {
  it.effect("shows its name and the elapsed time, each second until it is done", () =>
    Effect.gen(function* () {
      const { stderr, stdout } = yield* shownBy(working(false, 2, print("result")))
      assert.strictEqual(stderr, `Working …${gone}Working … 1 s${gone}Working … 2 s${gone}`)
      assert.strictEqual(stdout, "result\n")
    })
  )

  it.effect("shows nothing more after a failure, and nothing at all with JSON output or in a file", () =>
    Effect.gen(function* () {
      const failing = yield* shownBy(
        Effect.map(working(false, 1, Effect.fail("no")), (exit) => {
          assert.isTrue(Exit.isFailure(exit))
        })
      )
      assert.strictEqual(failing.stderr, `Working …${gone}Working … 1 s${gone}`)
      assert.strictEqual((yield* shownBy(working(true, 2, Effect.void))).stderr, "")
      for (const json of [true, false]) {
        assert.strictEqual((yield* shownBy(working(json, 2, Effect.void), "none")).stderr, "")
      }
    })
  )
})
