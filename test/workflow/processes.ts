/** Processes of a cluster that can be killed. */
import { Effect, type Scope } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:net"
import { join } from "node:path"
import { soon } from "../soon.ts"
import { flags } from "../flags.ts"

/** A port that nobody listens on. */
const freePort = Effect.promise(async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : 0
})

export interface Worker {
  readonly pid: number
  /** Kills the process as the system does when memory runs out. */
  readonly kill: Effect.Effect<void>
}

const ended = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill("SIGKILL")
  await once(child, "close")
}

/** A process that executes runs; killed at the latest when the scope closes. */
export const worker = (url: string): Effect.Effect<Worker, never, Scope.Scope> =>
  Effect.gen(function* () {
    const port = yield* freePort
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [...flags, join(import.meta.dirname, "worker.ts"), url, String(port)], {
          stdio: ["ignore", "pipe", "inherit"]
        })
      ),
      (started) => Effect.promise(() => ended(started))
    )
    yield* soon(
      "a worker that is ready",
      60_000
    )(
      Effect.callback<void>((resume) => {
        let text = ""
        child.stdout.on("data", (chunk: Buffer) => {
          text += chunk.toString()
          if (text.includes("ready")) resume(Effect.void)
          if (process.env["COGITO_WORKER_LOG"] !== undefined) process.stderr.write(chunk)
        })
      })
    )
    return { pid: child.pid ?? 0, kill: Effect.promise(() => ended(child)) }
  })
