/** What must hold of a database that an earlier version filled, once its schema is up to date. */
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { sql } from "kysely"
import type { Store } from "../../src/Store.ts"
import { encode } from "../../src/sql/database/text.ts"
import { ask, nearby } from "../../src/testing/contract/stage/query.ts"
import { commit, note, plain, thought, uuid } from "../../src/testing/contract/stage/rows.ts"
import { type Db, expected, expectedOfStranger, few, many, other, rows, scope } from "./states.ts"

const { fork, forkNotes, grandchild, root, rootNotes, stranger, strangerNotes } = rows

const idsOf = (found: ReadonlyArray<{ readonly note: { readonly id: string } }>) => found.map((one) => one.note.id)

/** Everything is there as it was written, and found. */
export const reads = Effect.fnUntraced(function* (store: Store) {
  for (const stored of Object.values(expected)) {
    const { id, traceId } = stored.thought
    assert.deepStrictEqual(plain(yield* store.load(scope, { id })), plain(stored))
    assert.deepStrictEqual(plain(yield* store.load(scope, { traceId })), plain(stored))
    assert.isUndefined(yield* store.load(other, { id }))
  }
  assert.deepStrictEqual(yield* store.ancestors(scope, { id: grandchild.id }), [root, fork])
  assert.deepStrictEqual(yield* store.children(scope, { id: root.id }, { limit: 5, after: undefined }), [fork])
  const page = { limit: 10, after: undefined, order: "oldest" } as const
  const listed = [root, fork, grandchild].map((row) => ({
    ...row,
    lastSeq:
      Object.values(expected)
        .find(({ thought }) => thought.id === row.id)
        ?.notes.at(-1)?.seq ?? 0
  }))
  assert.deepStrictEqual(yield* store.thoughts(scope, { ...page, taskId: undefined }), listed)
  assert.deepStrictEqual(yield* store.thoughts(scope, { ...page, taskId: "refunds\u001a" }), listed.slice(0, 2))
  assert.deepStrictEqual(plain(yield* store.load(other, { id: stranger.id })), plain(expectedOfStranger))
  assert.sameDeepMembers(
    [...(yield* store.spaces)],
    [
      { ...few, state: "active" },
      { ...many, state: "retired" }
    ]
  )
  yield* store.openSpace(many)
  yield* store.openSpace(few)
  assert.strictEqual(yield* store.countPending(scope, many), 2)
  assert.strictEqual(yield* store.countPending(scope, few), 3)
  // one has a vector, and two were redacted
  // all are results of searches, one of them redacted
  assert.strictEqual(yield* store.countPending(other, many), 0)
  assert.lengthOf(yield* store.pending(many, { scope: other, limit: 10, results: true }), 3)
  const pending = yield* store.pending(many, { scope, limit: 10 })
  assert.sameMembers(
    pending.map(({ id }) => id),
    [rootNotes[2]!.id, forkNotes[0]!.id]
  )
  // by the second of its parts, and nobody else's
  assert.deepStrictEqual(idsOf(yield* nearby(store, scope, many, Float32Array.of(0, 1, 0), { limit: 1 })), [
    rootNotes[0]!.id
  ])
  // of two notes with one content the newer one stands for both
  assert.deepStrictEqual(idsOf(yield* nearby(store, scope, few, Float32Array.of(1, 0))), [rootNotes[2]!.id])
  assert.deepStrictEqual(idsOf(yield* nearby(store, other, many, Float32Array.of(1, 0, 0))), [strangerNotes[0]!.id])
  const goods = yield* store.search(scope, few, ask({ text: "damaged goods" }))
  assert.deepStrictEqual(idsOf(goods.matches), [rootNotes[2]!.id])
  const doubt = yield* store.search(scope, few, ask({ text: "doubt" }))
  assert.deepStrictEqual(idsOf(doubt.matches), [forkNotes[0]!.id])
  assert.deepStrictEqual(idsOf((yield* store.search(other, few, ask({ text: "goods" }))).matches), [
    strangerNotes[0]!.id
  ])
  const tasks = yield* store.survey(scope, few, ask({ text: "damaged goods" }))
  assert.deepStrictEqual(
    tasks.tasks.map(({ taskId }) => taskId),
    ["refunds\u001a"]
  )
})

