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
import { type Data, decode, half, type Half, json } from "./data.ts"
import { dated, type Dates } from "./dated.ts"
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
  --dates DATES        notes spread over a year, and questions that name a time: right, wrong or none
  --store STORE        pglite, memory or postgres (in new databases at DATABASE_URL, or on a server of its own); default pglite
  --options JSON       options of the search, such as {"context":{"task":0}}
  --json               the figures as JSON`

const args = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        queries: { type: "string" },
        sample: { type: "string", default: "500" },
        notes: { type: "string", default: "Infinity" },
        embedder: { type: "string", default: "local" },
        half: { type: "string", default: "all" },
        dates: { type: "string" },
        store: { type: "string", default: "pglite" },
        options: { type: "string", default: "{}" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false }
      }
    })
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}\n`)
    return process.exit(1)
  }
}
const { positionals, values } = args()

const isDates = (value: string): value is Dates => value === "right" || value === "wrong" || value === "none"

const isHalf = (value: string): value is Half => value === "tuning" || value === "report" || value === "all"

/** What a program throws, as it was thrown. */
const attempt = <A>(run: () => A): Effect.Effect<A, unknown> => Effect.try({ try: run, catch: (error) => error })

const read = (path: string | URL): Effect.Effect<string, unknown> => attempt(() => readFileSync(path, "utf8"))

/** Says of which file or option what went wrong is. */
const of =
  (name: string) =>
  <A>(self: Effect.Effect<A, unknown>): Effect.Effect<A, unknown> =>
    Effect.mapError(self, (error) => new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`))

const load = Effect.gen(function* (): Effect.fn.Return<Data, unknown> {
  const { notes, queries, sample } = values
  if (queries === undefined) {
    const path = positionals[0] ?? new URL("notes.json", import.meta.url)
    return yield* of(String(path))(Effect.flatMap(read(path), decode))
  }
  const count = { questions: Number(sample), notes: Number(notes) }
  if (!(count.questions >= 1 && count.notes >= 1)) {
    return yield* Effect.fail(new Error("--sample and --notes are numbers from 1."))
  }
  const rows = yield* of(queries)(Effect.flatMap(read(queries), (text) => parse(text, queries.endsWith(".json"))))
  return toData(rows, count)
})

/** What a search can be told here, by name. */
const known: Readonly<Record<string, ReadonlyArray<string>>> = {
  "": ["context", "dates", "diversity", "fusion", "keys", "limit", "maxDistance", "minSimilarity", "recency", "trust"],
  context: ["neighbours", "task"],
  dates: ["weight", "timeZone"],
  fusion: ["vectorWeight", "lexicalWeight"],
  recency: ["halfLife", "weight"]
}

/** The options of the search, refused when they hold a name that is none. */
const ranking = Effect.gen(function* (): Effect.fn.Return<Ranking, unknown> {
  const options = yield* json(values.options)
  const check = (value: unknown, name: string): ReadonlyArray<string> => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [`${name || "JSON"} is an object`]
    return Object.entries(value).flatMap(([key, inner]) => {
      if (known[name]?.includes(key) !== true) return [`there is no option ${key}`]
      return key in known ? check(inner, key) : []
    })
  }
  const problems = check(options, "")
  return problems.length === 0 ? (options as Ranking) : yield* Effect.fail(new Error(problems.join("; ")))
}).pipe(of("--options"))

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
  const { dates, half: which } = values
  if (!isHalf(which) || positionals.length > 1 || (dates !== undefined && !isDates(dates))) {
    return yield* Effect.fail(new Error(usage))
  }
  const read = yield* load
  const data = dates === undefined ? read : dated(read, dates)
  const questions = half(data.questions, which)
  const answered = questions.some(({ relevant, relevantTasks = [] }) => relevant.length + relevantTasks.length > 0)
  return answered ? { data, questions } : yield* Effect.fail(new Error("No question has an answer."))
})

const program = Effect.gen(function* () {
  const { data, questions } = yield* chosen
  const options = yield* ranking
  const store = yield* memory
  const reports = yield* Effect.forEach(
    values.embedder === "all" ? names : values.embedder.split(","),
    Effect.fnUntraced(function* (name) {
      const embedder = yield* byName(name, data)
      const live = store.pipe(Layer.provide(Layer.succeed(Embedder.Embedder, embedder)), Layer.merge(Testing.ids))
      const found = report(yield* Effect.provide(run(data, questions, options), live))
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
