/**
 * Processes that die, stand still or come at once during durable runs on a Postgres server, and a server that dies under them. More of
 * them: `COGITO_DURABLE_KILLS=200 vitest run test/durable/kill`.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Client } from "pg"
import { available, migrated, type Server, start as startServer } from "../../postgres/server.ts"
import { effectsOf, folder, type Model, model, ran, start } from "./processes.ts"
import { kills, rounds, withoutIds } from "./rounds.ts"

const long = 60_000 + 10_000 * kills

/** Waits until the model has had this many calls of a run. */
const asked = (made: Model, run: string, calls: number) =>
  Effect.gen(function* () {
    while ((yield* made.seen(run)).calls < calls) yield* Effect.sleep("5 millis")
  })

/** Every row of a run and of what it stored, as text. */
const rowsOf = (url: string) =>
  Effect.promise(async () => {
    const client = new Client({ connectionString: url })
    await client.connect()
    const all: Array<string> = []
    for (const name of ["run", "step", "call", "wait", "thought", "note", "entry"]) {
      const { rows } = await client.query<{ readonly row: string }>(`select t::text as row from cogito.${name} t`)
      all.push(...rows.map(({ row }) => `${name} ${row}`))
    }
    await client.end()
    return all.toSorted()
  })

describe.skipIf(!available)("on a Postgres server", () => {
  let server: Server
  beforeAll(() => {
    server = startServer()
  })
  afterAll(() => server.stop())

  const opened = Effect.gen(function* () {
    const url = yield* Effect.promise(() => migrated(server))
    return { url, path: yield* folder, made: yield* model }
  })

  it.live(
    "runs whose processes are killed come to the notes of a run that nothing interrupts, and ask no more than was lost",
    () =>
      Effect.gen(function* () {
        const { made, path, url } = yield* opened
        const figures = yield* rounds(url, made, path)
        yield* Effect.log("durable runs on Postgres", figures)
        assert.strictEqual(figures.killed, kills)
      }).pipe(Effect.scoped),
    long
  )

  it.live(
    "a server that dies during a recovery fails it with a typed error, and the next one comes to the end",
    () =>
      Effect.gen(function* () {
        const { made, path, url } = yield* opened
        const program = (task: "once" | "run") => ({ task, store: url, model: made, run: "a", folder: path }) as const
        const unbroken = yield* ran({ ...program("run"), run: "unbroken" })
        yield* made.plan("a", { call: 2, when: "before", millis: 0 })
        assert.strictEqual((yield* ran(program("run"))).signal, "SIGKILL")
        // the recovery waits for the model while its server dies
        yield* made.plan("a", { call: 1, when: "held", millis: 0 })
        const recovery = yield* start(program("run"))
        yield* asked(made, "a", 3)
        yield* Effect.sync(() => server.restart())
        yield* made.plan("a", undefined)
        const ended = yield* recovery.ended
        if (ended.word === "failed") assert.deepStrictEqual(ended.json[0], "PipelineError")
        const done = yield* ran(program("run"))
        assert.deepStrictEqual(withoutIds(done.json), withoutIds(unbroken.json))
        assert.isAtMost((yield* made.seen("a")).calls, 5 + 3)
        assert.isAtMost(effectsOf(path, "a").filter((what) => what === "once").length, 1)
      }).pipe(Effect.scoped),
    long
  )

  it.live(
    "a process that stands still loses its run to another one, and can write nothing when it comes back",
    () =>
      Effect.gen(function* () {
        const { made, path, url } = yield* opened
        const program = (task: "once" | "run") => ({ task, store: url, model: made, run: "a", folder: path }) as const
        yield* made.plan("a", { call: 2, when: "held", millis: 0 })
        const stopped = yield* start(program("once"))
        yield* asked(made, "a", 2)
        yield* stopped.signal("SIGSTOP")
        yield* made.plan("a", undefined)
        // it waits for the lease of the other one to end, and takes the run
        const taker = yield* ran(program("run"))
        assert.strictEqual(taker.word, "done")
        const [before, effects] = [yield* rowsOf(url), effectsOf(path, "a")]
        yield* stopped.signal("SIGCONT")
        const late = yield* stopped.ended
        assert.deepStrictEqual([late.word, late.json], ["failed", ["PipelineError", "LeaseLost"]])
        assert.deepStrictEqual(yield* rowsOf(url), before)
        assert.deepStrictEqual(effectsOf(path, "a"), effects)
        assert.deepStrictEqual(effects.toSorted(), ["make", "once"])
      }).pipe(Effect.scoped),
    long
  )

  it.live(
    "of two that recover a run and one that begins it at once, one executes it",
    () =>
      Effect.gen(function* () {
        const { made, path, url } = yield* opened
        const program = (task: "recover" | "run") =>
          ({ task, store: url, model: made, run: "a", folder: path, lease: 8000 }) as const
        yield* made.plan("a", { call: 2, when: "after", millis: 1 })
        assert.strictEqual((yield* ran(program("run"))).signal, "SIGKILL")
        yield* made.plan("a", undefined)
        const tasks = ["recover", "recover", "run"] as const
        const ends = yield* Effect.forEach(tasks, (task) => ran(program(task)), { concurrency: "unbounded" })
        const done = ends.flatMap(({ json, word }) => (word === "done" ? [json] : []))
        assert.isAtLeast(done.length, 1)
        for (const notes of done) assert.deepStrictEqual(notes, done[0])
        assert.isAtMost((yield* made.seen("a")).calls, 5 + 2)
        assert.deepStrictEqual(effectsOf(path, "a").toSorted(), ["make", "once"])
      }).pipe(Effect.scoped),
    long
  )
})
