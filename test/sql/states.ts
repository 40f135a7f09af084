/**
 * A database in the form of every step of the schema, with rows in the form of that step, and what they are to be read as
 * once all steps are taken.
 */
import { Effect } from "effect"
import { type Kysely, sql } from "kysely"
import type { Space } from "../../src/Memory.ts"
import type { StoredThought, ThoughtRow } from "../../src/Store.ts"
import type { Note } from "../../src/Note.ts"
import { migrate } from "../../src/sql/migrations/migrate.ts"
import { migrations } from "../../src/sql/migrations/migrations.ts"
import type { Tables } from "../../src/sql/database/schema.ts"
import { encode, encodeMap } from "../../src/sql/database/text.ts"
import { entry, note, thought } from "../../src/testing/contract/stage/rows.ts"

export type Db = Kysely<Tables>

/** Takes the steps up to one, as an earlier version did. */
export const migrateTo = (db: Db, step: string): Effect.Effect<void> =>
  Effect.asVoid(
    Effect.orDie(migrate(db, Object.fromEntries(Object.entries(migrations).filter(([name]) => name <= step))))
  )

const has = (state: string, step: string): boolean => state >= step

export const scope = "acme \u0000\ud800 \u001a0000"
export const other = "globex"

/** Fewer vectors and more of them. */
export const few: Space = { embedder: "few\u0000\ud800", dimensions: 2, metric: "cosine" }
export const many: Space = { embedder: "many", dimensions: 3, metric: "cosine" }

const root: ThoughtRow = thought({
  traceId: "ticket\u00007",
  taskId: "refunds\u001a",
  intent: "\ufefftriage \ud800",
  hidden: new Map([["draft\u0000", 2]])
})
const rootNotes: ReadonlyArray<Note> = [
  note(root.id, 1, {
    key: "message\u0000",
    content: "The parcel was lost\u0000 on its way \udc00",
    metadata: { "from\u0000": "mail\ud83d", __proto__x: "1", "": "" },
    source: "user\u001a",
    step: "read\ufeff"
  }),
  note(root.id, 2, { key: "policy", content: "Refunds are due for damaged goods", trust: "trusted" }),
  note(root.id, 3, { key: "again", content: "Refunds are due for damaged goods", metadata: { a: "b" } })
]
const start: ThoughtRow = {
  ...root,
  checkpoints: new Map([["start\udc00", { id: rootNotes[0]!.id, seq: 1 }]])
}
const fork = thought({ parent: { id: root.id, seq: 2 }, taskId: "refunds\u001a", createdMillis: 1_700_000_001_000 })
const forkNotes: ReadonlyArray<Note> = [note(fork.id, 3, { key: "opinion", content: "\ufeffThe fork has a doubt" })]
const grandchild = thought({ parent: { id: fork.id, seq: 3 }, createdMillis: 1_700_000_002_000 })
const stranger = thought({ createdMillis: 1_700_000_003_000 })
const told = note(stranger.id, 1, { content: "Nobody of another tenant reads of damaged goods" })
const search = { source: "seek", step: "ask/history" }
const found = note(stranger.id, 3, {
  ...search,
  key: "history\u0000",
  content: JSON.stringify({ query: "\u0000", matches: [{ noteId: told.id, content: `"noteId":"${start.id}"` }] }),
  derivedFrom: [told.id]
})
/** Those from the third on are what a search wrote of the first, and a summary of that. */
const strangerNotes: ReadonlyArray<Note> = [
  told,
  note(stranger.id, 2, { content: "" }),
  found,
  note(stranger.id, 4, { ...search, key: "history_summary", content: "One was found", derivedFrom: [found.id] }),
  note(stranger.id, 5, { ...search, step: "other", key: "elsewhere", content: "Nothing was found" })
]

export const rows = { root: start, rootNotes, fork, forkNotes, grandchild, stranger, strangerNotes }

