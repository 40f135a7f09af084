import { afterAll, assert, beforeAll, describe, it, vi } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { run } from "../../src/cli/program.ts"
import { Memory, Pipeline, Primitive, Step, Thought } from "../../src/index.ts"
import { cutTo, stateOf, tableOf } from "../../src/cli/watch/lines.ts"
import { makeScreen } from "../../src/cli/watch/screen.ts"
import { look } from "../../src/cli/watch/snapshot.ts"
import { PgliteMemory } from "../../src/pglite/index.ts"
import { PostgresMemory } from "../../src/postgres/index.ts"
import { Testing } from "../../src/testing/index.ts"
import { prefill } from "../pglite/prefilled.ts"
import * as Server from "../postgres/server.ts"
import { cogito, start, terminals, typing, until } from "./cogito.ts"
import { keepOpen } from "./keptOpen.ts"

const usage = { inputTokens: 9, outputTokens: 3 }

/** Asks a model that answers when it is opened, then a person. */
const pausing = Effect.map(Deferred.make<void>(), (opened) => {
  const model = Testing.scripted(
    () => Effect.as(Deferred.await(opened), { decision: true, confidence: 0.9, reasoning: ["yes"] }),
    { name: "house", model: "m-1", usage }
  )
  const refund = Pipeline.sequence("refund", [
    Primitive.decide("fraud", { question: "Is it fraud?" }),
    Primitive.approve("ok", { prompt: "May we?" })
  ])
  return { model, opened, refund }
})

const begin = <R>(step: Step.Step<any, any, unknown, R>, id: string) =>
  Effect.flatMap(Thought.make("refund an order", { message: "order 17" }), (thought) =>
    Effect.exit(Pipeline.run(step, thought, { durable: { id } }))
  )

describe("the runs to watch", () => {
  it.effect("are those that were seen before too, and take rough times", () =>
    Effect.gen(function* () {
      const memory = yield* Memory.Memory
      const step = Step.make("count", { run: () => Effect.void })
      yield* begin(step, "seen")
      const before = yield* look(memory, [])
      assert.deepStrictEqual(
        before.map(({ run }) => run.id),
        ["seen"]
      )
      // as many newer ones as are looked at
      for (let i = 0; i < 100; i++) {
        yield* TestClock.adjust(1)
        yield* begin(step, `later-${i}`)
      }
      assert.lengthOf(yield* look(memory, []), 100)
      const now = yield* look(memory, before)
      assert.deepStrictEqual([now.length, now.at(-1)?.run.id], [101, "seen"])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* look(memory, now), [])
      const [one] = before
      assert.isDefined(one)
      const timeOf = (seconds: number) =>
        tableOf([{ ...one, millis: seconds * 1000 + 999 }])
          .split("\n")[1]
          ?.split(/ {2,}/)[2]
      assert.deepStrictEqual([59, 60, 3599, 3600, 7_380, 86_399, 86_400, 180_000].map(timeOf), [
        "59 s",
        "1 min 0 s",
        "59 min 59 s",
        "1 h 0 min",
        "2 h 3 min",
        "23 h 59 min",
        "1 d 0 h",
        "2 d 2 h"
      ])
    }).pipe(Effect.provide(Testing.memory))
  )

  it.effect("have a new line for every change but that of the time", () =>
    Effect.gen(function* () {
      const memory = yield* Memory.Memory
      yield* begin(Step.make("count", { run: () => Effect.void }), "seen")
      const [one] = yield* look(memory, [])
      assert.isDefined(one)
      const { run, totals } = one
      assert.strictEqual(stateOf({ ...one, millis: one.millis + 5000 }), stateOf(one))
      const changes: ReadonlyArray<Partial<typeof one>> = [
        { left: true },
        { run: { ...run, status: "failed" } },
        { run: { ...run, error: "GateClosed" } },
        { run: { ...run, epoch: run.epoch + 1 } },
        { at: ["/count@0"] },
        { totals: { ...totals, modelCalls: totals.modelCalls + 1 } }
      ]
      const states = changes.map((change) => stateOf({ ...one, ...change }))
      assert.strictEqual(new Set([stateOf(one), ...states]).size, changes.length + 1)
    }).pipe(Effect.provide(Testing.memory))
  )

  it("have lines that are cut to the columns of a terminal, where some characters take two", () => {
    assert.strictEqual(cutTo(5, "abcdefg"), "abcde")
    assert.strictEqual(cutTo(5, "語語語"), "語語")
    assert.strictEqual(cutTo(6, "語語語"), "語語語")
    assert.strictEqual(cutTo(3, "a🎉b"), "a🎉")
  })
})

