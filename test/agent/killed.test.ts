/** Sessions whose processes are killed. More of them: `COGITO_AGENT_KILLS=100 vitest run test/agent/killed.test.ts`. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { folder } from "../durable/kill/processes.ts"
import { flags } from "../flags.ts"

const kills = Number(process.env["COGITO_AGENT_KILLS"] ?? 2)

const program = join(import.meta.dirname, "killed.ts")

interface Ended {
  readonly signal: string | null
  readonly line: string
}

const ran = (...args: ReadonlyArray<string>) =>
  Effect.callback<Ended>((resume) => {
    const child = execFile(process.execPath, [...flags, program, ...args], (error, stdout, stderr) => {
      const line = stdout.trim().split("\n").at(-1) ?? ""
      resume(Effect.succeed({ signal: error?.signal ?? null, line: error === null ? line : `${line}${stderr}` }))
    })
    return Effect.sync(() => void child.kill("SIGKILL"))
  })

const acts = ["look a", "send a", "send b", "pay c"]
/** Those after something that must not be done twice come first. */
const deaths = ["send a", "send b", "pay c", "look a"].flatMap((act) => [`${act} after`, `${act} before`])

describe("a session of an agent", () => {
  it.live(
    "goes on after its process was killed, wherever that was, and does nothing twice",
    () =>
      Effect.gen(function* () {
        const path = yield* folder
        let killed = 0
        for (let number = 0; killed < kills; number++) {
          const run = `run-${number}`
          const plan = [
            deaths[number % deaths.length] ?? "never",
            deaths[(number * 3 + 2) % deaths.length] ?? "never",
            `${Math.floor(Math.random() * 1500)} ms`
          ]
          const seen: Array<string> = []
          let ended: Ended = { signal: null, line: "" }
          while (!ended.line.startsWith("done")) {
            const death = killed < kills ? (plan.shift() ?? "never") : "never"
            ended = yield* ran(path, run, death)
            seen.push(`${death}: ${ended.signal ?? ended.line}`)
            if (ended.signal === null) assert.match(ended.line, /^(?:waiting|done All done\. 4)$/, seen.join("\n"))
            else killed++
            assert.isBelow(seen.length, 10, seen.join("\n"))
          }
          const file = join(path, `${run}.effects`)
          const effects = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []
          for (const act of acts.slice(1)) {
            assert.isAtMost(effects.filter((one) => one === act).length, 1, `${act}\n${seen.join("\n")}`)
          }
        }
        yield* Effect.log("sessions of an agent", { killed })
      }).pipe(Effect.scoped),
    60_000 + 15_000 * kills
  )
})