/** All that changes rows works on those of before. */
export const writes = Effect.fnUntraced(function* (store: Store) {
  const added = { id: uuid(), key: "late", content: "Damaged goods came late", metadata: {}, source: "user", step: "" }
  const created = DateTime.makeUnsafe(1_700_000_010_000)
  const appended = yield* store.append(scope, { id: root.id }, [
    { ...added, created, trust: "untrusted", derivedFrom: [] }
  ])
  assert.deepStrictEqual(
    appended?.map(({ seq }) => seq),
    [4]
  )
  assert.strictEqual((yield* store.load(scope, { id: root.id }))?.version, 4)
  // what the fork shares ends where it did
  assert.strictEqual((yield* store.load(scope, { id: fork.id }))?.notes.length, 3)
  const next = note(fork.id, 4, { content: "More of the fork" })
  assert.strictEqual(yield* store.commit(scope, commit(fork, { version: 1, notes: [next], nextIndex: 0 })), 2)
  const stale = yield* Effect.flip(store.commit(scope, commit(fork, { version: 1, notes: [next] })))
  assert.strictEqual(stale.reason._tag, "ConcurrencyConflict")
  const another = thought({ parent: { id: grandchild.id, seq: 3 } })
  assert.strictEqual(yield* store.commit(scope, commit(another)), 1)

  assert.deepStrictEqual(yield* store.copyVectors(scope, few, [rootNotes[2]!.id]), [rootNotes[2]!.id])
  yield* store.putVectors(scope, many, [{ noteId: rootNotes[0]!.id, vector: Float32Array.of(0, 0, 1) }])
  // its parts of before are gone
  const near = yield* nearby(store, scope, many, Float32Array.of(0, 1, 0), { limit: 1 })
  assert.strictEqual(near[0]?.similarity, 0)
  yield* store.activateSpace(few)
  yield* store.optimize({ index: "create" })
  assert.deepStrictEqual(idsOf(yield* nearby(store, scope, few, Float32Array.of(1, 0), { limit: 1 })), [
    rootNotes[2]!.id
  ])
  yield* store.optimize({ index: "drop" })

  const emptied = yield* store.redact(scope, rootNotes[0]!.id, 1_800_000_000_000)
  // with the note that the summary of it was kept as
  assert.deepStrictEqual(emptied?.toSorted(), [rootNotes[0]!.id, rootNotes[1]!.id])
  const after = yield* store.load(scope, { id: root.id })
  assert.deepStrictEqual(after?.notes[0]?.content, "")
  assert.notInclude(JSON.stringify(after?.entries), "What was")
  assert.isTrue(yield* store.remove(scope, { id: fork.id }, { materialize: true }))
  const alone = yield* store.load(scope, { id: grandchild.id })
  assert.deepStrictEqual(
    alone?.notes.map(({ content, seq }) => [seq, content]),
    [
      [1, ""],
      [2, ""],
      [3, forkNotes[0]!.content]
    ]
  )
  yield* store.dropSpace(many, { force: true })
  const [secret, , ...searched] = strangerNotes.map(({ id }) => id)
  const copies = yield* store.redact(other, secret!, 1_800_000_000_000)
  assert.deepStrictEqual(copies, [secret!, ...searched.slice(0, 2)].toSorted())
  assert.strictEqual(yield* store.purge(other), 1)
  assert.isUndefined(yield* store.load(other, { id: stranger.id }))
  assert.strictEqual(yield* store.purge(scope), 3)
})

