/**
 * What other processes do to a memory: `node --conditions=cogito-source child.ts <task> <directory or URL of a server>`.
 *
 * Each line on the standard output is a word and, where there is one, a number.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Client } from "pg"
import { Embedder } from "../../src/Embedder.ts"
import { make } from "../../src/Memory.ts"
import { PgliteMemory } from "../../src/pglite/index.ts"
import { PostgresMemory } from "../../src/postgres/index.ts"
import { answered, newRun } from "../../src/testing/contract/ledger/rows.ts"
import { Testing } from "../../src/testing/index.ts"
import { plannedCommit, plannedThought } from "./plan.ts"

const [task, dataDir = ""] = process.argv.slice(2)
const say = (...words: ReadonlyArray<string | number>) =>
  Effect.sync(() => process.stdout.write(`${words.join(" ")}\n`))

/** Opens the store and holds it, or says who has it. */
const hold = Effect.gen(function* () {
  const opened = yield* Effect.result(PgliteMemory.makeStore({ dataDir }))
  if (Result.isSuccess(opened)) {
    yield* say("open", process.pid)
    return yield* Effect.never
  }
  const { reason } = opened.failure
  return yield* say(reason._tag, reason._tag === "Locked" ? (reason.pid ?? 0) : 0)
})

/** Commits the plan for a thought, one version after the other, and says each that is acknowledged. */
const commits = Effect.gen(function* () {
  const row = plannedThought(Number(process.argv[4]))
  const store = yield* dataDir.startsWith("postgres:")
    ? PostgresMemory.makeStore({ url: dataDir })
    : PgliteMemory.makeStore({ dataDir })
  for (let version = 0; version < 10_000; version++) {
    yield* say("acknowledged", yield* store.commit("local", plannedCommit(row, version)))
  }
})

/** Writes rows of a run, one after the other and none of them urgent, and says each that is acknowledged. */
const records = Effect.gen(function* () {
  const store = yield* PgliteMemory.makeStore({ dataDir })
  const row = plannedThought(Number(process.argv[4]))
  yield* store.commit("local", plannedCommit(row, 0))
  const run = newRun(row.id, { id: `run ${process.argv[4]}` })
  yield* store.ledger.record("local", { runId: run.id, epoch: 1, begins: [run] })
  for (let n = 0; n < 10_000; n++) {
    yield* store.ledger.record("local", { runId: run.id, epoch: 1, calls: [answered("/a@0", n)] })
    yield* say("acknowledged", n + 1)
  }
})

/** Embeds all notes anew with another embedder, and says each call of it. */
const rebuild = Effect.gen(function* () {
  const store = yield* PgliteMemory.makeStore({ dataDir })
  const words = yield* Effect.provide(Embedder, Testing.embedder)
  const embedMany: typeof words.embedMany = (texts) =>
    Effect.andThen(say("embeds", texts.length), words.embedMany(texts))
  yield* Effect.provideService(make({ store, scope: "local", onEmbedderChange: "rebuild" }), Embedder, {
    ...words,
    id: "another",
    embedMany
  })
  return yield* Effect.never
})

/** Waits until nobody holds the lock 1 of the database, then opens the store, which makes the schema, and commits. */
const starts = Effect.gen(function* () {
  const client = new Client({ connectionString: dataDir })
  yield* Effect.promise(() => Promise.all([client.connect(), import("../../src/postgres/store.ts")]))
  yield* say("waits")
  yield* Effect.promise(() => client.query("select pg_advisory_lock_shared(1)").then(() => client.end()))
  const store = yield* PostgresMemory.makeStore({ url: dataDir })
  const row = plannedThought(Number(process.argv[4]))
  yield* say("acknowledged", yield* store.commit("local", plannedCommit(row, 0)))
})

const tasks = { hold, rebuild, records, commits, starts }
const isTask = (name: string | undefined): name is keyof typeof tasks => name !== undefined && name in tasks
const chosen = isTask(task) ? task : "commits"

await Effect.runPromise(
  Effect.andThen(say("started"), Effect.scoped(Effect.catch(tasks[chosen], ({ reason }) => say("failed", reason._tag))))
)
