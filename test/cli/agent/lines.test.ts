/** How the chat reads lines that a person types or a program sends. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { PassThrough } from "node:stream"
import { type Lines, openLines, type Read } from "../../../src/cli/agent/lines.ts"
import { pressed } from "../../../src/cli/console/interrupts.ts"
import { writtenBy } from "./written.ts"

const line = (text: string): Read => ({ _tag: "Line", text })
const interrupted: Read = { _tag: "Interrupted" }
const end: Read = { _tag: "End" }

/** Gives the reader time to take what was typed. */
const settled = Effect.promise(async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
})

interface Keys {
  readonly lines: Lines
  readonly type: (text: string) => Effect.Effect<void>
  /** Ends the input, as the end of a pipe does. */
  readonly close: Effect.Effect<void>
  /** The changes of the raw mode of the terminal. */
  readonly raw: ReadonlyArray<boolean>
}

/** Runs work with the lines of a new standard input, which may be a terminal. */
const reading = <A, E, R>(isTerminal: boolean, work: (keys: Keys) => Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const stdin = new PassThrough()
    const raw: Array<boolean> = []
    if (isTerminal) Object.assign(stdin, { isTTY: true, setRawMode: (on: boolean) => void raw.push(on) })
    const real = Object.getOwnPropertyDescriptor(process, "stdin") ?? {}
    Object.defineProperty(process, "stdin", { configurable: true, value: stdin })
    const type = (text: string) =>
      Effect.andThen(
        Effect.sync(() => stdin.write(text)),
        settled
      )
    const close = Effect.andThen(
      Effect.sync(() => stdin.end()),
      settled
    )
    return Effect.flatMap(openLines, (lines) => work({ lines, type, close, raw })).pipe(
      Effect.scoped,
      Effect.ensuring(Effect.sync(() => Object.defineProperty(process, "stdin", real)))
    )
  })

const reads = ({ next }: Lines, count: number) => Effect.forEach(Array.from({ length: count }), () => next("> "))

/** Starts to read the next line. Ctrl-C or a line can arrive meanwhile. */
const begun = ({ next }: Lines, text = "") =>
  Effect.tap(Effect.forkChild(next("> ", text), { startImmediately: true }), () => settled)

describe("lines from a program", () => {
  it.effect("are read in order, including lines sent in advance, without any output", () =>
    reading(false, ({ close, lines, type }) =>
      Effect.gen(function* () {
        assert.isFalse(lines.isTerminal)
        const written = yield* writtenBy(
          Effect.gen(function* () {
            yield* type("one\r\ntwo\n\nthree\n")
            assert.deepStrictEqual(yield* reads(lines, 2), [line("one"), line("two")])
            assert.isFalse(yield* lines.dropTyped)
            assert.deepStrictEqual(yield* reads(lines, 2), [line(""), line("three")])
            const last = yield* begun(lines)
            yield* type("four\nfi")
            assert.deepStrictEqual(yield* Fiber.join(last), line("four"))
            const cut = yield* begun(lines)
            yield* type("ve")
            yield* close
            assert.deepStrictEqual(yield* Fiber.join(cut), line("five"))
            assert.deepStrictEqual(yield* reads(lines, 2), [end, end])
          })
        )
        assert.deepStrictEqual(written, { stdout: "", stderr: "" })
      })
    )
  )

  it.effect("end after the lines sent in advance, even if the input ends while nobody reads", () =>
    reading(false, ({ close, lines, type }) =>
      Effect.gen(function* () {
        yield* type("one\ntwo\n")
        yield* close
        assert.deepStrictEqual(yield* reads(lines, 3), [line("one"), line("two"), end])
      })
    )
  )

  it.effect("are interrupted once by Ctrl-C, whether it is pressed before or during a read", () =>
    reading(false, ({ lines, type }) =>
      Effect.gen(function* () {
        lines.interrupt()
        lines.interrupt()
        yield* type("one\ntwo\n")
        assert.deepStrictEqual(yield* reads(lines, 3), [interrupted, line("one"), line("two")])
        const awaited = yield* begun(lines)
        assert.isTrue(pressed())
        assert.deepStrictEqual(yield* Fiber.join(awaited), interrupted)
        assert.isFalse(pressed())
        yield* type("three\n")
        assert.deepStrictEqual(yield* reads(lines, 1), [line("three")])
      })
    )
  )

  it.effect("are not lost if a read is interrupted", () =>
    reading(false, ({ lines, type }) =>
      Effect.gen(function* () {
        yield* Fiber.interrupt(yield* begun(lines))
        yield* type("one\n")
        assert.deepStrictEqual(yield* reads(lines, 1), [line("one")])
      })
    )
  )
})