describe("the table on a terminal", () => {
  /** What is written for tables of as many lines, each drawn over the one before. */
  const drawnWhole = (size: { readonly rows: number; readonly columns: number }, ...tables: ReadonlyArray<number>) =>
    Effect.gen(function* () {
      const written: Array<string> = []
      const real = Object.getOwnPropertyDescriptors(process.stdout)
      for (const [name, value] of Object.entries(size)) {
        Object.defineProperty(process.stdout, name, { configurable: true, value })
      }
      const spy = vi.spyOn(process.stdout, "write").mockImplementation((text: unknown, done?: unknown) => {
        written.push(String(text))
        if (typeof done === "function") done()
        return true
      })
      const draw = Effect.flatMap(makeScreen, (show) =>
        Effect.forEach(tables, (lines) => show(Array.from({ length: lines }, (_, i) => `line ${i} ${"x".repeat(90)}`)))
      )
      yield* Effect.scoped(draw).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            spy.mockRestore()
            for (const name of ["rows", "columns"] as const) {
              const before = real[name]
              if (before === undefined) Reflect.deleteProperty(process.stdout, name)
              else Object.defineProperty(process.stdout, name, before)
            }
          })
        )
      )
      return written
    })

  /** The same, in short, without what hides and shows the cursor. */
  const drawn = (...args: Parameters<typeof drawnWhole>) =>
    Effect.map(drawnWhole(...args), (written) => written.slice(1, -1).map((text) => text.replaceAll(/ x+/g, "")))

  it.effect("is as wide as the terminal but one column, or as if that had 21 or 80, and hides the cursor", () =>
    Effect.gen(function* () {
      const line = `line 0 ${"x".repeat(90)}`
      for (const [columns, width] of [
        [60, 59],
        [22, 21],
        [21, 20],
        [20, 20],
        [1, 20],
        [0, 79]
      ] as const) {
        assert.deepStrictEqual(yield* drawnWhole({ rows: 0, columns }, 1), [
          "\u001b[?25l",
          `\u001b[J${line.slice(0, width)}\n`,
          "\u001b[?25h"
        ])
      }
      // without a number of rows there are 24
      assert.strictEqual((yield* drawn({ rows: 0, columns: 0 }, 23))[0]?.split("\n").at(-2), "line 22")
      assert.strictEqual((yield* drawn({ rows: 0, columns: 0 }, 24))[0]?.split("\n").at(-2), "… 2 more")
    })
  )

  it.effect("has every line if they fit, and says how many more there are otherwise", () =>
    Effect.gen(function* () {
      const clear = "\u001b[J"
      const over = (lines: number) => `\u001b[${lines}A\r${clear}`
      const rest = "line 0\nline 1\nline 2\n"
      assert.deepStrictEqual(yield* drawn({ rows: 5, columns: 60 }, 4, 5, 1, 9), [
        `${clear}${rest}line 3\n`,
        `${over(4)}${rest}… 2 more\n`,
        `${over(4)}line 0\n`,
        `${over(1)}${rest}… 6 more\n`
      ])
      // on a very small one, two lines and how many more
      assert.deepStrictEqual(yield* drawn({ rows: 1, columns: 60 }, 4), [`${clear}line 0\nline 1\n… 2 more\n`])
    })
  )
})

