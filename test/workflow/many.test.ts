/**
 * Many runs on two processes, one of which is killed. Takes minutes:
 * `COGITO_WORKFLOW_RUNS=300 vitest run test/workflow/many.test.ts`.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Pipeline } from "cogito"
import { available, migrated, type Server, start } from "../postgres/server.ts"
import { soon } from "../soon.ts"
import { client, flows, memory, model, shards } from "./flows.ts"
import { worker } from "./processes.ts"
import { calls, contents, madeAgain, thoughtOf, unbroken } from "./runs.ts"

const count = Number(process.env["COGITO_WORKFLOW_RUNS"] ?? 300)
/** The longest that a run may stand still after its process has been replaced. */
const longestStall = 5_000
/** How many runs are in progress at a time. */
const most = 16

/** How many processes hold shards. */
const owners = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ readonly shards: number }>`select count(*)::int as shards from pg_locks
      where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
      group by pid order by shards desc`,
    (rows) => rows.map(({ shards }) => shards)
  )
)

/** When the process of a run had something to do, and when it had done it: from its start or an answer to what came next. */
const gaps = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql<{ readonly run: string; readonly from: number; readonly to: number }>`
      with moments as (
        select run_id as run, key, extract(epoch from created_at) * 1000 as asked,
          extract(epoch from answered_at) * 1000 as answered from cogito.wait
        union all
        select id, 'zend', extract(epoch from ended_at) * 1000, null from cogito.run)
      select run, "from"::float8, asked::float8 as "to" from (
        select run, lag(answered) over (partition by run order by key) as "from", asked from moments) as steps
      where "from" is not null and asked is not null`
)

describe.skipIf(!available)("many workflows", () => {
  let server: Server
  beforeAll(() => {
    server = start()
  })
  afterAll(() => server.stop())

  it.live(
    `all end as runs that nothing interrupts, ${count} of them`,
    () =>
      Effect.gen(function* () {
        const url = yield* Effect.promise(() => migrated(server))
        const program = Effect.gen(function* () {
          const workers = yield* Effect.all([worker(url), worker(url)], { concurrency: 2 })
          const numbers = Array.from({ length: count }, (_, i) => i + 1)
          const began = Date.now()
          let killed = 0
          let takenOver = 0
          let answered = 0
          const takeOver = Effect.gen(function* () {
            killed = Date.now()
            yield* workers[0].kill
            while ((yield* owners)[0] !== shards) yield* Effect.sleep("20 millis")
            takenOver = Date.now()
          })
          let begun = 0
          /** Every other run is answered by a program that knows nothing of the cluster. */
          const answer = ({ key, runId }: { readonly key: string; readonly runId: string }) => {
            const value = Number(key.slice("amount".length))
            const options = { by: "jane" }
            return Number(runId.slice("order-".length)) % 2 === 0
              ? flows.order.answer(runId, key, value, options)
              : Pipeline.answer(runId, key, value, options)
          }
          // So many runs at a time that the processes are busy, and so few that none waits for the others.
          const driving = Effect.gen(function* () {
            for (;;) {
              const open = yield* Pipeline.waiting({ limit: 500 })
              const done = (yield* Pipeline.runs({ status: "completed", limit: 500 })).length
              if (done === count) return
              const free = Math.max(0, most - (begun - open.length - done))
              const starting = numbers.slice(begun, begun + Math.ceil(free / 2))
              begun += starting.length
              for (const number of starting) {
                yield* flows.order.start(yield* thoughtOf(number), { id: `order-${number}` })
              }
              const answering = open.slice(0, free - starting.length)
              yield* Effect.forEach(answering, answer, { concurrency: 4, discard: true })
              answered += answering.length
              if (killed === 0 && answered >= count) yield* Effect.forkScoped(takeOver)
              yield* Effect.sleep("50 millis")
            }
          })
          yield* soon("the end of all runs", 3_000_000)(driving)
          const ended = Date.now()

          for (const number of numbers) {
            const done = Option.getOrThrow(yield* flows.order.poll(`order-${number}`))
            assert.deepStrictEqual(contents(done), yield* unbroken(number))
          }
          const made = yield* calls
          const again = madeAgain(made)
          const all = yield* gaps
          const before = all.filter(({ to }) => to < killed).map(({ from, to }) => to - from)
          const after = all.filter(({ to }) => to > takenOver).map(({ from, to }) => to - Math.max(from, takenOver))
          const longest = (millis: ReadonlyArray<number>) => Math.round(Math.max(0, ...millis))
          const median = (millis: ReadonlyArray<number>) =>
            Math.round(millis.toSorted((a, b) => a - b)[Math.floor(millis.length / 2)] ?? 0)
          process.stdout.write(
            `${count} runs in ${ended - began} ms. Took over ${takenOver - killed} ms after the kill. From an answer to the next ` +
              `question: before the kill ${median(before)} ms, at most ${longest(before)} ms; after the takeover ` +
              `${median(after)} ms, at most ${longest(after)} ms. ${made.length} calls, ${again.length} of them made again.\n`
          )
          // Only what was in flight in the killed process is asked again, at most one call of a run.
          assert.isTrue(again.every((call) => call.process === workers[0].pid))
          assert.lengthOf(new Set(again.map(({ run }) => run)), again.length)
          assert.isAtMost(again.length, most)
          assert.strictEqual(made.length - again.length, count * 5)
          assert.isAtMost(longest(after), longestStall)
        })
        const services = Layer.provideMerge(model, Layer.merge(client(url), memory(url)))
        yield* Effect.provide(program, services)
      }).pipe(Effect.scoped),
    3_600_000
  )
})
