/** A program that runs in a process group of its own, so that all of it can be ended. */
import { type ChildProcess, spawn } from "node:child_process"
// a process ends in real time, whatever clock a program has
import { setTimeout } from "node:timers/promises"
import { quoted } from "../../text/legible.ts"
import { type ToolFailed, toolFailed } from "../kit/ToolFailed.ts"
import { Captured } from "./Captured.ts"
import { guard } from "./guard.ts"

export interface Command {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  /** Most characters that are kept of each output. */
  readonly characters: number
  /** Most bytes that both outputs may have. */
  readonly maxBytes: number
}

type Exit =
  | { readonly _tag: "Exited"; readonly code: number | null; readonly signal: string | null }
  | { readonly _tag: "NotStarted"; readonly error: ToolFailed }

export interface Child {
  readonly exited: Promise<Exit>
  /** Is resolved once the program has printed too much. */
  readonly flooded: Promise<void>
  readonly stdout: Captured
  readonly stderr: Captured
  /** Ends it, if it has not ended yet, and everything that it has started. */
  readonly end: () => Promise<void>
}

const isWindows = process.platform === "win32"

/** How long a program may take to end after it was asked to, and its outputs to close after it has ended. */
const graceMillis = 1000

const notStarted = (program: string, error: unknown): ToolFailed => {
  const code = error instanceof Error && "code" in error ? error.code : undefined
  if (code === "ENOENT") return toolFailed("NotFound", `There is no program ${quoted(program)}.`)
  return toolFailed("Failed", `${quoted(program)} could not be started${typeof code === "string" ? ` (${code})` : ""}.`)
}

/** Sends a signal to the group of a process. False if there is nothing left of it. */
const signal = (child: ChildProcess, name: NodeJS.Signals): boolean => {
  if (child.pid === undefined) return false
  try {
    return isWindows ? child.kill(name) : process.kill(-child.pid, name)
  } catch {
    return false
  }
}

/** Starts a program. Throws `ToolFailed` if that is not possible at all. */
export const start = ({ args, characters, env, folder, maxBytes, program }: Command): Child => {
  const stdout = new Captured(characters)
  const stderr = new Captured(characters)
  const child = started(() =>
    spawn(program, args, {
      cwd: folder,
      env,
      detached: !isWindows,
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true
    })
  )
  const release = guard(child.pid, () => signal(child, "SIGKILL"))
  const exited = new Promise<Exit>((resolve) => {
    child.once("error", (error) => resolve({ _tag: "NotStarted", error: notStarted(program, error) }))
    child.once("exit", (code, name) => resolve({ _tag: "Exited", code, signal: name }))
  })
  const closed = new Promise<void>((resolve) => {
    child.once("close", () => resolve())
    child.once("error", () => resolve())
  })
  const flooded = new Promise<void>((resolve) => {
    for (const [stream, captured] of [
      [child.stdout, stdout],
      [child.stderr, stderr]
    ] as const) {
      stream?.on("data", (chunk: Buffer) => {
        captured.add(chunk)
        if (stdout.bytes + stderr.bytes <= maxBytes) return
        // nothing more is read, so that the program stands still until it is ended
        child.stdout?.pause()
        child.stderr?.pause()
        resolve()
      })
    }
  })
  const isOpen = () => child.exitCode === null && child.signalCode === null
  const end = async (): Promise<void> => {
    if (isOpen() && signal(child, "SIGTERM")) await Promise.race([exited, setTimeout(graceMillis)])
    // also what a program that has ended has left behind in its group
    signal(child, "SIGKILL")
    release()
    await exited
    child.stdout?.resume()
    child.stderr?.resume()
    await Promise.race([closed, setTimeout(graceMillis)])
    // what has left the group may hold them open
    child.stdout?.destroy()
    child.stderr?.destroy()
  }
  return { exited, flooded, stdout, stderr, end }

  function started(run: () => ChildProcess): ChildProcess {
    try {
      return run()
    } catch (error) {
      throw notStarted(program, error)
    }
  }
}
