/** Installs the packages of the benchmark, and cogito among them. */
import { execFileSync } from "node:child_process"
import { copyFileSync, existsSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { bundle } from "../../../scripts/bundle.ts"

export const peers = join(import.meta.dirname, "..")
export const root = join(peers, "..", "..")

interface Manifest {
  readonly version: string
  readonly dependencies: Readonly<Record<string, string>>
}

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

const isInstalled = ([name, version]: readonly [string, string]): boolean => {
  const folder = join(peers, "node_modules", name)
  return existsSync(join(folder, "package.json")) && manifestOf(folder).version === version
}

/** Builds cogito as it is published, beside the packages that it is compared with. */
const build = async (): Promise<void> => {
  const folder = join(peers, "node_modules", "cogito")
  rmSync(folder, { recursive: true, force: true })
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc")
  const project = join(root, "tsconfig.build.json")
  execFileSync(process.execPath, [compiler, "-p", project, "--outDir", join(folder, "dist")], { stdio: "inherit" })
  await bundle(root, join(folder, "dist", "node"))
  copyFileSync(join(root, "package.json"), join(folder, "package.json"))
}

export const install = async (): Promise<void> => {
  if (!Object.entries(manifestOf(peers).dependencies).every(isInstalled)) {
    execFileSync("npm", ["ci"], { cwd: peers, stdio: "inherit", shell: process.platform === "win32" })
  }
  await build()
}

/** What is compared, and what measures it. */
export const versions = (): ReadonlyArray<readonly [string, string]> => {
  const versionOf = (name: string): string => manifestOf(join(root, "node_modules", name)).version
  return [
    ["cogito", manifestOf(root).version],
    ...["effect", "@electric-sql/pglite", "gpt-tokenizer", "openai"].map((name) => [name, versionOf(name)] as const),
    ...Object.entries(manifestOf(peers).dependencies)
  ]
}
