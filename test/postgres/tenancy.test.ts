/**
 * Tenants stay apart, twice: by the conditions of every statement, and by the database when those are taken away.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Kysely, PostgresDialect } from "kysely"
import { Client, Pool } from "pg"
import type { MemoryError } from "../../src/Memory.ts"
import { makeInMemory, type Store, type ThoughtRow } from "../../src/Store.ts"
import * as Database from "../../src/postgres/database.ts"
import { PostgresMemory } from "../../src/postgres/index.ts"
import * as Sql from "../../src/sql/store.ts"
import { loadAll } from "../../src/testing/contract/stage/forest.ts"
import { ask } from "../../src/testing/contract/stage/query.ts"
import { random, type Random } from "../../src/testing/contract/stage/random.ts"
import { commit, entry, note, notes, plain, thought } from "../../src/testing/contract/stage/rows.ts"
import { answered, newRun, noon, position, step, wait } from "../../src/testing/contract/ledger/rows.ts"
import { available, database, type Server, start } from "./server.ts"
import { ordinary } from "./user.ts"

const operations = Number(process.env["COGITO_TENANCY_OPERATIONS"] ?? 400)

const space = { embedder: "e", dimensions: 2, metric: "cosine" } as const
/** Made and dropped again. */
const passing = { ...space, embedder: "passing" } as const
const scopes = Array.from({ length: 20 }, (_, i) => `tenant ${i}`)

/** The statements of a client without their conditions on the scope; their parameters stay, so that their number holds. */
const careless = (url: string, removed: { count: number }): Pool => {
  class Careless extends Client {
    // the driver's own type has a dozen overloads for what is passed on as it is
    override query(...args: ReadonlyArray<any>): any {
      const [config, ...rest] = args
      const strip = (text: string) =>
        text.replaceAll(/(?:"?\w+"?\.)?"?scope"? = (\$\d+)/g, (_, parameter: string) => {
          removed.count++
          return `${parameter}::text is not null`
        })
      const stripped = typeof config === "string" ? strip(config) : { ...config, text: strip(config.text) }
      return (super.query as (...all: ReadonlyArray<any>) => any)(stripped, ...rest)
    }
  }
  return new Pool({ connectionString: url, max: 4, Client: Careless })
}

type Run = (store: Store) => Effect.Effect<unknown, MemoryError>

/** What a tenant's texts say, to be told from those of others; the ids of all tenants' rows are the same. */
const tagOf = (scope: string): string => `<${scope}>`

/** The same without the ends of leases, which are those of another clock in each store. */
const withoutLeases = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null), (key, part) => (key === "leaseUntilMillis" ? typeof part : part))

/** One operation on durable runs at random. */
const runOperation = (
  { below, pick }: Random,
  pool: ReadonlyArray<ThoughtRow>,
  scope: string
): ((ledger: Store["ledger"]) => Effect.Effect<unknown, MemoryError>) => {
  const runId = `run ${below(4)}`
  const [frame, epoch, millis] = [`/${below(3)}`, 1 + below(2), pick([0, 3_600_000])]
  const text = tagOf(scope)
  const thoughtId = pick(pool).id
  const given = newRun(thoughtId, {
    id: runId,
    seed: pick(["one", "two"]),
    pipeline: text,
    lease: { owner: "a", millis }
  })
  const lease = { owner: pick(["a", "b"]), millis, seize: below(2) === 0 }
  const [limit, one, endedMillis] = [1 + below(5), below(2) === 0, noon + below(9)]
  const status = pick(["waiting", "failed"] as const)
  const filter = pick([{}, { thoughtId }, { status: ["running"] }] as const)
  const operations: ReadonlyArray<(ledger: Store["ledger"]) => Effect.Effect<unknown, MemoryError>> = [
    (ledger) => ledger.record(scope, { runId, epoch: 1, begins: [given] }),
    (ledger) =>
      ledger.record(scope, {
        runId,
        epoch,
        steps: [step(frame, { error: text, position: position(thoughtId) })],
        calls: [answered(frame, 0, { response: text })],
        waits: [wait(runId, thoughtId, frame, { prompt: text })]
      }),
    (ledger) =>
      ledger.record(scope, {
        runId,
        epoch,
        drops: [{ frame, n: 0 }],
        ends: { status, end: position(thoughtId), error: text, endedMillis }
      }),
    (ledger) => ledger.claim(scope, runId, lease),
    (ledger) => ledger.renew(scope, runId, epoch, lease),
    (ledger) => ledger.load(scope, runId),
    (ledger) => ledger.runs(scope, { limit, ...filter }),
    (ledger) => ledger.waits(scope, { limit, ...(one ? { runId } : {}) }),
    (ledger) => ledger.answer(scope, { runId, frame }, { json: JSON.stringify(text), by: text, millis: noon }),
    (ledger) => (limit === 1 ? ledger.remove(scope, runId) : ledger.load(scope, runId))
  ]
  const operation = pick(operations)
  return (ledger) => Effect.map(operation(ledger), withoutLeases)
}

