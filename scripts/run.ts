import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

/** The project's root folder. */
export const root: string = dirname(import.meta.dirname)

const require = createRequire(join(root, "package.json"))

/** The path of a package's command, for running it with this Node on every platform (no shell, no `.cmd` files). */
export const bin = (packageName: string, command: string): string => {
  const manifestPath = join(root, "node_modules", packageName, "package.json")
  const manifest: { readonly bin: string | Readonly<Record<string, string>> } = require(manifestPath)
  const file = typeof manifest.bin === "string" ? manifest.bin : manifest.bin[command]
  if (file === undefined) throw new Error(`${packageName} has no command "${command}"`)
  return join(dirname(manifestPath), file)
}

/** npm's own program; `npm run` names it, otherwise it is looked for beside the `npm` command. */
export const npm = (args: ReadonlyArray<string>, options: RunOptions = {}): Result => {
  const cli = process.env["npm_execpath"]
  return cli !== undefined && /\.[cm]?js$/.test(cli)
    ? run(process.execPath, [cli, ...args], options)
    : run(process.platform === "win32" ? "npm.cmd" : "npm", args, { ...options, shell: process.platform === "win32" })
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Show the output at once instead of returning it. */
  readonly inherit?: boolean
  readonly shell?: boolean
}

export interface Result {
  readonly status: number
  readonly output: string
}

/**
 * For a compiler that checks something small: it need not collect garbage, which takes it a third of the time. It has up to
 * 1 GB then.
 */
export const brief = { GOGC: "off", GOMEMLIMIT: "1GiB" }

/** Runs a program to its end. A program killed by a signal, or that cannot be started, has a status other than 0. */
export const run = (command: string, args: ReadonlyArray<string>, options: RunOptions = {}): Result => {
  const child = spawnSync(command, args, {
    cwd: options.cwd ?? root,
    env: { ...process.env, ...options.env },
    shell: options.shell ?? false,
    stdio: options.inherit === true ? "inherit" : ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024
  })
  if (child.error !== undefined) return { status: 1, output: String(child.error) }
  return { status: child.status ?? 1, output: `${child.stdout ?? ""}${child.stderr ?? ""}` }
}

/** Runs a package's command with this Node. */
export const runBin = (
  packageName: string,
  command: string,
  args: ReadonlyArray<string>,
  options: RunOptions = {}
): Result => run(process.execPath, [bin(packageName, command), ...args], options)

/** The parsed package.json. */
export const manifest = (folder: string = root): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

export interface Manifest {
  readonly name: string
  readonly description: string
  readonly version: string
  readonly files: ReadonlyArray<string>
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly scripts: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
}
