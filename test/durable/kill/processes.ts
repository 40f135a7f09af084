/** Starts the model and the programs that ask it, each in a process of its own. */
import * as Effect from "effect/Effect"
import { type ChildProcess, fork, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { soonPromise } from "../../soon.ts"
import type { Death, Seen } from "./model.ts"
import { flags } from "../../flags.ts"

/** A folder that is removed when the scope closes. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "cogito-durable-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }))
)

const end = (child: ChildProcess, ended: Promise<unknown>) =>
  Effect.promise(async () => {
    child.kill("SIGKILL")
    await ended
  })

const answerOf = async (child: ChildProcess): Promise<any> => (await once(child, "message"))[0]

export const model = Effect.gen(function* () {
  const { child } = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const made = fork(join(import.meta.dirname, "model.ts"), { execArgv: flags })
      return { child: made, ended: once(made, "exit") }
    }),
    ({ child: made, ended }) => end(made, ended)
  )
  const { port } = yield* Effect.promise(() => soonPromise("the model has started", answerOf(child)))
  const order = (message: object) =>
    Effect.promise(() => {
      const answer = answerOf(child)
      child.send(message)
      return soonPromise("an answer of the model's process", answer)
    })
  return {
    url: `http://127.0.0.1:${port}`,
    /** Kills the next process that works on the run, at this moment. */
    plan: (run: string, death: Death | undefined): Effect.Effect<void> => order({ run, death }),
    seen: (run: string): Effect.Effect<Seen> => order({ run, report: true })
  }
})

export type Model = Effect.Success<typeof model>

export interface Program {
  readonly task: "once" | "recover" | "run"
  readonly store: string
  readonly model: Model
  readonly run: string
  readonly folder: string
  /** Milliseconds. Default: 500 */
  readonly lease?: number
}

/** How a program has ended: whether it was killed, and the last thing it said of its run. */
export interface Ended {
  readonly signal: NodeJS.Signals | null
  readonly word: string | undefined
  readonly json: any
}

/** A program; killed at the latest when the scope closes. */
export const start = ({ folder: path, lease = 500, model: { url }, run, store, task }: Program) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const words = [join(import.meta.dirname, "child.ts"), task, store, url, run, path, String(lease)]
        const child = spawn(process.execPath, [...flags, ...words], { stdio: ["ignore", "pipe", "pipe"] })
        let errors = ""
        child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text))
        const lines: Array<string> = []
        createInterface({ input: child.stdout }).on("line", (line) => lines.push(line))
        const ended = once(child, "close").then((): Ended => {
          if (child.signalCode === null && child.exitCode !== 0) throw new Error(errors)
          const said = lines.findLast((line) => line !== "started" && line !== "over")
          const [word, ...rest] = said?.split(" ") ?? []
          return { signal: child.signalCode, word, json: word === undefined ? undefined : JSON.parse(rest.join(" ")) }
        })
        return { child, ended, lines }
      }),
      ({ child, ended }) =>
        end(
          child,
          ended.catch(() => {})
        )
    ),
    ({ child, ended, lines }) => ({
      ended: Effect.promise(() => soonPromise("the end of a program", ended, 300_000)),
      signal: (signal: NodeJS.Signals) => Effect.sync(() => child.kill(signal)),
      pid: child.pid ?? 0,
      lines
    })
  )

/** Runs a program to its end. */
export const ran = (program: Program): Effect.Effect<Ended> =>
  Effect.scoped(Effect.flatMap(start(program), ({ ended }) => ended))

/** What the steps of a run have done outside. */
export const effectsOf = (path: string, run: string): ReadonlyArray<string> => {
  const file = join(path, `${run}.effects`)
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []
}