/** Operations of one tenant at random, by name: of each, what is done to a store. */
const operationsOf = (rng: Random, pool: ReadonlyArray<ThoughtRow>) => {
  const versions = new Map<string, number>()
  const { below, pick } = rng
  const noteOf = (id: string, i: number) => `${id.slice(0, 14)}7000-8${String(i).padStart(3, "0")}-${id.slice(-12)}`
  const anyNote = () => noteOf(pick(pool).id, 1 + below(4))
  const anyRef = () => {
    const { id, traceId } = pick(pool)
    return below(2) === 0 ? { id } : { traceId }
  }
  const vectorsOf = (count: number) =>
    Array.from({ length: count }, () => {
      const angle = below(360)
      return { noteId: anyNote(), vector: Float32Array.of(Math.cos(angle), Math.sin(angle)) }
    })
  const query = (scope: string) =>
    ask({
      text: pick(["apples", "pears and apples", "", tagOf(pick(scopes)), tagOf(scope)]),
      vector: below(2) === 0 ? undefined : Float32Array.of(1, 0),
      filter: pick([{}, { taskId: "task" }, { excludeLineageOf: [pick(pool).id] }, { key: "key 1" }]),
      context: pick([
        { neighbours: 0, task: 0 },
        { neighbours: 0.5, task: 0.5 }
      ]),
      limit: 1 + below(30)
    })
  const page = () => ({ limit: 1 + below(20), after: undefined })
  const written = (scope: string, id: string, first: number, count: number) =>
    Array.from({ length: count }, (_, i) =>
      note(id, first + i, {
        id: noteOf(id, first + i),
        content: `${pick(["apples", "pears"])} ${i} of ${tagOf(scope)}`
      })
    )
  return {
    commit: (scope: string): Run => {
      const base = pick(pool)
      const version = versions.get(scope + base.id) ?? 0
      versions.set(scope + base.id, version + below(2))
      const row = { ...base, intent: tagOf(scope) }
      const first = (row.parent?.seq ?? 0) + 1
      const own = version === 0 ? written(scope, row.id, first, 1 + below(2)) : []
      const entries = [entry(version, { text: tagOf(scope), carries: own.slice(0, 1).map(({ id }) => id) })]
      return (store) => store.commit(scope, commit(row, { version, notes: own, entries, nextIndex: version + 1 }))
    },
    load: (scope: string): Run => {
      const ref = anyRef()
      return (store) => Effect.map(store.load(scope, ref), plain)
    },
    history: (scope: string): Run => {
      const { id } = pick(pool)
      return (store) => Effect.map(store.history(scope, id), plain)
    },
    ledger: (scope: string): Run => {
      const run = runOperation(rng, pool, scope)
      return (store) => run(store.ledger)
    },
    ancestors: (scope: string): Run => {
      const ref = anyRef()
      return (store) => store.ancestors(scope, ref)
    },
    children: (scope: string): Run => {
      const [ref, some] = [anyRef(), page()]
      return (store) => store.children(scope, ref, some)
    },
    thoughts: (scope: string): Run => {
      const some = { ...page(), taskId: pick([undefined, "task"]), order: pick(["oldest", "newest"] as const) }
      return (store) => store.thoughts(scope, some)
    },
    append: (scope: string): Run => {
      const ref = anyRef()
      const { seq: _seq, thoughtId: _thoughtId, ...draft } = note("", 1, { content: `plums of ${tagOf(scope)}` })
      return (store) => store.append(scope, ref, [draft])
    },
    remove: (scope: string): Run => {
      const [ref, materialize] = [anyRef(), below(2) === 0]
      return (store) => store.remove(scope, ref, { materialize })
    },
    purge:
      (scope: string): Run =>
      (store) =>
        store.purge(scope),
    redact: (scope: string): Run => {
      const id = anyNote()
      return (store) => Effect.map(store.redact(scope, id, 1_800_000_000_000), (ids) => ids?.toSorted())
    },
    restore: (scope: string): Run => {
      const { parent: _parent, ...base } = pick(pool)
      const row = { ...base, parent: undefined, intent: tagOf(scope) }
      const stored = {
        thought: row,
        version: 7,
        notes: written(scope, row.id, 1, 2),
        entries: [],
        nextIndex: 0,
        usage: undefined
      }
      return (store) => store.restore(scope, stored)
    },
    copyVectors: (scope: string): Run => {
      const ids = [anyNote(), anyNote(), anyNote()]
      return (store) => Effect.map(store.copyVectors(scope, space, ids), (copied) => copied.toSorted())
    },
    putVectors: (scope: string): Run => {
      const vectors = vectorsOf(3)
      return (store) => store.putVectors(scope, space, vectors)
    },
    pending: (scope: string): Run => {
      const limit = 1 + below(50)
      return (store) => store.pending(space, { scope, limit })
    },
    countPending:
      (scope: string): Run =>
      (store) =>
        store.countPending(scope, space),
    search: (scope: string): Run => {
      const asked = query(scope)
      return (store) => store.search(scope, space, asked)
    },
    survey: (scope: string): Run => {
      const { candidates: _candidates, diversity: _diversity, ...asked } = { ...query(scope), diversity: undefined }
      return (store) => store.survey(scope, space, { ...asked, candidates: 50 })
    },
    // those of upkeep, which sees all, in between
    openSpace: (): Run => (store) => store.openSpace(space),
    spaces: (): Run => (store) => store.spaces,
    activateSpace: (): Run => (store) => store.activateSpace(space),
    dropSpace: (): Run => (store) =>
      Effect.andThen(store.openSpace(passing), store.dropSpace(passing, { force: true })),
    optimize: (): Run => (store) => Effect.asVoid(store.optimize({ index: "drop" }))
  } satisfies Record<keyof Store, (scope: string) => Run>
}

