/** Headless Chromium for the tests of one file. */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { inject } from "vitest"
import { flags } from "./flags.ts"

export const missing = inject("chromiumMissing")

/** Opens a page. The caller learns from the page's requests what it does; `close` ends the browser. */
export const open = (url: string): { readonly close: () => Promise<void>; readonly output: () => string } => {
  const profile = mkdtempSync(join(tmpdir(), "cogito-chromium-"))
  const program = process.env["CHROMIUM"] ?? "chromium"
  const child: ChildProcess = spawn(program, [...flags, `--user-data-dir=${profile}`, url], { detached: true })
  let printed = ""
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data: Buffer) => (printed += data.toString()))
  const ended = new Promise<void>((done) => child.once("close", () => done()))
  return {
    output: () => printed,
    close: async () => {
      // its helpers are in its group
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL")
      await ended
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    }
  }
}
