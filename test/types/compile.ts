import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { bin, brief, root, run } from "../../scripts/run.ts"

/** What the compiler says about programs, and what it costs it to find that out. */
export const compile = (
  files: Readonly<Record<string, string>>,
  compilerOptions: Readonly<Record<string, boolean>> = {}
): string => {
  const folder = mkdtempSync(join(import.meta.dirname, ".messages-"))
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    const base = relative(folder, join(root, "tsconfig.json")).replaceAll("\\", "/")
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ extends: base, include: ["*.ts"], compilerOptions }))
    const options = ["--noEmit", "--pretty", "false", "--extendedDiagnostics", "--singleThreaded", "--rootDir", root]
    return run(process.execPath, [bin("typescript", "tsc"), "-p", folder, ...options], { env: brief }).output
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