/** What a statement does within a transaction that is undone: its rows, or the code of its failure. */
const within = (db: Db, settings: ReadonlyArray<string>, statement: string) =>
  Effect.promise(async () => {
    const undone = new Error("undone")
    let rows: ReadonlyArray<{ readonly scope: string }> = []
    try {
      await db.transaction().execute(async (trx) => {
        for (const setting of settings) await sql.raw(setting).execute(trx)
        rows = (await sql.raw<{ readonly scope: string }>(statement).execute(trx)).rows
        throw undone
      })
    } catch (error) {
      if (error !== undone) return String(error instanceof Error && "code" in error ? error.code : error)
    }
    return rows
  })

const quoted = (text: string) => `'${encode(text).replaceAll("'", "''")}'`
const as = (tenant: string) => [
  "set local role cogito_tenant",
  `select set_config('cogito.scope', ${quoted(tenant)}, true)`
]

/** Writes a run with one row of each kind. */
export const fillLedger = (db: Db) =>
  Effect.promise(() =>
    db.transaction().execute(async (trx) => {
      const [tenant, start] = [encode(scope), JSON.stringify({ thoughtId: root.id, seq: 0, version: 1, nextIndex: 0 })]
      await sql`select set_config('cogito.upkeep', 'on', true)`.execute(trx)
      await sql`insert into cogito.run(scope, id, seed, pipeline, fingerprint, outline, start_position, start_hash, fork,
          keep, status, epoch, created_at)
        values (${tenant}, 'run', '', '', '', '', ${start}, '', false, 'nothing', 'running', 1, now())`.execute(trx)
      await sql`insert into cogito.step(scope, run_id, frame, kind, outcome, started_at, epoch)
        values (${tenant}, 'run', '/a', '', 'running', now(), 1)`.execute(trx)
      await sql`insert into cogito.call(scope, run_id, frame, n, kind, attempt, hash, parts, state, started_at, epoch)
        values (${tenant}, 'run', '/a', 0, 'effect', 1, '', '{}', 'begun', now(), 1)`.execute(trx)
      await sql`insert into cogito.wait(scope, run_id, frame, key, thought, prompt, schema, bound, created_at, answer, answered_at)
        values (${tenant}, 'run', '/a', '', ${root.id}, '', 'true', '', now(), '1', now()),
          (${tenant}, 'run', '/b', '', ${root.id}, 'May I?', 'true', '', now(), null, null),
          (${tenant}, 'run', '/d', '', ${root.id}, '', 'true', '', now(), null, null)`.execute(trx)
    })
  )

