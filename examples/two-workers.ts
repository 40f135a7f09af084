// Runs offline on a Postgres server that it starts, or on that of DATABASE_URL: `npm run two-workers`.
/**
 * Durable runs on two processes, one of which is killed.
 *
 * This file is three programs. Started as it is, it is the client: it starts two workers as processes of their own, starts
 * refunds, kills a worker in the middle, and answers the questions that the refunds wait for. The workers form a cluster on
 * Postgres, which decides who executes which refund; the ledger of the memory says what each of them has done.
 */
import { NodeClusterSocket } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { Console, Effect, Layer, Option, Redacted, Schema } from "effect"
import { ClusterWorkflowEngine, RunnerAddress } from "effect/cluster"
import { SqlClient } from "effect/sql"
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import { join } from "node:path"
import { Note, Pipeline, Primitive, Provider, Thought } from "cogito"
import { PostgresMemory } from "cogito/postgres"
import { Testing } from "cogito/testing"
import { CogitoWorkflow } from "cogito/workflow"

// ------------------------------------------------------------------------------------------------------- the pipeline

const message = Note.handle("message", Schema.String)
const pipeline = Pipeline.sequence("refund", [
  Primitive.decide("fraud", { question: "Does this look like fraud?" }),
  Primitive.approve("ok", { prompt: Note.prompt`May we refund ${message}?` }),
  Primitive.decide("apology", { question: "Should we apologise?" })
])

/** Short times, so that the example shows in seconds what otherwise takes up to a minute. */
const refund = CogitoWorkflow.make(pipeline, { lease: "3 seconds", poll: "1 second" })
const sharding = {
  shardLockExpiration: "3 seconds",
  refreshAssignmentsInterval: "1 second",
  entityMessagePollInterval: "1 second",
  runnerHealthCheckInterval: "1 second"
} as const

// ------------------------------------------------------------------------------------------------------------ a worker

/** A model that writes its calls into a table, where they stay when its process is killed. */
const model = Layer.effect(
  Provider.Provider,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return Testing.scripted(({ messages }) =>
      Effect.gen(function* () {
        const order = /order (\d+)/.exec(messages.map(({ text }) => text).join("\n"))?.[1] ?? ""
        const question = /apologise/.test(messages.at(-1)?.text ?? "") ? "apology" : "fraud"
        const [row] = yield* sql<{ readonly id: number }>`insert into model_call (refund, question, process)
          values (${order}, ${question}, ${process.pid}) returning id`
        yield* Effect.sleep("300 millis")
        yield* sql`update model_call set answered = true where id = ${row?.id ?? 0}`
        return { decision: question === "apology", confidence: 0.9, reasoning: ["so the script says"] }
      }).pipe(Effect.orDie)
    ).provider
  })
)

const servicesOn = (url: string) =>
  Layer.merge(
    PgClient.layer({ url: Redacted.make(url) }),
    PostgresMemory.layer({ url, scope: "shop", embedder: "none" })
  )

const worker = (url: string, port: number): Layer.Layer<never, unknown> =>
  Layer.effectDiscard(Console.log("ready")).pipe(
    Layer.provide(refund.layer),
    Layer.provide(ClusterWorkflowEngine.layer),
    Layer.provide(
      NodeClusterSocket.layer({
        shardingConfig: { ...sharding, runnerAddress: Option.some(RunnerAddress.make("127.0.0.1", port)) }
      })
    ),
    Layer.provide(model),
    Layer.provide(servicesOn(url))
  )

// ---------------------------------------------------------------------------------------------------------- the client

/** A port that no other program listens on. */
const freePort = Effect.promise(async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  return typeof address === "object" && address !== null ? address.port : 0
})

const started = Effect.fnUntraced(function* (url: string) {
  const port = yield* freePort
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [...process.execArgv, import.meta.filename, "worker", url, String(port)], {
        stdio: ["ignore", "pipe", "inherit"]
      })
    ),
    kill
  )
  yield* Effect.callback<void>((resume) => {
    child.stdout.on("data", (text: Buffer) => (text.includes("ready") ? resume(Effect.void) : undefined))
    child.once("close", () => resume(Effect.die(new Error(`the worker on port ${port} has ended`))))
  })
  yield* Console.log(`the worker ${child.pid} listens on port ${port}`)
  return child
})

