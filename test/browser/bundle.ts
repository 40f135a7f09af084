/** Bundles for browsers, made from the sources. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { rolldown } from "rolldown"
import { root } from "../../scripts/run.ts"

interface Bundle {
  /** The files by name. `main.js` is the entry. */
  readonly files: ReadonlyMap<string, string>
  /** The modules that they import and do not contain. */
  readonly imported: ReadonlyArray<string>
}

export const bundle = async (code: string): Promise<Bundle> => {
  // within the project, so that the names of packages resolve
  const folder = mkdtempSync(join(root, "node_modules", ".cogito-browser-"))
  try {
    const input = join(folder, "main.ts")
    writeFileSync(input, code)
    const build = await rolldown({
      input,
      platform: "browser",
      logLevel: "silent",
      resolve: { conditionNames: ["cogito-source", "browser", "import", "module", "default"] }
    })
    const { output } = await build.generate({ format: "esm", entryFileNames: "main.js" })
    await build.close()
    const files = new Map(
      output.map((file) => [file.fileName, file.type === "chunk" ? file.code : String(file.source)])
    )
    const all = output.flatMap((file) => (file.type === "chunk" ? [...file.imports, ...file.dynamicImports] : []))
    return { files, imported: all.filter((name) => !files.has(name)) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
