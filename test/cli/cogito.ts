/** The program, of which the output and the exit code count: in a process of its own, as a user runs it, or in this one. */
import { ConfigProvider, Effect, Stream } from "effect"
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { join } from "node:path"
import { exitCode, run } from "../../src/cli/program.ts"
import { Memory, Thought } from "../../src/index.ts"
import { Testing } from "../../src/testing/index.ts"
import { flags } from "../flags.ts"
import { compiled } from "../pglite/compiled.ts"
import { closeKept } from "./keptOpen.ts"

const main = join(import.meta.dirname, "..", "..", "src", "cli", "main.ts")

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Started {
  readonly process: ChildProcessWithoutNullStreams
  readonly ended: Promise<Ended>
  /** What it has written to its outputs so far. */
  readonly stdout: () => string
  readonly stderr: () => string
}

interface Around {
  readonly env?: Readonly<Record<string, string>>
  readonly command?: "agent" | "memory" | "replay" | "report" | "runs" | "studio" | "watch"
  /** The program's file, where it is not the project's own. */
  readonly program?: string
}

/** `cogito memory …`, or another command, without what names a memory in this environment. Standard input stays open. */
export const start = async (
  args: ReadonlyArray<string>,
  { command = "memory", env = {}, program = main }: Around = {}
): Promise<Started> => {
  await closeKept()
  const { DATABASE_URL: _, ...rest } = process.env
  const child = spawn(process.execPath, [...flags, program, command, ...args], {
    env: { ...rest, NO_COLOR: "1", ...env }
  })
  // it may end before it has read what it was given
  child.stdin.on("error", () => {})
  let [stdout, stderr] = ["", ""]
  child.stdout.setEncoding("utf8").on("data", (piece) => (stdout += piece))
  child.stderr.setEncoding("utf8").on("data", (piece) => (stderr += piece))
  const code = new Promise<number | null>((resolve) => child.once("close", resolve))
  const ended = code.then((code) => ({ code, stdout, stderr }))
  return { process: child, ended, stdout: () => stdout, stderr: () => stderr }
}

