/** An example program as a user runs it: a process of its own, its output piped. */
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "../../scripts/run.ts"
import { completion, reply, serve } from "../openai/server.ts"
import { flags } from "../flags.ts"

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Options {
  readonly cwd: string
  readonly stdin?: string
  /** Variables of its environment. */
  readonly env?: Readonly<Record<string, string>>
  /** Whether the reader of standard error goes away at once. */
  readonly deaf?: boolean
  /** Default: support-triage.ts. */
  readonly example?: string
}

/** What the machine of the test has set must not change what the program does. */
export const unset = {
  OPENAI_API_KEY: undefined,
  OPENAI_BASE_URL: undefined,
  ANTHROPIC_API_KEY: undefined,
  ANTHROPIC_BASE_URL: undefined,
  FORCE_COLOR: undefined,
  NO_COLOR: undefined
}

/** Starts the program; killed at the latest when the scope closes. */
export const start = (
  args: ReadonlyArray<string>,
  { cwd, deaf, env, example = "support-triage.ts", stdin = "" }: Options
) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const program = join(root, "examples", example)
        const child = spawn(process.execPath, [...flags, program, ...args], {
          cwd,
          env: { ...process.env, ...unset, ...env }
        })
        let stdout = ""
        let stderr = ""
        child.stdout.setEncoding("utf8").on("data", (chunk) => (stdout += chunk))
        child.stderr.setEncoding("utf8").on("data", (chunk) => (stderr += chunk))
        if (deaf === true) child.stderr.destroy()
        child.stdin.end(stdin)
        const ended = once(child, "close").then((): Ended => ({ code: child.exitCode, stdout, stderr }))
        const said = (text: string) =>
          Effect.callback<void>((resume) => {
            const look = () => {
              if (stderr.includes(text) || stdout.includes(text)) resume(Effect.void)
            }
            child.stderr.on("data", look)
            child.stdout.on("data", look)
            child.once("close", () => resume(Effect.die(new Error(`it ended without ${text}: ${stderr}`))))
            look()
          })
        return { child, said, ended }
      }),
      ({ child, ended }) =>
        Effect.andThen(
          Effect.sync(() => child.kill("SIGKILL")),
          Effect.promise(() => ended)
        )
    ),
    ({ child, ended, said }) => ({
      interrupt: Effect.sync(() => child.kill("SIGINT")),
      running: Effect.sync(() => child.exitCode === null && child.signalCode === null),
      kill: Effect.sync(() => child.kill("SIGKILL")),
      /** Waits until one of its outputs has the text. */
      said,
      ended: Effect.promise(() => ended)
    })
  )

/** Runs the program to its end. */
export const run = (args: ReadonlyArray<string>, options: Options): Effect.Effect<Ended> =>
  Effect.scoped(Effect.flatMap(start(args, options), ({ ended }) => ended))

/** A folder that is removed when the scope closes. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "cogito-triage-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }))
)

/**
 * A model server on this machine that answers each question of the pipeline, each after `millis`, until `calls` were
 * answered; then it waits, until `all` lets it answer everything that comes.
 */
export const model = (calls = Number.POSITIVE_INFINITY, millis = 0) =>
  Effect.gen(function* () {
    let most = calls
    const server = yield* serve((response, request, asked) => {
      if (server.recorded.length > most) return
      const answer = reply(200, completion(answerTo(asked.body)))
      if (millis === 0) answer(response, request, asked)
      else setTimeout(() => answer(response, request, asked), millis)
    })
    const all = () => {
      most = Number.POSITIVE_INFINITY
    }
    return { ...server, all }
  })

const answers: Readonly<Record<string, object>> = {
  extraction: { customer: "Dana", issue: "Charged twice", signals: ["now"] },
  classification: { primary: "billing", secondary: null, confidence: 0.41, reasoning: ["It names a payment."] },
  assessment: {
    overall: "negative",
    confidence: 0.8,
    scores: { positive: 0, negative: 0.9, neutral: 0.1 },
    emotions: ["anger"],
    reasoning: ["Capital letters."]
  },
  decision: { decision: true, confidence: 0.9, reasoning: ["It is severe."] }
}

const answerTo = (body: { readonly response_format?: { readonly json_schema: { readonly name: string } } }): string => {
  const form = body.response_format?.json_schema.name
  return form === undefined ? "A senior agent should call back." : JSON.stringify(answers[form])
}
