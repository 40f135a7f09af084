/**
 * A real server for the tests of one file, with pgvector. Where none can be started the tests are skipped, and the end of the
 * run says so; with COGITO_POSTGRES=required, as in the project's checks, that is a failure.
 */
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { Client } from "pg"
import { inject } from "vitest"
import { PostgresMemory } from "../../src/postgres/index.ts"

const script = join(import.meta.dirname, "..", "..", "scripts", "postgres.sh")

const call = (...args: ReadonlyArray<string>) => spawnSync("bash", [script, ...args], { encoding: "utf8" })

export interface Server {
  readonly url: string
  /** The folder of its programs, such as pg_dump. */
  readonly programs: string
  /** Ends it at once, as a crash would, and starts it again on what it had written. */
  readonly restart: () => void
  readonly stop: () => void
}

export const start = (): Server => {
  const { status, stderr, stdout } = call("start")
  const read = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(stdout)?.[1]
  const [folder, url, programs] = [read("FOLDER"), read("DATABASE_URL"), read("BIN")]
  if (status !== 0 || folder === undefined || url === undefined || programs === undefined) {
    throw new Error(`no Postgres server for the tests: ${stderr.trim()}`)
  }
  const run = (action: string) => {
    const done = call(action, folder)
    if (done.status !== 0) throw new Error(`${action} of the server failed: ${done.stderr}`)
  }
  return { url, programs, restart: () => run("restart"), stop: () => run("stop") }
}

/** Whether a server can be started here; where it must, the tests run and fail if it cannot. */
export const available = inject("postgresMissing") === undefined

const urlOf = ({ url }: Server, name: string): string => url.replace(/\/[^/]*$/, `/${name}`)

const create = async (server: Server, from = "template1"): Promise<string> => {
  const name = `test_${randomUUID().replaceAll("-", "")}`
  const client = new Client({ connectionString: server.url })
  await client.connect()
  await client.query(`create database ${name} template ${from}`)
  await client.end()
  return name
}

/** A new, empty database on the server. */
export const database = async (server: Server): Promise<string> => urlOf(server, await create(server))

const templates = new WeakMap<Server, Promise<string>>()

const makeTemplate = async (server: Server): Promise<string> => {
  const name = await create(server)
  await Effect.runPromise(Effect.scoped(PostgresMemory.makeStore({ url: urlOf(server, name) })))
  return name
}

/** A new database that has the schema, a copy of one that is made once: for tests of what comes after the first start. */
export const migrated = async (server: Server): Promise<string> => {
  const template = templates.get(server) ?? makeTemplate(server)
  templates.set(server, template)
  return urlOf(server, await create(server, await template))
}

/** A store on a database of its own. */
export const makeStore = (server: () => Server, options: Partial<PostgresMemory.StoreOptions> = {}) =>
  Effect.flatMap(
    Effect.promise(() => database(server())),
    (url) => PostgresMemory.makeStore({ url, ...options })
  )
