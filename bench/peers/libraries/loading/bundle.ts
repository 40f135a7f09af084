/** Sizes of bundles for browsers, as far as they are loaded until the first answer. */
import { execFileSync } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import { peers } from "../../harness/install.ts"

const runner = join(import.meta.dirname, "runBundle.ts")

/** Bundles a program, runs it, and returns the bytes of what was loaded, minified and compressed. */
export const bytesOf = async (program: string, external: ReadonlyArray<RegExp> = []): Promise<number> => {
  const kind = external.length === 0 ? "whole" : "own"
  const dir = join(peers, "node_modules", ".cache", "bundles", kind, program)
  rmSync(dir, { recursive: true, force: true })
  const input = join(peers, "programs", "browser", `${program}.ts`)
  const build = await rolldown({ input, platform: "browser", external: [...external, /^node:/], logLevel: "silent" })
  await build.write({ dir, format: "esm", minify: true, entryFileNames: "main.js" })
  await build.close()
  const loaded: ReadonlyArray<string> = JSON.parse(execFileSync(process.execPath, [runner, dir], { encoding: "utf8" }))
  return loaded.reduce((sum, file) => sum + gzipSync(readFileSync(file), { level: 9 }).byteLength, 0)
}
