/** The pipelines of the tests, and what a process of a cluster is made of. */
import { NodeClusterSocket, NodeCrypto } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import { ClusterWorkflowEngine, RunnerAddress, SingleRunner } from "effect/cluster"
import { SqlClient } from "effect/sql"
import { Pipeline, Primitive, Provider, Step } from "cogito"
import { PostgresMemory } from "cogito/postgres"
import { Testing } from "cogito/testing"
import { CogitoWorkflow } from "cogito/workflow"

const lease = "3 seconds"
const pollMillis = 500

const asked = <const N extends number>(n: N) =>
  Primitive.decide(`fine${n}`, { question: `Is part ${n} of the order fine?` })
const amount = <const N extends number>(n: N) =>
  Pipeline.waitFor(`amount${n}`, { schema: Schema.Finite, prompt: `How much may we refund for part ${n}?` })

/** Five calls of a model, with a question to a person after each but the last. */
export const order = Pipeline.sequence("order", [
  asked(1),
  amount(1),
  asked(2),
  amount(2),
  asked(3),
  amount(3),
  asked(4),
  amount(4),
  asked(5)
])
/** Two questions at once. */
const both = Pipeline.concurrent("both", [amount(1), amount(2)])

/** Goes on without an answer. */
const late = Pipeline.sequence("late", [
  Pipeline.waitFor("amount", { schema: Schema.Finite, prompt: "How much?", timeout: "1500 millis", otherwise: -1 }),
  asked(1)
])

export class Broken extends Schema.TaggedError<Broken>()("Broken", { part: Schema.Finite }) {}
export class Unlisted extends Schema.TaggedError<Unlisted>()("Unlisted", { part: Schema.Finite }) {}

const broken = Pipeline.sequence("broken", [
  asked(1),
  Step.make("ship", { schema: Schema.String, run: () => Effect.fail(new Broken({ part: 7 })) })
])
const unlisted = Step.make("unlisted", {
  schema: Schema.String,
  run: () => Effect.fail(new Unlisted({ part: 7 }))
})

const settings = { lease, poll: pollMillis } as const
export const flows = {
  order: CogitoWorkflow.make(order, settings),
  both: CogitoWorkflow.make(both, settings),
  late: CogitoWorkflow.make(late, settings),
  broken: CogitoWorkflow.make(broken, { ...settings, errors: Broken }),
  unlisted: CogitoWorkflow.make(unlisted, settings)
}
export const layer = Layer.mergeAll(
  flows.order.layer,
  flows.both.layer,
  flows.late.layer,
  flows.broken.layer,
  flows.unlisted.layer
)

const database = (url: string) => PgClient.layer({ url: Redacted.make(url), maxConnections: 10 })
export const memory = (url: string) => PostgresMemory.layer({ url, scope: "tests", embedder: "none" })

/** Few, as each is locked and released on its own. */
export const shards = 12

/** The settings of a cluster whose processes notice quickly that one of them has ended. */
const quick = {
  shardsPerGroup: shards,
  shardLockExpiration: "3 seconds",
  shardLockRefreshInterval: "1 second",
  refreshAssignmentsInterval: "500 millis",
  entityMessagePollInterval: `${pollMillis} millis`,
  runnerHealthCheckInterval: "1 second"
} as const

/** The engine of a process that executes runs. */
export const runner = (url: string, port: number) =>
  ClusterWorkflowEngine.layer.pipe(
    Layer.provideMerge(
      NodeClusterSocket.layer({
        shardingConfig: { ...quick, runnerAddress: Option.some(RunnerAddress.make("127.0.0.1", port)) }
      })
    ),
    Layer.provideMerge(database(url))
  )

/** The engine of a process that is alone. */
export const single = (url: string) =>
  ClusterWorkflowEngine.layer.pipe(
    Layer.provideMerge(
      SingleRunner.layer({
        runnerStorage: "memory",
        shardingConfig: { shardsPerGroup: shards, entityMessagePollInterval: quick.entityMessagePollInterval }
      })
    ),
    Layer.provideMerge(database(url)),
    Layer.provide(NodeCrypto.layerDigest)
  )

/** The engine of a process that starts and answers runs. */
export const client = (url: string) =>
  ClusterWorkflowEngine.layer.pipe(
    Layer.provideMerge(
      NodeClusterSocket.layer({ clientOnly: true, shardingConfig: { ...quick, runnerAddress: Option.none() } })
    ),
    Layer.provideMerge(database(url))
  )

/** How long a call of the model takes. */
const callMillis = 30

const lastOf = (text: string, pattern: RegExp): string => [...text.matchAll(pattern)].at(-1)?.[1] ?? "none"

/** A model that notes in the database when each of its calls begins and ends, so that a killed process leaves a trace. */
export const model = Layer.effect(
  Provider.Provider,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`create table if not exists call (
      id serial primary key, run text, part text, process int, began timestamptz default now(), ended timestamptz)`.pipe(
      // two processes may create it at once
      Effect.ignore
    )
    return Testing.scripted(({ messages }) => {
      const text = messages.map((message) => message.text).join("\n")
      const [run, part] = [lastOf(text, /order (\d+)/g), lastOf(text, /part (\d+) of/g)]
      return Effect.gen(function* () {
        const [row] = yield* sql<{ readonly id: number }>`insert into call (run, part, process)
          values (${run}, ${part}, ${process.pid}) returning id`
        yield* Effect.sleep(callMillis)
        yield* sql`update call set ended = now() where id = ${row?.id ?? 0}`
        return { decision: true, confidence: 0.9, reasoning: [`part ${part} of order ${run}`] }
      }).pipe(Effect.orDie)
    }).provider
  })
)
