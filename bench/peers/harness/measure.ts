/** Runs a scenario: starts a process for each subject and takes their rounds in turn. */
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Name } from "./names.ts"
import type { Results, Scenario } from "./scenario.ts"
import { type Figures, medians } from "./statistics.ts"

const child = fileURLToPath(new URL("child.ts", import.meta.url))

/** The next message of a process. Fails if the process ends instead. */
const next = (process: ChildProcess, what: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const ended = (code: number | null): void => reject(new Error(`${what} ended with ${code ?? "a signal"}.`))
    process.once("exit", ended)
    process.once("message", (message) => {
      process.off("exit", ended)
      resolve(message)
    })
  })

/** Milliseconds after which no further round starts, for slow machines. */
const patience = 180_000

/** The medians, and over how many rounds. */
export interface Measured {
  readonly results: Results
  readonly rounds: number
}

export const measure = async (name: Name, scenario: Scenario, quick: boolean): Promise<Measured> => {
  let rounds = 0
  const started: Array<{ readonly subject: string; readonly process: ChildProcess; readonly rounds: Array<Figures> }> =
    []
  try {
    for (const subject of Object.keys(scenario.subjects)) {
      const args = [name, subject, ...(quick ? ["quick"] : [])]
      const process = fork(child, args, { execArgv: ["--expose-gc"], env: environment })
      started.push({ subject, process, rounds: [] })
      await next(process, `${name}, ${subject}`)
    }
    const most = quick ? scenario.quickRounds : scenario.rounds
    const began = performance.now()
    for (; rounds < most && (rounds === 0 || performance.now() - began < patience); rounds++) {
      for (const { process, rounds, subject } of started) {
        process.send("round")
        rounds.push((await next(process, `${name}, ${subject}`)) as Figures)
      }
    }
  } finally {
    for (const { process } of started) process.kill()
  }
  return { results: Object.fromEntries(started.map(({ rounds, subject }) => [subject, medians(rounds)])), rounds }
}

/** Nobody listens: no tracing of LangChain, no production switches, no keys. */
const { HOME, PATH } = process.env
const environment = { HOME, PATH, NODE_ENV: "production", AI_SDK_LOG_WARNINGS: "false" }
