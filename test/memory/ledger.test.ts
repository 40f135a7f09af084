/** Durable runs as the memory offers them: in the program's scope, checked, and done once after a lost answer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Memory, Store, Thought } from "cogito"
import { positionOf } from "../../src/memory/asOf.ts"
import {
  answered,
  call,
  newRun,
  noon,
  pendingRun,
  position,
  step,
  wait
} from "../../src/testing/contract/ledger/rows.ts"

type Rows = Store.Ledger.LedgerRows

/** A memory whose store loses as many of its next answers as said, after it has done what was asked, with all that it was asked. */
const opened = Effect.gen(function* () {
  const store = yield* Store.makeInMemory
  const asked: Array<readonly [what: string, rows: Rows | undefined]> = []
  let left = 0
  const lost = new Memory.MemoryError({ reason: { _tag: "Connection", message: "The connection broke." } })
  let unasked = 0
  const losing = <A>(what: string, done: Effect.Effect<A, Memory.MemoryError>, rows?: Rows) =>
    Effect.suspend(() => {
      asked.push([what, rows])
      if (unasked-- > 0) return Effect.fail(lost)
      return Effect.filterOrElse(
        done,
        () => left-- <= 0,
        () => Effect.fail(lost)
      )
    })
  const { ledger } = store
  const memory = yield* Memory.make({
    store: {
      ...store,
      commit: (scope, commit) => losing("commit", store.commit(scope, commit), commit.ledger),
      ledger: {
        ...ledger,
        record: (scope, rows) => losing("record", ledger.record(scope, rows), rows),
        claim: (scope, ...rest) => losing("claim", ledger.claim(scope, ...rest)),
        renew: (scope, ...rest) => losing("renew", ledger.renew(scope, ...rest)),
        answer: (scope, ...rest) => losing("answer", ledger.answer(scope, ...rest)),
        remove: (scope, id) => losing("remove", ledger.remove(scope, id))
      }
    },
    scope: "local",
    embedder: "none"
  })
  const lose = (answers: number) =>
    Effect.sync(() => {
      left = answers
      asked.length = 0
    })
  /** The store loses its next call before it has done anything. */
  const miss = Effect.sync(() => {
    unasked = 1
  })
  return { asked, lose, memory, miss, store }
})

/** A memory with a run that has begun. */
const begun = Effect.gen(function* () {
  const { asked, lose, memory, miss, store } = yield* opened
  const thought = yield* memory.commit(yield* Thought.make("try", { message: "first" }))
  const run = newRun(thought.id)
  yield* memory.ledger.record({ runId: run.id, epoch: 1, begins: [run] })
  yield* lose(0)
  return { asked, lose, memory, miss, store, thought, run, runId: run.id, rows: { runId: run.id, epoch: 1 } }
})

const hour = { owner: "b", millis: 3_600_000 }
const ends = (thoughtId: string) =>
  ({ status: "completed", end: position(thoughtId), error: undefined, endedMillis: noon }) as const