/** Row-level security, guards and grants hold of every table, whichever they are. */
export const guards = Effect.fnUntraced(function* (db: Db) {
  const rowsOf = async (text: string) => (await sql.raw<{ readonly name: string }>(text).execute(db)).rows
  const scoped = yield* Effect.promise(() =>
    rowsOf(`select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'scope'
      where c.relnamespace = 'cogito'::regnamespace and c.relkind in ('r', 'p') order by 1`)
  )
  const tables = scoped.map(({ name }) => name)
  assert.includeMembers(tables, [
    "call",
    "derivation",
    "entry",
    "note",
    "run",
    "step",
    "thought",
    "vector_1",
    "vector_2",
    "wait"
  ])
  const open = yield* Effect.promise(() =>
    rowsOf(`select relname as name from pg_class where relnamespace = 'cogito'::regnamespace and relkind in ('r', 'p')
      and not (relrowsecurity and relforcerowsecurity)`)
  )
  // these hold nothing of any scope
  assert.includeMembers(
    ["space", "migration"],
    open.map(({ name }) => name)
  )
  const upkeep = ["select set_config('cogito.upkeep', 'on', true)"]
  for (const table of tables) {
    const all = `select scope from cogito.${table}`
    const every = yield* within(db, upkeep, all)
    assert.isArray(every)
    assert.isNotEmpty(every, table)
    const shares: Array<{ readonly scope: string }> = []
    for (const tenant of [scope, other]) {
      const own = yield* within(db, as(tenant), all)
      if (typeof own === "string") assert.fail(`${table}: ${own}`)
      for (const row of own) assert.deepStrictEqual(row, { scope: encode(tenant) }, table)
      shares.push(...own)
    }
    const owner = shares[0]?.scope === encode(scope) ? scope : other
    assert.strictEqual(shares.length, every.length, table)
    assert.deepStrictEqual(yield* within(db, as("nobody"), all), [], table)
    assert.deepStrictEqual(yield* within(db, ["set local role cogito_tenant"], all), [], table)
    // nobody writes into another's scope, gives a row away, or empties a table
    const names = yield* Effect.promise(() =>
      rowsOf(`select quote_ident(attname) as name from pg_attribute where attrelid = 'cogito.${table}'::regclass
        and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = '' and attname <> 'scope'`)
    )
    const columns = names.map(({ name }) => name).join(", ")
    const foreign = `insert into cogito.${table}(scope, ${columns}) select 'nobody', ${columns} from cogito.${table} limit 1`
    assert.strictEqual(yield* within(db, as(owner), foreign), "42501", table)
    const given = yield* within(db, as(scope), `update cogito.${table} set scope = 'nobody'`)
    assert.include(["42501", "23001"], given, table)
    assert.strictEqual(yield* within(db, as(scope), `truncate cogito.${table} cascade`), "42501", table)
  }
  for (const table of ["thought", "note", "entry", "run", "step", "call", "wait"]) {
    for (const settings of [as(scope), upkeep]) {
      assert.strictEqual(yield* within(db, settings, `delete from cogito.${table}`), "23001", table)
    }
  }
  assert.strictEqual(yield* within(db, upkeep, "delete from cogito.derivation"), "23001")
  assert.strictEqual(yield* within(db, upkeep, "update cogito.derivation set source_id = note_id"), "23001")
  assert.strictEqual(yield* within(db, upkeep, "update cogito.note set content = 'changed'"), "23001")
  assert.strictEqual(yield* within(db, upkeep, "update cogito.entry set text = 'changed'"), "23001")
  assert.strictEqual(
    yield* within(db, upkeep, "update cogito.thought set intent = 'x', version = version + 1"),
    "23001"
  )
  // of a run, what is done may change, but not what it is
  const refused = {
    run:
      "id = 'x'; seed = 'x'; pipeline = 'x'; fingerprint = 'x'; outline = 'x'; start_position = '{}'; start_hash = 'x'; fork = true;" +
      "parent_id = 'x', parent_frame = 'x'; keep = 'answers'; epoch = 0; created_at = created_at + interval '1 second'",
    step: "frame = '/b'; run_id = 'x'",
    call: "frame = '/b'; run_id = 'x'; n = 1",
    wait:
      "frame = '/c'; run_id = 'x'; key = 'x'; thought = gen_random_uuid(); bound = 'x'; schema = 'false';" +
      "created_at = created_at + interval '1 second'; due_at = now()"
  }
  // not even while a question has no answer, if it has its text
  const rowsThat: Partial<Record<string, string>> = { wait: " where answer is null" }
  const changed = Object.entries(refused).flatMap(([table, changes]) =>
    changes.split(";").map((change) => `update cogito.${table} set ${change}${rowsThat[table] ?? ""}`)
  )
  const answers = ["answer = '2'", "answer = null, answered_at = null"].map(
    (change) => `update cogito.wait set ${change} where answer is not null`
  )
  // one whose text was redacted may become another one, in its place and its time
  const emptied = [
    "frame = '/c'",
    "run_id = 'x'",
    "created_at = created_at + interval '1 second'",
    "due_at = now()"
  ].map((change) => `update cogito.wait set ${change} where prompt = '' and answer is null`)
  for (const statement of [...changed, ...answers, ...emptied]) {
    assert.strictEqual(yield* within(db, upkeep, statement), "23001", statement)
    assert.include(["23001", "42501"], yield* within(db, as(scope), statement), statement)
  }
})
