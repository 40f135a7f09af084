// @effect-diagnostics runEffectInsideEffect:off -- what is measured is what an application calls
/**
 * What the memory costs beside raw SQL on the same embedded database, and how well it searches by an index.
 *
 * Everything is measured in one process, the two sides in turn, and printed as a ratio with its 95 % interval, since a
 * machine's own speed varies more than the code's. Run it with `npm run bench:memory -- --notes 2000 --rounds 30`.
 */
import { PGlite } from "@electric-sql/pglite"
import { vector } from "@electric-sql/pglite-pgvector"
import { Effect } from "effect"
import { Embedder, Memory, Thought } from "cogito"
import { type CompiledQuery, Kysely, PGliteDialect } from "kysely"
import { loadavg } from "node:os"
import { parseArgs } from "node:util"
import * as Database from "../../src/pglite/database.ts"
import { migrate } from "../../src/sql/migrations.ts"
import type { Tables } from "../../src/sql/schema.ts"
import * as Sql from "../../src/sql/store.ts"
import { vectorBytes } from "../../src/sql/vectorBytes.ts"
import { bootstrap, numbers } from "../retrieval/statistics.ts"

const { values } = parseArgs({
  options: {
    notes: { type: "string", default: "2000" },
    rounds: { type: "string", default: "30" },
    dimensions: { type: "string", default: "384" }
  }
})
const [size, rounds, dimensions] = [Number(values.notes), Number(values.rounds), Number(values.dimensions)]
const batch = 100
const print = (line: string) => process.stdout.write(`${line}\n`)

// Texts have a number at the end; it decides the vector, one of those around 100 centres.
const unit = (numbersOf: ReadonlyArray<number>): Float32Array => {
  const length = Math.hypot(...numbersOf)
  return Float32Array.from(numbersOf, (value) => value / length)
}
const next = numbers(1)
const centres = Array.from({ length: 100 }, () => Array.from({ length: dimensions }, () => next() - 0.5))
const vectorOf = (text: string): Float32Array => {
  const number = Number(/\d+$/.exec(text)?.[0] ?? 0)
  const own = numbers(number + 7)
  return unit(centres[number % 100]!.map((value) => value + 0.5 * (own() - 0.5)))
}
const subjects = ["refund", "parcel", "invoice", "address", "password", "delivery", "damage", "contract"]
const textOf = (i: number): string =>
  `The customer asks about the ${subjects[i % 8]} and the ${subjects[(i * 3 + 1) % 8]} of order ${i}`
const keyOf = (i: number): string => (i % 100 === 0 ? "one" : i % 10 === 0 ? "nine" : "rest")

const embedder: Embedder.Shape = {
  id: "bench",
  dimensions,
  maxTokens: 1000,
  metric: "cosine",
  embedMany: (texts) => Effect.sync(() => texts.map(vectorOf))
}
const space: Memory.Space = { embedder: "bench", dimensions, metric: "cosine" }

interface Cost {
  readonly cpu: number
  readonly wall: number
}

const cost = async (run: () => Promise<unknown>): Promise<Cost> => {
  const [cpu, wall] = [process.cpuUsage(), performance.now()]
  await run()
  const { system, user } = process.cpuUsage(cpu)
  return { cpu: (system + user) / 1000, wall: performance.now() - wall }
}

const median = (all: ReadonlyArray<number>): number => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)]!

/** The cost of one side by that of the other, in turn, the first of each round changing. */
const compare = async (
  what: string,
  a: (round: number) => Promise<unknown>,
  b: (round: number) => Promise<unknown>,
  times = rounds
) => {
  const pairs: Array<readonly [a: Cost, b: Cost]> = []
  for (let round = 0; round < times; round++) {
    const first = await cost(() => (round % 2 === 0 ? a : b)(round))
    const second = await cost(() => (round % 2 === 0 ? b : a)(round))
    pairs.push(round % 2 === 0 ? [first, second] : [second, first])
  }
  for (const kind of ["cpu", "wall"] as const) {
    const logs = pairs.slice(2).map(([left, right]) => Math.log(left[kind] / right[kind]))
    const { high, low, mean } = bootstrap(logs)
    const [left, right] = [median(pairs.map(([x]) => x[kind])), median(pairs.map(([, x]) => x[kind]))]
    print(
      `${what.padEnd(52)} ${kind.padEnd(4)} ${Math.exp(mean).toFixed(2)} x [${Math.exp(low).toFixed(2)}, ` +
        `${Math.exp(high).toFixed(2)}]  ${left.toFixed(2)} ms : ${right.toFixed(2)} ms`
    )
  }
}

const pglite = await PGlite.create({ extensions: { vector } })
const statements: Array<CompiledQuery> = []
const db = new Kysely<Tables>({
  dialect: new PGliteDialect({ pglite }),
  log: ({ query }) => {
    if (query.sql.includes("<=>")) statements.push(query)
  }
})
await Effect.runPromise(migrate(db))
const { rows: types } = await pglite.query<{ readonly oid: number }>("select 'vector'::regtype::oid::int as oid")
// bytes go as they are, in binary; the type says text
for (const { oid } of types) pglite.serializers[oid] = (bytes: Uint8Array) => bytes as unknown as string
const store = Sql.make(Database.make(db))

