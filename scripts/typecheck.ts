import { existsSync } from "node:fs"
import { join } from "node:path"
import { root, run, runBin } from "./run.ts"

// Two passes over everything in tsconfig.json (sources, tests with their type tests, examples, benches, scripts):
// TypeScript itself, then TypeScript with Effect's own diagnostics (floating effects, missing yield*, leaking
// requirements …). The second compiler is published per platform; where there is none the first pass is all.
const args = ["-p", ".", "--pretty", process.stdout.isTTY ? "true" : "false"]

const types = runBin("typescript", "tsc", args, { inherit: true })

const effectCompiler = join(
  root,
  "node_modules",
  "@effect",
  `tsgo-${process.platform}-${process.arch}`,
  "lib",
  process.platform === "win32" ? "tsc.exe" : "tsc"
)

if (types.status !== 0) {
  process.exitCode = 1
} else if (existsSync(effectCompiler)) {
  process.exitCode = run(effectCompiler, args, { inherit: true }).status
} else {
  console.log(`Effect's diagnostics were not run: there is no compiler for ${process.platform}-${process.arch} here.`)
}