const entries = [
  entry(0, { text: "\ufeffHello\u0000", carries: [rootNotes[0]!.id] }),
  entry(1, { kind: "summary", text: "What was \ud800 said", carries: [rootNotes[1]!.id], covers: [rootNotes[0]!.id] }),
  entry(2, { role: "assistant", text: "", carries: [rootNotes[2]!.id] })
]
/** Entry 0 is no longer live. */
const gone = 0

const usage = { inputTokens: 12, outputTokens: 3 }

/** When the stranger's second note was redacted, where the state has that. */
const redacted = 1_700_000_009_000

/** What each thought is to be read as. */
export const expected = {
  root: {
    thought: start,
    version: 3,
    notes: rootNotes,
    entries: entries.filter(({ index }) => index !== gone),
    nextIndex: 3,
    usage
  },
  fork: {
    thought: fork,
    version: 1,
    notes: [...rootNotes.slice(0, 2), ...forkNotes],
    entries: [],
    nextIndex: 0,
    usage: undefined
  },
  grandchild: {
    thought: grandchild,
    version: 1,
    notes: [...rootNotes.slice(0, 2), ...forkNotes],
    entries: [],
    nextIndex: 0,
    usage: undefined
  }
} satisfies Record<string, StoredThought>

/** The vectors of each space, those of the larger one in two parts for the first note. */
const vectors = {
  few: [{ id: rootNotes[1]!.id, scope, chunk: 0, text: "[1,0]" }],
  many: [
    { id: rootNotes[0]!.id, scope, chunk: 0, text: "[1,0,0]" },
    { id: rootNotes[0]!.id, scope, chunk: 1, text: "[0,1,0]" },
    { id: rootNotes[1]!.id, scope, chunk: 0, text: "[0,0,1]" },
    { id: strangerNotes[0]!.id, scope: other, chunk: 0, text: "[0,1,0]" }
  ]
}

/** The space in use afterwards: once a state names one that stays, before that the one of most vectors. */
export const active = (state: string): Space => (has(state, "0004_spaces") ? few : many)

/** Whether the state knows of redacted notes. */
export const redacts = (state: string): boolean => has(state, "0005_lifecycle")

const moment = (millis: number) => sql`to_timestamp(${millis}::float8 / 1000)`

const insertThought = (db: Db, at: string, stored: StoredThought) => {
  const { id, parent, taskId, traceId, ...row } = stored.thought
  const pairs = (map: ThoughtRow["hidden"]) => JSON.stringify(Array.from(map, ([key, seq]) => [encode(key), seq]))
  const marks = Array.from(row.checkpoints, ([name, mark]) => [encode(name), mark.id, mark.seq])
  const last = stored.notes.at(-1)?.seq ?? 0
  return sql`insert into cogito.thought(scope, id, trace_id, task_id, intent, parent_id, fork_seq, hidden, checkpoints,
      created_at, version, last_seq, next_index, usage)
    values (${encode(at)}, ${id}, ${encode(traceId)}, ${taskId === undefined ? null : encode(taskId)},
      ${encode(row.intent)}, ${parent?.id ?? null}, ${parent?.seq ?? 0}, ${pairs(row.hidden)}, ${JSON.stringify(marks)},
      ${moment(row.createdMillis)}, ${stored.version}, ${last}, ${stored.nextIndex},
      ${stored.usage === undefined ? null : JSON.stringify(stored.usage)})`.execute(db)
}

const insertNote = (db: Db, at: string, one: Note) =>
  sql`insert into cogito.note(scope, id, thought_id, seq, key, content, metadata, source, step, trust, created_at)
    values (${encode(at)}, ${one.id}, ${one.thoughtId}, ${one.seq}, ${encode(one.key)}, ${encode(one.content)},
      ${encodeMap(one.metadata)}, ${encode(one.source)}, ${encode(one.step)}, ${one.trust},
      ${moment(one.created.epochMilliseconds)})`.execute(db)

