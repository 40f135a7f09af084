import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { npm, runBin } from "./run.ts"

// Packs what would be published (`prepack` builds it first) and checks the tarball: publint for its package.json and
// files, "are the types wrong" for what TypeScript users get from each entry point.
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
    process.exitCode = publint.status === 0 && attw.status === 0 ? 0 : 1
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
