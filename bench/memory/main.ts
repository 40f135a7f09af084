// @effect-diagnostics runEffectInsideEffect:off -- what is measured is what an application calls
/**
 * What the memory costs beside raw SQL on the same database, how it grows, and how well it searches by an index.
 *
 * Everything is measured in one process, the two sides in turn, and printed as a ratio with its 95 % interval, since a
 * machine's own speed varies more than the code's. `npm run bench:memory -- --help` says what can be chosen.
 */
import { Effect } from "effect"
import { Embedder, Memory, Thought } from "cogito"
import { loadavg } from "node:os"
import { parseArgs } from "node:util"
import { vectorBytes } from "../../src/sql/vectors/vectorBytes.ts"
import { bootstrap, numbers } from "../retrieval/statistics.ts"
import { cost, median, pair, type Pair, print, show } from "./compare.ts"
import { embedderOf, everywhere, keysOf, kindOf, kinds, questionOf, textOf } from "./corpus.ts"
import { embedded, server } from "./place.ts"

const { values } = parseArgs({
  options: {
    notes: { type: "string", default: "10000" },
    rounds: { type: "string", default: "20" },
    queries: { type: "string", default: "200" },
    dimensions: { type: "string", default: "384" },
    help: { type: "boolean", default: false }
  }
})
if (values.help) {
  print(`npm run bench:memory -- [options]; with DATABASE_URL on a new database of that server, else on PGlite
  --notes N        how many notes; searches are measured at 1,000 and 10,000 on the way; default 10000
  --rounds N       pairs of a comparison; default 20
  --queries N      random queries that are counted with and without an index; default 200
  --dimensions N   of the vectors; default 384`)
  process.exit(0)
}
const [size, rounds, queries, dimensions] = [values.notes, values.rounds, values.queries, values.dimensions].map(Number)
if (![size, rounds, queries, dimensions].every((value) => Number.isInteger(value) && Number(value) > 0)) {
  process.stderr.write("--notes, --rounds, --queries and --dimensions are whole numbers from 1.\n")
  process.exit(1)
}
const count = { size: size!, rounds: rounds!, queries: queries!, dimensions: dimensions! }
const batch = 100
const sizes = [...[1000, 10_000].filter((one) => one < count.size), count.size]

const url = process.env["DATABASE_URL"]
const place = await (url === undefined ? embedded() : server(url))
const embedder = embedderOf(count.dimensions)
const space: Memory.Space = { embedder: embedder.id, dimensions: count.dimensions, metric: "cosine" }
const load = () =>
  loadavg()
    .map((value) => value.toFixed(1))
    .join(" ")

/** What a program would have that keeps the same promises by itself. */
const tables = [
  "create table raw_thought (like cogito.thought including all)",
  "create table raw_note (like cogito.note including all, foreign key (scope, thought_id) references raw_thought(scope, id))",
  `create table raw_vector (scope text, note_id uuid, chunk int, embedding vector(${count.dimensions}) not null,
    primary key (scope, note_id, chunk), foreign key (scope, note_id) references raw_note(scope, id))`,
  "alter table raw_vector alter column embedding set storage plain",
  // the session may be limited to a scope
  "grant all on raw_thought, raw_note, raw_vector to cogito_tenant"
]

const insert = async (round: number) => {
  const texts = Array.from({ length: batch }, (_, i) => textOf(round * batch + i))
  const ids = texts.map(() => crypto.randomUUID())
  const vectors = texts.map((text) => Buffer.from(vectorBytes(embedder.vectorOf(text))))
  const thought = crypto.randomUUID()
  await place.query("begin")
  await place.query(
    `insert into raw_thought(scope, id, trace_id, intent, fork_seq, hidden, checkpoints, created_at, version, last_seq, next_index)
      values ('bench', $1::uuid, $2, 'import', 0, '[]', '[]', now(), 1, 0, 0)`,
    [thought, thought]
  )
  await place.query(
    `insert into raw_note(scope, id, thought_id, seq, key, content, metadata, source, step, trust, created_at)
      select 'bench', id, $2::uuid, seq, 'key', content, '{}', 'user', '', 'untrusted', now()
      from unnest($1::uuid[], $3::text[]) with ordinality as given(id, content, seq)`,
    [ids, thought, texts]
  )
  await place.query(
    `insert into raw_vector(scope, note_id, chunk, embedding) values ${ids
      .map((_, i) => `('bench', $${2 * i + 1}::uuid, 0, $${2 * i + 2}::vector)`)
      .join(",")}`,
    ids.flatMap((id, i) => [id, vectors[i]!])
  )
  await place.query("commit")
  // whoever writes so much on this database has to see to its statistics, as the memory does
  if ([4, 16, 64, 256].includes(round)) await place.query("analyze raw_thought, raw_note, raw_vector")
}