/** What notes were derived from, where the state has that. */
const derive = async (db: Db) => {
  await sql`select set_config('cogito.guard', 'redact', true)`.execute(db)
  for (const { derivedFrom, id } of strangerNotes) {
    await sql`update cogito.note set derived_from = ${[...derivedFrom]}::uuid[] where id = ${id}`.execute(db)
    for (const source of derivedFrom) {
      await sql`insert into cogito.derivation(scope, source_id, note_id) values (${encode(other)}, ${source}, ${id})`.execute(
        db
      )
    }
  }
}

/** As each version made the table of a space. */
const makeSpace = async (db: Db, state: string, space: Space, given: typeof vectors.many) => {
  const inserted = await sql<{ readonly id: number }>`insert into cogito.space(embedder, dimensions, metric)
    values (${encode(space.embedder)}, ${space.dimensions}, ${space.metric}) returning id`.execute(db)
  const id = inserted.rows[0]!.id
  const table = sql.table(`cogito.vector_${id}`)
  await sql`create table ${table}(
      scope text not null,
      note_id uuid not null,
      chunk int not null default 0 check (chunk >= 0),
      embedding vector(${sql.raw(String(space.dimensions))}) not null,
      primary key (scope, note_id, chunk),
      foreign key (scope, note_id) references cogito.note(scope, id))`.execute(db)
  await sql`alter table ${table} alter column embedding set storage plain`.execute(db)
  if (has(state, "0002_tenants")) {
    const granted = has(state, "0004_spaces") ? "select, insert, update, delete" : "select, insert, update"
    await sql`grant ${sql.raw(granted)} on ${table} to cogito_tenant`.execute(db)
    await sql`call cogito.guard(${`cogito.vector_${id}`}::regclass)`.execute(db)
  }
  for (const { chunk, id: noteId, scope: at, text } of given) {
    await sql`insert into ${table}(scope, note_id, chunk, embedding)
      values (${encode(at)}, ${noteId}, ${chunk}, ${text}::vector)`.execute(db)
  }
  if (has(state, "0004_spaces")) {
    await sql`update cogito.space set state = ${space === few ? "active" : "retired"} where id = ${id}`.execute(db)
  }
}

/** Inserts the rows as a version of that state had them. */
export const plant = (db: Db, state: string): Effect.Effect<void> =>
  Effect.promise(() =>
    db.transaction().execute(async (trx) => {
      await sql`select set_config('cogito.upkeep', 'on', true)`.execute(trx)
      const at = { root: scope, fork: scope, grandchild: scope } as const
      for (const name of ["root", "fork", "grandchild"] as const) await insertThought(trx, at[name], expected[name])
      const strange = { ...expected.grandchild, thought: stranger, version: 2, notes: strangerNotes }
      await insertThought(trx, other, strange)
      for (const one of [...rootNotes, ...forkNotes]) await insertNote(trx, scope, one)
      for (const one of strangerNotes) await insertNote(trx, other, one)
      if (has(state, "0009_derivation")) await derive(trx)
      for (const { carries, covers, index, kind, role, text } of entries) {
        await sql`insert into cogito.entry(scope, thought_id, index, kind, role, text, carries, covers)
          values (${encode(scope)}, ${root.id}, ${index}, ${kind}, ${role}, ${encode(text)}, ${[...carries]}::uuid[],
            ${[...covers]}::uuid[])`.execute(trx)
      }
      await sql`update cogito.entry set live = false where thought_id = ${root.id} and index = ${gone}`.execute(trx)
      await makeSpace(trx, state, many, vectors.many)
      await makeSpace(trx, state, few, vectors.few)
      if (redacts(state)) {
        await sql`select set_config('cogito.guard', 'redact', true)`.execute(trx)
        await sql`update cogito.note set redacted_at = ${moment(redacted)}
          where id = ${strangerNotes[1]!.id}`.execute(trx)
      }
    })
  )
