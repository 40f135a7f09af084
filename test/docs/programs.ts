import { spawn } from "node:child_process"
import { text } from "node:stream/consumers"
import { join } from "node:path"
import { flags } from "../flags.ts"

/** A program of a page. */
export interface Program {
  /** The files that the page has named before, each with its text. */
  readonly files: ReadonlyArray<readonly [name: string, code: string]>
  /** The file to run, and the arguments. */
  readonly args: ReadonlyArray<string>
}

/** What stands after the output of each program. */
export const end = "\0"

/** What programs print, one after the other in one folder, like those of a reader. */
export const printed = async (programs: ReadonlyArray<Program>, cwd: string): Promise<ReadonlyArray<string>> => {
  const child = spawn(process.execPath, [...flags, join(import.meta.dirname, "runPage.ts")], { cwd })
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  child.stdin.end(JSON.stringify(programs))
  const [outputs, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  if ((await ended) !== 0) throw new Error(`${outputs}${errors}`)
  return outputs.split(end).slice(0, -1)
}