describe("cogito watch on a folder", { timeout: 120_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), "cogito-watch-"))
  const place = ["--data-dir", join(folder, "memory")]
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  keepOpen()

  beforeAll(async () => {
    await prefill(join(folder, "memory"))
    const memory = PgliteMemory.layer({ dataDir: join(folder, "memory"), embedder: "none" })
    const program = Effect.gen(function* () {
      const { model, opened, refund } = yield* pausing
      yield* Deferred.succeed(opened, undefined)
      yield* Effect.provide(begin(refund, "refund-17\u001b[2J"), model.layer)
    })
    await Effect.runPromise(Effect.provide(program, memory))
  })

  it("prints its runs once, and says why it does not go on", async () => {
    const { code, stderr, stdout } = await cogito(place, { command: "watch" })
    assert.strictEqual(code, 0, stderr)
    const [heads = "", row = "", ...rest] = stdout.split("\n")
    assert.match(heads, /^RUN +STATUS +AT +TIME +CALLS +USED +PIPELINE$/)
    assert.match(row, /^refund-17\[U\+001B\]\[2J +waiting +\/refund\/ok +\d+ s +1 +9 in, 3 out, 0 USD +refund$/)
    assert.deepStrictEqual(rest, [""])
    assert.match(stderr, /^Only one process at a time can open a folder.*Studio\.layer/)
  })

  it("with --once says no more, and with --json prints numbers", async () => {
    assert.strictEqual((await cogito([...place, "--once"], { command: "watch" })).stderr, "")
    const { stdout } = await cogito([...place, "--once", "--json"], { command: "watch" })
    const { runs } = JSON.parse(stdout)
    assert.lengthOf(runs, 1)
    assert.deepInclude(runs[0], { status: "waiting", at: ["/refund/ok"], modelCalls: 1, openQuestions: 1, usage })
  })

  it("refuses intervals that are no whole seconds", async () => {
    for (const every of ["0", "3601", "-1"]) {
      const { code, stderr } = await cogito([...place, `--every=${every}`], { command: "watch" })
      assert.strictEqual(code, 2)
      assert.include(stderr, "--every must be a whole number of seconds from 1 to 3600")
    }
    for (const every of ["1", "3600"]) {
      const { code, stderr } = await cogito([...place, "--every", every, "--once"], { command: "watch" })
      assert.deepStrictEqual([code, stderr], [0, ""])
    }
  })
})