/** What changes so much, or takes so long, that it is done now and then only. */
const rare: ReadonlySet<string> = new Set(["purge", "remove", "dropSpace", "optimize", "activateSpace", "openSpace"])

/** Their order is of scores, which differ in the last digits from one store to the other. */
const ranked: ReadonlySet<string> = new Set(["search", "survey"])

/** As text, with what a map holds, and fields in one order. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part) =>
    part instanceof Map
      ? [...part]
      : typeof part === "object" && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : part
  ) ?? ""

/**
 * Random work of all tenants, with the same ids, on one store: whatever comes back is the asking tenant's own, and what comes
 * of it all is what comes of it in plain memory.
 */
const work = Effect.fnUntraced(function* (store: Store, seed: number) {
  const rng = random(seed)
  const roots = Array.from({ length: 8 }, (_, i) => thought({ taskId: i % 2 === 0 ? "task" : undefined }))
  const pool = [...roots, ...roots.slice(0, 4).map(({ id }) => thought({ parent: { id, seq: 1 } }))]
  const kinds = operationsOf(rng, pool)
  const names = Object.keys(kinds) as ReadonlyArray<keyof typeof kinds>
  const model = yield* makeInMemory
  for (const one of [store, model]) yield* one.openSpace(space)
  const done = new Map<string, number>()
  let own = 0
  for (let i = 0; i < operations; i++) {
    const scope = rng.pick(scopes)
    const name = rng.pick(names)
    if (rare.has(name) && rng.below(10) > 0) continue
    const run = kinds[name](scope)
    const [found, wanted] = yield* Effect.forEach([store, model], (one) => Effect.result(run(one)))
    const said = [found, wanted].map((result) =>
      result === undefined
        ? ""
        : Result.isSuccess(result)
          ? textOf(result.success)
          : `fails with ${result.failure.reason._tag}`
    )
    const foreign = scopes.filter((other) => other !== scope && said[0]?.includes(tagOf(other)))
    assert.deepStrictEqual(foreign, [], `${name} of ${scope}`)
    if (!ranked.has(name)) assert.strictEqual(said[0], said[1], `${name} of ${scope}`)
    if (said[0]?.includes(tagOf(scope))) own++
    if (found !== undefined && Result.isSuccess(found)) done.set(name, (done.get(name) ?? 0) + 1)
  }
  for (const scope of scopes) {
    const [found, wanted] = yield* Effect.forEach([store, model], (one) => loadAll(one, scope))
    assert.deepStrictEqual(found?.map(plain), wanted?.map(plain), scope)
  }
  // nothing was left out, and there was something to be seen
  if (operations >= 1000) assert.sameMembers([...done.keys()], [...names])
  assert.isAbove(own, operations / 20)
})