const kill = (child: ChildProcess) =>
  Effect.promise(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill("SIGKILL")
    await once(child, "close")
  })

interface Call {
  readonly refund: string
  readonly question: string
  readonly process: number
  readonly answered: boolean
}

const orders = Array.from({ length: 12 }, (_, i) => i + 1)
const idOf = (order: number) => `refund-${order}`

const client = (url: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`drop table if exists model_call`
    yield* sql`create table model_call (
      id serial primary key, refund text, question text, process int, answered boolean default false)`
    const workers = yield* Effect.all([started(url), started(url)], { concurrency: 2 })
    const calls = sql<Call>`select refund, question, process, answered from model_call`

    for (const order of orders) {
      const thought = yield* Thought.make("refund", { message: `order ${order}` })
      yield* refund.start(thought, { id: idOf(order) })
    }
    yield* Console.log(`${orders.length} refunds are started`)

    let killed: number | undefined
    const left = new Set(orders)
    while (left.size > 0) {
      yield* Effect.sleep("100 millis")
      const pending = (yield* calls).find(({ answered, process }) => !answered && process === workers[0].pid)
      if (killed === undefined && pending !== undefined) {
        yield* kill(workers[0])
        killed = workers[0].pid
        yield* Console.log(`the worker ${killed} is killed while it asks the model about order ${pending.refund}`)
      }
      for (const { key, runId } of yield* Pipeline.waiting()) {
        yield* refund.answer(runId, key, { approved: true }, { by: "jane" })
      }
      for (const order of left) {
        const done = yield* refund.poll(idOf(order)).pipe(Effect.provide(model))
        if (Option.isNone(done)) continue
        left.delete(order)
        const { approved, by } = done.value.get("ok")
        yield* Console.log(`order ${order}: ${approved ? "approved" : "refused"} by ${by ?? "nobody"}, and ended`)
      }
    }

    const made = yield* calls
    const unanswered = made.filter(({ answered }) => !answered)
    const answered = new Set(made.filter((call) => call.answered).map((call) => `${call.refund} ${call.question}`))
    const twice = made.length - unanswered.length - answered.size
    yield* Console.log(
      `All ${orders.length} refunds have ended, with ${made.length} calls: ${answered.size} were answered once, ${twice} twice, and ` +
        `${unanswered.length} were in flight in the worker that was killed.`
    )
  }).pipe(
    Effect.provide(
      ClusterWorkflowEngine.layer.pipe(
        Layer.provide(
          NodeClusterSocket.layer({ clientOnly: true, shardingConfig: { ...sharding, runnerAddress: Option.none() } })
        ),
        Layer.provideMerge(servicesOn(url))
      )
    ),
    Effect.scoped
  )

// ---------------------------------------------------------------------------------------------------------- the server

const script = join(import.meta.dirname, "..", "scripts", "postgres.sh")

/** A server of its own that is stopped at the end, unless there is one. */
const server = Effect.acquireRelease(
  Effect.sync(() => {
    const url = process.env["DATABASE_URL"]
    if (url !== undefined) return { url, folder: undefined }
    const { stderr, stdout } = spawnSync("bash", [script, "start"], { encoding: "utf8" })
    return {
      url: /^DATABASE_URL=(.*)$/m.exec(stdout)?.[1],
      folder: /^FOLDER=(.*)$/m.exec(stdout)?.[1],
      problem: (stderr ?? "").trim().split("\n").at(-1)
    }
  }),
  ({ folder }) => Effect.sync(() => (folder === undefined ? undefined : spawnSync("bash", [script, "stop", folder])))
)

const [role, url = "", port = ""] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const { problem, url: own } = yield* server
  if (own === undefined) {
    yield* Console.error(
      `This example needs a Postgres server with pgvector: set DATABASE_URL to one, or install Postgres. (${problem})`
    )
    process.exitCode = 1
    return
  }
  yield* client(own)
}).pipe(Effect.scoped)

await Effect.runPromise(role === "worker" ? Layer.launch(worker(url, Number(port))) : program)