const nearest = (text: string, limit: number) =>
  place.alone(() =>
    place.query(
      `select n.*, v.embedding <=> $1::vector as distance from raw_vector v
      join raw_note n on n.scope = v.scope and n.id = v.note_id
      where v.scope = 'bench' order by v.embedding <=> $1::vector limit ${limit}`,
      [Buffer.from(vectorBytes(embedder.vectorOf(text)))]
    )
  )

const program = Effect.gen(function* () {
  const memory = yield* Memory.make({ store: place.store, scope: "bench" })
  const thoughts: Array<string> = []
  const ingest = (round: number) =>
    Effect.runPromise(
      Effect.gen(function* () {
        const start = round * batch
        const thought = yield* memory.commit(yield* Thought.make("import", {}))
        thoughts.push(thought.id)
        yield* memory.append(
          thought.id,
          Array.from({ length: batch }, (_, i) => ({ key: `k${kindOf(start + i)}`, content: textOf(start + i) }))
        )
        yield* memory.flush
      })
    )
  const search = (text: string, limit: number) => Effect.runPromise(memory.search(text, { limit }))

  /** The statements of a search, from the one that says whose rows it sees to the search itself. */
  const statementsOf = async (text: string, limit: number) => {
    place.asked.length = 0
    await search(text, limit)
    const last = place.asked.findLastIndex(({ sql }) => sql.includes("<=>"))
    return place.asked.slice(0, last + 1).filter(({ sql }) => !/^(begin|commit)/.test(sql))
  }
  const replay = async (statements: Awaited<ReturnType<typeof statementsOf>>) => {
    await place.query("begin")
    for (const { parameters, sql } of statements) await place.query(sql, parameters)
    await place.query("commit")
  }

  const searches = async (at: string) => {
    for (const limit of [10, 500]) {
      const pairs: { readonly same: Array<Pair>; readonly near: Array<Pair> } = { same: [], near: [] }
      for (let round = 0; round < count.rounds; round++) {
        const text = questionOf(round)
        const statements = await statementsOf(text, limit)
        pairs.same.push(
          await pair(
            round,
            () => search(text, limit),
            () => place.alone(() => replay(statements))
          )
        )
        pairs.near.push(
          await pair(
            round,
            () => search(text, limit),
            () => nearest(text, limit)
          )
        )
      }
      show(`${at}, limit ${limit}: a search : its own statements`, pairs.same, place.measures)
      show(`${at}, limit ${limit}: a search : the nearest by raw SQL`, pairs.near, place.measures)
    }
    const worst: Array<Pair> = []
    for (let round = 0; round < count.rounds; round++) {
      worst.push(
        await pair(
          round,
          () => search(everywhere, 10),
          () => nearest(everywhere, 10)
        )
      )
    }
    show(`${at}, every note has the words: a search : the nearest`, worst, place.measures)
  }

  const bytes = async () => {
    const [row] = await place.query(`select sum(pg_total_relation_size(c.oid))::float8 as bytes from pg_class c
      join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'cogito' and c.relkind = 'r'`)
    return Number(row!["bytes"]) / count.size
  }

  // ---------------------------------------------------------------------------------------- as the notes become more
  yield* Effect.promise(async () => {
    print(`${count.size} notes of ${count.dimensions} dimensions in ${place.name}; load of the machine ${load()}`)
    for (const sql of tables) await place.query(sql)
    const added: Array<Pair> = []
    for (const until of sizes) {
      while (added.length < Math.ceil(until / batch))
        added.push(await pair(added.length, ingest, (round) => place.alone(() => insert(round))))
      // not yet looked at by the one who keeps the statistics: as a program finds it after an import
      await searches(`${until} notes`)
    }
    show(`adding ${batch} notes : raw insert in batches, same constraints`, added, place.measures)
    print(`${(await bytes()).toFixed(0)} bytes a note, with its words and vector`)
  })

  // ------------------------------------------------------------------------------------------------- by the index
  const found = (text: string, filter: Memory.Filter, limit: number) =>
    place.store.search("bench", space, {
      text: "",
      vector: embedder.vectorOf(text),
      filter,
      limit,
      candidates: Math.max(50, 5 * limit),
      fusion: { vectorWeight: 1, lexicalWeight: 1 },
      context: { neighbours: 0, task: 0 },
      recency: undefined,
      dates: undefined,
      vectors: false
    })
  // before and after, not in turn: by CPU where that can be, as the machine may have other work meanwhile
  const measured = place.measures[0] ?? "wall"
  const measure = (kind: number) =>
    Effect.promise(async () => {
      const [all, times]: [Array<ReadonlyArray<string>>, Array<number>] = [[], []]
      for (let round = 0; round < 2 * count.rounds; round++) {
        const spent = await cost(async () => {
          const { matches } = await Effect.runPromise(found(`asked ${round}`, { keys: keysOf(kind) }, 10))
          all.push(matches.map(({ note }) => note.id))
        })
        times.push(spent[measured])
      }
      return { all, time: median(times) }
    })
  const exact = yield* Effect.forEach(kinds, (_, kind) => measure(kind))
  const without = yield* Effect.promise(bytes)
  const { [measured]: made } = yield* Effect.promise(() =>
    cost(() => Effect.runPromise(memory.optimize({ index: "create" })))
  )
  const more = (yield* Effect.promise(bytes)) - without
  print(
    `the index was made in ${(made / 1000).toFixed(1)} s (${measured}), the time of ${(made / exact[3]!.time).toFixed(0)} exact searches; ` +
      `${more.toFixed(0)} bytes a note more, ${((without + more) / without).toFixed(2)} x`
  )
  for (const [kind, name] of kinds.entries()) {
    const { all, time } = yield* measure(kind)
    const wanted = exact[kind]!
    const recalls = all.map((ids, round) => {
      const nearest = wanted.all[round]!
      return nearest.length === 0 ? 1 : nearest.filter((id) => ids.includes(id)).length / nearest.length
    })
    const { high, low, mean } = bootstrap(recalls)
    print(
      `recall@10 with an index, ${name.padEnd(5)} of the notes allowed`.padEnd(62) +
        ` ${mean.toFixed(4)} [${low.toFixed(4)}, ${high.toFixed(4)}]; ${measured} ${(time / wanted.time).toFixed(2)} x  ` +
        `${time.toFixed(1)} ms : exact ${wanted.time.toFixed(1)} ms`
    )
  }

  const next = numbers(3)
  const indexOf = new Map(thoughts.map((id, i) => [id, i]))
  let wrong = 0
  for (let query = 0; query < count.queries; query++) {
    const limit = 1 + Math.floor(next() ** 3 * 500)
    const kind = Math.floor(next() * kinds.length)
    const left = next() < 0.5 ? 0 : next() ** 2
    const excludeThoughts = thoughts.filter(() => next() < left)
    const out = new Set(excludeThoughts.map((id) => indexOf.get(id)))
    let matching = 0
    for (let i = 0; i < thoughts.length * batch; i++) {
      if (kindOf(i) <= kind && !out.has(Math.floor(i / batch))) matching++
    }
    const { matches } = yield* found(`query ${query}`, { keys: keysOf(kind), excludeThoughts }, limit)
    if (matches.length !== Math.min(limit, matching)) wrong++
  }
  print(`random queries whose rows are not min(limit, matching)`.padEnd(62) + ` ${wrong} of ${count.queries}`)
}).pipe(Effect.provideService(Embedder.Embedder, embedder), Effect.scoped)

try {
  await Effect.runPromise(program)
} finally {
  await place.close()
}
print(`load of the machine ${load()}`)