describe("a commit of a durable run", () => {
  it.effect("writes its rows with what is new of the thought, and also when nothing is", () =>
    Effect.gen(function* () {
      const { asked, memory, rows, runId, thought } = yield* begun
      const more = yield* Thought.append(thought, "late", "second")
      const stored = yield* memory.commit(more, () => ({ ...rows, steps: [step("/a@0")] }))
      const same = yield* memory.commit(stored, () => ({ ...rows, steps: [step("/b@0")] }))
      assert.strictEqual(same, stored)
      yield* memory.commit(stored)
      assert.deepStrictEqual(
        asked.map(([what, given]) => [what, given?.steps?.length, given?.urgent]),
        [
          ["commit", 1, undefined],
          ["record", 1, true]
        ]
      )
      assert.strictEqual((yield* memory.ledger.load(runId))?.steps.length, 2)
    }).pipe(Effect.scoped)
  )

  it.effect("makes its rows from the thought as it is stored then", () =>
    Effect.gen(function* () {
      const { memory, rows, runId, thought } = yield* begun
      const more = yield* Thought.append(thought, "late", "second")
      yield* memory.commit(more, (given) => ({ ...rows, steps: [step("/a@0", { position: positionOf(given) })] }))
      assert.deepStrictEqual(
        (yield* memory.ledger.load(runId))?.steps.map((row) => row.position),
        [position(thought.id, { seq: 2, version: 2 })]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("is refused, and writes nothing, once another process has the run", () =>
    Effect.gen(function* () {
      const { memory, rows, runId, thought } = yield* begun
      yield* memory.ledger.claim(runId, { ...hour, seize: true })
      for (const value of [thought, yield* Thought.append(thought, "late", "second")]) {
        const { reason } = yield* Effect.flip(memory.commit(value, () => ({ ...rows, steps: [step("/a@0")] })))
        assert.strictEqual(reason._tag, "LeaseLost")
      }
      assert.strictEqual((yield* memory.load(thought.id)).length, 1)
      assert.deepStrictEqual((yield* memory.ledger.load(runId))?.steps, [])
    }).pipe(Effect.scoped)
  )

  it.effect("is known as one's own after a lost answer, also if it began or ended the run", () =>
    Effect.gen(function* () {
      const { asked, lose, memory, rows, runId, thought } = yield* begun
      const first = yield* Thought.make("try", { message: "another" })
      const run = newRun(first.id)
      yield* lose(1)
      yield* memory.commit(first, () => ({ runId: run.id, epoch: 1, begins: [run], steps: [step("/a@0")] }))
      assert.strictEqual((yield* memory.ledger.load(run.id))?.steps.length, 1)
      const more = yield* Thought.append(thought, "late", "second")
      yield* lose(1)
      const stored = yield* memory.commit(more, () => ({ ...rows, steps: [step("/a@0")], calls: [call("/a@0", 0)] }))
      assert.deepStrictEqual(
        asked.map(([what]) => what),
        ["commit", "commit", "record"]
      )
      yield* lose(1)
      yield* memory.commit(yield* Thought.append(stored, "last", "third"), () => ({ ...rows, ends: ends(thought.id) }))
      const after = yield* memory.ledger.load(runId)
      assert.deepStrictEqual([after?.run.status, after?.steps.length, after?.calls.length], ["completed", 1, 1])
      assert.strictEqual((yield* memory.load(thought.id)).length, 3)
    }).pipe(Effect.scoped)
  )
})

describe("the ledger of a memory", () => {
  it.effect("does what it is asked once if an answer is lost", () =>
    Effect.gen(function* () {
      const { lose, memory, rows, runId, thought } = yield* begun
      const { ledger } = memory
      const [run, child] = [newRun(thought.id), pendingRun(thought.id)]
      yield* lose(1)
      yield* ledger.record({ runId: run.id, epoch: 1, begins: [run, child], calls: [call("/a@0", 0)] })
      yield* lose(1)
      yield* ledger.record({ ...rows, waits: [wait(runId, thought.id, "/a@0")] })
      yield* lose(1)
      assert.isTrue(yield* ledger.renew(runId, 1, hour))
      const answer = { json: "1", by: "ann", millis: noon }
      yield* lose(1)
      assert.isTrue((yield* ledger.answer({ runId, frame: "/a@0" }, answer))?.first)
      yield* lose(1)
      const late = yield* ledger.answer({ runId, frame: "/a@0" }, { ...answer, by: "bob" })
      assert.deepStrictEqual([late?.first, late?.wait.answeredBy], [false, "ann"])
      yield* lose(1)
      yield* ledger.record({ ...rows, ends: ends(thought.id) })
      yield* lose(1)
      assert.isTrue(yield* ledger.remove(runId))
      assert.isUndefined(yield* ledger.load(runId))
      yield* lose(1)
      assert.isFalse(yield* ledger.remove(run.id))
      assert.strictEqual((yield* ledger.runs({ limit: 9 })).length, 2)
    }).pipe(Effect.scoped)
  )

  it.effect("completes the operation if the first request did not reach the store", () =>
    Effect.gen(function* () {
      const { memory, miss, rows, runId, thought } = yield* begun
      const { ledger } = memory
      yield* miss
      yield* ledger.record({ ...rows, waits: [wait(runId, thought.id, "/a@0")] })
      yield* miss
      const answer = { json: "1", by: "ann", millis: noon }
      assert.isTrue((yield* ledger.answer({ runId, frame: "/a@0" }, answer))?.first)
      yield* miss
      const late = yield* ledger.answer({ runId, frame: "/a@0" }, { ...answer, millis: noon + 1 })
      assert.deepStrictEqual([late?.first, late?.wait.answeredMillis], [false, noon])
      yield* miss
      assert.isUndefined(yield* ledger.answer({ runId, frame: "/b@0" }, answer))
      yield* miss
      assert.isFalse(yield* ledger.remove(runId))
      yield* ledger.record({ ...rows, ends: ends(thought.id) })
      yield* miss
      assert.isTrue(yield* ledger.remove(runId))
      assert.isUndefined(yield* ledger.load(runId))
    }).pipe(Effect.scoped)
  )

  it.effect("fails if two answers are lost", () =>
    Effect.gen(function* () {
      const { lose, memory, rows } = yield* begun
      yield* lose(2)
      const error = yield* Effect.flip(memory.ledger.record(rows))
      assert.isTrue(error.isRetryable)
    }).pipe(Effect.scoped)
  )

  it.effect("works in the scope of the program", () =>
    Effect.gen(function* () {
      const { memory, run, runId, thought } = yield* begun
      const { ledger } = memory
      const elsewhere = Memory.withScope("acme")
      assert.isUndefined(yield* elsewhere(ledger.load(runId)))
      assert.isUndefined(yield* elsewhere(ledger.claim(runId, { ...hour, seize: true })))
      assert.deepStrictEqual(yield* elsewhere(ledger.runs({ limit: 9 })), [])
      assert.isUndefined(yield* elsewhere(ledger.history(thought.id)))
      assert.strictEqual((yield* ledger.history(thought.id))?.notes.length, 1)
      const { reason } = yield* Effect.flip(elsewhere(ledger.record({ runId, epoch: 1, steps: [step("/a@0")] })))
      assert.strictEqual(reason._tag, "LeaseLost")
      assert.deepStrictEqual(
        (yield* ledger.runs({ limit: 9 })).map(({ id }) => id),
        [run.id]
      )
      assert.isTrue(ledger.exclusive)
    }).pipe(Effect.scoped)
  )

  const long = (length: number) => "x".repeat(length + 1)
  const tooLarge: ReadonlyArray<
    readonly [field: string, limit: number, rows: (thoughtId: string) => Omit<Partial<Rows>, "epoch">]
  > = [
    ["runId", 200, () => ({ runId: long(200) })],
    ["runId", 200, (id) => ({ begins: [newRun(id, { id: long(200) })] })],
    ["runId", 200, (id) => ({ begins: [newRun(id, { parent: { runId: long(200), frame: "/a@0" } })] })],
    ["frame", 2000, (id) => ({ begins: [newRun(id, { parent: { runId: "a", frame: long(2000) } })] })],
    ["pipeline", 2000, (id) => ({ begins: [newRun(id, { pipeline: long(2000) })] })],
    ["outline", 4_000_000, (id) => ({ begins: [newRun(id, { outline: long(4_000_000) })] })],
    ["seed", 2000, (id) => ({ begins: [newRun(id, { seed: long(2000) })] })],
    ["owner", 2000, (id) => ({ begins: [newRun(id, { lease: { owner: long(2000), millis: 1 } })] })],
    ["frame", 2000, () => ({ steps: [step(long(2000))] })],
    ["kind", 2000, () => ({ steps: [step("/a@0", { kind: long(2000) })] })],
    ["error", 2000, () => ({ steps: [step("/a@0", { error: long(2000) })] })],
    ["frame", 2000, () => ({ calls: [call(long(2000), 0)] })],
    ["hash", 2000, () => ({ calls: [call("/a@0", 0, { hash: long(2000) })] })],
    ["model", 2000, () => ({ calls: [call("/a@0", 0, { model: long(2000) })] })],
    ["parts", 100_000, () => ({ calls: [call("/a@0", 0, { parts: { a: long(100_000) } })] })],
    ["response", 16_000_000, () => ({ calls: [answered("/a@0", 0, { response: long(16_000_000) })] })],
    ["key", 200, (id) => ({ waits: [wait("a", id, "/a@0", { key: long(200) })] })],
    ["prompt", 4_000_000, (id) => ({ waits: [wait("a", id, "/a@0", { prompt: long(4_000_000) })] })],
    ["schema", 4_000_000, (id) => ({ waits: [wait("a", id, "/a@0", { schema: { title: long(4_000_000) } })] })],
    ["bound", 2000, (id) => ({ waits: [wait("a", id, "/a@0", { bound: long(2000) })] })],
    ["frame", 2000, () => ({ drops: [{ frame: long(2000), n: 0 }] })],
    ["error", 2000, (id) => ({ ends: { ...ends(id), status: "failed", error: long(2000) } })],
    ["rows", 10_000, () => ({ drops: Array.from({ length: 10_001 }, (_, n) => ({ frame: "/a@0", n })) })],
    [
      "rows",
      64_000_000,
      () => ({ calls: Array.from({ length: 5 }, (_, n) => answered("/a@0", n, { response: long(13_000_000) })) })
    ]
  ]

  it.effect("refuses what is too long before the store is called, in a record and in a commit", () =>
    Effect.gen(function* () {
      const { asked, memory, runId, thought } = yield* begun
      const more = yield* Thought.append(thought, "late", "second")
      for (const [field, limit, rows] of tooLarge) {
        const given = { runId, epoch: 1, ...rows(thought.id) }
        for (const refused of [
          memory.ledger.record(given),
          memory.commit(more, () => given),
          memory.commit(thought, () => given)
        ]) {
          const { message, reason } = yield* Effect.flip(refused)
          assert.deepInclude(reason, { _tag: "TooLarge", field, limit })
          assert.notInclude(message, "xxx")
        }
      }
      const id = { runId, frame: "/a@0" }
      for (const [field, answer] of [
        ["answer", { json: long(4_000_000), by: "ann", millis: noon }],
        ["answeredBy", { json: "1", by: long(2000), millis: noon }]
      ] as const) {
        assert.deepInclude((yield* Effect.flip(memory.ledger.answer(id, answer))).reason, { _tag: "TooLarge", field })
      }
      for (const use of [
        memory.ledger.claim("", { ...hour, seize: false }),
        memory.ledger.record({ runId: "", epoch: 1 })
      ]) {
        const { message, reason } = yield* Effect.flip<unknown, Memory.MemoryError, never>(use)
        assert.strictEqual(reason._tag, "Query")
        assert.include(message, "1 to 200 characters")
      }
      assert.deepStrictEqual(asked, [])
    }).pipe(Effect.scoped)
  )

  it.effect("accepts what is as long as it may be", () =>
    Effect.gen(function* () {
      const { memory, thought } = yield* begun
      const id = "x".repeat(200)
      const run = newRun(thought.id, { id, seed: "s".repeat(2000), pipeline: "p".repeat(2000) })
      const frame = "f".repeat(2000)
      yield* memory.ledger.record({
        runId: id,
        epoch: 1,
        begins: [run],
        steps: [step(frame)],
        calls: [call(frame, 0, { hash: "h" })]
      })
      assert.strictEqual((yield* memory.ledger.load(id))?.steps[0]?.frame, frame)
    }).pipe(Effect.scoped)
  )
})
