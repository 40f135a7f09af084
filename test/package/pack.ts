/** Builds the sources and packs them as for publishing, beside the project's own `dist`. */
import { assert } from "@effect/vitest"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { bundle } from "../../scripts/bundle.ts"
import { bin, manifest, npm, root, run } from "../../scripts/run.ts"

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

const published = ["src", "docs", "examples", "README.md", "CHANGELOG.md", "THIRD-PARTY-NOTICES.md", "LICENSE"]

/** Packs, installs the tarball by npm without a network in a project of the folder, and returns where it is. */
export const packInto = async (outside: string): Promise<string> => {
  // inside the project, so that the build finds the development dependencies
  const stage = mkdtempSync(join(import.meta.dirname, ".stage-"))
  try {
    writeFileSync(join(stage, ".gitignore"), "*\n")
    for (const file of ["package.json", "tsconfig.json", "tsconfig.build.json", ...published]) {
      if (existsSync(join(root, file))) cpSync(join(root, file), join(stage, file), { recursive: true })
    }
    succeed("the build", run(process.execPath, [bin("typescript", "tsc"), "-p", "tsconfig.build.json"], { cwd: stage }))
    await bundle(stage)
    // The build has been made above; lifecycle scripts would make it again.
    succeed("npm pack", npm(["pack", "--ignore-scripts", "--pack-destination", outside], { cwd: stage }))
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
  const tarball = readdirSync(outside).find((file) => file.endsWith(".tgz"))
  assert.isDefined(tarball)
  const first = project(outside, "first")
  const flags = ["--offline", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund", "--no-package-lock"]
  succeed("npm install", npm(["install", join(outside, tarball), ...flags], { cwd: first }))
  return join(first, "node_modules", manifest().name)
}
