import { createHash } from "node:crypto"
import {
  cpSync,
  existsSync,
  globSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { manifest, npm, root, run } from "./run.ts"

/** What npm would publish: the tarball, and the folder with what is in it. */
export interface Packed {
  readonly tarball: string
  readonly folder: string
}

const cache = join(root, "node_modules", ".cache", "cogito")

/** What the build makes is not among what it is made of. */
const made = new Set(["dist", "llms.txt", "llms-full.txt"])

/** What a build and a package are made of. */
const inputs = (): ReadonlyArray<string> =>
  ["package.json", ".npmrc", "tsconfig.json", "tsconfig.build.json", "scripts", ...manifest().files]
    .filter((path) => !made.has(path))
    .filter((path) => existsSync(join(root, path)))

/** Differs when any of the files differs, or an installed package, the runtime or where the project is. */
const fingerprint = (): string => {
  const files = inputs().flatMap((path) =>
    statSync(join(root, path)).isDirectory()
      ? globSync(`${path}/**`, { cwd: root, withFileTypes: true }).flatMap((entry) =>
          entry.isFile() ? [join(entry.parentPath, entry.name)] : []
        )
      : [join(root, path)]
  )
  const hash = createHash("sha256").update(`${process.version} ${root}`)
  for (const file of [join(root, "package-lock.json"), ...files.toSorted()]) {
    const content = readFileSync(file)
    hash.update(`\n${file} ${content.length}\n`).update(content)
  }
  return hash.digest("hex").slice(0, 16)
}

/** Copies the files to a project of their own, so that nothing is built from what changes meanwhile. */
const stage = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "cogito-stage-"))
  for (const path of inputs()) cpSync(join(root, path), join(folder, path), { recursive: true })
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "junction")
  return folder
}

const succeed = (what: string, result: { readonly status: number; readonly output: string }): void => {
  if (result.status !== 0) throw new Error(`${what} failed:\n${result.output}`)
}

const write = (folder: string): void => {
  const draft = `${folder}-${process.pid}`
  const project = stage()
  try {
    mkdirSync(draft, { recursive: true })
    // `prepack` builds it
    succeed("npm pack", npm(["pack", "--pack-destination", draft], { cwd: project }))
    succeed("tar", run("tar", ["-xzf", tarballIn(draft), "-C", draft]))
    renameSync(draft, folder)
  } finally {
    rmSync(project, { recursive: true, force: true })
    rmSync(draft, { recursive: true, force: true })
  }
}

const tarballIn = (folder: string): string => {
  const file = readdirSync(folder).find((name) => name.endsWith(".tgz"))
  if (file === undefined) throw new Error(`npm has left no tarball in ${folder}`)
  return join(folder, file)
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** Takes a lock unless a process that runs has it. */
const take = (lock: string): boolean => {
  const own = `${lock}-${process.pid}`
  // a link appears at once with what it says
  writeFileSync(own, String(process.pid))
  try {
    linkSync(own, lock)
    return true
  } catch {
    if (existsSync(lock) && !isRunning(Number(readFileSync(lock, "utf8")))) rmSync(lock, { force: true })
    return false
  } finally {
    rmSync(own, { force: true })
  }
}

const folderOf = (): string => join(cache, `package-${fingerprint()}`)

const at = (folder: string): Packed => ({ tarball: tarballIn(folder), folder: join(folder, "package") })

/** What has been packed of the same files, if it has. */
export const packedBefore = (): Packed | undefined => {
  const folder = folderOf()
  return existsSync(folder) ? at(folder) : undefined
}

/** Packages of other files, unless another run may use them still. */
const outdated = (): ReadonlyArray<string> =>
  globSync("package-*", { cwd: cache })
    .map((name) => join(cache, name))
    .filter((path) => Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) > 3_600_000)

/**
 * Builds and packs the project as for publishing, once for the same files: whoever needs it first makes it, and others wait
 * for that or find it.
 */
export const packed = async (): Promise<Packed> => {
  const folder = folderOf()
  const lock = `${folder}.lock`
  mkdirSync(cache, { recursive: true })
  while (!existsSync(folder)) {
    if (!take(lock)) {
      await setTimeout(100)
      continue
    }
    try {
      if (existsSync(folder)) break
      for (const old of outdated()) rmSync(old, { recursive: true, force: true })
      write(folder)
    } finally {
      rmSync(lock, { force: true })
    }
  }
  return at(folder)
}
