/**
 * An example program in this process, which loads only once what takes a process of its own two seconds each time. What a process
 * is needed for (signals, pipes, how it exits) wants `start` or `run` of `triage.ts`. For test files that have a process to
 * themselves, as the program takes its folder, arguments and variables from this one.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { Readable } from "node:stream"
import { format } from "node:util"
import { vi } from "vitest"
import { root } from "../../scripts/run.ts"
import { compiled } from "../pglite/compiled.ts"
import { type Ended, type Options, unset } from "./triage.ts"

/** What the program has given to `runMain`. */
let main: Effect.Effect<unknown, unknown> | undefined
vi.doMock("@effect/platform-node/NodeRuntime", () => ({
  runMain: (program: Effect.Effect<unknown, unknown>) => {
    main = program
  }
}))

const signals = ["SIGINT", "SIGTERM"] as const

/** Makes this process look to a program as one of its own does, until it is called to put back how it was. */
const lookingLike = (argv: ReadonlyArray<string>, { cwd, env = {}, stdin = "" }: Omit<Options, "deaf" | "example">) => {
  const before = { argv: process.argv, cwd: process.cwd(), exitCode: process.exitCode }
  const input = Object.getOwnPropertyDescriptor(process, "stdin") ?? {}
  const listeners = signals.map((signal) => [signal, process.listeners(signal)] as const)
  process.argv = [...argv]
  process.chdir(cwd)
  process.exitCode = undefined
  Object.defineProperty(process, "stdin", { configurable: true, value: Readable.from([Buffer.from(stdin)]) })
  for (const [name, value] of Object.entries({ ...unset, ...env })) vi.stubEnv(name, value)
  return () => {
    vi.unstubAllEnvs()
    Object.defineProperty(process, "stdin", input)
    process.exitCode = before.exitCode
    process.chdir(before.cwd)
    process.argv = before.argv
    for (const [signal, old] of listeners) {
      for (const one of process.listeners(signal)) if (!old.includes(one)) process.off(signal, one)
    }
  }
}

const toItsEnd = async (
  args: ReadonlyArray<string>,
  { example = "support-triage.ts", ...around }: Omit<Options, "deaf">
): Promise<Ended> => {
  await compiled
  const file = join(root, "examples", example)
  let [stdout, stderr] = ["", ""]
  const written: Console.Console = Object.assign(Object.create(console), {
    log: (...values: ReadonlyArray<unknown>) => (stdout += `${format(...values)}\n`),
    error: (...values: ReadonlyArray<unknown>) => (stderr += `${format(...values)}\n`)
  })
  const putBack = lookingLike([process.execPath, file, ...args], around)
  try {
    // under another name each time, as the program begins when it is loaded
    await import(`${file}?run=${randomUUID()}`)
    if (main === undefined) throw new Error(`${example} has not called runMain`)
    const exit = await Effect.runPromiseExit(Effect.provideService(main, Console.Console, written))
    const code = Exit.isSuccess(exit) ? Number(process.exitCode ?? 0) : 1
    return { code, stdout, stderr }
  } finally {
    main = undefined
    putBack()
  }
}

/** Runs the program to its end. */
export const here = (args: ReadonlyArray<string>, options: Omit<Options, "deaf">): Effect.Effect<Ended> =>
  Effect.promise(() => toItsEnd(args, options))
