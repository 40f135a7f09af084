/** Child processes that work on a memory's directory. */
import * as Effect from "effect/Effect"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { flags } from "../flags.ts"

export interface Child {
  readonly pid: number
  /** The next line, as words; nothing when the process has ended. */
  readonly line: Effect.Effect<ReadonlyArray<string> | undefined>
  /** Kills the process as the system does when memory runs out, and gives the lines it still had to say. */
  readonly kill: Effect.Effect<ReadonlyArray<ReadonlyArray<string>>>
}

const start = (words: ReadonlyArray<string>) => {
  const child = spawn(process.execPath, [...flags, join(import.meta.dirname, "child.ts"), ...words], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = once(child, "close")
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return { child, ended, lines }
}

const end = async (child: ChildProcess, ended: Promise<unknown>) => {
  child.kill("SIGKILL")
  await ended
}

/** A process that runs `child.ts`; killed at the latest when the scope closes. */
export const spawnChild = (...words: ReadonlyArray<string>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => start(words)),
      ({ child, ended }) => Effect.promise(() => end(child, ended))
    ),
    ({ child, ended, lines }): Child => {
      const line = Effect.promise(async () => {
        const next = await lines.next()
        return next.done === true ? undefined : next.value.split(" ")
      })
      return {
        pid: child.pid ?? 0,
        line,
        kill: Effect.promise(async () => {
          child.kill("SIGKILL")
          const rest: Array<ReadonlyArray<string>> = []
          for (let next = await lines.next(); next.done !== true; next = await lines.next())
            rest.push(next.value.split(" "))
          await ended
          return rest
        })
      }
    }
  )
