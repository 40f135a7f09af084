/** How long the compiler takes for a program, and how long the program is. */
import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { peers, root } from "../../harness/install.ts"

const compiler = join(root, "node_modules", "typescript", "bin", "tsc")

const read = (diagnostics: string, name: string): number => {
  const value = new RegExp(`^${name}:\\s+([\\d.]+)`, "m").exec(diagnostics)?.[1]
  if (value === undefined) throw new Error(`The compiler does not say its ${name}.`)
  return Number(value)
}

/** Milliseconds in all and those of checking, and the types that were instantiated. */
export const checking = (program: string) => {
  const folder = join(peers, "node_modules", ".cache", "types")
  mkdirSync(folder, { recursive: true })
  const project = join(folder, `${program}.json`)
  const files = [join(peers, "programs", `${program}.ts`)]
  writeFileSync(project, JSON.stringify({ extends: join(peers, "tsconfig.json"), include: [], files }))
  const args = [compiler, "-p", project, "--extendedDiagnostics"]
  const diagnostics = execFileSync(process.execPath, args, { encoding: "utf8" })
  return {
    total: read(diagnostics, "Total time") * 1000,
    check: read(diagnostics, "Check time") * 1000,
    instantiations: read(diagnostics, "Instantiations")
  }
}

export const linesOf = (program: string): number =>
  readFileSync(join(peers, "programs", `${program}.ts`), "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "").length
