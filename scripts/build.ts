import { rmSync } from "node:fs"
import { join } from "node:path"
import { bundle } from "./bundle.ts"
import { writeTexts } from "./docs/llms.ts"
import { reference } from "./docs/reference.ts"
import { sections } from "./docs/sections.ts"
import { makeNameable } from "./nameable.ts"
import { brief, manifest, root, runBin } from "./run.ts"

// A file left over from an earlier build would be published, so dist starts empty.
rmSync(join(root, "dist"), { recursive: true, force: true })

// With more than one checker, each of them works out again the types that others have worked out, for the declarations.
const args = ["-p", "tsconfig.build.json", "--checkers", "1"]
const { status } = runBin("typescript", "tsc", args, { inherit: true, env: brief })
if (status === 0) {
  makeNameable(root)
  await bundle(root)
  // the documentation for language models, which is published too
  writeTexts(root, {
    description: manifest().description,
    sections: sections(),
    reference: await reference(join(root, "dist"))
  })
}
process.exitCode = status
