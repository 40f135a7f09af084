import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { manifest, npm, root, run, runBin } from "./run.ts"

// Packs what would be published (`prepack` builds it first) and checks the tarball: publint for its package.json and
// files (the program's file is there, with a shebang), "are the types wrong" for what TypeScript users get from each entry
// point; and the program that was packed says its version.
const folder = mkdtempSync(join(tmpdir(), "cogito-pack-"))
try {
  const packed = npm(["pack", "--silent", "--pack-destination", folder], { inherit: true })
  const tarball = readdirSync(folder).find((file) => file.endsWith(".tgz"))
  if (packed.status !== 0 || tarball === undefined) {
    process.exitCode = 1
  } else {
    const path = join(folder, tarball)
    const publint = runBin("publint", "publint", ["run", path, "--strict"], { inherit: true })
    const attw = runBin("@arethetypeswrong/cli", "attw", [path, "--profile", "esm-only"], { inherit: true })
    const { name, version } = manifest()
    const { bin }: { readonly bin: Readonly<Record<string, string>> } = JSON.parse(
      readFileSync(join(root, "package.json"), "utf8")
    )
    const programs = Object.entries(bin).map(([command, file]) => {
      const { output, status } = run(process.execPath, [join(root, file), "--version"])
      const runs = status === 0 && output.trim() === `${command} v${version}`
      if (!runs) process.stderr.write(`The program ${command} of ${name} does not run:\n${output}\n`)
      return runs
    })
    process.exitCode = publint.status === 0 && attw.status === 0 && programs.every(Boolean) ? 0 : 1
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
