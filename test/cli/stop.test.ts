import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { once } from "node:events"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Client } from "pg"
import { PostgresMemory } from "../../src/postgres/index.ts"
import * as Server from "../postgres/server.ts"
import { prefill } from "../pglite/prefilled.ts"
import { soonPromise } from "../soon.ts"
import { archiveOf, cogito, type Ended, plant, type Planted, spawned, start, until } from "./cogito.ts"
import { keepOpen } from "./keptOpen.ts"

let folder = ""
let planted: Planted = { archive: "", thoughtId: "", traceId: "", forkId: "" }
let archive = ""
const thoughts = 120

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "cogito-stop-"))
  planted = await Effect.runPromise(plant)
  archive = archiveOf(planted, thoughts, 4000)
  writeFileSync(join(folder, "archive.jsonl"), archive)
  await prefill(join(folder, "memory"))
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})
keepOpen()

const linesOf = (text: string): number => text.split("\n").length - 1

/** What is said at once, before the command has ended. */
const stopping = "cogito: Stopping. What is already stored is kept. Press Ctrl-C again to exit immediately.\n"

/** How an export is stopped is the same with every store. */
const everywhere = process.env["COGITO_STORE_CONTRACTS"] === "all" || !Server.available

interface Around {
  readonly place: () => ReadonlyArray<string>
  readonly env?: () => Readonly<Record<string, string>>
}

/** What an import does with every memory when it is stopped. */
const imports = ({ env = () => ({}), place }: Around) => {
  const run = (args: ReadonlyArray<string>) => cogito([...args, ...place()], { env: env() })

  it("an import keeps what it has imported and goes on from there when it is repeated", async () => {
    const { ended, process } = await start(["import", ...place()], { env: env() })
    // taken but for what fits in the buffers between; the end never comes
    await new Promise((resolve) => process.stdin.write(archive, resolve))
    process.kill("SIGINT")
    const { code, stderr, stdout } = await ended
    assert.deepStrictEqual([code, stdout], [130, ""])
    assert.isTrue(stderr.startsWith(stopping), stderr)
    assert.match(
      stderr.slice(stopping.length),
      /^cogito: Stopped\. The \d+ thoughts before that stay imported; an import again goes on after them\.\n$/
    )
    const imported = Number(/The (\d+) thoughts/.exec(stderr)?.[1])
    assert.isAbove(imported, 0)
    assert.strictEqual(linesOf((await run(["export"])).stdout), imported + 1)
    const again = await run(["import", join(folder, "archive.jsonl"), "--json"])
    assert.deepStrictEqual(JSON.parse(again.stdout), { imported: thoughts - imported, present: imported })
  })
}

/** What an export does, of what was imported before. */
const exports = ({ env = () => ({}), place }: Around) => {
  const run = (args: ReadonlyArray<string>) => cogito([...args, ...place()], { env: env() })

  it("an export leaves no file, and none that is half written", async () => {
    const target = join(folder, "export")
    rmSync(target, { recursive: true, force: true })
    const there = mkdtempSync(target)
    const file = join(there, "copy.jsonl")
    writeFileSync(file, "as it was")
    const exporting = await start(["export", file, ...place()], { env: env() })
    await until("there is a draft", () => readdirSync(there).length > 1, exporting)
    exporting.process.kill("SIGTERM")
    const { code, stderr, stdout } = await exporting.ended
    assert.deepStrictEqual([code, stdout], [143, ""])
    assert.strictEqual(stderr, `${stopping}cogito: Stopped. No file was written.\n`)
    assert.deepStrictEqual(readdirSync(there), ["copy.jsonl"])
    assert.strictEqual(readFileSync(file, "utf8"), "as it was")
    const whole = await run(["export", file])
    assert.strictEqual(whole.code, 0, whole.stderr)
    assert.strictEqual(linesOf(readFileSync(file, "utf8")), thoughts + 1)
  })

  it("an export ends when nobody reads it any more", async () => {
    const { ended, process } = await start(["export", ...place()], { env: env() })
    ended.catch(() => {})
    await once(process.stdout, "data")
    process.stdout.destroy()
    const code = await soonPromise("the export ends", once(process, "exit"))
    assert.deepStrictEqual(code, [141, null])
  })
}

