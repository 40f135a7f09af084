/**
 * Says once, before any test, whether a Postgres server can be started here. COGITO_POSTGRES=required takes for granted that
 * it can, so tests on one fail where it cannot; COGITO_POSTGRES=none does as if it could not.
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    /** Why tests on a Postgres server cannot run; `undefined` where they can. */
    readonly postgresMissing: string | undefined
  }
}

const script = join(import.meta.dirname, "..", "..", "scripts", "postgres.sh")

const missing = (): string | undefined => {
  if (process.env["COGITO_POSTGRES"] === "required") return undefined
  if (process.env["COGITO_POSTGRES"] === "none") return "COGITO_POSTGRES=none"
  if (process.platform !== "linux") return `the script that starts one needs Linux, not ${process.platform}`
  for (const action of ["check", "build"]) {
    const { status, stderr } = spawnSync("bash", [script, action], { encoding: "utf8" })
    if (status !== 0) return stderr.trim().split("\n").at(-1) || `scripts/postgres.sh ${action} failed`
  }
  return undefined
}

export default function setup(project: TestProject): void {
  project.provide("postgresMissing", missing())
}
