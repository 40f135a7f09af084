/** Projects that the packed package is installed in. */
import { assert } from "@effect/vitest"
import { linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { packed } from "../../scripts/packed.ts"
import { manifest, npm, root } from "../../scripts/run.ts"

export const succeed = (what: string, result: { readonly status: number; readonly output: string }): string => {
  assert.strictEqual(result.status, 0, `${what} failed:\n${result.output}`)
  return result.output
}

/** Makes an empty project. */
export const project = (outside: string, name: string): string => {
  const folder = join(outside, name)
  mkdirSync(join(folder, "node_modules"), { recursive: true })
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, version: "0.0.0", private: true, type: "module" }))
  return folder
}

/** Gives a project packages that the development dependencies have. */
export const link = (folder: string, packages: ReadonlyArray<string>): void => {
  for (const name of packages) {
    const place = join(folder, "node_modules", name)
    mkdirSync(dirname(place), { recursive: true })
    symlinkSync(join(root, "node_modules", name), place, "junction")
  }
}

/** Gives a folder the same files as another, which must not change any more. */
export const share = (from: string, to: string): void => {
  for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
    const place = join(to, relative(from, entry.parentPath))
    mkdirSync(place, { recursive: true })
    if (entry.isFile()) linkSync(join(entry.parentPath, entry.name), join(place, entry.name))
  }
}

/**
 * Packs, installs the tarball by npm without a network in a project of the folder, and returns where it is. The project has a
 * lock file, without which npm unpacks the tarball a second time to see what it depends on.
 */
export const packInto = async (outside: string): Promise<string> => {
  const { tarball } = await packed()
  const { name, version } = manifest()
  const first = project(outside, "first")
  const own = { name: "first", version: "0.0.0", dependencies: { [name]: `file:${tarball}` } }
  const packages = { "": own, [`node_modules/${name}`]: { version, resolved: `file:${tarball}` } }
  writeFileSync(join(first, "package.json"), JSON.stringify({ ...own, private: true, type: "module" }))
  writeFileSync(join(first, "package-lock.json"), JSON.stringify({ ...own, lockfileVersion: 3, packages }))
  const flags = ["--offline", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund"]
  succeed("npm ci", npm(["ci", ...flags], { cwd: first }))
  return join(first, "node_modules", name)
}
