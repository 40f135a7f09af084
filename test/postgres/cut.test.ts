/** A connection that breaks at any message of a change: it is stored once, or fails with an error that says to try again. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Result, Schema, Stream } from "effect"
import { Memory, Pipeline, Primitive, Session, Step, Thought } from "cogito"
import { PostgresMemory } from "../../src/postgres/index.ts"
import { answered, newRun, noon, pendingRun, position, step, wait } from "../../src/testing/contract/ledger/rows.ts"
import { cutter } from "./messages.ts"
import { available, database, type Server, start } from "./server.ts"
import { superuser } from "./superuser.ts"

const isAll = process.env["COGITO_CONNECTION_CUTS"] === "all"

/** Long runs break at every message; else at some, and at every one of the last, with which a transaction ends. */
const chosen = (messages: number): ReadonlyArray<number> =>
  Array.from({ length: messages }, (_, i) => i + 1).filter(
    (message) => isAll || message % Math.ceil(messages / 8) === 0 || message > messages - 10
  )

describe.skipIf(!available)("a connection to a server that breaks", () => {
  let server: Server
  beforeAll(() => {
    server = start()
  })
  afterAll(() => server.stop())

  const opened = Effect.gen(function* () {
    const url = yield* Effect.promise(() => database(server))
    const network = yield* cutter(url)
    const store = yield* PostgresMemory.makeStore({ url: network.url, connections: 1 })
    // without an embedder, nothing but what is tested goes over the connection
    const memory = yield* Memory.make({ store, scope: "scope", embedder: "none" })
    const admin = yield* superuser(url)
    /** What is stored of a thought, read on a connection of its own. */
    const rows = (id: string) =>
      Effect.map(
        admin.rows(
          `select (select count(*)::int from cogito.thought where id = $1) as thoughts,
            (select last_seq from cogito.thought where id = $1) as last,
            array(select content from cogito.note where thought_id = $1 order by seq) as notes,
            array(select text from cogito.entry where thought_id = $1 and removed_version is null order by index) as entries,
            (select count(*)::int from cogito.derivation d join cogito.note n on n.id = d.note_id
              where n.thought_id = $1) as derivations`,
          [id]
        ),
        ([found]) => found
      )
    /** How many rows a scope has, of all tables that are not of the memory as a whole. */
    const total = Effect.map(
      admin.rows(`select (select count(*) from cogito.thought) + (select count(*) from cogito.note)
        + (select count(*) from cogito.entry) + (select count(*) from cogito.derivation) as count`),
      ([found]) => Number(found?.count)
    )
    /** How many messages a change takes. */
    const counted = <A, E>(change: Effect.Effect<A, E>) =>
      Effect.gen(function* () {
        network.counted()
        const done = yield* change
        return [done, network.counted()] as const
      })
    /** Runs a change while the network breaks at these messages, and says how often it broke. */
    const broken = <A>(at: ReadonlyArray<number>, change: Effect.Effect<A, Memory.MemoryError>) =>
      Effect.gen(function* () {
        network.cutBefore(...at)
        const result = yield* Effect.result(change)
        const breaks = at.length - network.left()
        network.cutBefore()
        if (Result.isFailure(result)) {
          const { isRetryable, reason } = result.failure
          assert.deepStrictEqual([reason._tag, isRetryable], ["Connection", true], `messages ${at.join()}`)
        }
        return { result, breaks }
      })
    return { memory, broken, counted, rows, total }
  })

  const talked = (thought: Thought.Thought<any>, text: string) =>
    Effect.map(
      Thought.append(thought, "late", { content: text, derivedFrom: Thought.notes(thought).map(({ id }) => id) }),
      (longer) =>
        Thought.withSession(
          longer,
          Session.append(longer.session, {
            role: "user",
            text,
            carries: Thought.unpublished(longer).map(({ id }) => id)
          })
        )
    )

  /** What is stored at once: a thought, more of one that is there, a fork with what its parent lacks. */
  const kinds = {
    "a new thought": (first: Thought.Thought<any>) => talked(first, "new"),
    "a thought that is there": (first: Thought.Thought<any>, memory: Memory.Shape) =>
      Effect.flatMap(memory.commit(first), (stored) => talked(stored, "more")),
    "a fork and its parent": (first: Thought.Thought<any>) =>
      Effect.flatMap(talked(first, "parent"), (parent) =>
        Effect.flatMap(Thought.fork(parent), (fork) => talked(fork, "fork"))
      )
  }

  it.live.each(Object.keys(kinds) as ReadonlyArray<keyof typeof kinds>)(
    "at any message of a commit of %s does not fail the commit, which is stored once",
    (kind) =>
      Effect.gen(function* () {
        const { broken, counted, memory, rows } = yield* opened
        const prepare = Effect.gen(function* () {
          return yield* kinds[kind](yield* Thought.make("try", { message: "first" }), memory)
        })
        const [whole, messages] = yield* counted(memory.commit(yield* prepare))
        const expected = yield* rows(whole.id)
        assert.isAbove(messages, 20)
        for (const message of chosen(messages)) {
          const { breaks, result } = yield* broken([message], memory.commit(yield* prepare))
          assert.strictEqual(breaks, 1)
          const done = Result.getOrThrow(result)
          assert.deepStrictEqual(yield* rows(done.id), expected, `cut before message ${message} of ${messages}`)
          // the value that came back is what is stored
          assert.strictEqual(yield* memory.commit(done), done)
          assert.strictEqual((yield* memory.load(done.id)).length, done.length)
        }
      }).pipe(Effect.scoped),
    300_000
  )

  /** Changes of a durable run, on a thought that is stored. */
  const ofRuns: Readonly<
    Record<
      string,
      (thought: Thought.Thought<any>, memory: Memory.Shape, runId: string) => Effect.Effect<unknown, Memory.MemoryError>
    >
  > = {
    "a record that begins others": ({ id }, { ledger }, runId) =>
      ledger.record({
        runId,
        epoch: 1,
        begins: [pendingRun(id, { id: `child of ${runId}`, seed: "same" })],
        steps: [step("/b@0")]
      }),
    "a record that is not urgent": (_, { ledger }, runId) =>
      ledger.record({ runId, epoch: 1, calls: [answered("/b@0", 0)] }),
    "a commit": (thought, { commit }, runId) =>
      Effect.flatMap(talked(thought, "more"), (more) =>
        commit(more, () => ({ runId, epoch: 1, steps: [step("/b@0")] }))
      ),
    "a commit that ends the run": (thought, { commit }, runId) =>
      Effect.flatMap(talked(thought, "more"), (more) =>
        commit(more, () => ({
          runId,
          epoch: 1,
          ends: { status: "completed", end: position(thought.id), error: undefined, endedMillis: noon }
        }))
      ),
    "a renewal": (_, { ledger }, runId) =>
      Effect.map(ledger.renew(runId, 1, { owner: "a", millis: 60_000 }), (held) => assert.isTrue(held)),
    "an answer": (_, { ledger }, runId) =>
      Effect.map(ledger.answer({ runId, frame: "/w@0" }, { json: "1", by: "ann", millis: noon }), (known) =>
        assert.isTrue(known?.first)
      )
  }

  it.live.each(Object.keys(ofRuns))(
    "at any message of %s of a durable run does not fail it, and it is done once",
    (kind) =>
      Effect.gen(function* () {
        const { broken, counted, memory } = yield* opened
        const begin = Effect.gen(function* () {
          const thought = yield* Thought.make("try", { message: "first" })
          const run = newRun(thought.id)
          const rows = { steps: [step("/a@0")], waits: [wait(run.id, thought.id, "/w@0")] }
          const stored = yield* memory.commit(thought, () => ({ runId: run.id, epoch: 1, begins: [run], ...rows }))
          return { run, change: Effect.suspend(() => ofRuns[kind]?.(stored, memory, run.id) ?? Effect.void), stored }
        })
        const state = Effect.fnUntraced(function* ({ run, stored }: Effect.Success<typeof begin>) {
          const { calls = [], run: row, steps, waits = [] } = (yield* memory.ledger.load(run.id)) ?? {}
          const all = yield* memory.ledger.runs({ limit: 100, thoughtId: stored.id })
          const { length } = yield* memory.load(stored.id)
          return [
            row?.status,
            row?.epoch,
            steps?.map(({ frame }) => frame),
            calls,
            waits[0]?.answer,
            all.length,
            length
          ]
        })
        const model = yield* begin
        const [, messages] = yield* counted(model.change)
        const expected = yield* state(model)
        for (const message of chosen(messages)) {
          const one = yield* begin
          const { breaks, result } = yield* broken([message], one.change)
          assert.strictEqual(breaks, 1)
          assert.isTrue(Result.isSuccess(result), `cut before message ${message} of ${messages}`)
          assert.deepStrictEqual(yield* state(one), expected, `cut before message ${message} of ${messages}`)
        }
      }).pipe(Effect.scoped),
    300_000
  )

  it.live(
    "twice during a commit stores all of it or nothing, and the same commit then stores it once",
    () =>
      Effect.gen(function* () {
        const { broken, counted, memory, rows } = yield* opened
        const prepare = Effect.flatMap(Thought.make("try", { message: "first" }), (first) => talked(first, "new"))
        const [whole, messages] = yield* counted(Effect.flatMap(prepare, memory.commit))
        const expected = yield* rows(whole.id)
        const twice = Effect.fnUntraced(function* (first: number, second: number) {
          const thought = yield* prepare
          const { breaks, result } = yield* broken([first, second], memory.commit(thought))
          const before = yield* rows(thought.id)
          if (before.thoughts > 0) assert.deepStrictEqual(before, expected, `messages ${first}, ${second}`)
          if (Result.isFailure(result)) yield* memory.commit(thought)
          assert.deepStrictEqual(yield* rows(thought.id), expected, `messages ${first}, ${second}`)
          return { breaks, isFailed: Result.isFailure(result), isStored: before.thoughts > 0 }
        })
        for (const message of chosen(messages)) yield* twice(message, message)
        // the answer to COMMIT is lost, and the next attempt breaks at any message, also of asking what is stored
        let lost = 0
        for (let second = 1; ; second += isAll ? 1 : 5) {
          const { breaks, isFailed, isStored } = yield* twice(messages, second)
          if (breaks < 2) break
          assert.isTrue(isStored)
          if (isFailed) lost++
        }
        assert.isAbove(lost, 5)
      }).pipe(Effect.scoped),
    300_000
  )

  it.live.each([1, 2])(
    "%s times at any message of an append adds the notes once, also if the append is run again",
    (times) =>
      Effect.gen(function* () {
        const { broken, counted, memory, rows } = yield* opened
        const begun = Effect.flatMap(Thought.make("try", { message: "first" }), memory.commit)
        const added = (thought: Thought.Thought<any>) =>
          memory.append(thought.id, [
            { key: "a", content: "one", derivedFrom: Thought.notes(thought).map(({ id }) => id) },
            { key: "b", content: "two" }
          ])
        const model = yield* begun
        const [, messages] = yield* counted(added(model))
        const expected = yield* rows(model.id)
        assert.deepStrictEqual(expected.notes, ["first", "one", "two"])
        let failures = 0
        for (const message of chosen(messages)) {
          const thought = yield* begun
          const append = added(thought)
          const { result } = yield* broken(
            Array.from({ length: times }, () => message),
            append
          )
          if (Result.isFailure(result)) {
            failures++
            assert.deepStrictEqual(
              (yield* append).map(({ seq }) => seq),
              [2, 3]
            )
          }
          assert.deepStrictEqual(yield* rows(thought.id), expected, `cut before message ${message} of ${messages}`)
          // after a success, the same effect is another addition
          assert.deepStrictEqual(
            (yield* append).map(({ seq }) => seq),
            [4, 5]
          )
        }
        assert.strictEqual(failures > 0, times === 2)
      }).pipe(Effect.scoped),
    300_000
  )

  it.live(
    "at any message of a redaction does not fail it, and every derived note is redacted once",
    () =>
      Effect.gen(function* () {
        const { broken, counted, memory, rows } = yield* opened
        const prepare = Effect.flatMap(Thought.make("try", { message: "first" }), (first) =>
          Effect.flatMap(talked(first, "new"), memory.commit)
        )
        const redacted = (thought: Thought.Thought<any>) => memory.redact(Thought.notes(thought)[0]?.id ?? "")
        const model = yield* prepare
        const [, messages] = yield* counted(redacted(model))
        const expected = yield* rows(model.id)
        assert.notDeepEqual(expected.notes, ["first", "new"])
        for (const message of chosen(messages)) {
          const thought = yield* prepare
          const { breaks, result } = yield* broken([message], redacted(thought))
          assert.deepStrictEqual([breaks, Result.isSuccess(result)], [1, true])
          assert.deepStrictEqual(yield* rows(thought.id), expected, `cut before message ${message} of ${messages}`)
        }
      }).pipe(Effect.scoped),
    300_000
  )

  it.live.each([false, true])(
    "at any message of a removal does not fail it, and nothing but what a fork shares is left (forked: %s)",
    (forked) =>
      Effect.gen(function* () {
        const { broken, counted, memory, rows, total } = yield* opened
        const prepare = Effect.gen(function* () {
          const thought = yield* memory.commit(yield* talked(yield* Thought.make("try", { message: "first" }), "new"))
          const fork = forked ? yield* memory.commit(yield* Thought.fork(thought)) : undefined
          return { thought, fork }
        })
        const removed = ({ thought }: { readonly thought: Thought.Thought<any> }) =>
          memory.remove(thought.id, { materialize: true })
        const model = yield* prepare
        const [, messages] = yield* counted(removed(model))
        const left = model.fork === undefined ? undefined : yield* rows(model.fork.id)
        assert.deepStrictEqual(left?.notes, forked ? ["first", "new"] : undefined)
        for (const message of chosen(messages)) {
          const one = yield* prepare
          const before = yield* total
          const { breaks, result } = yield* broken([message], removed(one))
          assert.deepStrictEqual([breaks, Result.isSuccess(result)], [1, true], `message ${message} of ${messages}`)
          assert.strictEqual((yield* rows(one.thought.id)).thoughts, 0)
          if (one.fork !== undefined) assert.deepStrictEqual(yield* rows(one.fork.id), left)
          assert.strictEqual(before - (yield* total), forked ? 2 : 5)
        }
      }).pipe(Effect.scoped),
    300_000
  )

  it.live(
    "twice during a removal removes all of it or nothing, and the same removal then succeeds",
    () =>
      Effect.gen(function* () {
        const { broken, counted, memory, rows } = yield* opened
        const prepare = Effect.flatMap(Thought.make("try", { message: "first" }), (first) =>
          Effect.flatMap(talked(first, "new"), memory.commit)
        )
        const [, messages] = yield* counted(memory.remove((yield* prepare).id))
        let lost = 0
        for (const message of [...chosen(messages), ...Array.from({ length: 8 }, (_, i) => -1 - i)]) {
          const thought = yield* prepare
          const whole = yield* rows(thought.id)
          const remove = Memory.remove(thought.id).pipe(Effect.provideService(Memory.Memory, memory))
          // with a negative number, the answer to COMMIT is lost first
          const { result } = yield* broken(message > 0 ? [message, message] : [messages, -message], remove)
          const after = yield* rows(thought.id)
          if (after.thoughts > 0) assert.deepStrictEqual(after, whole)
          else if (Result.isFailure(result)) lost++
          if (Result.isFailure(result)) yield* remove
          assert.strictEqual((yield* rows(thought.id)).thoughts, 0)
        }
        assert.isAbove(lost, 0)
      }).pipe(Effect.scoped),
    300_000
  )

  it.live(
    "at any message of an import does not fail it, and every thought is there once",
    () =>
      Effect.gen(function* () {
        const { broken, counted, memory, rows } = yield* opened
        const first = yield* memory.commit(yield* talked(yield* Thought.make("try", { message: "first" }), "new"))
        const fork = yield* memory.commit(yield* talked(yield* Thought.fork(first), "fork"))
        const lines = yield* Stream.runCollect(memory.exportLines())
        const expected = [yield* rows(first.id), yield* rows(fork.id)]
        yield* memory.purge
        const imported = memory.importLines(Stream.fromIterable(lines))
        const [result, messages] = yield* counted(imported)
        assert.deepStrictEqual(result, { imported: 2, present: 0 })
        assert.deepStrictEqual([yield* rows(first.id), yield* rows(fork.id)], expected)
        for (const message of chosen(messages)) {
          yield* memory.purge
          const { breaks, result: ended } = yield* broken([message], imported)
          const { imported: added, present } = Result.getOrThrow(ended)
          assert.deepStrictEqual([breaks, added + present], [1, 2])
          assert.deepStrictEqual([yield* rows(first.id), yield* rows(fork.id)], expected, `message ${message}`)
        }
      }).pipe(Effect.scoped),
    300_000
  )

  it.live(
    "at any message of a purge leaves everything or nothing",
    () =>
      Effect.gen(function* () {
        const { broken, counted, memory, total } = yield* opened
        const prepare = Effect.flatMap(Thought.make("try", { message: "first" }), (first) =>
          Effect.flatMap(talked(first, "new"), memory.commit)
        )
        yield* prepare
        const [, messages] = yield* counted(memory.purge)
        for (const message of chosen(messages)) {
          yield* prepare
          const before = yield* total
          const { result } = yield* broken([message], memory.purge)
          const left = yield* total
          assert.include(Result.isSuccess(result) ? [0] : [0, before], left)
          yield* memory.purge
          assert.strictEqual(yield* total, 0)
        }
      }).pipe(Effect.scoped),
    300_000
  )

  it.live(
    "twice during a run, it goes on with what the store has, or fails with it",
    () =>
      Effect.gen(function* () {
        const { broken, counted, memory } = yield* opened
        const write = (key: string) => Step.make(key, { schema: Schema.String, run: () => key })
        // the last commit is that of a thought which is left, and of its fork
        const steps = Pipeline.sequence("all", [write("a"), Primitive.forget("forget", { drop: ["a"] })])
        const run = (thought: Thought.Thought) =>
          Pipeline.run(steps, thought).pipe(Effect.provideService(Memory.Memory, memory))
        const prepare = Effect.flatMap(Thought.make("try", { message: "first" }), memory.commit)
        const [, messages] = yield* counted(Effect.flatMap(prepare, run))
        const [, begun] = yield* counted(prepare)
        const last = messages - begun
        let [wentOn, failed] = [0, 0]
        const seconds = Array.from({ length: isAll ? messages : 10 }, (_, i) => [last, i + 1])
        for (const at of [...chosen(last).map((message) => [message, message]), ...seconds]) {
          const thought = yield* prepare
          let error: Pipeline.PipelineError<unknown> | undefined
          const change = run(thought).pipe(
            Effect.catch((failure) => {
              error = failure
              return Effect.fail(failure.cause)
            })
          )
          const { breaks, result } = yield* broken(at, change)
          // the thought of a run or of its error is what the store has, and nobody else has gone on with it
          const known = Result.isSuccess(result) ? result.success : error?.thought
          assert.deepStrictEqual((yield* memory.load(known!.id)).toJSON(), known?.toJSON(), `messages ${at.join()}`)
          assert.strictEqual((yield* memory.children(thought.id)).length, Result.isSuccess(result) ? 1 : 0)
          if (breaks === 2 && at[0] === last) assert.isTrue(Result.isSuccess(result), `messages ${at.join()}`)
          if (Result.isFailure(result)) failed++
          else if (breaks === 2) wentOn++
        }
        assert.isAbove(wentOn, 3)
        assert.isAbove(failed, 3)
      }).pipe(Effect.scoped),
    300_000
  )
})
