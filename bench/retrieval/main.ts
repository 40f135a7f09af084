// @effect-diagnostics globalErrorInEffectFailure:off -- a program says what went wrong and ends
// @effect-diagnostics unknownInEffectCatch:off -- whatever it is
/**
 * How well a memory finds notes and tasks: recall, MRR and nDCG of the search by meaning, of that by words, and of both.
 * Run it with `npm run bench:retrieval`; what it takes and reads is in README.md beside this file.
 */
import { Effect, Layer, type Scope } from "effect"
import { Embedder, Memory } from "cogito"
import { Testing } from "cogito/testing"
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { Client } from "pg"
import { type Data, decode, half, type Half } from "./data.ts"
import { byName, names } from "./embedders.ts"
import { parse, toData } from "./labelled.ts"
import { format, report } from "./report.ts"
import { type Ranking, run } from "./run.ts"

const usage = `npm run bench:retrieval -- [file] [options]
  file                 notes and questions as JSON; default: the project's own
  --queries FILE       instead: queries with a label each, as CSV or JSON
  --sample N           of those, how many are asked; default 500
  --notes N            of those, how many are notes at most; default all
  --embedder NAMES     local, hash, random, oracle, all, or paths of modules, by commas; default local
  --half HALF          tuning, report or all; default all
  --store STORE        pglite, memory or postgres (in new databases at DATABASE_URL, or on a server of its own); default pglite
  --options JSON       options of the search, such as {"fusion":{"k":10}}
  --json               the figures as JSON`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    queries: { type: "string" },
    sample: { type: "string", default: "500" },
    notes: { type: "string", default: "Infinity" },
    embedder: { type: "string", default: "local" },
    half: { type: "string", default: "all" },
    store: { type: "string", default: "pglite" },
    options: { type: "string", default: "{}" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false }
  }
})

const isHalf = (value: string): value is Half => value === "tuning" || value === "report" || value === "all"

/** What a program throws, as it was thrown. */
const attempt = <A>(run: () => A): Effect.Effect<A, unknown> => Effect.try({ try: run, catch: (error) => error })

const read = (path: string | URL): Effect.Effect<string, unknown> => attempt(() => readFileSync(path, "utf8"))

const load = Effect.gen(function* (): Effect.fn.Return<Data, unknown> {
  const { notes, queries, sample } = values
  if (queries === undefined) {
    return yield* Effect.flatMap(read(positionals[0] ?? new URL("notes.json", import.meta.url)), decode)
  }
  const rows = yield* parse(yield* read(queries), queries.endsWith(".json"))
  return toData(rows, { questions: Number(sample), notes: Number(notes) })
})

type Store = Layer.Layer<Memory.Memory, unknown, Embedder.Embedder>

/** An empty memory of the kind asked for. */
const memory = Effect.gen(function* (): Effect.fn.Return<Store, unknown, Scope.Scope> {
  switch (values.store) {
    case "memory":
      return Memory.layerInMemory()
    case "pglite": {
      const { PgliteMemory } = yield* Effect.promise(() => import("cogito/pglite"))
      return PgliteMemory.layer()
    }
    case "postgres": {
      const { PostgresMemory } = yield* Effect.promise(() => import("../../src/postgres/index.ts"))
      const server = yield* serverUrl
      return Layer.unwrap(Effect.map(database(server), (url) => PostgresMemory.layer({ url, scope: "bench" })))
    }
    default:
      return yield* Effect.fail(new Error(usage))
  }
})

const serverUrl = Effect.suspend(() => {
  const url = process.env["DATABASE_URL"]
  if (url !== undefined) return Effect.succeed(url)
  return Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => import("../../test/postgres/server.ts").then(({ start }) => start())),
      (server) => Effect.sync(() => server.stop())
    ),
    ({ url }) => url
  )
})

/** A database of its own for each embedder: a memory holds the vectors of one. */
const database = (server: string): Effect.Effect<string, unknown, Scope.Scope> => {
  const name = `bench_${randomUUID().replaceAll("-", "")}`
  const command = (sql: string) =>
    Effect.tryPromise({
      try: async () => {
        const client = new Client({ connectionString: server })
        await client.connect()
        try {
          await client.query(sql)
        } finally {
          await client.end()
        }
      },
      catch: (error) => error
    })
  return Effect.as(
    Effect.acquireRelease(command(`create database ${name}`), () =>
      Effect.ignore(command(`drop database ${name} with (force)`))
    ),
    Object.assign(new URL(server), { pathname: `/${name}` }).href
  )
}

/** The notes, and the questions of the half asked for. */
const chosen = Effect.gen(function* () {
  const which = values.half
  if (!isHalf(which) || positionals.length > 1) return yield* Effect.fail(new Error(usage))
  const data = yield* load
  const questions = half(data.questions, which)
  return questions.length > 0 ? { data, questions } : yield* Effect.fail(new Error("There are no questions."))
})

const program = Effect.gen(function* () {
  const { data, questions } = yield* chosen
  const ranking = yield* attempt(() => JSON.parse(values.options) as Ranking)
  const store = yield* memory
  const reports = yield* Effect.forEach(
    values.embedder === "all" ? names : values.embedder.split(","),
    Effect.fnUntraced(function* (name) {
      const embedder = yield* byName(name, data)
      const live = store.pipe(Layer.provide(Layer.succeed(Embedder.Embedder, embedder)), Layer.merge(Testing.ids))
      const found = report(yield* Effect.provide(run(data, questions, ranking), live))
      const title = `${name}: ${data.notes.length} notes, questions: ${values.half}`
      if (!values.json) process.stdout.write(`${title}\n${format(found)}\n\n`)
      return [name, found] as const
    })
  )
  if (values.json) process.stdout.write(`${JSON.stringify(Object.fromEntries(reports), undefined, 2)}\n`)
})

const failed = (error: unknown): Effect.Effect<void> =>
  Effect.sync(() => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  })

if (values.help) process.stdout.write(`${usage}\n`)
else await Effect.runPromise(Effect.catch(Effect.scoped(program), failed))
