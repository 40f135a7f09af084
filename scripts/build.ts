import { rmSync } from "node:fs"
import { join } from "node:path"
import { bundle } from "./bundle.ts"
import { root, runBin } from "./run.ts"

// A file left over from an earlier build would be published, so dist starts empty.
rmSync(join(root, "dist"), { recursive: true, force: true })

const { status } = runBin("typescript", "tsc", ["-p", "tsconfig.build.json"], { inherit: true })
if (status === 0) await bundle(root)
process.exitCode = status
