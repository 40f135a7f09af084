/** What a database promises about searches by the index, on clustered vectors. Each selectivity has a key of its own. */
import { assert, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Filter, MemoryError, Space } from "../../src/Memory.ts"
import type { Store, StoreQuery } from "../../src/Store.ts"

const size = Number(process.env["COGITO_INDEX_NOTES"] ?? 2000)
const rounds = Number(process.env["COGITO_INDEX_ROUNDS"] ?? 40)
const clusters = 40
const batch = 500

/** Numbers from 0, below 1 (mulberry32). */
const fractions = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const unit = (values: ReadonlyArray<number>): Float32Array => {
  const length = Math.hypot(...values)
  return Float32Array.from(values, (value) => value / length)
}

const product = (a: Float32Array, b: Float32Array): number => {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

/** Vectors around as many centres as there are clusters. */
const clustered = (dimensions: number, seed: number) => {
  const next = fractions(seed)
  const centres = Array.from({ length: clusters }, () => Array.from({ length: dimensions }, () => next() - 0.5))
  return () => unit(centres[Math.floor(next() * clusters)]!.map((value) => value + 0.4 * (next() - 0.5)))
}

const keyOf = (i: number) => (i % 100 === 0 ? "one" : i % 10 === 0 ? "nine" : "rest")

/** Which keys let how many percent through. */
export const selectivities: ReadonlyArray<readonly [percent: number, keys: ReadonlyArray<string>]> = [
  [1, ["one"]],
  [10, ["one", "nine"]],
  [100, ["one", "nine", "rest"]]
]

interface Row {
  readonly id: string
  readonly key: string
  readonly content: string
  readonly vector: Float32Array
}

let made = 0
const uuid = () => `01981f5e-0000-7000-9000-${(++made).toString(16).padStart(12, "0")}`

/** Notes with vectors in a scope, in thoughts of as many as are written at once. */
export const fill = Effect.fnUntraced(function* (
  store: Store,
  scope: string,
  space: Space,
  count: number
): Effect.fn.Return<{ readonly rows: ReadonlyArray<Row>; readonly thoughts: ReadonlyArray<string> }, MemoryError> {
  yield* store.openSpace(space)
  const vector = clustered(space.dimensions, 1)
  const all = Array.from({ length: count }, (_, i): Row => ({
    id: uuid(),
    key: keyOf(i),
    content: `${scope} ${i}`,
    vector: vector()
  }))
  const thoughts: Array<string> = []
  for (let start = 0; start < count; start += batch) {
    const part = all.slice(start, start + batch)
    const id = uuid()
    thoughts.push(id)
    yield* store.commit(scope, {
      thought: {
        id,
        traceId: id,
        taskId: undefined,
        intent: "import",
        createdMillis: 1_700_000_000_000,
        parent: undefined,
        hidden: new Map(),
        checkpoints: new Map()
      },
      version: 0,
      notes: part.map((row, i) => ({
        id: row.id,
        thoughtId: id,
        seq: i + 1,
        key: row.key,
        content: row.content,
        metadata: {},
        source: "user",
        step: "",
        derivedFrom: [],
        created: DateTime.makeUnsafe(1_700_000_000_000 + start + i),
        trust: "untrusted"
      })),
      entries: [],
      removed: [],
      nextIndex: 0,
      usage: undefined,
      parent: undefined
    })
    yield* store.putVectors(
      scope,
      space,
      part.map((row) => ({ noteId: row.id, vector: row.vector }))
    )
  }
  return { rows: all, thoughts }
})

/** By meaning alone. */
export const ask = (vector: Float32Array, limit: number, filter: Filter): StoreQuery => ({
  text: "",
  vector,
  filter,
  limit,
  candidates: Math.max(50, 5 * limit),
  fusion: { vectorWeight: 1, lexicalWeight: 1 },
  context: { neighbours: 0, task: 0 },
  recency: undefined,
  dates: undefined,
  vectors: false
})

/** The part of the ten nearest notes that the store finds, over queries like the notes. */
export const recall = Effect.fnUntraced(function* (
  store: Store,
  scope: string,
  space: Space,
  rows: ReadonlyArray<Row>,
  keys: ReadonlyArray<string>
): Effect.fn.Return<number, MemoryError> {
  const vector = clustered(space.dimensions, 1)
  const allowed = rows.filter(({ key }) => keys.includes(key))
  let [found, all] = [0, 0]
  for (let round = 0; round < 40; round++) {
    const query = vector()
    const nearness = new Map(allowed.map((row) => [row, product(row.vector, query)]))
    const best = allowed.toSorted((a, b) => nearness.get(b)! - nearness.get(a)!).slice(0, 10)
    const { matches } = yield* store.search(scope, space, ask(query, 10, { keys }))
    const ids = new Set(matches.map(({ note }) => note.id))
    found += best.filter(({ id }) => ids.has(id)).length
    all += best.length
  }
  return found / all
})

class Subject extends Context.Service<Subject, Store>()("test/memory/optimizing/Subject") {}

export const optimizing = (name: string, makeStore: Effect.Effect<Store, MemoryError, Scope.Scope>): void => {
  layer(Layer.effect(Subject, makeStore), { timeout: "120 seconds" })(`the index of ${name}`, (it) => {
    const on = (title: string, test: (store: Store) => Effect.Effect<void, MemoryError>) =>
      it.effect(title, () => Effect.flatMap(Subject, test), { timeout: 300_000 + 100 * rounds })
    const space: Space = { embedder: "clustered", dimensions: 256, metric: "cosine" }
    const of = (embedder: string, store: Store, index?: "create" | "drop") =>
      Effect.map(store.optimize(index === undefined ? {} : { index }), (done) =>
        done.find((one) => one.embedder === embedder)
      )

    on("lets as many through as match, up to the limit, and nearly all of the nearest", (store) =>
      Effect.gen(function* () {
        const { rows, thoughts } = yield* fill(store, "many", space, size)
        yield* fill(store, "few", space, 30)
        const report = { ...space, state: "active", vectors: size } as const
        assert.deepStrictEqual(yield* of("clustered", store), { ...report, index: "none", change: "none" })
        assert.deepStrictEqual(yield* of("clustered", store, "create"), {
          ...report,
          index: "hnsw",
          change: "created"
        })
        assert.strictEqual((yield* of("clustered", store, "create"))?.change, "none")

        for (const [percent, keys] of selectivities) {
          assert.isAtLeast(yield* recall(store, "many", space, rows, keys), 0.99, `${percent} %`)
        }

        const [next, vector] = [fractions(3), clustered(256, 1)]
        for (let round = 0; round < rounds; round++) {
          const limit = 1 + Math.floor(next() ** 3 * 500)
          const first = Math.floor(next() * size)
          const last = Math.floor(first + next() ** 3 * size)
          const [, keys] = selectivities[Math.floor(next() * 3)]!
          const excludeThoughts = thoughts.filter(() => next() < 0.3)
          const filter: Filter = {
            keys,
            excludeThoughts,
            since: DateTime.makeUnsafe(1_700_000_000_000 + first),
            until: DateTime.makeUnsafe(1_700_000_000_000 + last)
          }
          const matching = rows.filter(
            ({ key }, i) =>
              keys.includes(key) &&
              i >= first &&
              i < last &&
              !excludeThoughts.includes(thoughts[Math.floor(i / batch)]!)
          ).length
          const { matches } = yield* store.search("many", space, ask(vector(), limit, filter))
          assert.strictEqual(matches.length, Math.min(limit, matching), `round ${round}`)
        }
        const others = yield* store.search("few", space, ask(vector(), 100, {}))
        assert.strictEqual(others.matches.length, 30)
        assert.isTrue(others.matches.every(({ note }) => note.content.startsWith("few ")))

        // what the index gives is bounded too
        const bounded = yield* store.search("many", space, ask(rows[0]!.vector, 5, { maxDistance: 0.0001 }))
        assert.deepStrictEqual(
          bounded.matches.map(({ note }) => note.id),
          [rows[0]!.id]
        )

        const text = "0 and some of many"
        const worded = yield* store.search("many", space, { ...ask(rows[0]!.vector, 5, { maxDistance: 0.0001 }), text })
        assert.deepStrictEqual(
          worded.matches.map(({ note, ranks }) => [note.id, ranks]),
          [[rows[0]!.id, { vector: 1, lexical: 1 }]]
        )

        assert.strictEqual((yield* of("clustered", store))?.change, "dropped")
        assert.strictEqual(yield* recall(store, "many", space, rows, ["one"]), 1)
      })
    )

    on("has half the precision over 2,000 dimensions, and is refused over 4,000", (store) =>
      Effect.gen(function* () {
        const long: Space = { embedder: "long", dimensions: 2500, metric: "cosine" }
        const { rows } = yield* fill(store, "long", long, 200)
        assert.strictEqual((yield* of("long", store, "create"))?.change, "created")
        assert.isAtLeast(yield* recall(store, "long", long, rows, ["one", "nine", "rest"]), 0.99)
        yield* store.openSpace({ embedder: "longest", dimensions: 5000, metric: "cosine" })
        const reason = yield* store.optimize({ index: "create" }).pipe(
          Effect.as(undefined),
          Effect.catch((error) => Effect.succeed(error.reason))
        )
        assert.deepStrictEqual(reason, {
          _tag: "Query",
          message: "Vectors of 5000 dimensions cannot have an index here: at most 4000 can. Searches stay exact."
        })
        assert.strictEqual((yield* of("longest", store))?.index, "none")
        yield* of("longest", store, "drop")
      })
    )
  })
}
