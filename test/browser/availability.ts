/** Says once, before any test, whether Chromium can be started here, as test/postgres/availability.ts does for Postgres. */
import { spawnSync } from "node:child_process"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    /** Why tests in a browser cannot run; `undefined` where they can. */
    readonly chromiumMissing: string | undefined
  }
}

const missing = (): string | undefined => {
  if (process.env["COGITO_POSTGRES"] === "required") return undefined
  const program = process.env["CHROMIUM"] ?? "chromium"
  const { status } = spawnSync(program, ["--version"], { stdio: "ignore" })
  return status === 0 ? undefined : `${program} is not installed`
}

export default function setup(project: TestProject): void {
  project.provide("chromiumMissing", missing())
}