describe.skipIf(!Server.available)("cogito watch on a server", { timeout: 180_000 }, () => {
  let server: Server.Server
  let url = ""
  beforeAll(async () => {
    server = Server.start()
    url = await Server.migrated(server)
  })
  afterAll(() => server.stop())

  const memory = () => PostgresMemory.layer({ url, scope: "shop", embedder: "none" })
  const place = (scope = "shop") => ["--scope", scope, "--database-url", url]

  /** Runs a pipeline that pauses in its first question while something else looks on. */
  const during = (id: string, look: (go: Effect.Effect<void>) => Effect.Effect<void, unknown, Memory.Memory>) =>
    Effect.gen(function* () {
      const { model, opened, refund } = yield* pausing
      const running = yield* Effect.forkChild(Effect.provide(begin(refund, id), model.layer))
      yield* look(Effect.asVoid(Deferred.succeed(opened, undefined)))
      yield* Fiber.join(running)
    }).pipe(Effect.provide(memory()), Effect.runPromise)

  it("writes a line for each change of a run, and ends with Ctrl-C", async () => {
    const watching = await start(place(), { command: "watch" })
    const shows = (pattern: RegExp) =>
      Effect.promise(() => until(String(pattern), () => pattern.test(watching.stdout()), watching))
    await during("refund-1", (go) =>
      Effect.gen(function* () {
        yield* shows(/^\S+Z {2}refund-1 {2}running {2}refund {2}.* {2}1 model call {2}\/refund\/fraud$/m)
        yield* go
        yield* shows(
          /^\S+Z {2}refund-1 {2}waiting {2}refund {2}.* {2}1 model call {2}9 in, 3 out, 0 USD {2}\/refund\/ok$/m
        )
        yield* Pipeline.answer("refund-1", "ok", { approved: true })
      })
    )
    watching.process.kill("SIGINT")
    const { code, stderr, stdout } = await watching.ended
    assert.strictEqual(code, 130, stderr)
    assert.notInclude(stdout, "\u001b")
    // not one for each look
    assert.isBelow(stdout.split("\n").length, 8)
  })

  it.effect("looks again after the given number of seconds, and prints only what has changed since", () =>
    Effect.gen(function* () {
      const store = yield* Memory.Memory
      const lines: Array<string> = []
      vi.spyOn(process.stdout, "write").mockImplementation((text: unknown, done?: unknown) => {
        lines.push(...String(text).trimEnd().split("\n"))
        if (typeof done === "function") done()
        return true
      })
      // long enough for a look to be printed
      const settled = Effect.forEach(Array.from({ length: 10 }), () => store.ledger.runs({ limit: 100 }))
      const shown = () => lines.splice(0).map((line) => line.split("  ").slice(1, 3).join(" "))
      yield* begin(Step.make("first", { run: () => Effect.void }), "first")
      const watching = yield* Effect.forkChild(run(["watch", "--every", "10", ...place("clock")]))
      while (lines.length === 0) yield* settled
      assert.deepStrictEqual(shown(), ["first completed"])
      yield* begin(Pipeline.waitFor("person", { schema: Schema.Boolean, prompt: "Is it so?" }), "second")
      yield* TestClock.adjust("9999 millis")
      yield* settled
      assert.deepStrictEqual(shown(), [])
      yield* TestClock.adjust("1 millis")
      while (lines.length === 0) yield* settled
      assert.deepStrictEqual(shown(), ["second waiting"])
      yield* Pipeline.answer("second", "person", true)
      yield* TestClock.adjust("10 seconds")
      while (lines.length === 0) yield* settled
      assert.deepStrictEqual(shown(), ["second waiting"])
      for (let look = 0; look < 3; look++) {
        yield* TestClock.adjust("10 seconds")
        yield* settled
      }
      assert.deepStrictEqual(shown(), [])
      yield* Fiber.interrupt(watching)
    }).pipe(
      Effect.ensuring(Effect.sync(() => vi.restoreAllMocks())),
      Effect.provide(Layer.unwrap(Effect.sync(() => PostgresMemory.layer({ url, scope: "clock", embedder: "none" }))))
    )
  )

  it.skipIf(!terminals)("draws a table on a terminal, again and again in the same place", async () => {
    const screen = await typing(place(), { command: "watch" })
    await during("refund-2", (go) =>
      Effect.gen(function* () {
        yield* Effect.promise(() => screen.type("", "refund-2"))
        yield* Effect.promise(() => screen.type("", "running"))
        yield* Effect.promise(() => screen.type("", "/refund/fraud"))
        yield* go
        // it goes up before it draws again
        yield* Effect.promise(() => screen.type("", "A\r\u001b[J"))
        yield* Effect.promise(() => screen.type("", "/refund/ok"))
      })
    )
    await screen.type("\u0003", "")
    assert.strictEqual(await screen.ended, 130)
    assert.include(screen.shown(), "\u001b[?25h")
  })

  it("shows nothing of another scope, and says so", async () => {
    const { stderr, stdout } = await cogito(["--scope", "other", "--database-url", url, "--once"], { command: "watch" })
    assert.strictEqual(stdout, "")
    assert.match(stderr, /^No run is in progress/)
  })
})
