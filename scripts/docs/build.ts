import { join } from "node:path"
import { build } from "vitepress"
import { manifest, root, runBin } from "../run.ts"
import { writePages } from "./pages.ts"
import { reference } from "./reference.ts"
import { sections } from "./sections.ts"

// `npm run docs`: the site in the folder `site`. What it is made of is in `.site`. The declarations that the reference is made
// from are compiled, unless COGITO_DECLARATIONS names a folder with those of the sources.
const work = join(root, ".site")
const folder = join(work, "pages")
const given = process.env["COGITO_DECLARATIONS"]
const declarations = given ?? join(work, "declarations")

const emitted = ["--emitDeclarationOnly", "--declarationMap", "false", "--outDir", declarations]
const incremental = ["--incremental", "--tsBuildInfoFile", join(work, "declarations.tsbuildinfo")]
const args = ["-p", "tsconfig.build.json", ...emitted, ...incremental]
const status = given === undefined ? runBin("typescript", "tsc", args, { inherit: true }).status : 0
if (status === 0) {
  writePages({
    folder,
    outDir: join(root, "site"),
    description: manifest().description,
    sections: sections(),
    reference: await reference(declarations)
  })
  process.env["COGITO_PAGES"] = folder
  await build(folder)
} else process.exitCode = status
