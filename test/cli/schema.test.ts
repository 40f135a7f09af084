import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "pg"
import * as Server from "../postgres/server.ts"
import { open } from "../../src/pglite/engine/threaded.ts"
import { tenSteps } from "../../src/sql/migrations/state.ts"
import { prefill } from "../pglite/prefilled.ts"
import { cogito } from "./cogito.ts"
import { keepOpen } from "./keptOpen.ts"

type Query = (sql: string) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>

interface Where {
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string>>
  /** Looks at the database itself, while no command has it open. */
  readonly inside: <A>(use: (query: Query) => Promise<A>) => Promise<A>
}

/** Everything in the database that is ours: its objects, and what the steps have left. */
const everything = (query: Query) =>
  Promise.all([
    query(`select c.relname, c.relkind, a.attname, a.atttypid::regtype::text as type from pg_class c
      join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
      where n.nspname = 'cogito' order by 1, 2, 3`),
    query(`select p.proname, md5(p.prosrc) as source from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = 'cogito' order by 1`),
    query("select rolname from pg_roles where rolname like 'cogito%'"),
    query("select extname from pg_extension order by 1")
  ])

const reading: ReadonlyArray<ReadonlyArray<string>> = [
  ["verify", "--scope", "a"],
  ["show", "x", "--scope", "a"],
  ["search", "x", "--scope", "a"],
  ["search", "x", "--scope", "a", "--embedder", "local"],
  ["export", "--scope", "a"],
  ["optimize"]
]

const behaves = (where: () => Where) => {
  const run = (args: ReadonlyArray<string>) => cogito([...args, ...where().args], { env: where().env })
  const refused = async (state: string, said: RegExp) => {
    const { inside } = where()
    const all = (query: Query) =>
      Promise.all([everything(query), query("select name from cogito.migration order by 1")])
    const before = await inside(all)
    for (const args of reading) {
      const ended = await run(args)
      assert.strictEqual(ended.code, args[0] === "verify" ? 3 : 1, args.join(" "))
      assert.strictEqual(ended.stdout, args[0] === "verify" ? `Schema: ${state}.\n` : "")
      assert.match(ended.stderr, /^cogito: [^\n]+\n$/)
      assert.match(ended.stderr, said)
    }
    const json = await run(["verify", "--scope", "a", "--json"])
    assert.strictEqual(json.code, 3)
    const { problems, ...rest } = JSON.parse(json.stdout)
    assert.deepStrictEqual(rest, { scope: "a", schema: state })
    assert.lengthOf(problems, 1)
    assert.match(`cogito: ${problems[0].problem}`, said)
    assert.deepStrictEqual(await inside(all), before)
    return reading.length
  }

  it("reads and verifies the schema of this version, and changes nothing", async () => {
    const migrated = await run(["migrate"])
    assert.strictEqual(migrated.code, 0, migrated.stderr)
    const before = await where().inside(everything)
    for (const args of [["verify", "--scope", "a"], ["export", "--scope", "a"], ["optimize"]]) {
      const ended = await run(args)
      assert.strictEqual(ended.code, 0, ended.stderr)
    }
    assert.deepStrictEqual(await where().inside(everything), before)
  })

  it("says that a newer version was here, and leaves everything as it is", async () => {
    await where().inside((query) => query("insert into cogito.migration values ('9999_future', '2100-01-01')"))
    await refused("newer", /newer version of cogito: use that version\.\n?$/)
    const migrated = await run(["migrate"])
    assert.deepStrictEqual([migrated.code, migrated.stdout], [1, ""])
    assert.match(migrated.stderr, /^cogito: .*newer version of cogito: use that version\.\n$/)
    await where().inside((query) => query("delete from cogito.migration where name = '9999_future'"))
  })

  it("says that the schema is older, and leaves it to migrate", async () => {
    await where().inside((query) => query("delete from cogito.migration"))
    const insert = (step: string) => `insert into cogito.migration values ('${step}', '2026-01-01')`
    for (const step of tenSteps) await where().inside((query) => query(insert(step)))
    const tried = await refused("older", /older than this version of cogito: run cogito memory migrate\.\n?$/)
    assert.isAbove(tried, 1)
  })

  it("says that the schema is too old for migrate", async () => {
    await where().inside((query) => query("delete from cogito.migration where name > '0004_spaces'"))
    const advice = /early version of cogito.*import the archive into a new memory\.\n?$/
    await refused("older", advice)
    const migrated = await run(["migrate"])
    assert.deepStrictEqual([migrated.code, migrated.stdout], [1, ""])
    assert.match(migrated.stderr, advice)
  })
}

describe("the schema of a directory", { timeout: 180_000 }, () => {
  let folder = ""
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "cogito-schema-"))
    await prefill(join(folder, "memory"))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  keepOpen()

  behaves(() => ({
    args: ["--data-dir", join(folder, "memory")],
    env: {},
    inside: async (use) => {
      const connection = await open({ folder: join(folder, "memory", "database"), template: undefined })
      if (connection === undefined) throw new Error("no thread can be started")
      try {
        return await use(async (sql) => (await connection.query(sql, [])).rows as any)
      } finally {
        await connection.close()
      }
    }
  }))
})

describe.skipIf(!Server.available)("the schema of a server", { timeout: 180_000 }, () => {
  let server: Server.Server | undefined
  let [url, empty] = ["", ""]
  beforeAll(async () => {
    server = Server.start()
    url = await Server.database(server)
    empty = await Server.database(server)
  })
  afterAll(() => server?.stop())

  const inside =
    (at: string): Where["inside"] =>
    async (use) => {
      const client = new Client({ connectionString: at })
      await client.connect()
      try {
        return await use(async (sql) => (await client.query(sql)).rows)
      } finally {
        await client.end()
      }
    }

  behaves(() => ({ args: [], env: { DATABASE_URL: url }, inside: inside(url) }))

  it("is not made by a command that reads a database without one", async () => {
    for (const args of reading) {
      const ended = await cogito(args, { env: { DATABASE_URL: empty } })
      assert.strictEqual(ended.code, args[0] === "verify" ? 3 : 1)
      assert.match(ended.stderr, /^cogito: There is no memory here.*cogito memory migrate\.\n$/)
    }
    const made = await inside(empty)((query) => query("select nspname from pg_namespace where nspname = 'cogito'"))
    assert.deepStrictEqual(made, [])
  })
})