describe("a command that is stopped, on a directory", { timeout: 180_000 }, () => {
  const place = () => ["--data-dir", join(folder, "memory")]
  imports({ place })
  if (everywhere) exports({ place })

  it("has given the directory back", async () => {
    const ended: Ended = await cogito(["verify", "--json", "--data-dir", join(folder, "memory")])
    assert.strictEqual(ended.code, 0, ended.stderr)
    assert.deepInclude(JSON.parse(ended.stdout), { thoughts, problems: [] })
  })

  it("fails when its output has no room, and says so", async () => {
    const full = `process.stdout._write = (_piece, _encoding, done) => done(Object.assign(new Error("full"), { code: "ENOSPC" }))`
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(full)}` }
    const { code, stderr } = await spawned(["verify", "--json", "--scope", "empty", ...place()], { env })
    const line = "cogito: The output cannot be written (ENOSPC), so it is not complete: check the space of its disk.\n"
    assert.deepStrictEqual([code, stderr], [1, line])
  })
})

describe("a command that does not end when it is stopped", { timeout: 180_000 }, () => {
  /** Waits of a second and more last for hours, the one for an end in order too. */
  const patient = `const real = setTimeout; globalThis.setTimeout = (run, millis, ...rest) =>
    real(run, millis >= 1000 ? 10_000_000 : millis, ...rest)`
  const envOf = (code: string) => ({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` })
  const muteEnv = envOf(patient)

  /** A command on a server that takes connections and answers nothing, once it has connected. */
  const onMute = async (use: (started: Awaited<ReturnType<typeof start>>) => Promise<void>, env = muteEnv) => {
    const server = createServer((socket) => void socket.on("error", () => {}))
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    const port = typeof address === "object" ? address?.port : undefined
    const connected = once(server, "connection")
    const started = await start(["migrate"], { env: { ...env, DATABASE_URL: `postgres://a@127.0.0.1:${port}/none` } })
    try {
      await soonPromise("it has connected", connected)
      await use(started)
    } finally {
      started.process.kill("SIGKILL")
      server.close()
    }
  }

  for (const [first, second, status] of [
    ["SIGINT", "SIGINT", 130],
    ["SIGTERM", "SIGINT", 143],
    ["SIGHUP", "SIGTERM", 129]
  ] as const) {
    it(`says on ${first} what is kept, and exits at once with ${status} on a ${second} after it`, async () => {
      await onMute(async (started) => {
        started.process.kill(first)
        await until("it says what is kept", () => started.stderr().includes("\n"), started)
        assert.isNull(started.process.exitCode)
        started.process.kill(second)
        const ended = await soonPromise("it exits at the second signal", started.ended)
        assert.deepStrictEqual(ended, { code: status, stdout: "", stderr: stopping })
      })
    })
  }

  it("exits with the status of the signal, even if the reader of its output goes away afterwards", async () => {
    const gone = `process.on("SIGUSR2", () => process.stdout.emit("error", Object.assign(new Error("gone"), { code: "EPIPE" })))`
    await onMute(
      async (started) => {
        started.process.kill("SIGINT")
        await until("it says what is kept", () => started.stderr().includes("\n"), started)
        started.process.kill("SIGUSR2")
        started.process.kill("SIGTERM")
        const ended = await soonPromise("it exits at the second signal", started.ended)
        assert.deepStrictEqual(ended, { code: 130, stdout: "", stderr: stopping })
      },
      envOf(`${patient}; ${gone}`)
    )
  })
})

describe.skipIf(!Server.available)("a command that is stopped, on a server", { timeout: 180_000 }, () => {
  let server: Server.Server | undefined
  let url = ""
  beforeAll(async () => {
    server = Server.start()
    url = await Server.database(server)
  })
  afterAll(() => server?.stop())

  const run = (args: ReadonlyArray<string>) => cogito(args, { env: { DATABASE_URL: url } })

  const around = { place: () => ["--scope", "acme"], env: () => ({ DATABASE_URL: url }) }
  imports(around)
  exports(around)

  /** Stops a command that waits for what somebody else holds, and never gives back. */
  const stopped = async (args: ReadonlyArray<string>, at: string, hold: ReadonlyArray<string>) => {
    const [holder, watcher] = [new Client({ connectionString: at }), new Client({ connectionString: at })]
    await Promise.all([holder.connect(), watcher.connect()])
    const count = async (counting: string) => (await watcher.query(counting)).rows[0].count
    for (const statement of hold) await holder.query(statement)
    const started = await start(args, { env: { DATABASE_URL: at } })
    const waiting = "select count(*)::int from pg_locks where not granted"
    await until("it waits for the lock", async () => (await count(waiting)) > 0, started)
    started.process.kill("SIGTERM")
    const { code, stdout } = await started.ended
    assert.deepStrictEqual([code, stdout], [143, ""])
    const ours = `select count(*)::int from pg_stat_activity
      where application_name = 'cogito' and datname = current_database()`
    const gone = async () => {
      while ((await count(ours)) > 0) await new Promise((resolve) => setTimeout(resolve, 50))
    }
    await soonPromise("its connections have ended", gone())
    await Promise.all([holder.end(), watcher.end()])
  }

  it("an optimize that is in the middle ends, and so does its connection", async () => {
    // vectors, to be looked after
    await PostgresMemory.makeStore({ url }).pipe(
      Effect.flatMap((store) => store.openSpace({ embedder: "any", dimensions: 3, metric: "cosine" })),
      Effect.scoped,
      Effect.runPromise
    )
    await stopped(["optimize"], url, ["begin", "select from cogito.space for update"])
    const ended = await run(["optimize"])
    assert.strictEqual(ended.code, 0, ended.stderr)
  })

  it("an optimize leaves a table that somebody holds, and ends", async () => {
    const holder = new Client({ connectionString: url })
    await holder.connect()
    await holder.query("begin")
    await holder.query("lock table cogito.thought in share row exclusive mode")
    const ended = await run(["optimize"])
    await holder.end()
    assert.strictEqual(ended.code, 0, ended.stderr)
  })

  it("a migration that is in the middle makes no step, and can be made again", async () => {
    const other = await Server.database(server ?? Server.start())
    const env = { DATABASE_URL: other }
    // the lock of whoever migrates
    await stopped(["migrate"], other, ["select pg_advisory_lock(3853314791062309107)"])
    const found = await cogito(["verify", "--scope", "a"], { env })
    assert.deepStrictEqual([found.code, found.stdout], [3, "Schema: missing.\n"])
    const ended = await cogito(["migrate"], { env })
    assert.strictEqual(ended.code, 0, ended.stderr)
  })
})