const program = Effect.gen(function* () {
  const memory = yield* Memory.make({ store, scope: "bench" })
  yield* Effect.promise(async () => {
    // what a program would have that keeps the same promises by itself
    await pglite.exec(`create table raw_thought (like cogito.thought including all);
      create table raw_note (like cogito.note including all,
        foreign key (scope, thought_id) references raw_thought(scope, id));
      create table raw_vector (scope text, note_id uuid, chunk int, embedding vector(${dimensions}) not null,
        primary key (scope, note_id, chunk), foreign key (scope, note_id) references raw_note(scope, id));
      alter table raw_vector alter column embedding set storage plain`)
    const load = loadavg().map((value) => value.toFixed(1))
    print(`${size} notes of ${dimensions} dimensions; load of the machine ${load.join(" ")}`)

    const ingest = (round: number) =>
      Effect.runPromise(
        Effect.gen(function* () {
          const start = round * batch
          const notes = Array.from({ length: batch }, (_, i) => [keyOf(start + i), textOf(start + i)] as const)
          const thought = yield* memory.commit(yield* Thought.make("import", {}))
          yield* memory.append(
            thought.id,
            notes.map(([key, content]) => ({ key, content }))
          )
          yield* memory.flush
        })
      )
    const insert = async (round: number) => {
      const texts = Array.from({ length: batch }, (_, i) => textOf(round * batch + i))
      const ids = texts.map(() => crypto.randomUUID())
      const vectors = texts.map((text) => vectorBytes(vectorOf(text)))
      const thought = crypto.randomUUID()
      await pglite.transaction(async (trx) => {
        await trx.query(
          `insert into raw_thought(scope, id, trace_id, intent, fork_seq, hidden, checkpoints, created_at, version, last_seq, next_index)
            values ('bench', $1, $1, 'import', 0, '[]', '[]', now(), 1, 0, 0)`,
          [thought]
        )
        await trx.query(
          `insert into raw_note(scope, id, thought_id, seq, key, content, metadata, source, step, trust, created_at)
            select 'bench', id, $2, seq, 'key', content, '{}', 'user', '', 'untrusted', now()
            from unnest($1::uuid[], $3::text[]) with ordinality as given(id, content, seq)`,
          [ids, thought, texts]
        )
        await trx.query(
          `insert into raw_vector(scope, note_id, chunk, embedding) values ${ids
            .map((_, i) => `('bench', $${2 * i + 1}::uuid, 0, $${2 * i + 2}::vector)`)
            .join(",")}`,
          ids.flatMap((id, i) => [id, vectors[i]!])
        )
      })
    }
    const raw = async (round: number) => {
      await insert(round)
      // whoever writes so much on this database has to see to its statistics, as the memory does
      if ([4, 16, 64].includes(round)) await pglite.exec("analyze raw_thought, raw_note, raw_vector")
    }
    await compare(`adding ${batch} notes : raw batched insert, same constraints`, ingest, raw, Math.ceil(size / batch))
    await pglite.exec("analyze")

    const question = (round: number) => `Who asked about the parcel and the refund of order ${round * 37}`
    const search = (round: number) => Effect.runPromise(memory.search(question(round)))
    await search(0)
    const same = statements.at(-1)!
    await compare("a search : the same statement by the driver", search, () =>
      pglite.query(same.sql, [...same.parameters])
    )
    const nearest = (round: number) =>
      pglite.query(
        `select n.*, v.embedding <=> $1::vector as distance from raw_vector v
          join raw_note n on n.scope = v.scope and n.id = v.note_id
          where v.scope = 'bench' order by v.embedding <=> $1::vector limit 10`,
        [vectorBytes(vectorOf(question(round)))]
      )
    await compare("a search : the raw query by vector alone", search, nearest)
  })

  // ------------------------------------------------------------------------------------------------- by the index
  const found = (round: number, keys: ReadonlyArray<string>, limit = 10) =>
    Effect.map(
      store.search("bench", space, {
        text: "",
        vector: vectorOf(`order ${round * 41}`),
        filter: { keys },
        limit,
        candidates: Math.max(50, 5 * limit),
        fusion: { k: 10, vectorWeight: 1, lexicalWeight: 1, evidence: 0 },
        context: { neighbours: 0, task: 0 },
        recency: undefined,
        vectors: false
      }),
      ({ matches }) => matches.map(({ note }) => note.id)
    )
  const kinds = [
    ["1 %", ["one"]],
    ["10 %", ["one", "nine"]],
    ["100 %", ["one", "nine", "rest"]]
  ] as const
  const measure = (keys: ReadonlyArray<string>) =>
    Effect.promise(async () => {
      const [all, times]: [Array<ReadonlyArray<string>>, Array<number>] = [[], []]
      for (let round = 0; round < rounds; round++) {
        const { wall } = await cost(async () => all.push(await Effect.runPromise(found(round, keys))))
        times.push(wall)
      }
      return { all, time: median(times) }
    })
  const exact = yield* Effect.forEach(kinds, ([, keys]) => measure(keys))
  const before = performance.now()
  yield* memory.optimize({ index: "create" })
  print(`the index was made in ${((performance.now() - before) / 1000).toFixed(1)} s`)
  for (const [i, [name, keys]] of kinds.entries()) {
    const { all, time } = yield* measure(keys)
    const recalls = all.map((ids, round) => {
      const wanted = exact[i]!.all[round]!
      return wanted.length === 0 ? 1 : wanted.filter((id) => ids.includes(id)).length / wanted.length
    })
    const { high, low, mean } = bootstrap(recalls)
    const short = all.filter((ids, round) => ids.length < exact[i]!.all[round]!.length).length
    print(
      `recall@10 with an index, ${name.padEnd(5)} of the notes allowed    ${mean.toFixed(4)} [${low.toFixed(4)}, ` +
        `${high.toFixed(4)}], too few ${short} of ${rounds}; ${time.toFixed(1)} ms : exact ${exact[i]!.time.toFixed(1)} ms`
    )
  }
}).pipe(Effect.provideService(Embedder.Embedder, embedder), Effect.scoped)

await Effect.runPromise(program)
await pglite.close()
print(
  `load of the machine ${loadavg()
    .map((value) => value.toFixed(1))
    .join(" ")}`
)