describe("lines on a terminal", () => {
  it.effect("show a prompt and editable text; Ctrl-C clears the text first, then interrupts", () =>
    reading(true, ({ lines, type }) =>
      Effect.gen(function* () {
        assert.isTrue(lines.isTerminal)
        const written = yield* writtenBy(
          Effect.gen(function* () {
            const edited = yield* begun(lines, "one")
            yield* type("\u007fly\r")
            assert.deepStrictEqual(yield* Fiber.join(edited), line("only"))
            const dropped = yield* begun(lines)
            yield* type("not this\u0003")
            yield* type("\u0003")
            assert.deepStrictEqual(yield* Fiber.join(dropped), interrupted)
          })
        )
        assert.strictEqual(written.stdout, "")
        assert.include(written.stderr, "> ")
        assert.isTrue(written.stderr.endsWith("\n"))
      })
    )
  )

  it.effect("are dropped if they were typed before a question, even unfinished, and dropTyped reports it", () =>
    reading(true, ({ lines, type }) =>
      Effect.gen(function* () {
        const dropped = Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(lines.dropTyped, { startImmediately: true })
          yield* TestClock.adjust("20 millis")
          return yield* Fiber.join(fiber)
        })
        yield* writtenBy(
          Effect.gen(function* () {
            const first = yield* begun(lines)
            yield* type("one\r")
            assert.deepStrictEqual(yield* Fiber.join(first), line("one"))
            assert.isFalse(yield* dropped)
            yield* type("y\r")
            assert.isTrue(yield* dropped)
            yield* type("ye")
            assert.isTrue(yield* dropped)
            const last = yield* begun(lines)
            yield* type("no\r")
            assert.deepStrictEqual(yield* Fiber.join(last), line("no"))
          })
        )
      })
    )
  )

  it.live("end at a Ctrl-D that was pressed while work went on, and not at a Ctrl-Space at the prompt", () =>
    reading(true, ({ lines, type }) =>
      writtenBy(
        Effect.gen(function* () {
          const first = yield* begun(lines)
          yield* Effect.sleep("100 millis")
          yield* type("\u0000one\r")
          assert.deepStrictEqual(yield* Fiber.join(first), line("one"))
          yield* lines.away(Effect.void)
          yield* type("two\rhalf\u0000")
          assert.deepStrictEqual(yield* reads(lines, 1), [line("two")])
          yield* type("\r")
          assert.deepStrictEqual(yield* reads(lines, 1), [line("half")])
          yield* lines.away(Effect.void)
          yield* type("three\r\u0000")
          assert.deepStrictEqual(yield* reads(lines, 2), [line("three"), end])
        })
      )
    )
  )

  it.effect("end once the terminal is closed, which is no defect", () =>
    reading(true, ({ lines }) =>
      writtenBy(
        Effect.gen(function* () {
          const closed = () => {
            Object.assign(process.stdin, { setRawMode: () => {} })
            throw Object.assign(new Error("setRawMode EIO"), { code: "EIO" })
          }
          yield* lines.away(Effect.sync(() => Object.assign(process.stdin, { setRawMode: closed })))
          assert.deepStrictEqual(yield* reads(lines, 1), [end])
        })
      )
    )
  )

  it.effect("leave Ctrl-C to the terminal while work goes on", () =>
    reading(true, ({ lines, raw }) =>
      writtenBy(
        Effect.andThen(
          lines.away(Effect.sync(() => assert.deepStrictEqual(raw.at(-1), false))),
          Effect.sync(() => assert.deepStrictEqual(raw.at(-1), true))
        )
      )
    )
  )
})