describe.skipIf(!available)("tenants on a server", () => {
  let server: Server
  beforeAll(() => {
    server = start()
  })
  afterAll(() => server.stop())

  const timeout = 120_000 + operations * 60
  /** A database of a user who may no more than docs/memory.md says. */
  const prepared = Effect.promise(async () => ordinary(await database(server)))

  it.live(
    "never see or change each other's rows",
    () =>
      Effect.gen(function* () {
        yield* work(yield* PostgresMemory.makeStore({ url: yield* prepared }), 1)
      }).pipe(Effect.scoped),
    timeout
  )

  it.live(
    "never do so either when every statement forgets its condition on the scope",
    () =>
      Effect.gen(function* () {
        const url = yield* prepared
        yield* PostgresMemory.makeStore({ url })
        const removed = { count: 0 }
        const pool = yield* Effect.acquireRelease(
          Effect.sync(() => careless(url, removed)),
          (made) => Effect.promise(() => made.end())
        )
        const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
        yield* work(Sql.make(yield* Database.make(db, { connections: 3, waitMillis: 10_000 })), 2)
        assert.isAbove(removed.count, operations / 2)
      }).pipe(Effect.scoped),
    timeout
  )

  it.live("see nothing at all where no scope was set", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => database(server))
      const store = yield* PostgresMemory.makeStore({ url })
      const row = thought()
      yield* store.commit("one", commit(row, { notes: notes(row.id, 1, [{}]) }))
      const counts = yield* Effect.promise(async () => {
        const client = new Client({ connectionString: url })
        await client.connect()
        await client.query("set role cogito_tenant")
        const seen = []
        for (const table of ["thought", "note", "entry", "run", "step", "call", "wait"]) {
          const { rows } = await client.query(`select count(*)::int as n from cogito.${table}`)
          seen.push(rows[0].n)
        }
        await client.end()
        return seen
      })
      assert.deepStrictEqual(counts, [0, 0, 0, 0, 0, 0, 0])
    }).pipe(Effect.scoped)
  )
})
