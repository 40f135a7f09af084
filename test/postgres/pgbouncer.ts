/**
 * A real PgBouncer in front of a test server. Where it is not installed (Debian: apt install pgbouncer) the tests behind it are
 * skipped, and the end of the run says so; with COGITO_POSTGRES=required that is a failure.
 */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises"
import { connect, createServer, type AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { available as serverAvailable, type Server } from "./server.ts"

const program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"].find(existsSync)

/** Whether the tests behind a PgBouncer run; where they must, they fail without it. */
export const available = serverAvailable && (program !== undefined || process.env["COGITO_POSTGRES"] === "required")

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false))
    socket.once("connect", () => socket.destroy())
  })

const start = async (server: Server, mode: "transaction" | "statement") => {
  if (program === undefined) throw new Error("no PgBouncer is installed (Debian: apt install pgbouncer)")
  const folder = await mkdtemp(join(tmpdir(), "cogito-pgbouncer-"))
  const port = await freePort()
  const settings = {
    listen_addr: "127.0.0.1",
    listen_port: port,
    unix_socket_dir: "",
    auth_type: "any",
    pool_mode: mode,
    // fewer connections to the server than the memory has to the pooler, so that they change hands
    default_pool_size: 3,
    max_client_conn: 200
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  const { hostname, port: serverPort } = new URL(server.url)
  const file = join(folder, "pgbouncer.ini")
  await writeFile(
    file,
    `[databases]\n* = host=${hostname} port=${serverPort} user=postgres\n[pgbouncer]\n${lines.join("\n")}\n`
  )
  await chmod(folder, 0o755)
  // it refuses to run as root
  const user = process.getuid?.() === 0 ? ["--user=nobody"] : []
  const child = spawn(program, ["--quiet", ...user, file], { stdio: "ignore" })
  for (let tries = 0; !(await answers(port)); tries++) {
    if (tries > 500 || child.exitCode !== null) throw new Error("PgBouncer does not start")
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return { folder, port, child }
}

/** The url of a server's database through a PgBouncer, which runs until the scope closes. */
export const pooled = (server: Server, mode: "transaction" | "statement") =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => start(server, mode)),
      ({ child, folder }) =>
        Effect.promise(async () => {
          child.kill("SIGKILL")
          await rm(folder, { recursive: true, force: true })
        })
    ),
    ({ port }) =>
      (url: string): string => {
        const through = new URL(url)
        through.port = String(port)
        return through.href
      }
  )