/** Waits for what the program does while it runs; fails when it has not done so in a minute. */
export const until = async (
  what: string,
  condition: () => boolean | Promise<boolean>,
  { ended }: Started
): Promise<void> => {
  const start = Date.now()
  let over: Ended | undefined
  ended.then(
    (value) => {
      over = value
    },
    () => {}
  )
  while (!(await condition())) {
    if (over !== undefined) throw new Error(`it ended before ${what}: ${over.stderr}`)
    if (Date.now() - start > 60_000) throw new Error(`not yet, after a minute: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

interface WithInput extends Around {
  readonly input?: string
}

/** The same, to its end. */
export const spawned = async (
  args: ReadonlyArray<string>,
  { input = "", ...around }: WithInput = {}
): Promise<Ended> => {
  const started = await start(args, around)
  started.process.stdin.end(input)
  return started.ended
}

/** Takes what is written to a stream of this process, until it is released. */
const taken = (stream: NodeJS.WriteStream) => {
  let written = ""
  const real = Object.getOwnPropertyDescriptor(stream, "write")
  // the program writes texts only, each with a function to call when it has been taken
  stream.write = (piece: unknown, ...rest: ReadonlyArray<unknown>) => {
    written += String(piece)
    const done = rest.at(-1)
    if (typeof done === "function") process.nextTick(done)
    return true
  }
  const release = () => {
    if (real === undefined) Reflect.deleteProperty(stream, "write")
    else Object.defineProperty(stream, "write", real)
  }
  return { written: () => written, release }
}

const inThisProcess = async (
  args: ReadonlyArray<string>,
  { command = "memory", env = {}, input = "" }: Omit<WithInput, "program">
): Promise<Ended> => {
  // for as long as this process runs
  await compiled
  const { DATABASE_URL: _, ...rest } = process.env
  const stdin = Object.getOwnPropertyDescriptor(process, "stdin") ?? {}
  Object.defineProperty(process, "stdin", { configurable: true, value: Readable.from([Buffer.from(input)]) })
  const [stdout, stderr] = [taken(process.stdout), taken(process.stderr)]
  try {
    const program = Effect.exit(run([command, ...args])).pipe(Effect.flatMap((exit) => exitCode(exit, undefined)))
    const provider = ConfigProvider.fromEnv({ env: { ...rest, NO_COLOR: "1", ...env } })
    const code = await Effect.runPromise(Effect.provideService(program, ConfigProvider.ConfigProvider, provider))
    return { code, stdout: stdout.written(), stderr: stderr.written() }
  } finally {
    stdout.release()
    stderr.release()
    Object.defineProperty(process, "stdin", stdin)
  }
}

let last: Promise<unknown> = Promise.resolve()

/**
 * The same in this process, which has loaded the program and the database already: ten times as fast. One runs after the
 * other. What a process is needed for (signals, pipes, terminals, how it exits) wants `spawned` or `start`.
 */
export const cogito = (args: ReadonlyArray<string>, around: Omit<WithInput, "program"> = {}): Promise<Ended> => {
  const ended = last.then(() => inThisProcess(args, around))
  last = ended.catch(() => {})
  return ended
}

/** Whether a program can be run here as on a terminal. */
export const terminals = process.platform === "linux" && existsSync("/usr/bin/script")

const terminalOf = async (
  args: ReadonlyArray<string>,
  { command = "memory", env = {}, isJob = false }: Around & { readonly isJob?: boolean },
  stdin: "ignore" | "pipe"
): Promise<ChildProcess> => {
  await closeKept()
  const { DATABASE_URL: _, ...rest } = process.env
  const words = [process.execPath, ...flags, main, command, ...args]
  const line = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ")
  // without `exec`, a shell that Ctrl-C has reached as well ends with 130 whatever the program ends with
  const run = isJob ? `set -m; ${line}; fg; fg` : `exec ${line}`
  return spawn("/usr/bin/script", ["-qefc", run, "/dev/null"], {
    env: { ...rest, SHELL: isJob ? "/bin/bash" : "/bin/sh", NO_COLOR: "1", TERM: "xterm", ...env },
    stdio: [stdin, "pipe", "inherit"]
  })
}

/**
 * The program on a terminal that keys are sent to, and what the terminal has shown so far. As a job, it is the child of a shell,
 * which goes on with it each of the two times that Ctrl-Z stops it.
 */
export const typing = async (args: ReadonlyArray<string>, around: Around & { readonly isJob?: boolean }) => {
  const child = await terminalOf(args, around, "pipe")
  let [shown, before] = ["", ""]
  let isOver = false
  child.stdout?.setEncoding("utf8").on("data", (piece) => (shown += piece))
  child.stdin?.on("error", () => {})
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve)).finally(() => (isOver = true))
  return {
    /** Types keys once the terminal has shown a text after what was typed last. Returns what it has shown up to there. */
    type: async (keys: string, after: string): Promise<string> => {
      const start = Date.now()
      while (!shown.includes(after)) {
        if (isOver || Date.now() - start > 60_000) {
          const why = isOver ? "the program has ended" : "a minute has passed"
          throw new Error(`${why} without ${JSON.stringify(after)}, but: ${JSON.stringify(shown)} after: ${before}`)
        }
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      const end = shown.indexOf(after) + after.length
      const until = shown.slice(0, end)
      before += `${JSON.stringify(until)}, typed: ${JSON.stringify(keys)}\n`
      shown = shown.slice(end)
      child.stdin?.write(keys)
      return until
    },
    shown: () => shown,
    ended,
    kill: () => child.kill("SIGKILL")
  }
}

/** What a terminal is sent, line by line, where each line that is written over counts as one. */
export const onTerminal = async (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): Promise<ReadonlyArray<string>> => {
  const child = await terminalOf(args, { env }, "ignore")
  const shown = child.stdout === null ? "" : await text(child.stdout)
  return shown.split(/[\r\n]+/).map((line) => line.replace("\u001b[2K", ""))
}

/** What the archive below holds. */
export interface Planted {
  readonly archive: string
  readonly thoughtId: string
  readonly traceId: string
  readonly forkId: string
}

/** An archive of two thoughts: a ticket with a message sent, and a fork of it with a note of its own. */
export const plant: Effect.Effect<Planted> = Effect.gen(function* () {
  const memory = yield* Memory.Memory
  const notes = { message: "The parcel was lost\non its way", odd: "red \u001b[31mtext \u2028 end" }
  const made = yield* Thought.make("triage", notes, { taskId: "ticket-7" })
  const thought = yield* memory.commit(made)
  const fork = yield* memory.commit(yield* Thought.fork(thought))
  yield* memory.append(fork.id, [{ key: "answer", content: "Refunded the damaged goods" }])
  const lines = yield* Stream.runCollect(Memory.exportLines())
  return { archive: `${lines.join("\n")}\n`, thoughtId: thought.id, traceId: thought.traceId, forkId: fork.id }
}).pipe(Effect.provide(Testing.memory), Effect.orDie)

/** An archive of as many thoughts, none a fork: each a copy of one thought with ids of its own, made longer. */
export const archiveOf = ({ archive }: Planted, thoughts: number, longer = 0): string => {
  const [header = "", line = ""] = archive.split("\n")
  const copies = Array.from({ length: thoughts }, () => {
    const { notes, thought, ...rest } = JSON.parse(line)
    const id = randomUUID()
    return JSON.stringify({
      thought: { ...thought, id, traceId: id },
      ...rest,
      notes: notes.map((note: { readonly content: string }) => ({
        ...note,
        id: randomUUID(),
        content: `${note.content}${" and on".repeat(longer / 7)}`
      }))
    })
  })
  return `${[header, ...copies].join("\n")}\n`
}
