/** Durable runs on a server: who waits for whom, and what is flushed. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Schedule } from "effect"
import { Kysely, PostgresDialect } from "kysely"
import { Client, Pool } from "pg"
import * as Database from "../../src/postgres/database.ts"
import { PostgresMemory } from "../../src/postgres/index.ts"
import * as Sql from "../../src/sql/store.ts"
import { answered, call, newRun, noon, position, step, wait } from "../../src/testing/contract/ledger/rows.ts"
import { commit, entry, note, thought } from "../../src/testing/contract/stage/rows.ts"
import { refusal } from "../../src/testing/contract/stage/scene.ts"
import { proxy } from "./proxy.ts"
import { available, migrated, type Server, start } from "./server.ts"
import { superuser } from "./superuser.ts"

const canary = "canary 4711"

describe.skipIf(!available)("durable runs on a server", () => {
  let server: Server
  beforeAll(() => {
    server = start()
  })
  afterAll(() => server.stop())

  /** A store with a run that `a` has, and a connection of the superuser beside it. */
  const opened = Effect.gen(function* () {
    const url = yield* Effect.promise(() => migrated(server))
    const store = yield* PostgresMemory.makeStore({ url })
    const { rows: run } = yield* superuser(url)
    const row = thought()
    const secret = note(row.id, 1, { content: canary })
    yield* store.commit("a", commit(row, { notes: [secret] }))
    const begun = newRun(row.id)
    yield* store.ledger.record("a", { runId: begun.id, epoch: 1, begins: [begun] })
    const { rows: others } = yield* superuser(url)
    /** Waits until somebody waits for a lock. */
    const somebodyWaits = others(
      "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    ).pipe(
      Effect.map((waiting) => waiting.length > 0),
      Effect.repeat({ until: (waits) => waits, schedule: Schedule.spaced("10 millis") })
    )
    return { run, row, runId: begun.id, secret, somebodyWaits, store, url }
  })

  it.live("begin on thoughts of their own scope only", () =>
    Effect.gen(function* () {
      const { row, store } = yield* opened
      const run = newRun(row.id)
      const { reason } = yield* Effect.flip(store.ledger.record("b", { runId: run.id, epoch: 1, begins: [run] }))
      assert.deepStrictEqual(reason, {
        _tag: "Query",
        code: "23503",
        message:
          "The scope does not have the thought that a run begins with: commit it first, or run in the scope that it was loaded from."
      })
      assert.isUndefined(yield* store.ledger.load("b", run.id))
    }).pipe(Effect.scoped)
  )

  it.live("and commits accept only UUIDs in lower case as ids of thoughts and notes", () =>
    Effect.gen(function* () {
      const { row, runId, store } = yield* opened
      const begun = newRun(row.id)
      const message = (needs: string) => `An id is not a UUID in lower case: ${needs} need such ids to be stored.`
      const record = (rows: Omit<Parameters<typeof store.ledger.record>[1], "runId" | "epoch">) => [
        store.ledger.record("a", { runId, epoch: 1, ...rows }),
        store.commit("a", commit(row, { version: 1, ledger: { runId, epoch: 1, ...rows } }))
      ]
      for (const id of ["no id", "", row.id.toUpperCase(), `${row.id} `]) {
        const ends = { status: "failed", end: position(id), error: undefined, endedMillis: noon } as const
        const ofRuns = [
          record({ begins: [{ ...begun, start: position(id) }] }),
          record({ steps: [step("/a@0"), step("/b@0", { position: position(id) })] }),
          record({ waits: [wait(runId, row.id, "/a@0"), wait(runId, id, "/b@0")] }),
          record({ ends })
        ].flat()
        const change = (more: Parameters<typeof commit>[1]) => store.commit("a", commit(row, { version: 1, ...more }))
        const ofThoughts = [
          store.commit("a", commit(thought({ id }))),
          store.commit("a", commit(thought({ parent: { id, seq: 0 } }))),
          change({ notes: [note(row.id, 2, { id })] }),
          change({ notes: [note(row.id, 2, { derivedFrom: [id] })] }),
          change({ entries: [entry(0, { carries: [id] })], nextIndex: 1 }),
          change({ entries: [entry(0, { covers: [id] })], nextIndex: 1 })
        ]
        for (const [all, needs] of [
          [ofRuns, "thoughts"],
          [ofThoughts, "thoughts and notes"]
        ] as const) {
          for (const one of all) {
            const { reason } = yield* Effect.flip(Effect.asVoid(one))
            assert.deepStrictEqual(reason, { _tag: "Query", message: message(needs) })
          }
        }
      }
      const stored = yield* store.ledger.load("a", runId)
      assert.deepStrictEqual([stored?.run.status, stored?.steps, stored?.waits], ["running", [], []])
      assert.strictEqual((yield* store.load("a", { id: row.id }))?.version, 1)
    }).pipe(Effect.scoped)
  )

  it.live("can be taken from a process that is frozen in a transaction", () =>
    Effect.gen(function* () {
      const { runId, url } = yield* opened
      const network = yield* proxy(url)
      const frozen = yield* PostgresMemory.makeStore({ url: network.url, statementTimeout: "4 seconds" })
      // it waits for longer than half of that time, and for less than all of it
      const other = yield* PostgresMemory.makeStore({ url, statementTimeout: "3 seconds" })
      // the message with its length, as a setting has a name that ends so
      network.freezeAt("\u000Bcommit\0")
      const rows = { runId, epoch: 1, calls: [call("/a@0", 0)] }
      const writing = yield* Effect.forkChild(Effect.exit(frozen.ledger.record("a", rows)))
      yield* Effect.sleep("300 millis")
      const claim = yield* other.ledger.claim("a", runId, { owner: "other", millis: 1000, seize: true })
      assert.deepInclude(claim, { claimed: true })
      assert.deepStrictEqual((yield* other.ledger.load("a", runId))?.calls, [])
      network.cut()
      assert.isTrue(Exit.isFailure(yield* Fiber.join(writing)))
    }).pipe(Effect.scoped)
  )

  it.live("are not written for a process that loses its run at this moment", () =>
    Effect.gen(function* () {
      const { row, run, runId, somebodyWaits, store } = yield* opened
      const rows = { runId, epoch: 1, steps: [step("/a@0")], calls: [call("/a@0", 0)] }
      const ends = { status: "completed", end: position(row.id), error: undefined, endedMillis: noon } as const
      const writes = [
        store.ledger.record("a", rows),
        store.ledger.record("a", { ...rows, ends, urgent: true }),
        store.commit("a", commit(row, { version: 1, notes: [note(row.id, 2)], ledger: rows })),
        store.commit("a", commit(thought(), { ledger: { ...rows, ends } }))
      ]
      for (const write of writes) {
        yield* run("begin")
        // as a claim has it
        yield* run("select id from cogito.run for update")
        yield* run("update cogito.run set epoch = epoch + 1")
        const late = yield* Effect.forkChild(refusal(write))
        yield* somebodyWaits
        yield* run("commit")
        assert.strictEqual(yield* Fiber.join(late), "LeaseLost")
        yield* run("alter table cogito.run disable trigger run_identity")
        yield* run("update cogito.run set epoch = 1")
        yield* run("alter table cogito.run enable trigger run_identity")
      }
      const stored = yield* store.ledger.load("a", runId)
      assert.deepStrictEqual([stored?.run.status, stored?.steps, stored?.calls], ["running", [], []])
      assert.strictEqual((yield* store.load("a", { id: row.id }))?.notes.length, 1)
      assert.lengthOf(yield* run("select id from cogito.thought"), 1)
    }).pipe(Effect.scoped)
  )

  it.live("are taken when what is being written for them is there", () =>
    Effect.gen(function* () {
      const { run, runId, somebodyWaits, store } = yield* opened
      yield* run("begin")
      // as a record has it
      yield* run("select id from cogito.run for key share")
      const claim = yield* Effect.forkChild(store.ledger.claim("a", runId, { owner: "b", millis: 60_000, seize: true }))
      yield* somebodyWaits
      yield* run("commit")
      assert.isTrue((yield* Fiber.join(claim))?.claimed)
    }).pipe(Effect.scoped)
  )

  it.live("are written and kept at the same time by all branches of the process that has them", () =>
    Effect.gen(function* () {
      const { run, runId, store } = yield* opened
      yield* run("begin")
      yield* run("select id from cogito.run for key share")
      yield* store.ledger.record("a", { runId, epoch: 1, steps: [step("/a@0")] })
      assert.isTrue(yield* store.ledger.renew("a", runId, 1, { owner: "a", millis: 60_000 }))
      yield* run("commit")
    }).pipe(Effect.scoped)
  )

  it.live("keep no text of a note that is redacted while they are written", () =>
    Effect.gen(function* () {
      const { row, run, runId, secret, somebodyWaits, store } = yield* opened
      const other = thought()
      yield* store.commit("a", commit(other))
      const apart = newRun(other.id)
      yield* store.ledger.record("a", { runId: apart.id, epoch: 1, begins: [apart] })
      const found = answered("/find@0", 0, { kind: "search", response: `${secret.id} ${canary}` })
      yield* run("begin")
      // as a redaction has it
      yield* run("select id from cogito.note for update")
      const late = yield* Effect.forkChild(store.ledger.record("a", { runId: apart.id, epoch: 1, calls: [found] }))
      yield* somebodyWaits
      yield* run("select set_config('cogito.guard', 'redact', true)")
      yield* run("update cogito.note set content = '', redacted_at = now()")
      yield* run("rollback")
      yield* Fiber.join(late)
      assert.deepStrictEqual((yield* store.ledger.load("a", apart.id))?.calls, [found])
      // the other way round: the redaction waits for what is being written
      yield* run("begin")
      yield* run("select id from cogito.run for key share")
      yield* run(
        `insert into cogito.call(scope, run_id, frame, n, kind, attempt, hash, parts, state, response, started_at, epoch)
          values ('a', $1, '/a@0', 0, 'complete', 1, '', '{}', 'answered', $2, now(), 1)`,
        [runId, canary]
      )
      const redaction = yield* Effect.forkChild(store.redact("a", secret.id, noon))
      yield* somebodyWaits
      yield* run("commit")
      yield* Fiber.join(redaction)
      assert.isUndefined((yield* store.ledger.load("a", runId))?.calls[0]?.response)
      assert.isUndefined((yield* store.ledger.load("a", apart.id))?.calls[0]?.response)
      assert.strictEqual((yield* store.load("a", { id: row.id }))?.notes[0]?.content, "")
    }).pipe(Effect.scoped)
  )

  it.live("take no text of a note whose redaction they had to wait for", () =>
    Effect.gen(function* () {
      const { run, secret, somebodyWaits, store } = yield* opened
      const other = thought()
      yield* store.commit("a", commit(other))
      const apart = newRun(other.id)
      yield* store.ledger.record("a", { runId: apart.id, epoch: 1, begins: [apart] })
      const found = answered("/find@0", 0, { kind: "search", response: `${secret.id} ${canary}` })
      yield* run("begin")
      yield* run("select id from cogito.note for update")
      const late = yield* Effect.forkChild(store.ledger.record("a", { runId: apart.id, epoch: 1, calls: [found] }))
      yield* somebodyWaits
      yield* run("select set_config('cogito.guard', 'redact', true)")
      yield* run("update cogito.note set content = '', redacted_at = now()")
      yield* run("commit")
      yield* Fiber.join(late)
      assert.deepStrictEqual((yield* store.ledger.load("a", apart.id))?.calls, [
        { ...found, hash: "", parts: {}, request: undefined, response: undefined }
      ])
    }).pipe(Effect.scoped)
  )

  it.live("are flushed with a commit and where they are urgent, and otherwise soon after", () =>
    Effect.gen(function* () {
      const url = yield* Effect.promise(() => migrated(server))
      const settings: Array<string> = []
      class Watched extends Client {
        // the driver's own type has a dozen overloads for what is passed on as it is
        override query(...args: ReadonlyArray<any>): any {
          const answer = (super.query as (...all: ReadonlyArray<any>) => any)(...args)
          if (
            !/^(?:with|update)/.test(
              String(args[0]?.text ?? args[0])
                .replace("/* kept */", "")
                .trim()
            )
          )
            return answer
          return Promise.resolve(answer).then(async (result: unknown) => {
            const { rows } = await (super.query as (text: string) => Promise<any>)("show synchronous_commit")
            settings.push(rows[0].synchronous_commit)
            return result
          })
        }
      }
      const pool = yield* Effect.acquireRelease(
        Effect.sync(() => new Pool({ connectionString: url, Client: Watched })),
        (made) => Effect.promise(() => made.end())
      )
      const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
      const { commit: write, ledger } = Sql.make(yield* Database.make(db, { connections: 2, waitMillis: 10_000 }))
      const row = thought()
      const begun = newRun(row.id)
      const rows = { runId: begun.id, epoch: 1 }
      yield* write("a", commit(row, { ledger: { ...rows, begins: [begun] } }))
      settings.length = 0
      yield* ledger.record("a", { ...rows, calls: [call("/a@0", 0)] })
      yield* ledger.renew("a", begun.id, 1, { owner: "a", millis: 60_000 })
      assert.deepStrictEqual(settings.splice(0), ["off", "off"])
      yield* ledger.record("a", { ...rows, urgent: true, calls: [call("/a@0", 0)] })
      yield* write("a", commit(row, { version: 1, ledger: { ...rows, steps: [step("/a@0")] } }))
      yield* ledger.claim("a", begun.id, { owner: "b", millis: 60_000, seize: true })
      assert.deepStrictEqual(settings.splice(0), ["on", "on", "on"])
      assert.isFalse(ledger.exclusive)
    }).pipe(Effect.scoped)
  )
})
